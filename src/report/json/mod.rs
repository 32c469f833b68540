//! The JSON report: version 1 of the contract, on one line, written as it goes.
//!
//! Times are integer picoseconds. Additions are free; a removal or a change of meaning raises [`SCHEMA`].

pub(super) mod stalls;
mod stuck;

pub(super) use stuck::StuckJson;

use super::Style;
use super::format::{Format, REPORT, WriteReport};
use crate::finding::{Edit, Finding, Links, Party, Source};
use crate::run::{
    BarrierRow, CauseRow, CommandRow, FrameRow, MeetingRow, Report, Stopwatch, Timing, Unlisted,
    Utilisation,
};
use crate::schema::{Schema, schema};
use serde::{Serialize, Serializer};
use std::io::{self, Write};
use std::sync::Arc;

/// Version of the contract.
pub const SCHEMA: u32 = 1;

/// The format.
pub const FORMAT: Format = Format {
    extensions: &["json"],
    writers: &[REPORT.by(&WriteReport::Each(write))],
    usage: "Every output has [a schema](../formats.md#json). Times are integer picoseconds.",
    ..Format::new(
        "json",
        "for programs; `syncscope schema report` describes a report",
    )
};

/// Writes the document and a newline.
///
/// # Errors
/// Only what the writer returns.
pub fn write(
    report: &Report,
    source: &Source,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let simulated = report.makespan.is_some();
    let with_path = simulated && style.parts.path;
    let document = ReportDocument {
        schema: SCHEMA,
        scenario: &report.scenario,
        file: &report.file,
        profile: simulated.then_some(report.profile.as_str()),
        lowering: simulated.then_some(report.lowering.as_str()),
        lowering_named_by: report.lowering_named_by.word(),
        makespan_ps: report.makespan.map(|t| t.0),
        exposed_ps: report.exposed.0,
        totals: report.totals.into(),
        findings: style
            .parts
            .findings
            .then_some(Findings(&report.findings, source)),
        unlisted: report.unlisted.iter().map(UnlistedJson::new).collect(),
        barriers: style.parts.barriers.then_some(&*report.barriers),
        commands: style.parts.commands.then_some(&*report.commands),
        meetings: if style.parts.commands && style.parts.findings {
            &report.meetings
        } else {
            &[]
        },
        stuck: report
            .stuck
            .iter()
            .map(|row| StuckJson::new(row, report))
            .collect(),
        frames: with_path.then_some(&*report.frames),
        critical_path: with_path.then_some(stalls::CriticalPath(&report.frames)),
        critical_causes: with_path.then(|| report.causes()),
        utilisation: (simulated && style.parts.utilisation).then_some(&report.utilisation),
        timings: style.timings.map(|since| Timings(report, since)),
    };
    line(&document, out)
}

/// Writes a document on one line, with a line end.
///
/// # Errors
/// Only what the writer returns.
pub(super) fn line(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, document)?;
    out.write_all(b"\n")
}

/// Writes a document indented, with a line end.
///
/// # Errors
/// Only what the writer returns.
pub(super) fn indented(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    out.write_all(b"\n")
}

/// What describes the document.
pub(super) const DESCRIBED: Schema = schema!(
    written ReportDocument<'static>, "report", "The output of `run --format json`"
);

