//! What ran when on each queue, scaled to the page, with an axis and a legend.
//!
//! A queue takes as many rows as it has commands in flight at once, at most [`ROWS`], then a row for its barriers and one for its
//! hazards. Each column of a row shows what fills most of it; the commands of hazards have a column whatever else is in it. A command
//! is solid where it makes progress. A block shows its name if it fits, otherwise a letter that a line below explains, otherwise
//! nothing; where letters are too few, the least important blocks have none. Whatever is not drawn or not named is counted.

mod axis;
mod blocks;
mod marks;

pub(in crate::report) use axis::{round, step};

use super::{BAD, FAINT, Page, STRONG};
use crate::report::packing::{self, Bar};
use crate::report::text::{self, width};
use crate::run::{Lane, Report, Segment, SegmentKind};
use crate::time::Ps;
use anstyle::{AnsiColor, Style as Paint};
use axis::Scale;
use blocks::{Block, Cells};
use std::collections::BTreeSet;
use std::io;

const WORK: Paint = AnsiColor::Cyan.on_default();
const HELD: Paint = AnsiColor::Blue.on_default();
const BARRIER: Paint = AnsiColor::Magenta.on_default();
const FENCE: Paint = AnsiColor::Yellow.on_default();
const HAZARD: Paint = BAD;

/// Signs of the drawing.
struct Glyphs {
    /// Left end, middle and right end of a block, and a block of one column.
    work: [char; 4],
    held: char,
    /// A barrier that waits, and one that operates.
    barrier: [char; 2],
    fence: char,
    /// Where something goes on for ever.
    never: char,
    launch: char,
}

const UNICODE: Glyphs = Glyphs {
    work: ['┣', '━', '┫', '┃'],
    held: '╱',
    barrier: ['░', '▓'],
    fence: '┄',
    never: '▶',
    launch: '·',
};
const ASCII: Glyphs = Glyphs {
    work: ['[', '=', ']', '|'],
    held: '/',
    barrier: [':', '#'],
    fence: '~',
    never: '>',
    launch: '.',
};

/// Rows that a queue takes at most unless everything is asked for.
const ROWS: usize = 8;
/// Letters for names that do not fit.
const LETTERS: usize = 26;
/// Names of rows.
const BARRIERS: &str = "barriers";
const HAZARDS: &str = "hazards";

/// What was not drawn, or not named.
#[derive(Default)]
struct Undrawn {
    /// More ran at once on a queue than it has rows.
    crowded: usize,
    /// Too short for a column: commands, waits, submissions.
    short: [usize; 3],
    /// Submissions whose columns all have commands.
    hidden: usize,
    /// Blocks without room for a letter, or for which no letter was left.
    nameless: usize,
}

/// The picture while it is made.
struct Picture<'r> {
    scale: Scale,
    glyphs: &'static Glyphs,
    /// Commands of hazards.
    told: BTreeSet<&'r str>,
    undrawn: Undrawn,
}

/// A row of the picture: its name, and what is in it.
struct Row {
    name: String,
    cells: Cells,
    blocks: Vec<Block>,
}

/// The room of a picture: pictures with one frame have one axis.
#[derive(Copy, Clone)]
pub(super) struct Frame {
    /// The time that all columns show.
    whole: Ps,
    /// Columns of the names of rows.
    name: usize,
}

impl Frame {
    pub(super) fn of(report: &Report) -> Self {
        let lanes = &report.lanes;
        let has_barriers = lanes
            .iter()
            .any(|l| of(l, SegmentKind::Barrier).next().is_some());
        let names = lanes.iter().map(|l| width(&l.name)).max().unwrap_or(0);
        let least = match (has_barriers, marks::Marks::new(report).is_empty()) {
            (true, _) => BARRIERS.len(),
            (false, false) => HAZARDS.len(),
            (false, true) => 4,
        };
        Self {
            whole: report.drawn_until(),
            name: names.clamp(least, 14),
        }
    }

    /// A frame with room for either.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            whole: self.whole.max(other.whole),
            name: self.name.max(other.name),
        }
    }
}

