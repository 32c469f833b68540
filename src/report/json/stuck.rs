//! Waits that never ended.

use crate::run::{Report, StuckRow};
use serde::Serialize;

/// A wait that never ended.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Stuck"))]
pub(in crate::report) struct StuckJson<'a> {
    /// Id of the wait.
    id: &'a str,
    /// Label or statement word.
    label: &'a str,
    /// Line of its text.
    line: u32,
    /// Queue, or `cpu`.
    queue: &'a str,
    /// Name of the fence.
    fence: &'a str,
    /// The value that is waited for.
    value: u64,
    /// The value that the fence has at the end.
    reached: u64,
    /// Since when it waits.
    since_ps: u64,
    /// Id of the wait that keeps the signal; null if no other wait does.
    behind: Option<&'a str>,
    /// What it waits for, and why that never comes.
    says: &'a str,
}

impl<'a> StuckJson<'a> {
    pub(in crate::report) fn new(row: &'a StuckRow, report: &'a Report) -> Self {
        Self {
            id: &row.id,
            label: &row.label,
            line: row.line,
            queue: &row.queue,
            fence: &row.fence,
            value: row.value,
            reached: row.reached,
            since_ps: row.since.0,
            behind: row.behind.map(|at| report.stuck[at].id.as_str()),
            says: &row.says,
        }
    }
}
