//! The report for people: headline, findings in their source, lanes, barrier table, totals. As wide as the style says.
//!
//! Parts make lines and trust nobody's width; `Page` cuts whatever is still too long.

mod commands;
mod findings;
pub(super) mod lanes;
pub mod litmus;
mod stalls;
mod table;
pub(super) mod without;

use super::Style;
use super::format::{Format, REPORT, WriteReport};
use super::legend::Legend;
use super::text::{self, count};
use crate::finding::{Finding, Severity, Source};
use crate::run::{LoweringSource, Report, Verdict};
use crate::time::{Ps, size};
use anstyle::{AnsiColor, Style as Paint};
use std::fmt::Write as _;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    aliases: &["text"],
    extensions: &["txt"],
    writers: &[REPORT.by(&WriteReport::Each(write))],
    ..Format::new("terminal", "for people, as wide as the terminal")
};

/// A blank at which no line is broken.
const JOINED: char = '\u{a0}';

const STRONG: Paint = Paint::new().bold();
const FAINT: Paint = Paint::new().dimmed();
const BAD: Paint = AnsiColor::Red.on_default().bold();
const GOOD: Paint = AnsiColor::Green.on_default().bold();
const SOSO: Paint = AnsiColor::Yellow.on_default();

/// Where lines go: in colour or not, in ASCII or not, never wider than the page.
struct Page<'w> {
    style: Style,
    out: &'w mut dyn Write,
    /// Which caches the lines name.
    legend: Legend<'w>,
    /// Nothing, or an empty line, was written last.
    gap: bool,
}

impl<'w> Page<'w> {
    /// An empty page that names these caches in its legend.
    fn new(style: &Style, legend: Legend<'w>, out: &'w mut dyn Write) -> Self {
        Self {
            style: *style,
            out,
            legend,
            gap: true,
        }
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        let mut line = text::clip(line.trim_end(), self.style.columns).replace(JOINED, " ");
        if self.style.ascii {
            line = text::ascii(&line);
        }
        self.legend.read(&line);
        line.push('\n');
        self.gap = false;
        self.out.write_all(line.as_bytes())
    }

    /// Entries next to each other, three blanks between them, as many on a line as fit after `indent` blanks.
    fn row(&mut self, entries: &[String], indent: usize) -> io::Result<()> {
        let margin = " ".repeat(indent);
        let room = self.style.columns.saturating_sub(indent);
        let mut line = String::new();
        for entry in entries {
            let both = text::visible_width(&line) + 3 + text::visible_width(entry);
            if !line.is_empty() && both > room {
                self.line(&format!("{margin}{line}"))?;
                line.clear();
            }
            if !line.is_empty() {
                line += "   ";
            }
            line += entry;
        }
        if line.is_empty() {
            return Ok(());
        }
        self.line(&format!("{margin}{line}"))
    }

    /// An empty line, unless there is one.
    fn blank(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.gap, true) {
            Ok(())
        } else {
            self.out.write_all(b"\n")
        }
    }

    /// A line in a colour.
    fn painted(&mut self, paint: Paint, text: &str) -> io::Result<()> {
        let line = self.paint(paint, text);
        self.line(&line)
    }

    fn paint(&self, paint: Paint, text: &str) -> String {
        if self.style.color {
            format!("{paint}{text}{paint:#}")
        } else {
            text.to_owned()
        }
    }
}

/// The report, for people.
///
/// # Errors
/// Only what the writer returns.
pub fn write(
    report: &Report,
    source: &Source,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(style, Legend::of(&report.caches), out);
    let Some(makespan) = report.makespan else {
        if style.parts.findings {
            findings::write(&mut page, &report.findings, source, &report.profile)?;
            unlisted(&mut page, report)?;
        }
        let line = format!(
            "{}: {}",
            text::ellipsis_left(&report.file, style.columns / 2),
            verdict(report)
        );
        return paint_verdict(&mut page, report, &line);
    };
    let mut line = verdict(report);
    let _ = write!(
        line,
        " — {makespan} on {} with {}{}; {} ({}) exposed in barriers",
        report.profile,
        report.lowering,
        named_by(report.lowering_named_by),
        report.exposed,
        percent(report.exposed, makespan)
    );
    paint_verdict(&mut page, report, &line)?;
    let mut about = text::ellipsis_left(&text::clean(&report.file), style.columns / 2);
    if !report.file.ends_with(&report.scenario) {
        about = format!("{about}: {}", text::clean(&report.scenario));
    }
    page.painted(FAINT, &about)?;
    if style.parts.findings && !report.findings.is_empty() {
        page.blank()?;
        findings::write(&mut page, &report.findings, source, &report.profile)?;
        unlisted(&mut page, report)?;
    }
    if style.parts.commands && !report.lanes.is_empty() {
        page.blank()?;
        lanes::write(&mut page, report, lanes::Frame::of(report))?;
    }
    if style.command_table && !report.commands.is_empty() {
        page.blank()?;
        commands::write(&mut page, &report.commands)?;
    }
    if style.parts.barriers && !report.barriers.is_empty() {
        page.blank()?;
        table::write(&mut page, &report.barriers)?;
    }
    if style.parts.path || style.parts.utilisation {
        page.blank()?;
    }
    if style.parts.path {
        stalls::path(&mut page, report, makespan)?;
    }
    if style.parts.utilisation {
        stalls::utilisation(&mut page, report)?;
    }
    page.blank()?;
    legend(&mut page, &report.profile)?;
    footer(&mut page, report, makespan)
}

