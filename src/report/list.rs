//! What there is to choose from: a table of two columns, or an array of values.

use super::{Style, text};
use crate::finding::Rule;
use serde_json::{Value, json};
use std::io::{self, Write};

/// A thing that can be chosen.
pub struct Item {
    /// Its name in the table, with what belongs to it.
    pub head: String,
    /// One line about it.
    pub summary: String,
    /// The same as a value.
    pub value: Value,
}

impl Item {
    /// A thing with no more than a name and a line about it.
    pub fn plain(name: &str, summary: &str) -> Self {
        Self {
            head: name.to_owned(),
            summary: summary.to_owned(),
            value: json!({ "name": name, "summary": summary }),
        }
    }

    /// A rule.
    pub fn rule(rule: &Rule) -> Self {
        let severity = rule.severity.word();
        Self {
            head: format!("{} {severity:7}  {}", rule.id, rule.name),
            summary: rule.summary.to_owned(),
            value: json!({
                "id": rule.id,
                "name": rule.name,
                "family": rule.family(),
                "severity": severity,
                "summary": rule.summary,
            }),
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

/// An array of objects.
///
/// # Errors
/// Only what the writer returns.
pub(crate) fn json(items: &[Item], out: &mut dyn Write) -> io::Result<()> {
    let values = items.iter().map(|item| item.value.clone()).collect();
    writeln!(out, "{:#}", Value::Array(values))
}
