//! The barriers with their costs, the most expensive first.

use super::super::text::{self, COLUMNS, width};
use super::{BAD, FAINT, GOOD, Page, SOSO, STRONG};
use crate::run::{BarrierRow, Verdict};
use crate::time::Ps;
use std::io;

/// Rows shown unless all are asked for.
const ROWS: usize = 40;

pub(super) fn write(page: &mut Page<'_>, barriers: &[BarrierRow]) -> io::Result<()> {
    let mut rows: Vec<&BarrierRow> = barriers.iter().collect();
    // Stable: equal costs stay in order of execution.
    rows.sort_by_key(|b| std::cmp::Reverse((b.exposed, b.drain + b.operation + b.refill)));
    let hidden = if page.style.all { 0 } else { rows.len().saturating_sub(ROWS) };
    rows.truncate(barriers.len() - hidden);
    let times = |f: fn(&BarrierRow) -> Ps, head: &str| {
        rows.iter().map(|b| width(&f(b).to_string())).max().unwrap_or(0).max(head.len())
    };
    let id = rows.iter().map(|b| width(&b.id)).max().unwrap_or(0).clamp(2, 14);
    let line = rows.iter().map(|b| b.line.to_string().len()).max().unwrap_or(0).max(4);
    let columns: [(&str, fn(&BarrierRow) -> Ps); 4] = [
        ("drain", |b| b.drain),
        ("operation", |b| b.operation),
        ("refill", |b| b.refill),
        ("exposed", |b| b.exposed),
    ];
    let widths = columns.map(|(head, f)| times(f, head));
    let verdict = rows.iter().map(|b| b.verdict.word().len()).max().unwrap_or(0).max(7);
    let fixed = id + line + widths.iter().sum::<usize>() + verdict + 2 * 7;
    let what = rows.iter().map(|b| width(&b.text)).max().unwrap_or(0).max(7);
    let what = what.min(COLUMNS.saturating_sub(fixed).max(12));

    let mut head = format!("{}  {}  {}", text::left("id", id), text::right("line", line), text::left("barrier", what));
    for ((name, _), w) in columns.iter().zip(widths) {
        head += &format!("  {}", text::right(name, w));
    }
    let head = page.paint(STRONG, &format!("{head}  verdict"));
    page.line(&head)?;
    for row in rows {
        let mut out = format!(
            "{}  {}  {}",
            text::left(&text::ellipsis_left(&text::clean(&row.id), id), id),
            text::right(&row.line.to_string(), line),
            text::left(&text::clean(&row.text), what)
        );
        for ((_, f), w) in columns.iter().zip(widths) {
            out += &format!("  {}", text::right(&f(row).to_string(), w));
        }
        let paint = match row.verdict {
            Verdict::Needed => GOOD,
            Verdict::Redundant | Verdict::TooWide => SOSO,
            Verdict::TooNarrow => BAD,
        };
        out += &format!("  {}", page.paint(paint, row.verdict.word()));
        page.line(&out)?;
    }
    if hidden > 0 {
        let more = page.paint(FAINT, &format!("… and {hidden} more; --all shows them"));
        page.line(&more)?;
    }
    Ok(())
}