/// What is counted and not listed, a line a rule.
fn unlisted(page: &mut Page<'_>, report: &Report) -> io::Result<()> {
    for one in &report.unlisted {
        let verb = if one.count == 1 { "is" } else { "are" };
        let line = format!(
            "{} more of {} {} {verb} counted but not listed",
            one.count, one.rule.id, one.rule.name
        );
        page.painted(STRONG, &line)?;
    }
    Ok(())
}

/// The caches that were named, in words.
fn legend(page: &mut Page<'_>, profile: &str) -> io::Result<()> {
    let legend = std::mem::take(&mut page.legend);
    if let Some(legend) = legend.text(profile) {
        for line in text::wrap(&text::clean(&legend), page.style.columns) {
            page.painted(FAINT, &line)?;
        }
    }
    Ok(())
}

/// Who named the lowering, if somebody did.
fn named_by(who: LoweringSource) -> String {
    who.word()
        .map_or_else(String::new, |word| format!(" (named by {word})"))
}

/// The verdict in the colour of the worst finding; wrapped where names are long.
fn paint_verdict(page: &mut Page<'_>, report: &Report, line: &str) -> io::Result<()> {
    let worst = report.severities().map(|(severity, _)| severity).max();
    let unexplained = report.totals.unexplained_reads > 0;
    let paint = match worst.max(unexplained.then_some(Severity::Error)) {
        Some(Severity::Error | Severity::Hazard) => BAD,
        Some(Severity::Warning) => SOSO.bold(),
        Some(Severity::Advice) | None => GOOD,
    };
    for line in text::wrap(&text::clean(line), page.style.columns) {
        page.painted(paint, &line)?;
    }
    Ok(())
}

/// `2 hazards, 1 redundant barrier`.
fn verdict(report: &Report) -> String {
    let of = |severity| {
        let all = report.severities().filter(|(of, _)| *of == severity);
        all.map(|(_, count)| count).sum::<u64>()
    };
    let judged = |verdict| {
        report
            .barriers
            .iter()
            .filter(|b| b.verdict == verdict && !b.stays)
            .count() as u64
    };
    // Barriers that the table judges are not counted again as warnings, and redundant ones not as advice.
    let of_table = |severity| {
        let judged = |f: &&Finding| {
            f.rule.family() == "RD" && (severity == Severity::Warning || f.rule.id == "RD101")
        };
        let own = report.findings.iter().filter(|f| f.severity == severity);
        let own = own.filter(|_| !report.barriers.is_empty());
        own.filter(judged).count() as u64
    };
    let parts = [
        (of(Severity::Error), "error", "errors"),
        (of(Severity::Hazard), "hazard", "hazards"),
        (
            report.totals.unexplained_reads,
            "bad read that nothing explains",
            "bad reads that nothing explains",
        ),
        (
            judged(Verdict::Redundant),
            "redundant barrier",
            "redundant barriers",
        ),
        (
            judged(Verdict::TooWide),
            "too-wide barrier",
            "too-wide barriers",
        ),
        (
            of(Severity::Warning) - of_table(Severity::Warning),
            "warning",
            "warnings",
        ),
        (
            of(Severity::Advice) - of_table(Severity::Advice),
            "piece of advice",
            "pieces of advice",
        ),
    ];
    let mut said: Vec<String> = parts
        .iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, one, many)| count(*n, one, many))
        .collect();
    let unexplained = report.totals.unexplained_reads > 0;
    if !unexplained && !report.severities().any(|(severity, _)| severity.fails()) {
        said.insert(0, "no errors, no hazards".to_owned());
    }
    said.join(", ")
}

fn footer(page: &mut Page<'_>, report: &Report, makespan: Ps) -> io::Result<()> {
    let t = &report.totals;
    let bad = count(t.bad_reads, "bad read", "bad reads");
    let bad = if t.bad_reads > 0 {
        page.paint(BAD, &bad)
    } else {
        bad
    };
    let first = [
        format!("makespan {makespan}"),
        format!(
            "exposed {} ({})",
            report.exposed,
            percent(report.exposed, makespan)
        ),
        count(t.commands, "command", "commands"),
        count(t.barriers, "barrier", "barriers"),
    ];
    let second = [
        format!(
            "{} ({})",
            count(t.cleans, "flush", "flushes"),
            size(t.cleaned_bytes)
        ),
        count(t.invalidates, "invalidate", "invalidates"),
        count(t.layout_operations, "layout operation", "layout operations"),
        bad,
    ];
    page.row(&first, 0)?;
    page.row(&second, 0)
}

/// A share with one decimal, `7.6 %`.
#[allow(
    clippy::cast_precision_loss,
    reason = "one decimal is printed, and a double has fifteen"
)]
fn percent(part: Ps, whole: Ps) -> String {
    format!(
        "{:.1}{JOINED}%",
        part.0 as f64 * 100.0 / (whole.0.max(1)) as f64
    )
}

#[cfg(test)]
mod tests;
