//! Hazards in a timeline: a badge with a letter on either side, the two linked, and a line of words below the drawing.

use super::{Page, Placed};
use crate::finding::{Finding, Party, Source};
use crate::report::svg::{LINE_LETTERS, at, length};
use crate::report::text;
use crate::run::Report;
use crate::run::activity::Row;
use crate::time::Ps;

/// Hazards that are drawn.
const MOST: usize = 12;
/// Size of a badge, and how far apart lines of badges are.
const BADGE: (f64, f64) = (24.0, 15.0);
const LINE: f64 = 18.0;

/// Room above the commands of a queue in which badges are.
pub(super) struct Lane {
    track: usize,
    top: f64,
    lines: usize,
    /// Badges by line: their left edges.
    taken: Vec<Vec<f64>>,
}

/// Where a side of a hazard is.
struct Spot {
    track: usize,
    x: f64,
    placed: Placed,
}

impl Lane {
    /// As many lines as the hazards of the queue may need.
    pub(super) fn new(page: &Page<'_>, track: usize, report: &Report) -> Self {
        let mut lane = Self {
            track,
            top: page.drawing.height,
            lines: 0,
            taken: Vec::new(),
        };
        for (_, finding, at) in drawn(report) {
            let sides = finding.hazard.iter().flat_map(|h| [&h.first, &h.second]);
            for (party, at) in sides.zip(at) {
                if let Some((of, x)) = place(page, party, at)
                    && of == track
                {
                    lane.take(x);
                }
            }
        }
        lane.lines = lane.taken.len();
        lane.taken = vec![Vec::new(); lane.lines];
        lane
    }

    /// How much room it takes.
    pub(super) fn height(&self) -> f64 {
        length(self.lines) * LINE
    }

    /// A free place near `x`: its left edge and its line from above.
    fn take(&mut self, x: f64) -> (f64, usize) {
        let left = (x - BADGE.0 / 2.0).clamp(super::LEFT - 12.0, super::WIDTH - BADGE.0 - 4.0);
        let is_free = |line: &Vec<f64>| {
            line.iter()
                .all(|other| (other - left).abs() >= BADGE.0 + 3.0)
        };
        let line = self.taken.iter().position(is_free).unwrap_or_else(|| {
            self.taken.push(Vec::new());
            self.taken.len() - 1
        });
        self.taken[line].push(left);
        (left, line)
    }
}

/// A hazard with its letter, and the moments of its two sides; what did not run has none.
type Drawn<'r> = (char, &'r Finding, [Option<Ps>; 2]);

fn drawn(report: &Report) -> Vec<Drawn<'_>> {
    let all = report.findings.iter().enumerate();
    let hazards = all.filter(|(_, f)| f.hazard.is_some()).take(MOST);
    let drawn = hazards.zip('A'..='Z').map(|((index, finding), letter)| {
        let met = report.meeting(index);
        let at = [met.map(|met| met.first), met.map(|met| met.second)];
        (letter, finding, at)
    });
    drawn.collect()
}

/// The queue of a side, and where its moment is: the first is over there, the second begins.
fn place(page: &Page<'_>, party: &Party, at: Option<Ps>) -> Option<(usize, f64)> {
    let slice = &page.activity.slices[slice(page, party)?];
    Some((slice.track, page.x(at?)))
}

/// The slice of a side: its command, or the last of its barrier.
fn slice(page: &Page<'_>, party: &Party) -> Option<usize> {
    let slices = &page.activity.slices;
    let last = |row: Row| {
        let is_own =
            |index: &usize| slices[*index].id == *party.command && slices[*index].row == row;
        (0..slices.len()).rev().find(is_own)
    };
    // What follows a command, such as the end of its scope, has its id too.
    [Row::Command, Row::Fence, Row::Barrier]
        .into_iter()
        .find_map(last)
}

