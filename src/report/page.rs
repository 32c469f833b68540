//! Pages of rules and of families: as Markdown for the book, and laid out for a terminal.
//!
//! A rule's file owns the words of its page; this file adds the headline and breaks lines. Of Markdown it knows what
//! the pages use: paragraphs, `**strong**` words and fenced blocks.

use super::Style;
use super::list::{self, Item};
use super::text;
use crate::finding::{Family, Rule};
use anstyle::Style as Paint;
use std::fmt::Write as _;
use std::io::{self, Write};

const STRONG: Paint = Paint::new().bold();
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

/// The page of a rule in Markdown.
pub fn markdown(rule: &Rule) -> String {
    format!(
        "# {} {}\n\n*{}*: {}.\n\n{}",
        rule.id,
        rule.name,
        capital(rule.severity.word()),
        rule.summary.trim_end_matches('.'),
        rule.page()
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
    let page = rule.page();
    let mut open = String::new();
    let mut fenced = false;
    for line in page.lines() {
        if line.starts_with("```") {
            lines.append(&mut paragraph(&std::mem::take(&mut open), style));
            fenced = !fenced;
        } else if fenced {
            lines.extend(code(line, style.columns));
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

/// A line of an example, indented. A long one is broken where the language allows a line end, so that it can be copied.
fn code(line: &str, columns: usize) -> Vec<String> {
    let own = line.len() - line.trim_start().len();
    let mut lines = Vec::new();
    let mut rest = line.trim();
    let mut indent = INDENT + own;
    while text::width(rest) + indent > columns {
        let Some(at) = breaking_point(rest, columns.saturating_sub(indent)) else {
            break;
        };
        lines.push(format!("{}{}", " ".repeat(indent), rest[..at].trim_end()));
        rest = rest[at..].trim_start();
        indent = 2 * INDENT + own;
    }
    lines.push(format!("{}{rest}", " ".repeat(indent)));
    lines
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
        file: "//! **What it\n//! finds.** Nothing.\n//!\n//! **Firing example**\n//! ```text\n//! list l : direct {\n//!   barrier { texture t { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout COMMON -> RENDER_TARGET } }\n//! }\n//! ```\n\nuse nothing;\n",
    };

    #[test]
    fn strong_words_are_styled_over_line_ends_and_examples_are_broken_where_a_line_may_end() {
        let plain = terminal(&RULE, &Style::default());
        let expected = "EB999 made-up (warning)

What it finds. Nothing.

Firing example
    list l : direct {
      barrier { texture t { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET;
          layout COMMON -> RENDER_TARGET } }
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
