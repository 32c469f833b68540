//! The cells of a row, and blocks of commands in them.

use super::axis::Scale;
use super::{FENCE, Glyphs, HELD, WORK};
use crate::report::packing::Bar;
use crate::report::terminal::{BAD, FAINT, Page};
use crate::report::text::{self, width};
use crate::run::{Does, Segment};
use crate::time::Ps;
use anstyle::Style as Paint;
use std::ops::Range;

/// One row of the page: a sign and its paint in each column; nothing where nothing is.
pub(super) struct Cells {
    cells: Vec<Option<(char, Paint)>>,
}

/// A command that is drawn, with the room for its name.
pub(super) struct Block {
    pub(super) label: String,
    pub(super) weight: (bool, Ps),
    /// Columns in which it works without a break, as many as there are somewhere.
    solid: Range<usize>,
}

impl Block {
    /// Columns between the ends of the solid part.
    fn inner(&self) -> usize {
        self.solid.len().saturating_sub(2)
    }

    /// Whether its name does not fit, and a letter would.
    pub(super) fn wants_letter(&self) -> bool {
        width(&self.label) > self.inner() && (self.inner() > 0 || self.weight.0)
    }
}

/// The segment that fills most of each column. What a hazard is about has at least one.
pub(super) fn owners(segments: &[(&Segment, Bar)], scale: Scale) -> Vec<Option<usize>> {
    let mut owners: Vec<Option<(usize, u128)>> = vec![None; scale.columns];
    for (index, (segment, _)) in segments.iter().enumerate() {
        let times = (segment.start, segment.end);
        if times.0 == times.1 {
            continue;
        }
        for column in scale.touched(times) {
            let share = scale.share(column, times);
            let owner = &mut owners[column];
            if share > 0 && owner.is_none_or(|(_, best)| share > best) {
                *owner = Some((index, share));
            }
        }
    }
    let mut owners: Vec<Option<usize>> = owners.into_iter().map(|o| o.map(|(i, _)| i)).collect();
    for (index, (segment, bar)) in segments.iter().enumerate() {
        if bar.weight.0 && bar.weight.1 < Ps::MAX && !owners.contains(&Some(index)) {
            let works = segment.life.iter().find(|part| part.does == Does::Work);
            owners[scale.column(works.map_or(segment.start, |part| part.start))] = Some(index);
        }
    }
    owners
}

/// What a command does for most of a column.
fn does(segment: &Segment, column: usize, scale: Scale) -> Does {
    let mut best = (0, Does::Work);
    for does in [Does::Work, Does::Held, Does::Queue, Does::Launch] {
        let own = segment.life.iter().filter(|part| part.does == does);
        let share = own.map(|part| scale.share(column, (part.start, part.end)));
        let share: u128 = share.sum();
        if share > best.0 {
            best = (share, does);
        }
    }
    best.1
}

impl Cells {
    pub(super) fn new(columns: usize) -> Self {
        Self {
            cells: vec![None; columns],
        }
    }

    pub(super) fn fill(&mut self, columns: Range<usize>, (sign, paint): (char, Paint)) {
        self.cells[columns].fill(Some((sign, paint)));
    }

    /// Writes letters from a column on.
    pub(super) fn write(&mut self, column: usize, words: &str, paint: Paint) {
        // A sign of two columns takes the next cell with it.
        let mut at = column;
        for sign in words.chars() {
            let columns = width(sign.encode_utf8(&mut [0; 4]));
            if columns == 0 || at + columns > self.cells.len() {
                continue;
            }
            self.cells[at] = Some((sign, paint));
            self.cells[at + 1..at + columns].fill(Some(('\0', paint)));
            at += columns;
        }
    }

    /// Whether some columns are free.
    pub(super) fn are_free(&self, columns: Range<usize>) -> bool {
        let cells = self.cells.get(columns);
        cells.is_some_and(|cells| cells.iter().all(Option::is_none))
    }

