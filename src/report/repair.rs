//! What repairs a scenario, as one JSON object. The unified diff is `diff.rs`.

use crate::finding::Source;
use crate::run::Repair;
use serde_json::json;
use std::io::{self, Write};

/// Version of the JSON form.
const SCHEMA: u32 = 1;

/// A scenario and what repairs it.
pub struct Repaired<'a> {
    /// The text as it was.
    pub source: &'a Source,
    /// The changes, and what is left.
    pub repair: &'a Repair,
    /// The text with the changes made.
    pub text: &'a str,
}

/// The changes, what is left and the whole new text.
///
/// # Errors
/// Only what the writer returns.
pub(crate) fn json(repaired: &Repaired<'_>, out: &mut dyn Write) -> io::Result<()> {
    let repair = repaired.repair;
    let changes: Vec<_> = repair
        .changes
        .iter()
        .map(|change| {
            json!({
                "rule": change.finding.rule.id,
                "name": change.finding.rule.name,
                "line": change.line,
                "resource": change.finding.resource,
                "says": change.says,
            })
        })
        .collect();
    let left: Vec<_> = repair
        .left
        .iter()
        .map(|finding| {
            json!({
                "rule": finding.rule.id,
                "name": finding.rule.name,
                "line": repaired.source.line(finding.span.start),
                "resource": finding.resource,
                "message": finding.message,
                "notes": finding.notes,
            })
        })
        .collect();
    let document = json!({
        "schema": SCHEMA,
        "file": repaired.source.name,
        "changes": changes,
        "left": left,
        "text": repaired.text,
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}
