//! What repairs a scenario, as one JSON object. The unified diff is `diff.rs`.

use super::format::Output;
use super::{Style, json};
use crate::finding::{Finding, Source};
use crate::run::Repair;
use crate::schema::schema;
use serde::Serialize;
use std::io::{self, Write};
use std::sync::Arc;

/// How a repair is written.
#[derive(Copy, Clone)]
#[non_exhaustive]
pub enum WriteRepair {
    /// Only the lines that change: nothing if the file itself is changed. What was done is told on standard error.
    Changes(fn(&Repaired<'_>, &Style, &mut dyn Write) -> io::Result<()>),
    /// Everything, what was done too.
    Document(fn(&Repaired<'_>, &Style, &mut dyn Write) -> io::Result<()>),
}

/// A scenario and what repairs it.
pub struct Repaired<'a> {
    /// The text as it was.
    pub source: &'a Source,
    /// The changes, and what is left.
    pub repair: &'a Repair,
    /// The text with the changes made.
    pub text: &'a str,
}

/// What repairs a scenario: `fix`.
pub(crate) const REPAIR: Output<WriteRepair> = Output {
    name: "repair",
    noun: "a repair",
    writers: &[(
        "json",
        WriteRepair::Document(|repaired, _, out| json::indented(&document(repaired), out)),
    )],
    schema: Some(schema!(
        written RepairDocument<'static>, "repair", "The output of `fix --format json`"
    )),
};

/// The changes, what is left and the whole new text.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RepairDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// The scenario's file.
    file: &'a str,
    /// The changes, in order.
    changes: Vec<ChangeRow<'a>>,
    /// Findings that nothing repairs.
    left: Vec<LeftRow<'a>>,
    /// The text with the changes made.
    text: &'a str,
}

/// A change.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ChangeRow<'a> {
    /// Permanent id of the rule of the finding that it removes.
    rule: &'a str,
    /// Name of the rule.
    name: &'a str,
    /// Line of the finding in the text as it was.
    line: u32,
    /// Declared name of the resource; null if the finding is about none.
    resource: Option<&'a str>,
    /// What was done.
    says: &'a str,
}

/// A finding that is left.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct LeftRow<'a> {
    /// Permanent id of the rule.
    rule: &'a str,
    /// Name of the rule.
    name: &'a str,
    /// Line, counted from 1.
    line: u32,
    /// Declared name of the resource; null if the finding is about none.
    resource: Option<&'a str>,
    /// The finding in one sentence.
    message: &'a str,
    /// Evidence and explanations.
    notes: &'a [Arc<str>],
}

fn document<'a>(repaired: &Repaired<'a>) -> RepairDocument<'a> {
    let (source, repair) = (repaired.source, repaired.repair);
    let changes = repair.changes.iter().map(|change| ChangeRow {
        rule: change.finding.rule.id,
        name: change.finding.rule.name,
        line: change.line,
        resource: change.finding.resource.as_deref(),
        says: &change.says,
    });
    RepairDocument {
        schema: 1,
        file: &source.name,
        changes: changes.collect(),
        left: left_rows(source, &repair.left),
        text: repaired.text,
    }
}

/// The findings of a text that are left.
pub(super) fn left_rows<'a>(source: &Source, left: &'a [Finding]) -> Vec<LeftRow<'a>> {
    let rows = left.iter().map(|finding| LeftRow {
        rule: finding.rule.id,
        name: finding.rule.name,
        line: source.line(finding.span.start),
        resource: finding.resource.as_deref(),
        message: &finding.message,
        notes: &finding.notes,
    });
    rows.collect()
}
