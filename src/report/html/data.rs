//! The data of a page, as JSON: the rows of a JSON report, the text, and the details.

use crate::finding::{Edit, Finding, Source, head};
use crate::report::Style;
use crate::report::json::stalls::{self, SegmentJson};
use crate::report::json::{FindingJson, StuckJson, TotalsJson, UnlistedJson};
use crate::run::detail::{Detail, ROWS_MAX};
use crate::run::{BarrierRow, CauseRow, CommandRow, MeetingRow, Report};
use serde::Serialize;
use std::io::{self, Write};

/// Bytes of the text that a page has.
const TEXT_MAX: usize = 2 << 20;
/// Lines between two edits that are shown as one change.
const NEAR: u32 = 3;

/// How often a page of a report that is written again and again loads itself anew.
const LIVE_S: u32 = 2;

/// Everything that the page's script gets.
#[derive(Serialize)]
struct Page<'a> {
    /// Version of the program.
    version: &'static str,
    scenario: &'a str,
    file: &'a str,
    /// The text, or the first of a very long one.
    text: &'a str,
    text_is_cut: bool,
    profile: Option<&'a str>,
    lowering: Option<&'a str>,
    makespan_ps: Option<u64>,
    exposed_ps: u64,
    /// Until when a timeline goes.
    until_ps: u64,
    /// When the two uses of hazards met.
    meetings: &'a [MeetingRow],
    /// Waits that never end.
    stuck: Vec<StuckJson<'a>>,
    totals: TotalsJson,
    /// How many findings have each severity, listed or not.
    severities: Vec<(&'static str, u64)>,
    findings: Vec<PageFinding<'a>>,
    unlisted: Vec<UnlistedJson<'a>>,
    barriers: &'a [BarrierRow],
    commands: &'a [CommandRow],
    critical_path: Vec<SegmentJson<'a>>,
    critical_causes: &'a [CauseRow],
    /// Name, policy and note of each cache.
    caches: Vec<(&'a str, &'a str, &'a str)>,
    /// Seconds after which the page loads itself anew, again and again.
    reloads_s: Option<u32>,
    detail: Option<&'a Detail>,
}

/// A finding with what is not in a JSON report.
#[derive(Serialize)]
struct PageFinding<'a> {
    #[serde(flatten)]
    finding: FindingJson<'a>,
    /// What the rule finds.
    summary: &'a str,
    /// What its fix changes.
    diff: Vec<Hunk<'a>>,
}

/// Lines that are replaced, and by what.
#[derive(Serialize)]
struct Hunk<'a> {
    /// The first line, counted from 1.
    line: u32,
    old: Vec<&'a str>,
    new: Vec<String>,
}

/// Writes what the page's script shows, as JSON. The report is one that was run with [`Drawn::Page`](crate::run::Drawn).
///
/// # Errors
/// Only what the writer returns.
pub fn write(
    report: &Report,
    source: &Source,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = Page {
        version: env!("CARGO_PKG_VERSION"),
        scenario: &report.scenario,
        file: &report.file,
        text: head(&source.text, TEXT_MAX),
        text_is_cut: source.text.len() > TEXT_MAX,
        profile: Some(report.profile.as_str()).filter(|p| !p.is_empty()),
        lowering: Some(report.lowering.as_str()).filter(|l| !l.is_empty()),
        makespan_ps: report.makespan.map(|t| t.0),
        exposed_ps: report.exposed.0,
        until_ps: report.drawn_until().0,
        meetings: &report.meetings,
        stuck: first(&report.stuck, |row| StuckJson::new(row, report)),
        totals: report.totals.into(),
        severities: severities(report),
        findings: first(&report.findings, |f| PageFinding {
            finding: FindingJson::new(f, source),
            summary: f.rule.summary,
            diff: diff(f, source),
        }),
        unlisted: report.unlisted.iter().map(UnlistedJson::new).collect(),
        barriers: &report.barriers[..report.barriers.len().min(ROWS_MAX)],
        commands: &report.commands[..report.commands.len().min(ROWS_MAX)],
        critical_path: stalls::segments(&report.frames).take(ROWS_MAX).collect(),
        critical_causes: report.causes(),
        caches: report
            .caches
            .iter()
            .map(|c| (c.name.as_str(), c.policy, c.note.as_str()))
            .collect(),
        reloads_s: style.live.then_some(LIVE_S),
        detail: report.detail.as_deref(),
    };
    Ok(serde_json::to_writer(out, &page)?)
}

/// The first rows of a list.
fn first<'a, T, R>(rows: &'a [T], make: impl Fn(&'a T) -> R) -> Vec<R> {
    rows.iter().take(ROWS_MAX).map(make).collect()
}

fn severities(report: &Report) -> Vec<(&'static str, u64)> {
    let mut all: Vec<(&'static str, u64)> = Vec::new();
    for (severity, count) in report.severities() {
        match all.iter_mut().find(|(word, _)| *word == severity.word()) {
            Some(known) => known.1 += count,
            None => all.push((severity.word(), count)),
        }
    }
    all
}

/// The lines that a finding's fix replaces. Edits are in order of place.
fn diff<'a>(finding: &Finding, source: &'a Source) -> Vec<Hunk<'a>> {
    let Some(fix) = finding.fix.as_deref() else {
        return Vec::new();
    };
    let mut groups: Vec<(u32, u32, Vec<&Edit>)> = Vec::new();
    for edit in &fix.edits {
        let (from, to) = (source.line(edit.span.start), source.line(edit.span.end));
        match groups.last_mut() {
            Some((_, last, edits)) if from <= *last + NEAR => {
                *last = to.max(*last);
                edits.push(edit);
            }
            _ => groups.push((from, to, vec![edit])),
        }
    }
    let hunk = |(from, to, edits): &(u32, u32, Vec<&Edit>)| hunk(source, *from, *to, edits);
    groups.iter().map(hunk).collect()
}

/// The lines `from` to `to`, before and after some edits; what is the same at either end is left out.
fn hunk<'a>(source: &'a Source, from: u32, to: u32, edits: &[&Edit]) -> Hunk<'a> {
    let mut old: Vec<&str> = (from..=to).map(|line| source.line_text(line)).collect();
    let mut text = String::new();
    let mut at = source.line_start(from) as usize;
    for edit in edits {
        text.push_str(&source.text[at..edit.span.start as usize]);
        text.push_str(&edit.text);
        at = edit.span.end as usize;
    }
    let last = source.line_start(to) as usize + source.line_text(to).len();
    text.push_str(source.text.get(at..last).unwrap_or_default());
    let mut new: Vec<String> = text.lines().map(str::to_owned).collect();
    let same = old.iter().zip(&new).take_while(|(a, b)| *a == b).count();
    old.drain(..same);
    new.drain(..same);
    while old
        .last()
        .is_some_and(|line| new.last().is_some_and(|other| line == other))
    {
        old.pop();
        new.pop();
    }
    Hunk {
        line: from + crate::id::narrow(same),
        old,
        new,
    }
}
