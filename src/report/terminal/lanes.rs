//! What ran when on each queue, scaled to the page, with an axis and a legend.
//!
//! A queue takes as many rows as it has work at once, at most [`ROWS`]. Each column of a row shows the segment that fills most of
//! it. A block shows its label if it fits, otherwise a letter that a line below explains, otherwise nothing: labels never
//! overlap. Whatever is not drawn or not named is counted.

use super::super::text::{self, width};
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
}

impl Keys {
    fn letter(&mut self, label: &str) -> Option<char> {
        let known = self.labels.iter().position(|l| l == label);
        if known.is_none() && self.labels.len() == 26 {
            return None;
        }
        let index = known.unwrap_or_else(|| {
            self.labels.push(label.to_owned());
            self.labels.len() - 1
        });
        ('a'..='z').nth(index)
    }
}

/// Rows that a queue takes at most unless everything is asked for.
const ROWS: usize = 8;

/// What was not drawn, or not named.
#[derive(Default)]
struct Undrawn {
    /// More ran at once on a queue than it has rows.
    crowded: usize,
    /// Too short for a column: commands, barriers, waits, submissions.
    short: [usize; 4],
    /// Blocks without room for a letter, or for which no letter was left.
    nameless: usize,
}

pub(super) fn write(page: &mut Page<'_>, lanes: &[Lane], makespan: Ps) -> io::Result<()> {
    let glyphs = if page.style.ascii { &ASCII } else { &UNICODE };
    let name = lanes
        .iter()
        .map(|l| width(&l.name))
        .max()
        .unwrap_or(0)
        .clamp(4, 14);
    let columns = page.style.columns - name - 2;
    let mut keys = Keys { labels: Vec::new() };
    let mut undrawn = Undrawn::default();
    let most = if page.style.all { usize::MAX } else { ROWS };
    for lane in lanes {
        let (rows, left) = rows(&lane.segments, most);
        undrawn.crowded += left;
        for (index, segments) in rows.iter().enumerate() {
            let row = row(
                page,
                segments,
                makespan,
                columns,
                glyphs,
                &mut keys,
                &mut undrawn,
            );
            let name = if index == 0 {
                page.paint(STRONG, &text::left(&text::clean(&lane.name), name))
            } else {
                " ".repeat(name)
            };
            page.line(&format!("{name}  {row}"))?;
        }
    }
    axis(page, makespan, name, columns, glyphs)?;
    let [first, middle, last, _] = glyphs.work;
    let entries = [
        (WORK, [first, middle, last].iter().collect(), "work"),
        (
            BARRIER,
            glyphs.barrier.to_string().repeat(2),
            "barrier: drains or operates",
        ),
        (
            FENCE,
            glyphs.fence.to_string().repeat(2),
            "waits for a fence",
        ),
        (FAINT, glyphs.submit.to_string().repeat(2), "submission"),
    ];
    let entries = entries.map(|(paint, sign, word): (Paint, String, &str)| {
        format!("{} {word}", page.paint(paint, &sign))
    });
    page.row(&entries, name + 2)?;
    let letters = keys.labels.iter().zip('a'..='z');
    let letters = letters.map(|(label, letter)| format!("{letter} {}", text::ellipsis(label, 40)));
    page.row(&letters.collect::<Vec<_>>(), name + 2)?;
    undrawn.say(page, name)
}

impl Undrawn {
    fn say(&self, page: &mut Page<'_>, name: usize) -> io::Result<()> {
        const WHAT: [(&str, &str); 4] = [
            ("command", "commands"),
            ("barrier", "barriers"),
            ("wait for a fence", "waits for fences"),
            ("submission", "submissions"),
        ];
        let short = self.short.iter().zip(WHAT).filter(|(n, _)| **n > 0);
        let short: Vec<String> = short
            .map(|(n, (one, many))| text::count(*n as u64, one, many))
            .collect();
        let mut said = Vec::new();
        if self.crowded > 0 {
            said.push(format!(
                "{} not drawn: more than {ROWS} at once on one queue; --all draws all",
                text::count(self.crowded as u64, "command", "commands")
            ));
        }
        if !short.is_empty() {
            said.push(format!("{} too short to draw", short.join(", ")));
        }
        if self.nameless > 0 {
            let blocks = text::count(self.nameless as u64, "block", "blocks");
            said.push(format!("{blocks} without a name"));
        }
        if self.crowded + self.short[0] + self.nameless > 0 && !page.style.command_table {
            said.push("--parts commands lists each command".to_owned());
        }
        if said.is_empty() {
            return Ok(());
        }
        let room = page.style.columns - name - 2;
        for line in text::wrap(&said.join("; "), room) {
            let line = page.paint(FAINT, &line);
            page.line(&format!("{}{line}", " ".repeat(name + 2)))?;
        }
        Ok(())
    }
}