pub(super) fn write(page: &mut Page<'_>, report: &Report, frame: Frame) -> io::Result<()> {
    let lanes = &report.lanes;
    let glyphs = if page.style.ascii { &ASCII } else { &UNICODE };
    let marks = marks::Marks::new(report);
    let Frame { whole, name } = frame;
    let scale = Scale {
        whole,
        columns: page.style.columns - name - 2,
    };
    let mut picture = Picture {
        scale,
        glyphs,
        told: packing::told(report),
        undrawn: Undrawn::default(),
    };
    let most = if page.style.all { usize::MAX } else { ROWS };
    let mut rows: Vec<Row> = Vec::new();
    for lane in lanes {
        let first = rows.len();
        rows.extend(picture.work(lane, most));
        rows.extend(picture.barriers(lane));
        rows.extend(marks.rows(&lane.name, scale));
        if let Some(row) = rows.get_mut(first) {
            row.name = text::clean(&lane.name);
        }
    }
    let letters = letters(&rows);
    for mut row in rows {
        for block in &row.blocks {
            let letter = letters.iter().position(|label| *label == block.label);
            let letter = letter.and_then(|at| ('a'..='z').nth(at));
            let is_named = row.cells.name(block, letter);
            picture.undrawn.nameless += usize::from(!is_named);
        }
        let is_first = !matches!(row.name.as_str(), "" | BARRIERS | HAZARDS);
        let shown = text::left(&row.name, name);
        let shown = page.paint(if is_first { STRONG } else { FAINT }, &shown);
        page.line(&format!("{shown}  {}", row.cells.painted(page)))?;
    }
    axis::axis(page, scale, name)?;
    legend(page, lanes, glyphs, name)?;
    let keys = letters.iter().zip('a'..='z');
    let keys = keys.map(|(label, letter)| format!("{letter} {}", text::ellipsis(label, 40)));
    page.row(&keys.collect::<Vec<_>>(), name + 2)?;
    marks.explain(page, name)?;
    cycles(page, report, name)?;
    picture.undrawn.say(page, name)
}

fn of(lane: &Lane, kind: SegmentKind) -> impl Iterator<Item = &Segment> {
    lane.segments.iter().filter(move |s| s.kind == kind)
}

/// The names that get a letter, in the order in which they are drawn: of more than there are letters, those of the most important
/// blocks.
fn letters(rows: &[Row]) -> Vec<String> {
    let mut wanted: Vec<(&str, (bool, Ps))> = Vec::new();
    for block in rows
        .iter()
        .flat_map(|row| &row.blocks)
        .filter(|b| b.wants_letter())
    {
        match wanted.iter_mut().find(|(label, _)| *label == block.label) {
            Some((_, weight)) => *weight = block.weight.max(*weight),
            None => wanted.push((&block.label, block.weight)),
        }
    }
    let mut weights: Vec<_> = wanted.iter().map(|(_, weight)| *weight).collect();
    weights.sort_unstable_by(|a, b| b.cmp(a));
    let least = weights.get(LETTERS - 1).copied();
    wanted.retain(|(_, weight)| least.is_none_or(|least| *weight >= least));
    wanted.truncate(LETTERS);
    wanted
        .into_iter()
        .map(|(label, _)| label.to_owned())
        .collect()
}

impl Picture<'_> {
    /// Commands and what the queue waits for, in rows in which nothing overlaps.
    fn work(&mut self, lane: &Lane, most: usize) -> Vec<Row> {
        let own: Vec<&Segment> = lane
            .segments
            .iter()
            .filter(|s| !matches!(s.kind, SegmentKind::Barrier | SegmentKind::Submit))
            .collect();
        let bar = |segment: &&Segment| {
            let is_told = self.told.contains(segment.id.as_str());
            let bar = Bar::command((segment.start, segment.end), &segment.life, is_told);
            // What the queue itself waits for is never left out.
            let weight = match segment.kind {
                SegmentKind::Work => bar.weight,
                _ => (true, Ps::MAX),
            };
            Bar { weight, ..bar }
        };
        let bars: Vec<Bar> = own.iter().map(bar).collect();
        let packed = packing::packed(&bars, most);
        let count = packed.iter().flatten().max().map_or(1, |last| last + 1);
        let mut rows: Vec<Vec<(&Segment, Bar)>> = vec![Vec::new(); count];
        for ((segment, bar), row) in own.into_iter().zip(bars).zip(packed) {
            match row {
                Some(row) => rows[row].push((segment, bar)),
                None => self.undrawn.crowded += 1,
            }
        }
        let mut rows: Vec<Row> = rows.iter().map(|row| self.row(row)).collect();
        self.submissions(lane, &mut rows[0]);
        rows
    }

    /// What the queue does while nothing is in flight, where the first row is free: it takes no row from commands.
    fn submissions(&mut self, lane: &Lane, row: &mut Row) {
        for segment in of(lane, SegmentKind::Submit) {
            let columns = self.scale.touched((segment.start, segment.end));
            let (mut is_drawn, mut is_short) = (false, true);
            for column in columns {
                let share = self.scale.share(column, (segment.start, segment.end));
                if share * 2 <= self.scale.unit() {
                    continue;
                }
                is_short = false;
                if row.cells.are_free(column..column + 1) {
                    let cell = (self.glyphs.launch, FAINT);
                    row.cells.fill(column..column + 1, cell);
                    is_drawn = true;
                }
            }
            self.undrawn.short[2] += usize::from(is_short);
            self.undrawn.hidden += usize::from(!is_short && !is_drawn);
        }
    }

    fn row(&mut self, segments: &[(&Segment, Bar)]) -> Row {
        let mut row = Row {
            name: String::new(),
            cells: Cells::new(self.scale.columns),
            blocks: Vec::new(),
        };
        let owners = blocks::owners(segments, self.scale);
        let mut drawn = vec![false; segments.len()];
        let mut column = 0;
        for run in owners.chunk_by(|a, b| a == b) {
            let columns = column..column + run.len();
            column = columns.end;
            let Some(index) = run[0] else { continue };
            drawn[index] = true;
            let (segment, bar) = segments[index];
            let fill = match segment.kind {
                SegmentKind::Work => {
                    let block = row
                        .cells
                        .command(segment, bar, columns, self.scale, self.glyphs);
                    row.blocks.push(block);
                    continue;
                }
                SegmentKind::Never => {
                    row.cells.never(segment, columns, self.glyphs);
                    continue;
                }
                SegmentKind::Fence | SegmentKind::Submit | SegmentKind::Barrier => {
                    (self.glyphs.fence, FENCE)
                }
            };
            row.cells.fill(columns, fill);
        }
        for ((segment, _), _) in segments.iter().zip(drawn).filter(|(_, drawn)| !drawn) {
            self.undrawn.short[match segment.kind {
                SegmentKind::Work => 0,
                _ => 1,
            }] += 1;
        }
        row
    }

    /// The barriers of a queue in one row: where one waits for earlier work, and over that where one operates.
    fn barriers(&self, lane: &Lane) -> Option<Row> {
        of(lane, SegmentKind::Barrier).next()?;
        let mut cells = Cells::new(self.scale.columns);
        let [waits, operates] = self.glyphs.barrier;
        for barrier in of(lane, SegmentKind::Barrier) {
            let columns = self.scale.touched((barrier.start, barrier.drained));
            cells.fill(columns, (waits, BARRIER));
        }
        for barrier in of(lane, SegmentKind::Barrier).filter(|b| b.end > b.drained) {
            let columns = self.scale.touched((barrier.drained, barrier.end));
            cells.fill(columns, (operates, BARRIER));
        }
        Some(Row {
            name: BARRIERS.to_owned(),
            cells,
            blocks: Vec::new(),
        })
    }
}

