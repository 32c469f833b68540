//! Executed commands, what they waited for, and what their reads saw.

use crate::run::{CommandRow, Does, LifeRow, ObservationRow, Report};
use serde::Serialize;

/// One executed command.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Command"))]
pub(in crate::report) struct CommandJson<'a> {
    /// Distinct for each execution.
    id: &'a str,
    /// Label or statement word.
    label: &'a str,
    /// Line of its text.
    line: u32,
    /// Queue.
    queue: &'a str,
    /// When its first stage began.
    start_ps: u64,
    /// When its last stage ended.
    end_ps: u64,
    /// When the front end took it up; null if it never ran.
    queued_ps: Option<u64>,
    /// Times from then on in which no stage of it made progress because something kept it. What it was launched for, and how it
    /// flowed from stage to stage, is not among them.
    waits: Vec<WaitJson<'a>>,
    /// How much longer it could take, at least, without moving the end of the run; null if it did not run, or if no
    /// path was recorded.
    slack_ps: Option<u64>,
    /// Reads that did not see what they should have.
    observations: Vec<ObservationJson<'a>>,
}

impl<'a> CommandJson<'a> {
    pub(in crate::report) fn new(row: &'a CommandRow) -> Self {
        Self {
            id: &row.id,
            label: &row.label,
            line: row.line,
            queue: &row.queue,
            start_ps: row.start.0,
            end_ps: row.end.0,
            queued_ps: row
                .ran
                .then(|| row.life.first().map_or(row.start, |part| part.start).0),
            waits: WaitJson::all(&row.life),
            slack_ps: row.slack.map(|t| t.0),
            observations: row.observations.iter().map(ObservationJson::new).collect(),
        }
    }
}

/// Part of a command's life in which it only waited.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Wait"))]
struct WaitJson<'a> {
    /// When that begins.
    start_ps: u64,
    /// When that ends.
    end_ps: u64,
    /// `held by barrier` or `waits for its turn`.
    did: &'a str,
    /// Who holds it: the id of a barrier, or what else it is, with its id; left out if nobody does.
    #[serde(skip_serializing_if = "str::is_empty")]
    by: &'a str,
    /// Line of the holder's text; left out likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

impl<'a> WaitJson<'a> {
    fn all(life: &'a [LifeRow]) -> Vec<Self> {
        let waits = life
            .iter()
            .filter(|row| matches!(row.does, Does::Held | Does::Queue));
        let rows = waits.map(|row| Self {
            start_ps: row.start.0,
            end_ps: row.end.0,
            did: row.does.word(),
            by: &row.by,
            line: Some(row.line).filter(|line| *line > 0),
        });
        rows.collect()
    }
}

/// A read that did not see what it should have.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Observation"))]
pub(in crate::report) struct ObservationJson<'a> {
    /// `stale`, `early`, `late`, `torn`, `undefined` or `undecoded`.
    kind: &'a str,
    /// Declared name of the resource.
    resource: &'a str,
    /// Access name; `COMMON` for the CPU and a present.
    access: &'a str,
    /// Bytes concerned.
    bytes: u64,
    /// Who wrote what was read.
    saw: &'a str,
    /// Whose write should have been read.
    expected: &'a str,
    /// Where the old data came from.
    from: &'a str,
    /// How long a late read went on after the write had landed; of no other read.
    #[serde(skip_serializing_if = "Option::is_none")]
    went_on_ps: Option<u64>,
    /// The findings whose missing link let it happen.
    findings: Vec<FindingRefJson<'a>>,
}

impl<'a> ObservationJson<'a> {
    pub(in crate::report) fn new(row: &'a ObservationRow) -> Self {
        Self {
            kind: &row.kind,
            resource: &row.resource,
            access: &row.access,
            bytes: row.bytes,
            saw: &row.saw,
            expected: &row.expected,
            from: &row.from,
            went_on_ps: row.went_on.map(|time| time.0),
            findings: row
                .findings
                .iter()
                .map(|f| FindingRefJson {
                    rule: f.rule,
                    line: f.line,
                })
                .collect(),
        }
    }
}

/// A finding of the report, by its rule and line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "FindingRef"))]
struct FindingRefJson<'a> {
    /// Id of the rule.
    rule: &'a str,
    /// Line of the finding.
    line: u32,
}

/// When the two uses of a hazard met.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Meeting"))]
pub(in crate::report) struct MeetingJson {
    /// Which of `findings[]`, counted from 0.
    finding: usize,
    /// When the last stage of the first side that is meant had ended.
    first_ps: u64,
    /// When the first such stage of the second side began: before that if nothing ordered them. Two uses of one command have the
    /// moment from which both go on.
    second_ps: u64,
}

impl MeetingJson {
    pub(in crate::report) fn all(report: &Report, is_asked: bool) -> Vec<Self> {
        let meetings = report.meetings.iter().filter(|_| is_asked);
        let row = |it: &crate::run::MeetingRow| Self {
            finding: it.finding,
            first_ps: it.first.0,
            second_ps: it.second.0,
        };
        meetings.map(row).collect()
    }
}
