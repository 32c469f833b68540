//! A run as a timeline: queues from above to below, each with its commands, stages, barriers and fences.
//!
//! What is too narrow to be seen is drawn together with its neighbours, so a drawing of a long run stays small; what is not
//! drawn is counted.

mod bars;
mod foot;
mod hazards;

use super::{Drawing, LINE_LETTERS, WIDTH, at, length};
use crate::finding::Source;
use crate::report::terminal::lanes;
use crate::report::{Style, packing, text};
use crate::run::Report;
use crate::run::activity::{Activity, ArrowKind, Row};
use crate::time::Ps;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Where the time starts, and how much room is right of its end.
const LEFT: f64 = 204.0;
const RIGHT: f64 = 24.0;
/// Commands in flight that a queue draws at most.
pub(super) const COMMANDS: usize = 12;
/// The part of a wait that never ends that its words have: arrows have the rest.
const WORDS_OF_OPEN: f64 = 0.8;
/// Rows of one stage, of barriers or of fences that a queue has at most.
const ROWS: usize = 4;
/// Arrows of fences that are drawn.
const ARROWS: usize = 40;

pub(super) fn write(
    report: &Report,
    source: &Source,
    _: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let nothing = Activity::default();
    let activity = report.activity.as_deref().unwrap_or(&nothing);
    let mut page = Page::new(report, activity);
    page.head(report);
    page.axis();
    let top = page.drawing.height;
    for track in 0..activity.tracks.len() {
        page.track(track, report);
    }
    page.exposed(top);
    page.fences();
    page.keeps();
    hazards::draw(&mut page, report, source);
    page.foot();
    let title = format!("Timeline of {}", report.scenario);
    let about = about(report, activity);
    out.write_all(page.drawing.finish(WIDTH, &title, &about).as_bytes())
}

/// What the drawing shows, for those who do not see it.
fn about(report: &Report, activity: &Activity) -> String {
    let Some(makespan) = report.makespan else {
        return "Nothing was simulated.".to_owned();
    };
    let hazards = report.findings.iter().filter(|f| f.hazard.is_some());
    let hazards: Vec<String> = hazards.map(|f| f.message.to_string()).take(8).collect();
    let queues = activity.tracks.join(", ");
    let mut about = format!(
        "What ran when on {queues}, in {makespan} on {} with {}; {} exposed in barriers.",
        report.profile, report.lowering, report.exposed
    );
    if !hazards.is_empty() {
        let _ = write!(about, " Hazards: {}.", hazards.join("; "));
    }
    about
}

/// A place for a slice: which, and its rectangle's upper edge and height.
#[derive(Copy, Clone)]
struct Placed {
    top: f64,
    height: f64,
}

/// The drawing, and where everything is in it.
struct Page<'a> {
    drawing: Drawing,
    activity: &'a Activity,
    /// The time that the drawing shows.
    until: Ps,
    /// Where each slice is.
    places: Vec<Option<Placed>>,
    /// Slices by command or barrier, to find the sides of hazards.
    notes: Vec<String>,
    /// Commands and barriers that hazards are about.
    told: BTreeSet<&'a str>,
    /// More ran at once than there are rows: commands, and what else there is.
    crowded: [usize; 2],
    /// Where badges of hazards may be: left and right edges by line.
    badges: Vec<hazards::Lane>,
    has_stages: bool,
}

impl<'a> Page<'a> {
    fn new(report: &'a Report, activity: &'a Activity) -> Self {
        Self {
            drawing: Drawing::new(),
            activity,
            until: activity.until,
            places: vec![None; activity.slices.len()],
            notes: Vec::new(),
            told: packing::told(report),
            crowded: [0; 2],
            badges: Vec::new(),
            has_stages: activity
                .slices
                .iter()
                .any(|s| matches!(s.row, Row::Stage(_))),
        }
    }

