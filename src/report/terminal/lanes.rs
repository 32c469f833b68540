//! One row a queue: what ran when, scaled to the page, with an axis and a legend.
//!
//! Each column shows the segment that fills most of it. A block shows its label if it fits, otherwise a letter that a
//! line below explains, otherwise nothing: labels never overlap.

use super::super::text::{self, COLUMNS, width};
use super::{FAINT, Page, STRONG};
use crate::run::{Lane, Segment, SegmentKind};
use crate::time::Ps;
use anstyle::{AnsiColor, Style as Paint};
use std::io;

const WORK: Paint = AnsiColor::Cyan.on_default();
const BARRIER: Paint = AnsiColor::Red.on_default();
const FENCE: Paint = AnsiColor::Yellow.on_default();

/// Signs of the drawing.
struct Glyphs {
    /// Left end, middle and right end of a block, and a block of one column.
    work: [char; 4],
    barrier: char,
    fence: char,
    submit: char,
    axis: [char; 3],
}

const UNICODE: Glyphs = Glyphs {
    work: ['┣', '━', '┫', '┃'],
    barrier: '░',
    fence: '┄',
    submit: '·',
    axis: ['─', '┬', '└'],
};
const ASCII: Glyphs = Glyphs {
    work: ['[', '=', ']', '|'],
    barrier: '#',
    fence: '~',
    submit: '.',
    axis: ['-', '+', '+'],
};

/// Letters for labels that do not fit.
struct Keys {
    labels: Vec<String>,
    /// Labels that got no letter any more.
    more: usize,
}

impl Keys {
    fn letter(&mut self, label: &str) -> Option<char> {
        let known = self.labels.iter().position(|l| l == label);
        if known.is_none() && self.labels.len() == 26 {
            self.more += 1;
            return None;
        }
        let index = known.unwrap_or_else(|| {
            self.labels.push(label.to_owned());
            self.labels.len() - 1
        });
        ('a'..='z').nth(index)
    }
}

pub(super) fn write(page: &mut Page<'_>, lanes: &[Lane], makespan: Ps) -> io::Result<()> {
    let glyphs = if page.style.ascii { &ASCII } else { &UNICODE };
    let name = lanes
        .iter()
        .map(|l| width(&l.name))
        .max()
        .unwrap_or(0)
        .clamp(4, 14);
    let columns = COLUMNS - name - 2;
    let mut keys = Keys {
        labels: Vec::new(),
        more: 0,
    };
    for lane in lanes {
        let row = row(page, lane, makespan, columns, glyphs, &mut keys);
        let name = page.paint(STRONG, &text::left(&text::clean(&lane.name), name));
        page.line(&format!("{name}  {row}"))?;
    }
    axis(page, makespan, name, columns, glyphs)?;
    let [first, middle, last, _] = glyphs.work;
    let legend = format!(
        "{}  {} work   {} barrier: drains or operates   {} waits for a fence   {} submission",
        " ".repeat(name),
        page.paint(WORK, &[first, middle, last].iter().collect::<String>()),
        page.paint(BARRIER, &glyphs.barrier.to_string().repeat(2)),
        page.paint(FENCE, &glyphs.fence.to_string().repeat(2)),
        page.paint(FAINT, &glyphs.submit.to_string().repeat(2)),
    );
    page.line(&legend)?;
    explain(page, &keys, name, columns)
}

/// A column by its number: a time within the makespan, scaled to the columns of the page.
fn narrow(column: u128) -> usize {
    usize::try_from(column).expect("a column lies on the page")
}

/// The segment that fills most of each column.
fn owners(lane: &Lane, makespan: Ps, columns: usize) -> Vec<Option<usize>> {
    let mut owners: Vec<Option<(usize, u128)>> = vec![None; columns];
    let whole = u128::from(makespan.0.max(1));
    // Times in units of makespan / columns, without rounding: multiplied by the number of columns.
    let scale = |t: Ps| u128::from(t.0) * columns as u128;
    for (index, segment) in lane.segments.iter().enumerate() {
        let (start, end) = (scale(segment.start), scale(segment.end));
        if start >= end {
            continue;
        }
        let (first, last) = (narrow(start / whole), narrow(end.div_ceil(whole)));
        for (column, owner) in owners.iter_mut().enumerate().take(last).skip(first) {
            let from = start.max(column as u128 * whole);
            let to = end.min((column as u128 + 1) * whole);
            let share = to.saturating_sub(from);
            if owner.is_none_or(|(_, best)| share > best) {
                *owner = Some((index, share));
            }
        }
    }
    owners
        .into_iter()
        .map(|o| o.map(|(index, _)| index))
        .collect()
}