pub(super) fn draw(page: &mut Page<'_>, report: &Report, source: &Source) {
    let hazards = drawn(report);
    let mut words = Vec::new();
    for (letter, finding, at) in &hazards {
        let Some(hazard) = finding.hazard.as_deref() else {
            continue;
        };
        let first = badge(page, (*letter, 1), &hazard.first, at[0]);
        let second = badge(page, (*letter, 2), &hazard.second, at[1]);
        if let (Some(first), Some(second)) = (first, second) {
            link(page, first, second);
        }
        let line = |party: &Party| source.line(party.span.start);
        words.push(format!(
            "{letter}  {} {}: (1) {} in line {}, (2) {} in line {}{}",
            finding.rule.id,
            finding.rule.name,
            hazard.first.label,
            line(&hazard.first),
            hazard.second.label,
            line(&hazard.second),
            match finding.visible {
                Some(true) => " — a read of this run went wrong",
                _ => "",
            }
        ));
    }
    let all = report
        .findings
        .iter()
        .filter(|f| f.hazard.is_some())
        .count();
    if all > hazards.len() {
        words.push(format!("and {} more hazards", all - hazards.len()));
    }
    for line in words {
        page.drawing.height += 18.0;
        let y = page.drawing.height;
        page.drawing.text(
            (20.0, y),
            "bad",
            &text::ellipsis(&text::clean(&line), LINE_LETTERS),
        );
    }
}

/// Draws a badge, and a line from it to its side; the middle of its upper edge.
fn badge(
    page: &mut Page<'_>,
    (letter, number): (char, u32),
    party: &Party,
    at_time: Option<Ps>,
) -> Option<(f64, f64)> {
    let index = slice(page, party)?;
    let (track, x) = place(page, party, at_time)?;
    let spot = Spot {
        track,
        x,
        placed: page.places[index]?,
    };
    let lane = page
        .badges
        .iter_mut()
        .find(|lane| lane.track == spot.track)?;
    let (left, row) = lane.take(spot.x);
    let top = lane.top + length(row) * LINE;
    let middle = left + BADGE.0 / 2.0;
    let path = format!(
        "M{} {}L{} {}",
        at(middle),
        at(top + BADGE.1),
        at(spot.x),
        at(spot.placed.top + 2.0)
    );
    page.drawing
        .put(&format!("<path d=\"{path}\" class=\"lead\"/>"));
    // The first side is round, the second has corners.
    let rx = if number == 1 { 7.0 } else { 0.0 };
    page.drawing.put(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{rx}\" class=\"badge\"/>",
        at(left),
        at(top),
        at(BADGE.0),
        at(BADGE.1)
    ));
    let place = (middle, top + 11.5);
    page.drawing
        .text(place, "bad mid", &format!("{letter}{number}"));
    Some((middle, top))
}

/// From the badge of the first side to that of the second.
fn link(page: &mut Page<'_>, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    if (x1 - x2).abs() < BADGE.0 && (y1 - y2).abs() <= LINE {
        // One above the other: there is no room for a line, and no need of one.
        return;
    }
    let path = if (y1 - y2).abs() < 1.0 {
        // Side by side: from edge to edge, or over what is between them.
        let (from, to) = if x1 <= x2 {
            (x1 + BADGE.0 / 2.0, x2 - BADGE.0 / 2.0)
        } else {
            (x1 - BADGE.0 / 2.0, x2 + BADGE.0 / 2.0)
        };
        format!("M{} {}H{}", at(from), at(y1 + BADGE.1 / 2.0), at(to))
    } else {
        let (from, to) = if y1 < y2 {
            (y1 + BADGE.1, y2)
        } else {
            (y1, y2 + BADGE.1)
        };
        let bend = (to - from) / 2.0;
        format!(
            "M{} {}C{} {} {} {} {} {}",
            at(x1),
            at(from),
            at(x1),
            at(from + bend),
            at(x2),
            at(to - bend),
            at(x2),
            at(to)
        )
    };
    page.drawing
        .put(&format!("<path d=\"{path}\" class=\"link\"/>"));
}
