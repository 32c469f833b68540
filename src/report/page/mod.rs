//! Pages of what has a name: rules and families, profiles, lowerings, formats and commands. Each as Markdown for the book,
//! and laid out for a terminal.
//!
//! What a page says comes with its topic. A rule and a lowering own their prose, a profile has it in its file, a format in its
//! declaration, a command in its help; the rest is made of data.

mod command;
mod format;
mod layout;
mod lowering;
mod profile;
mod rule;
mod table;

pub use command::CommandTopic;
pub use format::{FormatTopic, OutputTopic};
pub use lowering::LoweringTopic;
pub use profile::{ProfileTopic, tags};
pub use rule::{body, family_markdown, markdown as rule_markdown};

use super::Style;
use super::format::{Output, Printer};
use crate::finding::{Family, Rule};
use std::io::{self, Write};

/// What a page is about.
#[non_exhaustive]
pub enum Topic {
    /// A rule.
    Rule(&'static Rule),
    /// A family and its rules.
    Family(Family, Vec<&'static Rule>),
    /// A hardware profile.
    Profile(Box<ProfileTopic>),
    /// A lowering.
    Lowering(Box<LoweringTopic>),
    /// A report format.
    Format(FormatTopic),
    /// A command.
    Command(CommandTopic),
}

/// The page of a rule, a profile, a lowering, a format or a command, or the rules of a family: `explain`.
pub const PAGE: Output<Printer<Topic>> = Output {
    name: "page",
    noun: "a page about a word",
    writers: &[("terminal", write)],
    schema: None,
};

/// A page laid out for a terminal.
///
/// # Errors
/// Only what the writer returns.
pub fn write(topic: &Topic, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let page = match topic {
        Topic::Rule(rule) => rule::terminal(rule, style),
        Topic::Family(family, rules) => return rule::family_terminal(*family, rules, style, out),
        Topic::Profile(it) => profile::page(it).terminal(style),
        Topic::Lowering(it) => lowering::page(it).terminal(style),
        Topic::Format(it) => format::page(it).terminal(style),
        Topic::Command(it) => command::terminal(it, style),
    };
    out.write_all(page.as_bytes())
}

/// A page in Markdown. Its links are those of a page in a folder of the book.
pub fn markdown(topic: &Topic) -> String {
    match topic {
        Topic::Rule(rule) => rule_markdown(rule),
        Topic::Family(family, rules) => family_markdown(family, rules),
        Topic::Profile(it) => profile::page(it).markdown(),
        Topic::Lowering(it) => lowering::page(it).markdown(),
        Topic::Format(it) => format::page(it).markdown(),
        Topic::Command(it) => command::page(it).markdown(),
    }
}

/// A page before it has a form.
struct Page {
    /// Its word.
    title: String,
    /// What the word names.
    kind: &'static str,
    /// One line about it.
    summary: String,
    /// Paragraphs in Markdown, with an empty line between two.
    paragraphs: Vec<String>,
}

impl Page {
    fn body(&self) -> String {
        let summary = format!("{}.", self.summary.trim_end_matches('.'));
        let mut parts = vec![summary];
        parts.extend(self.paragraphs.iter().map(|it| it.trim_end().to_owned()));
        parts.retain(|part| !part.is_empty());
        parts.join("\n\n") + "\n"
    }

    fn markdown(&self) -> String {
        format!(
            "# {}\n\n*{}*: {}",
            self.title,
            capital(self.kind),
            self.body()
        )
    }

    fn terminal(&self, style: &Style) -> String {
        let head = format!("**{}** ({})", self.title, self.kind);
        layout::laid_out(&format!("{head}\n\n{}", capital(&self.body())), style)
    }
}

/// A table in Markdown: its heads as they are written there, and rows of as many cells.
fn table(heads: &str, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let heads: Vec<&str> = heads.split(" | ").collect();
    let set = heads.iter().map(|head| match head.strip_suffix(':') {
        Some(_) => "---:",
        None => "---",
    });
    let mut table = format!("|{}|\n", set.collect::<Vec<_>>().join("|"));
    let heads: Vec<String> = heads
        .iter()
        .map(|it| it.trim_end_matches(':').to_owned())
        .collect();
    table.insert_str(0, &line(&heads));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        table.push_str(&line(&cells));
    }
    table
}

/// Words as code, joined: "`a`, `b`".
fn code<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> String {
    let words = words.into_iter().map(|word| format!("`{}`", word.as_ref()));
    words.collect::<Vec<_>>().join(", ")
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