    /// A command: solid where it works, and who holds it where it is held and there is room.
    pub(super) fn command(
        &mut self,
        segment: &Segment,
        bar: Bar,
        columns: Range<usize>,
        scale: Scale,
        glyphs: &Glyphs,
    ) -> Block {
        let mut what: Vec<Does> = columns.clone().map(|c| does(segment, c, scale)).collect();
        if !what.contains(&Does::Work) {
            // It worked, however short: in the column in which it did so most.
            let works = segment.life.iter().filter(|part| part.does == Does::Work);
            let longest = works.max_by_key(|part| part.end - part.start);
            let at = longest.map_or(columns.start, |part| scale.column(part.start));
            what[at.clamp(columns.start, columns.end - 1) - columns.start] = Does::Work;
        }
        let mut solid = columns.start..columns.start;
        let mut at = columns.start;
        for run in what.chunk_by(|a, b| a == b) {
            let own = at..at + run.len();
            at = own.end;
            match run[0] {
                Does::Work => {
                    self.solid(own.clone(), glyphs);
                    if own.len() > solid.len() {
                        solid = own;
                    }
                }
                Does::Held | Does::Queue => self.held(segment, own, run[0], glyphs),
                Does::Launch => self.fill(own, (glyphs.launch, FAINT)),
            }
        }
        Block {
            label: text::clean(&segment.label),
            weight: bar.weight,
            solid,
        }
    }

    fn solid(&mut self, columns: Range<usize>, glyphs: &Glyphs) {
        let [first, middle, last, single] = glyphs.work;
        if columns.len() == 1 {
            return self.fill(columns, (single, WORK));
        }
        self.fill(columns.clone(), (middle, WORK));
        self.fill(columns.start..columns.start + 1, (first, WORK));
        self.fill(columns.end - 1..columns.end, (last, WORK));
    }

    fn held(&mut self, segment: &Segment, columns: Range<usize>, does: Does, glyphs: &Glyphs) {
        self.fill(columns.clone(), (glyphs.held, HELD));
        let own = segment.life.iter().filter(|part| part.does == does);
        let Some(longest) = own.max_by_key(|part| part.end - part.start) else {
            return;
        };
        let words = match does {
            Does::Held => format!(" held by {} ", text::clean(&longest.by)),
            _ => format!(" {} ", does.word()),
        };
        if width(&words) + 2 <= columns.len() {
            self.write(columns.start + 1, &words, HELD);
        }
    }

    /// A wait that never ends: what it waits for, and an arrow at the edge.
    pub(super) fn never(&mut self, segment: &Segment, columns: Range<usize>, glyphs: &Glyphs) {
        self.fill(columns.clone(), (glyphs.fence, FENCE));
        let room = columns.len().saturating_sub(4);
        let words = text::ellipsis(&text::clean(&segment.label), room.saturating_sub(2));
        if room > 8 {
            self.write(columns.start + 1, &format!(" {words} "), BAD);
        }
        self.fill(columns.end - 1..columns.end, (glyphs.never, BAD));
    }

    /// Writes a block's name, or a letter for it; says whether either had room.
    pub(super) fn name(&mut self, block: &Block, letter: Option<char>) -> bool {
        let at = block.solid.start;
        let inner = block.inner();
        if !block.label.is_empty() && width(&block.label) <= inner {
            self.write(at + 1, &block.label, WORK);
            return true;
        }
        let Some(letter) = letter.filter(|_| block.wants_letter()) else {
            return false;
        };
        // A block without room inside is its letter.
        let at = at + usize::from(inner > 0);
        self.write(at, letter.encode_utf8(&mut [0; 4]), WORK);
        true
    }

    /// The row as it is printed.
    pub(super) fn painted(&self, page: &Page<'_>) -> String {
        let mut out = String::new();
        for run in self
            .cells
            .chunk_by(|a, b| a.map(|(_, p)| p) == b.map(|(_, p)| p))
        {
            let signs = run.iter().map(|cell| cell.map_or(' ', |(sign, _)| sign));
            let signs: String = signs.filter(|sign| *sign != '\0').collect();
            match run[0] {
                Some((_, paint)) => out += &page.paint(paint, &signs),
                None => out += &signs,
            }
        }
        out
    }
}
