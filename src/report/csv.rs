//! Comma-separated values, for spreadsheets and scripts.

use super::Style;
use super::difference::DIFFERENCE;
use super::format::{Format, Printer, REPORT, WriteReport};
use super::judgement::{self, JUDGEMENT, JudgementPrinter};
use super::lesson::{CLASS, ClassRow};
use crate::finding::{Finding, Party, Source};
use crate::run::{BarrierRow, Difference, OperationRow, Report};
use crate::workbench::DriverJudgement;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    extensions: &["csv"],
    writers: &[
        REPORT.by(&WriteReport::All(write)),
        DIFFERENCE.by(&(compared as _)),
        JUDGEMENT.by(&(judged as JudgementPrinter)),
        CLASS.by(&(class as Printer<[ClassRow]>)),
    ],
    usage: "One line for each executed barrier, times in picoseconds. `check`, which runs nothing, writes one for each finding.",
    ..Format::new("csv", "comma-separated values, for spreadsheets")
};

const HEADS: [&str; 22] = [
    "file",
    "id",
    "line",
    "column",
    "queue",
    "resource",
    "barrier",
    "sync_before",
    "sync_after",
    "access_before",
    "access_after",
    "layout_before",
    "layout_after",
    "verdict",
    "drain_ps",
    "operation_ps",
    "refill_ps",
    "exposed_ps",
    "critical_ps",
    "start_ps",
    "end_ps",
    "operations",
];

const FINDING_HEADS: [&str; 12] = [
    "file", "rule", "name", "severity", "line", "column", "resource", "message", "first", "second",
    "help", "repeats",
];

/// A line for each attempt of a class.
fn class(rows: &[ClassRow], _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(["student", "lesson", "title", "passed", "failed"])?;
    for row in rows {
        let passed = if row.passed { "yes" } else { "no" };
        let failed = row.failed.join(", ");
        table.write_record([&row.student, &row.lesson, &row.title, passed, &failed])?;
    }
    table.flush()
}

/// A line for each executed barrier entry; without a machine, one for each finding.
fn write(reports: &[(&Report, &Source)], _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    if reports.iter().all(|(report, _)| report.makespan.is_none()) {
        table.write_record(FINDING_HEADS)?;
        for (report, source) in reports {
            for finding in &report.findings {
                table.write_record(found(report, source, finding))?;
            }
        }
        return table.flush();
    }
    table.write_record(HEADS)?;
    for (report, _) in reports {
        for row in &report.barriers {
            table.write_record(barrier(report, row))?;
        }
    }
    table.flush()
}

const JUDGED_HEADS: [&str; 13] = [
    "driver",
    "device",
    "form",
    "profile",
    "situation",
    "packet_line",
    "verdict",
    "class",
    "cause",
    "barrier",
    "line",
    "fails",
    "read",
];

/// A line for each thing that packets of a scenario lack or have beyond need, or one that says that there is none; then a
/// line for each mistake of the recording.
fn judged(
    found: &DriverJudgement,
    source: &Source,
    _: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(JUDGED_HEADS)?;
    for driver in &found.drivers {
        for situation in &driver.situations {
            let line = situation.line.to_string();
            let row = |cells: [&str; 6]| {
                let own = [&driver.name, &driver.device, &driver.form, &driver.profile];
                let own = own.into_iter().map(String::as_str);
                let verdict = judgement::verdict(situation);
                let own = own.chain([situation.name.as_str(), line.as_str(), verdict]);
                own.chain(cells).map(str::to_owned).collect::<Vec<_>>()
            };
            for lack in &situation.lacks {
                let (at, read) = (lack.line.to_string(), lack.shown.as_ref());
                let read = read.map_or("", |run| run.read.as_str());
                let (class, cause) = (lack.class.word(), lack.cause.as_str());
                table.write_record(row([class, cause, &lack.barrier, &at, &lack.fails, read]))?;
            }
            for more in &situation.more {
                table.write_record(row(["more than asked", &more.cause, &more.at, "", "", ""]))?;
            }
            if situation.lacks.is_empty() && situation.more.is_empty() {
                table.write_record(row([""; 6]))?;
            }
        }
    }
    for mistake in &found.findings {
        let line = source.line(mistake.span.start).to_string();
        let class = mistake.severity.word();
        let cause = format!("{} {}", mistake.rule.id, mistake.rule.name);
        let kept = mistake.notes.join("; ");
        let (nobody, nowhere) = ([""; 5], ["", ""]);
        let of = [line.as_str(), "mistake of the recording", class, &cause];
        let says = [&*mistake.message, kept.as_str()];
        let cells = nobody.iter().chain(&of).chain(&nowhere).chain(&says);
        table.write_record(cells)?;
    }
    table.flush()
}

/// A line for each barrier and side.
fn compared(found: &Difference, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record([
        "file",
        "profile",
        "lowering",
        "id",
        "line",
        "barrier",
        "drain_ps",
        "operation_ps",
        "refill_ps",
        "exposed_ps",
        "common",
        "only",
        "lacks",
        "exceeds",
    ])?;
    for row in &found.rows {
        for (run, side) in found.sides.iter().zip(&row.sides) {
            let Some(side) = side else { continue };
            let mut record = vec![
                run.file.clone(),
                run.profile.clone(),
                run.lowering.clone(),
                side.id.clone(),
                side.line.to_string(),
                row.text.clone(),
            ];
            record.extend(side.costs().map(|cost| cost.0.to_string()));
            record.push(row.common.join("; "));
            record.push(side.only.join("; "));
            record.extend([side.lacks, side.exceeds].map(|it| it.to_string()));
            table.write_record(record)?;
        }
    }
    table.flush()
}

fn found(report: &Report, source: &Source, finding: &Finding) -> [String; FINDING_HEADS.len()] {
    let hazard = finding.hazard.as_deref();
    let side = |party: &Party| party.command.to_string();
    [
        report.file.clone(),
        finding.rule.id.to_owned(),
        finding.rule.name.to_owned(),
        finding.severity.word().to_owned(),
        source.line(finding.span.start).to_string(),
        source.column(finding.span.start).to_string(),
        finding.resource.as_deref().unwrap_or_default().to_owned(),
        finding.message.to_string(),
        hazard.map(|h| side(&h.first)).unwrap_or_default(),
        hazard.map(|h| side(&h.second)).unwrap_or_default(),
        finding.help.as_deref().unwrap_or_default().to_owned(),
        finding.repeats.to_string(),
    ]
}

fn barrier(report: &Report, row: &BarrierRow) -> [String; HEADS.len()] {
    let [sync_before, sync_after] = row.fields.sync.clone();
    let [access_before, access_after] = row.fields.access.clone();
    let [layout_before, layout_after] = row.fields.layout.clone();
    let operations: Vec<String> = row.operations.iter().map(operation).collect();
    [
        report.file.clone(),
        row.id.clone(),
        row.line.to_string(),
        row.column.to_string(),
        row.queue.clone(),
        row.resource.clone(),
        row.text.clone(),
        sync_before,
        sync_after,
        access_before,
        access_after,
        layout_before,
        layout_after,
        row.verdict.word().to_owned(),
        row.drain.0.to_string(),
        row.operation.0.to_string(),
        row.refill.0.to_string(),
        row.exposed.0.to_string(),
        row.critical
            .map(|time| time.0.to_string())
            .unwrap_or_default(),
        row.start.0.to_string(),
        row.end.0.to_string(),
        operations.join("; "),
    ]
}

fn operation(operation: &OperationRow) -> String {
    format!("{} {}", operation.op, operation.target)
}