fn row(
    page: &Page<'_>,
    lane: &Lane,
    makespan: Ps,
    columns: usize,
    glyphs: &Glyphs,
    keys: &mut Keys,
) -> String {
    let owners = owners(lane, makespan, columns);
    let mut out = String::new();
    for run in owners.chunk_by(|a, b| a == b) {
        let Some(segment) = run[0].map(|index| &lane.segments[index]) else {
            out.extend(std::iter::repeat_n(' ', run.len()));
            continue;
        };
        let fill = |glyph: char| std::iter::repeat_n(glyph, run.len()).collect::<String>();
        out += &match segment.kind {
            SegmentKind::Work => page.paint(WORK, &block(segment, run.len(), glyphs, keys)),
            SegmentKind::Barrier => page.paint(BARRIER, &fill(glyphs.barrier)),
            SegmentKind::Fence => page.paint(FENCE, &fill(glyphs.fence)),
            SegmentKind::Submit => page.paint(FAINT, &fill(glyphs.submit)),
        };
    }
    out
}

/// A block of work with its label, a letter for it, or neither.
fn block(segment: &Segment, columns: usize, glyphs: &Glyphs, keys: &mut Keys) -> String {
    let [first, middle, last, single] = glyphs.work;
    if columns == 1 {
        return single.to_string();
    }
    let inner = columns - 2;
    let label = text::clean(&segment.label);
    let shown = if width(&label) <= inner {
        label
    } else if inner > 0 {
        keys.letter(&label).map(String::from).unwrap_or_default()
    } else {
        String::new()
    };
    let mut out = String::from(first);
    out += &shown;
    out.extend(std::iter::repeat_n(middle, inner - width(&shown)));
    out.push(last);
    out
}

/// Ticks at round times, at least sixteen columns apart.
fn axis(
    page: &mut Page<'_>,
    makespan: Ps,
    name: usize,
    columns: usize,
    glyphs: &Glyphs,
) -> io::Result<()> {
    let step = step(makespan, columns / 16);
    let [line, tick, corner] = glyphs.axis;
    let mut rule = vec![line; columns];
    let mut labels = String::new();
    let mut time = 0;
    while time <= makespan.0 {
        let column = narrow(u128::from(time) * columns as u128 / u128::from(makespan.0.max(1)));
        let label = round(time);
        if column + width(&label) > columns {
            break;
        }
        rule[column] = if column == 0 { corner } else { tick };
        labels += &" ".repeat(column.saturating_sub(labels.len()));
        labels += &label;
        time += step;
    }
    let margin = " ".repeat(name + 2);
    let rule = page.paint(FAINT, &rule.iter().collect::<String>());
    let labels = page.paint(FAINT, &labels);
    page.line(&format!("{margin}{rule}"))?;
    page.line(&format!("{margin}{labels}"))
}

/// The least of 1, 2, 5 × 10^n picoseconds that makes at most `ticks` of the whole.
fn step(whole: Ps, ticks: usize) -> u64 {
    let least = (whole.0 / ticks.max(1) as u64).max(1);
    let mut power = 1_u64;
    while power <= least / 10 {
        power *= 10;
    }
    [1, 2, 5, 10]
        .into_iter()
        .map(|n| power.saturating_mul(n))
        .find(|s| *s >= least)
        .unwrap_or(u64::MAX)
}

/// A round time in the largest unit that needs the fewest digits after the point.
fn round(ps: u64) -> String {
    let (unit, word) = match ps {
        0 => return "0".to_owned(),
        1..1_000 => (1_u32, "ps"),
        1_000..1_000_000 => (1_000, "ns"),
        1_000_000..1_000_000_000 => (1_000_000, "us"),
        _ => (1_000_000_000, "ms"),
    };
    #[allow(
        clippy::cast_precision_loss,
        reason = "a tick is a round time and has few digits"
    )]
    let value = ps as f64 / f64::from(unit);
    format!("{value} {word}")
}

/// The letters and what they stand for, as many on a line as fit.
fn explain(page: &mut Page<'_>, keys: &Keys, name: usize, columns: usize) -> io::Result<()> {
    let margin = " ".repeat(name + 2);
    let mut line = String::new();
    let mut entries: Vec<String> = keys
        .labels
        .iter()
        .zip('a'..='z')
        .map(|(label, letter)| format!("{letter} {}", text::ellipsis(label, 40)))
        .collect();
    if keys.more > 0 {
        entries.push(format!("… and {} more without a letter", keys.more));
    }
    for entry in entries {
        if !line.is_empty() && width(&line) + 3 + width(&entry) > columns {
            page.line(&format!("{margin}{line}"))?;
            line.clear();
        }
        if !line.is_empty() {
            line += "   ";
        }
        line += &entry;
    }
    if line.is_empty() {
        Ok(())
    } else {
        page.line(&format!("{margin}{line}"))
    }
}
