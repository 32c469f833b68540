//! Where the time went: the critical path and how busy everything was. In short unless all is asked for.

use super::super::text;
use super::{FAINT, Page, STRONG, percent};
use crate::run::{FrameRow, Report, SegmentRow};
use crate::time::Ps;
use std::io;

/// Segments shown unless all are asked for: the longest.
const SEGMENTS: usize = 5;
/// Totals shown unless all are asked for.
const TOTALS: usize = 5;
/// Columns that who did it has at least.
const WHO: usize = 20;

/// The critical path: totals by what was done, and segments in order of time.
pub(super) fn path(page: &mut Page<'_>, report: &Report, makespan: Ps) -> io::Result<()> {
    let full = page.style.path;
    let Some(causes) = &report.causes else {
        let line = "critical path: not recorded, because the run has too many packets";
        let line = page.paint(FAINT, line);
        return page.line(&line);
    };
    let shown = if full { causes.len() } else { TOTALS };
    let totals = causes.iter().take(shown);
    let totals: Vec<String> = totals
        .map(|row| format!("{} {}", row.did, share(row.permille)))
        .collect();
    let title = match report.frames.len() {
        0 | 1 => "critical path".to_owned(),
        n => format!("critical path of {n} frames"),
    };
    let more = if shown < causes.len() { ", …" } else { "" };
    let line = format!("{title}: {}{more}", totals.join(", "));
    titled(page, &title, &line)?;
    for (index, frame) in report.frames.iter().enumerate() {
        if full && report.frames.len() > 1 {
            heading(page, index, frame)?;
        }
        if full {
            for segment in &frame.path {
                row(page, segment, makespan)?;
            }
        }
    }
    if full {
        return Ok(());
    }
    let all: Vec<&SegmentRow> = report.frames.iter().flat_map(|frame| &frame.path).collect();
    let mut longest: Vec<usize> = (0..all.len()).collect();
    longest.sort_by_key(|i| std::cmp::Reverse(all[*i].end - all[*i].start));
    longest.truncate(SEGMENTS);
    longest.sort_unstable();
    for index in &longest {
        row(page, all[*index], makespan)?;
    }
    let hidden = all.len() - longest.len();
    if hidden > 0 {
        let what = text::count(hidden, "shorter segment", "shorter segments");
        let line = page.paint(FAINT, &format!("… and {what}; --show path shows all"));
        page.line(&line)?;
    }
    Ok(())
}

/// A line that begins with a title, wrapped.
fn titled(page: &mut Page<'_>, title: &str, line: &str) -> io::Result<()> {
    for line in text::wrap(line, page.style.columns) {
        let line = match line.strip_prefix(title) {
            Some(rest) => format!("{}{rest}", page.paint(STRONG, title)),
            None => line,
        };
        page.line(&line)?;
    }
    Ok(())
}

fn heading(page: &mut Page<'_>, index: usize, frame: &FrameRow) -> io::Result<()> {
    let end = if frame.present.is_empty() {
        "the end of the run".to_owned()
    } else {
        frame.present.clone()
    };
    let line = format!(
        "frame {}, {} to {}: until {end}",
        index + 1,
        frame.start,
        frame.end
    );
    page.painted(FAINT, &line)
}

/// `203.30 us    2.30 us    0.7 %  gfx#2.0 barrier … : wait; after gfx#1: drain`.
fn row(page: &mut Page<'_>, segment: &SegmentRow, makespan: Ps) -> io::Result<()> {
    let time = segment.end - segment.start;
    let mut did = segment.did.to_owned();
    if !segment.target.is_empty() {
        did = format!(
            "{did} {}",
            text::ellipsis(&text::clean(&segment.target), 24)
        );
    }
    for (part, why) in [(segment.shared, "shared"), (segment.refill, "refill")] {
        if part > Ps::ZERO {
            did = format!("{did}, {part} {why}");
        }
    }
    if !segment.after.is_empty() {
        did = format!("{did}; after {}: {}", segment.after, segment.because);
    }
    let numbers = format!(
        "{}  {}  {}",
        text::right(&segment.start.to_string(), 9),
        text::right(&time.to_string(), 9),
        text::right(&percent(time, makespan), 7)
    );
    let room = page.style.columns - text::width(&numbers) - 2;
    let did = text::ellipsis(&text::clean(&did), room - WHO);
    let who = format!("{} {}", segment.command, text::clean(&segment.label));
    let who = text::ellipsis(&who, room - text::width(&did) - 2);
    page.line(&format!("{numbers}  {who}: {did}"))
}

/// How busy queues, stages and pools were.
pub(super) fn utilisation(page: &mut Page<'_>, report: &Report) -> io::Result<()> {
    let used = &report.utilisation;
    let one = |name: &str, permille| format!("{} {}", text::clean(name), share(permille));
    let queues = used.queues.iter();
    let mut parts: Vec<String> = queues.map(|q| one(&q.queue, q.permille)).collect();
    parts.extend(used.pools.iter().map(|pool| {
        let crowded = if pool.crowded > Ps::ZERO {
            format!(" (crowded for {})", pool.crowded)
        } else {
            String::new()
        };
        format!("{}{crowded}", one(pool.pool, pool.permille))
    }));
    let title = "busy:";
    titled(page, title, &format!("{title} {}", parts.join(", ")))?;
    if !page.style.path {
        return Ok(());
    }
    for queue in used.queues.iter().filter(|q| !q.stages.is_empty()) {
        let stages = queue.stages.iter();
        let stages: Vec<String> = stages.map(|s| one(s.stage, s.permille)).collect();
        let text = format!("{}: {}", text::clean(&queue.queue), stages.join(", "));
        for line in text::wrap(&text, page.style.columns - 2) {
            page.line(&format!("  {line}"))?;
        }
    }
    Ok(())
}

/// A share in thousandths with one decimal, `7.6 %`.
fn share(permille: u32) -> String {
    format!("{}.{}{}%", permille / 10, permille % 10, super::JOINED)
}