/// The segments of a queue in rows: in each nothing overlaps, and each segment is in the first row that is free. At most
/// `most` rows; the number of segments for which there is none.
fn rows(segments: &[Segment], most: usize) -> (Vec<Vec<&Segment>>, usize) {
    let mut rows: Vec<Vec<&Segment>> = vec![Vec::new()];
    let mut left = 0;
    for segment in segments {
        let free = rows
            .iter()
            .position(|row| row.last().is_none_or(|last| last.end <= segment.start));
        match free {
            Some(row) => rows[row].push(segment),
            None if rows.len() < most => rows.push(vec![segment]),
            None => left += 1,
        }
    }
    (rows, left)
}

/// A column by its number: a time within the makespan, scaled to the columns of the page.
fn narrow(column: u128) -> usize {
    usize::try_from(column).expect("a column lies on the page")
}

/// The segment that fills most of each column.
fn owners(segments: &[&Segment], makespan: Ps, columns: usize) -> Vec<Option<usize>> {
    let mut owners: Vec<Option<(usize, u128)>> = vec![None; columns];
    let whole = u128::from(makespan.0.max(1));
    // Times in units of makespan / columns, without rounding: multiplied by the number of columns.
    let scale = |t: Ps| u128::from(t.0) * columns as u128;
    for (index, segment) in segments.iter().enumerate() {
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
    segments: &[&Segment],
    makespan: Ps,
    columns: usize,
    glyphs: &Glyphs,
    keys: &mut Keys,
    undrawn: &mut Undrawn,
) -> String {
    let owners = owners(segments, makespan, columns);
    let mut drawn = vec![false; segments.len()];
    let mut out = String::new();
    for run in owners.chunk_by(|a, b| a == b) {
        let Some(segment) = run[0].map(|index| {
            drawn[index] = true;
            segments[index]
        }) else {
            out.extend(std::iter::repeat_n(' ', run.len()));
            continue;
        };
        let fill = |glyph: char| std::iter::repeat_n(glyph, run.len()).collect::<String>();
        out += &match segment.kind {
            SegmentKind::Work => {
                let (block, named) = block(segment, run.len(), glyphs, keys);
                undrawn.nameless += usize::from(!named);
                page.paint(WORK, &block)
            }
            SegmentKind::Barrier => page.paint(BARRIER, &fill(glyphs.barrier)),
            SegmentKind::Fence => page.paint(FENCE, &fill(glyphs.fence)),
            SegmentKind::Submit => page.paint(FAINT, &fill(glyphs.submit)),
        };
    }
    for (segment, _) in segments.iter().zip(drawn).filter(|(_, drawn)| !drawn) {
        undrawn.short[match segment.kind {
            SegmentKind::Work => 0,
            SegmentKind::Barrier => 1,
            SegmentKind::Fence => 2,
            SegmentKind::Submit => 3,
        }] += 1;
    }
    out
}

/// A block of work with its label, a letter for it, or neither; and whether it says what it is.
fn block(segment: &Segment, columns: usize, glyphs: &Glyphs, keys: &mut Keys) -> (String, bool) {
    let [first, middle, last, single] = glyphs.work;
    if columns == 1 {
        return (single.to_string(), false);
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
    (out, !shown.is_empty())
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
pub(in crate::report) fn step(whole: Ps, ticks: usize) -> u64 {
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
pub(in crate::report) fn round(ps: u64) -> String {
    let (unit, word) = match ps {
        0 => return "0".to_owned(),
        1..1_000 => (1_u64, "ps"),
        1_000..1_000_000 => (1_000, "ns"),
        1_000_000..1_000_000_000 => (1_000_000, "us"),
        1_000_000_000..1_000_000_000_000 => (1_000_000_000, "ms"),
        _ => (1_000_000_000_000, "s"),
    };
    #[allow(
        clippy::cast_precision_loss,
        reason = "a tick is a round time and has few digits"
    )]
    let value = ps as f64 / unit as f64;
    format!("{value} {word}")
}