/// A report of `syncscope run FILE --format json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Report"))]
struct ReportDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// Title of the scenario, or its file name.
    scenario: &'a str,
    /// File as it was named on the command line.
    file: &'a str,
    /// Hardware profile; null if nothing was simulated.
    profile: Option<&'a str>,
    /// Lowering that the run took; null if nothing was simulated.
    lowering: Option<&'a str>,
    /// Who named the lowering: `the command line`, `the scenario` or `the profile`; null if nobody did.
    lowering_named_by: Option<&'static str>,
    /// From the first submission to the end of the last work; null if nothing was simulated.
    makespan_ps: Option<u64>,
    /// Time in which nothing ran on any queue because of barriers.
    exposed_ps: u64,
    /// What the machine did in all.
    totals: TotalsJson,
    /// Findings by place.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<Vec<FindingJson<'a>>>"))]
    findings: Option<Findings<'a>>,
    /// Findings that are counted and not listed, by rule; left out if all are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unlisted: Vec<UnlistedJson<'a>>,
    /// Executed barrier entries in order of execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    barriers: Option<&'a [BarrierRow]>,
    /// Executed commands in order of execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<&'a [CommandRow]>,
    /// When the two uses of each hazard met; left out if there is none.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    meetings: &'a [MeetingRow],
    /// Waits that never ended; left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stuck: Vec<StuckJson<'a>>,
    /// Times between presents, in order; they tile the run. Empty if the run had too many packets for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    frames: Option<&'a [FrameRow]>,
    /// What the end of each frame had to wait for all along, in order of time; the segments tile the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<Vec<stalls::SegmentJson<'a>>>"))]
    critical_path: Option<stalls::CriticalPath<'a>>,
    /// The same by what was done, the longest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    critical_causes: Option<&'a [CauseRow]>,
    /// How busy queues, stages and pools were.
    #[serde(skip_serializing_if = "Option::is_none")]
    utilisation: Option<&'a Utilisation>,
    /// Wall time of each phase, with `--timings`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<Vec<Timing>>"))]
    timings: Option<Timings<'a>>,
}

// The lists are made one element at a time while they are written: a report may have a million rows.
struct Findings<'a>(&'a [Finding], &'a Source);
struct Timings<'a>(&'a Report, Stopwatch);

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|f| FindingJson::new(f, self.1)))
    }
}

impl Serialize for Timings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = Timing {
            phase: "report",
            seconds: Some(self.1.elapsed().as_secs_f64()),
            items: self.0.findings.len() as u64,
        };
        let phases = self.0.timings.iter().chain([&report]);
        serializer.collect_seq(phases.filter(|timing| timing.seconds.is_some()))
    }
}

/// Findings of one rule that are counted and not listed.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Unlisted"))]
pub(super) struct UnlistedJson<'a> {
    /// Permanent id of the rule.
    rule: &'a str,
    /// `error`, `hazard`, `warning` or `advice`.
    severity: &'a str,
    /// Number of further findings.
    count: u64,
}

impl<'a> UnlistedJson<'a> {
    pub(super) fn new(unlisted: &'a Unlisted) -> Self {
        Self {
            rule: unlisted.rule.id,
            severity: unlisted.severity.word(),
            count: unlisted.count,
        }
    }
}

/// Something found.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Finding"))]
pub(super) struct FindingJson<'a> {
    /// Permanent id of the rule.
    rule: &'a str,
    /// Name of the rule.
    name: &'a str,
    /// `error`, `hazard`, `warning` or `advice`.
    severity: &'a str,
    /// Line, counted from 1.
    line: u32,
    /// Column in characters, counted from 1.
    column: u32,
    /// The finding in one sentence.
    message: &'a str,
    /// Declared name of the resource, without range.
    resource: Option<&'a str>,
    /// The earlier use of a hazard.
    first: Option<PartyJson<'a>>,
    /// The later use of a hazard.
    second: Option<PartyJson<'a>>,
    /// Which effects the two uses of a hazard have and lack; null for other findings.
    links: Option<Links>,
    /// Invalid by specification, on every GPU.
    spec_invalid: bool,
    /// Whether a read of this run went wrong because of a hazard or a missing operation; null for other findings, and if
    /// nothing was simulated.
    visible: Option<bool>,
    /// What would be right.
    help: Option<&'a str>,
    /// A change that is verified: it removes the finding and adds none. Null if none was found.
    fix: Option<Vec<EditJson<'a>>>,
    /// Evidence and explanations.
    notes: &'a [Arc<str>],
    /// How many executions reported the same on this line and resource.
    repeats: u32,
    /// Further places.
    related: Vec<RelatedJson<'a>>,
}

