//! Pages of rules and of families. A rule owns the prose of its page; its examples are its scenes, as they are.

use super::{capital, layout};
use crate::finding::{Family, Rule};
use crate::report::list::{self, Item};
use crate::report::{Style, text};
use crate::workbench::scenes::{self, Scene};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Begins the section before which examples come.
const SOURCE: &str = "**Source.**";

/// A rule's page in Markdown, without a headline: its prose, and before the source its scenes.
pub fn body(rule: &Rule) -> String {
    let lines = rule.prose.lines();
    let plain = lines.map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n");
    let prose: String = plain.collect();
    let (before, source) = prose.split_at(prose.find(SOURCE).unwrap_or(prose.len()));
    format!("{before}{}{source}", examples(rule.id))
}

/// The scenes of a rule: what fires, what does not, and the files that they name.
fn examples(id: &str) -> String {
    let head = |scene: &Scene| {
        let name = scene.path.file_name().unwrap_or_default().to_string_lossy();
        match name.split('.').next() {
            Some("fires") => (0, "**Firing example**".to_owned()),
            Some("quiet") => (1, "**Quiet example**".to_owned()),
            _ => (2, format!("`{name}`")),
        }
    };
    let scenes = scenes::of_rule(id).into_iter();
    let mut scenes: Vec<_> = scenes.map(|scene| (head(&scene), scene)).collect();
    scenes.sort_by_key(|((order, _), _)| *order);
    let mut examples = String::new();
    for ((_, head), scene) in scenes {
        let name = scene.path.file_name().unwrap_or_default().to_string_lossy();
        let language = name.rsplit('.').next().unwrap_or("text");
        let text = scene.text.trim_end();
        // A live page finds a text by the name of its file.
        let _ = write!(
            examples,
            "{head}\n```{language},file={name}\n{text}\n```\n\n"
        );
    }
    examples
}

/// The page of a rule in Markdown.
pub fn markdown(rule: &Rule) -> String {
    format!(
        "# {} {}\n\n*{}*: {}.\n\n{}",
        rule.id,
        rule.name,
        capital(rule.severity.word()),
        rule.summary,
        body(rule)
    )
}

/// The page of a family in Markdown: a table of its rules; each id links to the page of the rule.
pub fn family_markdown(family: &Family, rules: &[&Rule]) -> String {
    let mut page = format!(
        "# {}: {}\n\n| rule | severity | what it finds |\n|---|---|---|\n",
        family.id, family.about
    );
    for rule in rules {
        let _ = writeln!(
            page,
            "| [{0}]({0}.md) {1} | {2} | {3} |",
            rule.id,
            rule.name,
            rule.severity.word(),
            rule.summary.replace('|', "\\|")
        );
    }
    page
}

/// The page of a rule for a terminal.
pub(super) fn terminal(rule: &Rule, style: &Style) -> String {
    let head = format!("**{} {}** ({})", rule.id, rule.name, rule.severity.word());
    layout::laid_out(&format!("{head}\n\n{}", body(rule)), style)
}

/// A family and its rules for a terminal.
pub(super) fn family_terminal(
    family: Family,
    rules: &[&'static Rule],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let title = format!("{}: {}", family.id, family.about);
    for line in text::wrap(&title, style.columns) {
        writeln!(out, "{}", style.plain(&line))?;
    }
    writeln!(out)?;
    let items: Vec<Item> = rules.iter().map(|rule| Item::rule(rule)).collect();
    list::table(&items, style, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Severity;

    static RULE: Rule = Rule {
        id: "EB999",
        name: "made-up",
        severity: Severity::Warning,
        summary: "a rule for this test",
        prose: " **What it\n finds.** Nothing.\n\n **Firing example**\n ```text\n list l : direct {\n   barrier { texture t { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout COMMON -> RENDER_TARGET } } //~ EB999\n   // A comment that takes more than one line of a page which is as wide as a terminal goes on as one,\n   // with the next.\n }\n ```\n",
    };

    #[test]
    fn strong_words_are_styled_over_line_ends_and_examples_are_broken_where_a_line_may_end() {
        let plain = terminal(&RULE, &Style::default());
        let expected = "EB999 made-up (warning)

What it finds. Nothing.

Firing example
    list l : direct {
      barrier { texture t { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; //~ EB999
          layout COMMON -> RENDER_TARGET } }
      // A comment that takes more than one line of a page which is as wide as a terminal goes on as
      // one, with the next.
    }
";
        assert_eq!(plain, expected);
        let style = Style {
            color: true,
            ..Style::default()
        };
        let colour = terminal(&RULE, &style);
        assert!(
            colour.contains("\u{1b}[1mWhat it finds.\u{1b}[0m Nothing."),
            "{colour:?}"
        );
    }

    #[test]
    fn markdown_is_the_page_under_a_headline() {
        let page = markdown(&RULE);
        assert!(page.starts_with(
            "# EB999 made-up\n\n*Warning*: a rule for this test.\n\n**What it\nfinds.**"
        ));
        assert!(page.ends_with("```\n"));
    }
}