/// What the signs mean that may be in a picture.
fn legend(page: &mut Page<'_>, lanes: &[Lane], glyphs: &Glyphs, name: usize) -> io::Result<()> {
    let has = |kind| lanes.iter().any(|lane| of(lane, kind).next().is_some());
    let is_held = lanes
        .iter()
        .flat_map(|lane| &lane.segments)
        .flat_map(|segment| segment.life.iter())
        .any(|part| part.does != crate::run::Does::Work);
    let [first, middle, last, _] = glyphs.work;
    let twice = |sign: char| sign.to_string().repeat(2);
    let [waits, operates] = glyphs.barrier;
    let entries = [
        (true, WORK, [first, middle, last].iter().collect(), "work"),
        (is_held, HELD, twice(glyphs.held), "held or waiting"),
        (
            has(SegmentKind::Barrier),
            BARRIER,
            twice(waits),
            "barrier drains",
        ),
        (
            has(SegmentKind::Barrier),
            BARRIER,
            twice(operates),
            "operates",
        ),
        (
            has(SegmentKind::Fence),
            FENCE,
            twice(glyphs.fence),
            "waits for a fence",
        ),
        (
            has(SegmentKind::Never),
            BAD,
            format!("{}{}", glyphs.fence, glyphs.never),
            "never ends",
        ),
        (
            has(SegmentKind::Submit) || is_held,
            FAINT,
            twice(glyphs.launch),
            "launch, submission",
        ),
    ];
    let entries = entries.into_iter().filter(|(is_shown, ..)| *is_shown);
    let entries = entries.map(|(_, paint, sign, word): (_, Paint, String, &str)| {
        format!("{} {word}", page.paint(paint, &sign))
    });
    let entries: Vec<String> = entries.collect();
    page.row(&entries, name + 2)
}

/// Who waits for whom where a wait never ends because of another.
fn cycles(page: &mut Page<'_>, report: &Report, name: usize) -> io::Result<()> {
    let mut said = vec![false; report.stuck.len()];
    let sign = if page.style.ascii { " -> " } else { " → " };
    for first in 0..report.stuck.len() {
        let mut waits = vec![report.stuck[first].id.as_str()];
        let mut at = first;
        while let (false, Some(next)) = (said[at], report.stuck[at].behind) {
            said[at] = true;
            waits.push(&report.stuck[next].id);
            at = next;
        }
        if waits.len() > 1 {
            let line = format!("never ends: {}", text::clean(&waits.join(sign)));
            let line = page.paint(BAD, &line);
            page.line(&format!("{}{line}", " ".repeat(name + 2)))?;
        }
    }
    Ok(())
}

impl Undrawn {
    fn say(&self, page: &mut Page<'_>, name: usize) -> io::Result<()> {
        const WHAT: [(&str, &str); 3] = [
            ("command", "commands"),
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
                "{} not drawn ({ROWS} rows a queue: hazards first, then the longest); --all draws all",
                text::count(self.crowded as u64, "command", "commands")
            ));
        }
        if !short.is_empty() {
            said.push(format!("{} too short to draw", short.join(", ")));
        }
        if self.hidden > 0 {
            let submissions = text::count(self.hidden as u64, "submission", "submissions");
            said.push(format!("{submissions} hidden under commands"));
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