impl<'a> FindingJson<'a> {
    pub(super) fn new(finding: &'a Finding, source: &Source) -> Self {
        let hazard = finding.hazard.as_deref();
        Self {
            rule: finding.rule.id,
            name: finding.rule.name,
            severity: finding.severity.word(),
            line: source.line(finding.span.start),
            column: source.column(finding.span.start),
            message: &finding.message,
            resource: finding.resource.as_deref(),
            first: hazard.map(|h| PartyJson::new(&h.first, source)),
            second: hazard.map(|h| PartyJson::new(&h.second, source)),
            links: hazard.map(|h| h.links),
            spec_invalid: finding.is_spec_invalid(),
            visible: finding.visible,
            help: finding
                .help
                .as_deref()
                .or(finding.fix.as_deref().map(|fix| fix.says.as_str())),
            fix: finding.fix.as_deref().map(|fix| {
                let edit = |edit: &'a Edit| EditJson {
                    line: source.line(edit.span.start),
                    column: source.column(edit.span.start),
                    start: edit.span.start,
                    end: edit.span.end,
                    text: &edit.text,
                };
                fix.edits.iter().map(edit).collect()
            }),
            notes: &finding.notes,
            repeats: finding.repeats,
            related: finding
                .related
                .iter()
                .map(|r| RelatedJson {
                    line: source.line(r.span.start),
                    column: source.column(r.span.start),
                    label: &r.label,
                })
                .collect(),
        }
    }
}

/// Other text for a place.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Edit"))]
struct EditJson<'a> {
    /// Line where it starts, counted from 1.
    line: u32,
    /// Column where it starts, in characters, counted from 1.
    column: u32,
    /// First byte that is replaced.
    start: u32,
    /// One past the last byte that is replaced.
    end: u32,
    /// The new text.
    text: &'a str,
}

/// One side of a hazard.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Party"))]
struct PartyJson<'a> {
    /// Equals a `commands[].id` or a `barriers[].id`.
    command: &'a str,
    /// Line of its text.
    line: u32,
    /// Queue, or `cpu`.
    queue: &'a str,
    /// Access names joined by `|`; `COMMON` for the CPU and a present; empty for a layout transition.
    access: &'a str,
    /// Leaf stage names joined by `|`; empty for a CPU operation.
    stage: &'a str,
    /// Label or statement word.
    label: &'a str,
    /// A use that may not be made; left out if it is certain.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    may: bool,
}

impl<'a> PartyJson<'a> {
    fn new(party: &'a Party, source: &Source) -> Self {
        Self {
            command: &party.command,
            line: source.line(party.span.start),
            queue: &party.queue,
            access: &party.access,
            stage: &party.stage,
            label: &party.label,
            may: party.may,
        }
    }
}

/// A place that explains a finding further.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Related"))]
struct RelatedJson<'a> {
    /// Line, counted from 1.
    line: u32,
    /// Column in characters, counted from 1.
    column: u32,
    /// What the place has to do with the finding.
    label: &'a str,
}

/// What the machine did in all.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Totals"))]
#[allow(missing_docs)]
pub(super) struct TotalsJson {
    commands: u64,
    barriers: u64,
    cleans: u64,
    cleaned_bytes: u64,
    invalidates: u64,
    layout_operations: u64,
    bad_reads: u64,
    unexplained_reads: u64,
}

impl From<crate::run::Totals> for TotalsJson {
    fn from(t: crate::run::Totals) -> Self {
        Self {
            commands: t.commands,
            barriers: t.barriers,
            cleans: t.cleans,
            cleaned_bytes: t.cleaned_bytes,
            invalidates: t.invalidates,
            layout_operations: t.layout_operations,
            bad_reads: t.bad_reads,
            unexplained_reads: t.unexplained_reads,
        }
    }
}
