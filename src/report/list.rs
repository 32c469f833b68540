//! What there is to choose from: a table of two columns, or an array of values.

use super::format::{Output, Printer};
use super::{Style, json, text};
use crate::finding::Rule;
use crate::schema::schema;
use serde::Serialize;
use std::io::{self, Write};

/// A thing that can be chosen.
pub struct Item {
    /// Its name in the table, with what belongs to it.
    pub head: String,
    /// One line about it.
    pub summary: String,
    /// The same for programs.
    pub value: ItemValue,
}

/// A thing that can be chosen, as an object.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
#[non_exhaustive]
pub enum ItemValue {
    /// A rule.
    Rule {
        /// Permanent id.
        id: &'static str,
        /// Name.
        name: &'static str,
        /// The letters that its id starts with.
        family: &'static str,
        /// `error`, `hazard`, `warning` or `advice`.
        severity: &'static str,
        /// One line about it.
        summary: &'static str,
    },
    /// A report format.
    Format {
        /// Word after `--format`.
        name: &'static str,
        /// Other words for it.
        aliases: &'static [&'static str],
        /// What it is for.
        summary: &'static str,
        /// How the names of its files end, without the dot.
        extensions: &'static [&'static str],
        /// Outputs that it has.
        outputs: Vec<&'static str>,
    },
    /// A hardware profile.
    Profile {
        /// Name on the command line.
        name: String,
        /// Other names.
        aliases: &'static [&'static str],
        /// One line about it.
        summary: String,
        /// Its lowering; null if that is the default.
        lowering: Option<String>,
    },
    /// A number of a hardware profile.
    Number {
        /// Name of the profile.
        profile: String,
        /// Key, as `--set` takes it; its last word is the unit.
        key: String,
        /// Value.
        value: u64,
        /// `measured`, `published`, `driver` or `assumed`.
        tag: String,
        /// Where it comes from.
        source: String,
    },
    /// Where a table of a hardware profile comes from, or a row of it.
    Origin {
        /// Name of the profile.
        profile: String,
        /// `path`, or `path.COPY_DEST`, or `exception` and its name.
        table: String,
        /// `measured`, `published`, `driver` or `assumed`.
        tag: String,
        /// Where it comes from.
        source: String,
    },
    /// Something with no more than a name and a line about it.
    Plain {
        /// Name.
        name: String,
        /// One line about it.
        summary: String,
    },
}

impl Item {
    /// A thing with no more than a name and a line about it.
    pub fn plain(name: &str, summary: &str) -> Self {
        Self {
            head: name.to_owned(),
            summary: summary.to_owned(),
            value: ItemValue::Plain {
                name: name.to_owned(),
                summary: summary.to_owned(),
            },
        }
    }

    /// A rule.
    pub fn rule(rule: &'static Rule) -> Self {
        let severity = rule.severity.word();
        Self {
            head: format!("{} {severity:7}  {}", rule.id, rule.name),
            summary: rule.summary.to_owned(),
            value: ItemValue::Rule {
                id: rule.id,
                name: rule.name,
                family: rule.family(),
                severity,
                summary: rule.summary,
            },
        }
    }
}

/// Two columns, the second wrapped.
///
/// # Errors
/// Only what the writer returns.
pub(crate) fn table(items: &[Item], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let widths = items.iter().map(|item| text::width(&item.head));
    // Most of the page at most, and never so much that a line about it has no room.
    let first = widths.max().unwrap_or(0).min(style.columns * 3 / 5);
    for item in items {
        let lines = text::wrap(&item.summary, style.columns - first - 2);
        // A longer name has lines of its own: it may have to be copied.
        let own = text::width(&item.head) > first;
        if own {
            writeln!(out, "{}", style.plain(&item.head))?;
        }
        for (index, line) in lines.iter().enumerate() {
            let head = if index == 0 && !own {
                item.head.as_str()
            } else {
                ""
            };
            let row = format!("{}  {line}", text::left(head, first));
            writeln!(out, "{}", style.plain(row.trim_end()))?;
        }
    }
    Ok(())
}

/// What there is to choose from: `list`.
pub(crate) const LIST: Output<Printer<[Item]>> = Output {
    name: "list",
    noun: "a list",
    writers: &[
        ("terminal", table),
        ("json", |items, _, out| {
            let values = items.iter().map(|item| &item.value);
            json::indented(&ListDocument(values.collect()), out)
        }),
    ],
    schema: Some(schema!(
        written ListDocument<'static>, "list", "The output of `list --format json`"
    )),
};

/// What there is to choose from, an object each.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ListDocument<'a>(Vec<&'a ItemValue>);
