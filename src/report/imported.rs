//! What an import made of a capture: a summary, and a table of what came out wider, narrower or not at all.

use super::columns::Set;
use super::format::{Output, Printer};
use super::{Style, json, text};
use crate::interop::import::ImportReport;
use crate::schema::schema;
use std::io::{self, Write};

/// The page.
///
/// # Errors
/// Only what the writer returns.
fn page(report: &ImportReport, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let count = text::count;
    style.lines(
        &format!(
            "{} in {}; {} of {} kept: {}, {}",
            count(report.calls, "call", "calls"),
            count(report.lines, "line", "lines"),
            report.frames_kept,
            count(report.frames, "frame", "frames"),
            count(
                report.submissions,
                "command buffer or list submitted",
                "command buffers or lists submitted"
            ),
            count(report.commands, "command", "commands"),
        ),
        out,
    )?;
    if report.without_effect > 0 {
        style.lines(
            &format!(
                "{} of the calls say nothing about synchronisation",
                report.without_effect
            ),
            out,
        )?;
    }
    if !report.entries.is_empty() {
        writeln!(out)?;
        let rows = report.entries.iter().map(|entry| {
            vec![
                entry.fate.word().to_owned(),
                entry.count.to_string(),
                entry.first_call.to_string(),
                entry.what.clone(),
            ]
        });
        let heads = [
            ("fate", Set::Left),
            ("times", Set::Right),
            ("first call", Set::Right),
            ("what", Set::Left),
        ];
        style.table(&heads, rows, out)?;
    }
    unread(report, style, out)
}

/// Calls and lines of which nothing is in the scenario.
fn unread(report: &ImportReport, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let count = text::count;
    if !report.unknown.is_empty() {
        writeln!(out)?;
        style.lines(
            "Calls with a meaning that is not known here; what they do is not in the scenario:",
            out,
        )?;
        let rows = report
            .unknown
            .iter()
            .map(|calls| vec![calls.count.to_string(), calls.name.clone()]);
        let heads = [("times", Set::Right), ("call", Set::Left)];
        style.table(&heads, rows, out)?;
    }
    if report.bad_line_count > 0 {
        writeln!(out)?;
        style.lines(
            &format!(
                "{} left out:",
                count(
                    report.bad_line_count,
                    "line that cannot be read is",
                    "lines that cannot be read are"
                )
            ),
            out,
        )?;
        for bad in &report.bad_lines {
            style.lines(&format!("line {}: {}", bad.line, bad.message), out)?;
        }
    }
    Ok(())
}

/// What became of a capture: `import --report`.
pub(crate) const IMPORTED: Output<Printer<ImportReport>> = Output {
    name: "import",
    noun: "an account of an import",
    writers: &[
        ("terminal", page),
        ("json", |it, _, out| json::indented(it, out)),
    ],
    schema: Some(schema!(
        written ImportReport, "import", "The output of `import --report --format json`"
    )),
};