    /// Where a time is.
    #[allow(
        clippy::cast_precision_loss,
        reason = "a drawing is laid out in tenths of a pixel"
    )]
    fn x(&self, time: Ps) -> f64 {
        let share = time.0 as f64 / self.until.0.max(1) as f64;
        LEFT + share.min(1.0) * (WIDTH - LEFT - RIGHT)
    }

    fn head(&mut self, report: &Report) {
        let title = text::ellipsis(&text::clean(&report.scenario), 90);
        self.drawing.text((20.0, 34.0), "h1", &title);
        let says = match report.makespan {
            None => "nothing was simulated".to_owned(),
            Some(makespan) => format!(
                "{makespan} on {} with {} · {} exposed in barriers · {} · {}",
                report.profile,
                report.lowering,
                report.exposed,
                text::count(report.totals.commands, "command", "commands"),
                text::count(report.totals.barriers, "barrier", "barriers"),
            ),
        };
        self.drawing
            .text((20.0, 56.0), "faint", &text::ellipsis(&says, LINE_LETTERS));
        self.drawing.height = 74.0;
    }

    /// Round times from left to right.
    fn axis(&mut self) {
        let y = self.drawing.height;
        if self.until == Ps::ZERO {
            return;
        }
        let step = lanes::step(self.until, 9);
        let mut time = 0;
        while time <= self.until.0 {
            let x = self.x(Ps(time));
            let words = lanes::round(time);
            let class = if time == 0 { "faint" } else { "faint mid" };
            if x + super::room(&words) / 2.0 < WIDTH {
                self.drawing.text((x, y + 10.0), class, &words);
            }
            time += step;
        }
        self.drawing.height = y + 18.0;
    }

    /// Lines at the round times, from the axis to below the last row.
    fn grid(&mut self, top: f64) {
        let step = lanes::step(self.until, 9);
        let bottom = self.drawing.height;
        let mut path = String::new();
        let mut time = 0;
        while time <= self.until.0 {
            let _ = write!(path, "M{} {}V{}", at(self.x(Ps(time))), at(top), at(bottom));
            time += step.max(1);
        }
        let _ = writeln!(self.drawing.ground, "<path d=\"{path}\" class=\"grid\"/>");
    }

    /// A queue: its commands, stages, barriers and fences.
    fn track(&mut self, track: usize, report: &Report) {
        let activity = self.activity;
        let own = |row: Row| -> Vec<usize> {
            let all = activity.slices.iter().enumerate();
            let of_row = all.filter(|(_, s)| s.track == track && s.row == row);
            of_row.map(|(index, _)| index).collect()
        };
        let mut stages: Vec<&'static str> = Vec::new();
        for slice in activity.slices.iter().filter(|s| s.track == track) {
            if let Row::Stage(stage) = slice.row
                && !stages.contains(&stage)
            {
                stages.push(stage);
            }
        }
        let (commands, barriers, fences) = (own(Row::Command), own(Row::Barrier), own(Row::Fence));
        if commands.is_empty() && barriers.is_empty() && fences.is_empty() {
            return;
        }
        let top = self.drawing.height + 10.0;
        let name = text::ellipsis(&text::clean(&activity.tracks[track]), 22);
        self.drawing.text((20.0, top + 14.0), "h2", &name);
        self.drawing.height = top + 4.0;
        let badges = hazards::Lane::new(self, track, report);
        self.drawing.height += badges.height();
        self.badges.push(badges);
        self.rows("", &commands, (24.0, COMMANDS));
        for stage in stages {
            self.rows(stage, &own(Row::Stage(stage)), (11.0, ROWS));
        }
        self.rows("barriers", &barriers, (15.0, ROWS));
        self.rows("fences", &fences, (13.0, ROWS));
        let bottom = self.drawing.height;
        let band = format!(
            "<rect x=\"8\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" class=\"band\"/>\n",
            at(top - 2.0),
            at(WIDTH - 16.0),
            at(bottom - top + 6.0)
        );
        self.drawing.ground += &band;
        self.drawing.height = bottom + 4.0;
    }

    /// Times in which the whole machine stood still: over all queues, below what they did.
    fn exposed(&mut self, top: f64) {
        let bottom = self.drawing.height;
        self.grid(top);
        let mut last = f64::NEG_INFINITY;
        for (start, end) in &self.activity.exposed {
            let (from, to) = (self.x(*start), self.x(*end).max(self.x(*start) + 0.7));
            if from < last + 0.5 {
                continue;
            }
            last = to;
            let _ = writeln!(
                self.drawing.ground,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"exposed\"><title>{}</title></rect>",
                at(from),
                at(top),
                at(to - from),
                at(bottom - top),
                super::escaped(&format!("exposed: nothing runs, {start} to {end}"))
            );
        }
    }

    fn fences(&mut self) {
        let activity = self.activity;
        let all: Vec<_> = activity
            .arrows
            .iter()
            .filter(|arrow| arrow.kind == ArrowKind::Fence)
            .filter(|arrow| {
                activity.slices[arrow.from.0].track != activity.slices[arrow.to.0].track
            })
            .collect();
        for arrow in all.iter().take(ARROWS) {
            let (Some(from), Some(to)) = (self.places[arrow.from.0], self.places[arrow.to.0])
            else {
                continue;
            };
            self.bow(
                "signal",
                (self.x(arrow.from.1), from),
                (self.x(arrow.to.1), to),
            );
        }
        if all.len() > ARROWS {
            let more = all.len() - ARROWS;
            self.notes
                .push(format!("{more} more fence arrows are not drawn"));
        }
    }
    /// From each wait that never ends to the one that keeps its signal.
    fn keeps(&mut self) {
        let activity = self.activity;
        for (number, (keeper, kept)) in activity.keeps.iter().enumerate() {
            let since = activity.slices[*keeper]
                .start
                .max(activity.slices[*kept].start);
            let (left, right) = (self.x(since), self.x(self.until));
            let x = left + (right - left) * (WORDS_OF_OPEN + 0.04 + 0.05 * length(number % 4));
            if let (Some(from), Some(to)) = (self.places[*kept], self.places[*keeper]) {
                self.bow("keeps", (x, from), (x, to));
            }
        }
    }

    /// An arrow from one place to another, above or below it.
    fn bow(&mut self, class: &str, (x1, from): (f64, Placed), (x2, to): (f64, Placed)) {
        let is_down = from.top < to.top;
        let (y1, y2) = if is_down {
            (from.top + from.height, to.top)
        } else {
            (from.top, to.top + to.height)
        };
        let bend = (y2 - y1) / 2.0;
        let points = [x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2].map(at);
        let [x1, y1, a, b, c, d, x2, y2] = points;
        let path = format!("M{x1} {y1}C{a} {b} {c} {d} {x2} {y2}");
        self.drawing
            .put(&format!("<path d=\"{path}\" class=\"{class}\"/>"));
    }
}
