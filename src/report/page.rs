//! Pages of rules and of families: as Markdown for the book, and laid out for a terminal.
//!
//! A rule owns the prose of its page; its examples are its scenes, as they are. This file joins the two, adds the headline
//! and breaks lines. Of Markdown it knows what the pages use: paragraphs, `**strong**` words and fenced blocks.

use super::Style;
use super::format::{Output, Printer};
use super::list::{self, Item};
use super::text;
use crate::finding::{Family, Rule};
use crate::workbench::scenes::{self, Scene};
use anstyle::Style as Paint;
use std::fmt::Write as _;
use std::io::{self, Write};

const STRONG: Paint = Paint::new().bold();
/// Begins the section before which examples come.
const SOURCE: &str = "**Source.**";
/// Columns before a line of an example.
const INDENT: usize = 4;
/// Stands for each `**` while lines are broken: it takes no column and separates no words.
const MARK: char = '\u{2060}';

/// What a page is about.
#[non_exhaustive]
pub enum Topic {
    /// A rule.
    Rule(&'static Rule),
    /// A family and its rules.
    Family(Family, Vec<&'static Rule>),
}

/// The page of a rule, or the rules of a family: `explain`.
pub const PAGE: Output<Printer<Topic>> = Output {
    name: "page",
    noun: "a page of a rule",
    writers: &[("terminal", write)],
    schema: None,
};

/// A page laid out for a terminal.
///
/// # Errors
/// Only what the writer returns.
pub fn write(topic: &Topic, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    match topic {
        Topic::Rule(rule) => out.write_all(terminal(rule, style).as_bytes()),
        Topic::Family(family, rules) => {
            let title = format!("{}: {}", family.id, family.about);
            for line in text::wrap(&title, style.columns) {
                writeln!(out, "{}", style.plain(&line))?;
            }
            writeln!(out)?;
            let items: Vec<Item> = rules.iter().map(|rule| Item::rule(rule)).collect();
            list::table(&items, style, out)
        }
    }
}

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
        let is_json = scene.path.extension().is_some_and(|e| e == "json");
        let language = if is_json { "json" } else { "text" };
        let text = scene.text.trim_end();
        let _ = write!(examples, "{head}\n```{language}\n{text}\n```\n\n");
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
pub fn terminal(rule: &Rule, style: &Style) -> String {
    let head = format!("**{} {}** ({})", rule.id, rule.name, rule.severity.word());
    let mut lines = paragraph(&head, style);
    lines.push(String::new());
    let page = body(rule);
    let mut open = String::new();
    let mut rest = page.lines();
    while let Some(line) = rest.next() {
        if line.starts_with("```") {
            lines.append(&mut paragraph(&std::mem::take(&mut open), style));
            let block: Vec<&str> = rest.by_ref().take_while(|it| *it != "```").collect();
            lines.append(&mut example(&block, style.columns));
        } else if line.trim().is_empty() {
            lines.append(&mut paragraph(&std::mem::take(&mut open), style));
            lines.push(String::new());
        } else {
            open.push_str(line);
            open.push('\n');
        }
    }
    lines.append(&mut paragraph(&open, style));
    let mut out = String::new();
    for line in lines {
        let line = line.trim_end();
        out.push_str(&style.plain(line));
        out.push('\n');
    }
    out
}

/// A paragraph in lines, its strong words styled; no line for an empty one.
fn paragraph(paragraph: &str, style: &Style) -> Vec<String> {
    if paragraph.trim().is_empty() {
        return Vec::new();
    }
    let mut strong = false;
    let mut lines = Vec::new();
    for line in text::wrap(&paragraph.replace("**", &MARK.to_string()), style.columns) {
        // A style ends with its line and begins again on the next.
        let mut out = String::new();
        for (index, part) in line.split(MARK).enumerate() {
            strong ^= index > 0;
            if strong && style.color && !part.is_empty() {
                let _ = write!(out, "{STRONG}{part}{STRONG:#}");
            } else {
                out.push_str(part);
            }
        }
        lines.push(out);
    }
    lines
}

/// The lines of an example, indented. Long ones are broken so that they can be copied.
fn example(block: &[&str], columns: usize) -> Vec<String> {
    let is_comment = |line: &str| line.trim_start().starts_with("// ");
    let is_long = |line: &&str| text::width(line) + INDENT > columns;
    let mut lines = Vec::new();
    for lines_of_one in block.chunk_by(|a, b| is_comment(a) && is_comment(b)) {
        let first = lines_of_one[0];
        let indent = " ".repeat(INDENT + first.len() - first.trim_start().len());
        if !lines_of_one.iter().any(is_long) {
            let shown = lines_of_one.iter().map(|line| " ".repeat(INDENT) + line);
            lines.extend(shown);
        } else if is_comment(first) {
            let sign = format!("{indent}// ");
            let words = lines_of_one.iter().map(|line| line.trim_start());
            let words: Vec<&str> = words.map(|line| &line["// ".len()..]).collect();
            let wrapped = text::wrap(&words.join(" "), columns.saturating_sub(sign.len()));
            lines.extend(wrapped.into_iter().map(|line| sign.clone() + &line));
        } else {
            lines.append(&mut code(first, &indent, columns));
        }
    }
    lines
}

/// A long line of code, broken where the language allows a line end. What follows the code, an expectation above all, stays
/// on the first line, where its statement begins.
fn code(line: &str, indent: &str, columns: usize) -> Vec<String> {
    let (code, comment) = line.split_at(line.find("//").unwrap_or(line.len()));
    let more = format!("{indent}{}", " ".repeat(INDENT));
    let mut lines: Vec<String> = Vec::new();
    let mut rest = code.trim();
    loop {
        let (indent, comment) = if lines.is_empty() {
            (indent, format!(" {comment}"))
        } else {
            (more.as_str(), String::new())
        };
        let room = columns.saturating_sub(indent.len() + text::width(comment.trim_end()));
        let fits = text::width(rest) <= room;
        let end = breaking_point(rest, room).filter(|_| !fits);
        let (now, later) = rest.split_at(end.unwrap_or(rest.len()));
        let line = format!("{indent}{}{comment}", now.trim_end());
        lines.push(line.trim_end().to_owned());
        rest = later.trim_start();
        if rest.is_empty() {
            return lines;
        }
    }
}

/// The last blank within `columns` after a sign that may end a line; failing that, the last blank of all.
fn breaking_point(line: &str, columns: usize) -> Option<usize> {
    let blanks = || {
        line.match_indices(' ')
            .map(|(at, _)| at)
            .filter(|at| *at > 0 && text::width(&line[..*at]) <= columns)
    };
    let ends = |signs: &[&str]| blanks().rfind(|at| signs.iter().any(|s| line[..*at].ends_with(s)));
    ends(&[";", "{"])
        .or_else(|| ends(&["->", "|", ","]))
        .or_else(|| blanks().next_back())
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
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
