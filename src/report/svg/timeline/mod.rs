//! A run as a timeline: queues from above to below, each with its commands, stages, barriers and fences.
//!
//! What is too narrow to be seen is drawn together with its neighbours, so a drawing of a long run stays small; what is not
//! drawn is counted.

mod hazards;

use super::{Drawing, Entry, LINE_LETTERS, WIDTH, at, fitted, legend, length};
use crate::finding::Source;
use crate::report::terminal::lanes;
use crate::report::{Style, text};
use crate::run::Report;
use crate::run::activity::{Activity, ArrowKind, Row, Slice};
use crate::time::Ps;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Where the time starts, and how much room is right of its end.
const LEFT: f64 = 204.0;
const RIGHT: f64 = 24.0;
/// Rows of commands, or of one stage, that a queue has at most.
const ROWS: usize = 4;
/// Narrower blocks are drawn together.
const NARROW: f64 = 2.0;
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
    makespan: Ps,
    /// Where each slice is.
    places: Vec<Option<Placed>>,
    /// Slices by command or barrier, to find the sides of hazards.
    notes: Vec<String>,
    /// More ran at once than there are rows.
    crowded: usize,
    /// Where badges of hazards may be: left and right edges by line.
    badges: Vec<hazards::Lane>,
    has_stages: bool,
}

impl<'a> Page<'a> {
    fn new(report: &Report, activity: &'a Activity) -> Self {
        Self {
            drawing: Drawing::new(),
            activity,
            makespan: report.makespan.unwrap_or_default(),
            places: vec![None; activity.slices.len()],
            notes: Vec::new(),
            crowded: 0,
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
        let share = time.0 as f64 / self.makespan.0.max(1) as f64;
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
        if self.makespan == Ps::ZERO {
            return;
        }
        let step = lanes::step(self.makespan, 9);
        let mut time = 0;
        while time <= self.makespan.0 {
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
        let step = lanes::step(self.makespan, 9);
        let bottom = self.drawing.height;
        let mut path = String::new();
        let mut time = 0;
        while time <= self.makespan.0 {
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
        self.rows("", &commands, 24.0);
        for stage in stages {
            self.rows(stage, &own(Row::Stage(stage)), 11.0);
        }
        self.rows("barriers", &barriers, 15.0);
        self.rows("fences", &fences, 13.0);
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

    /// Slices in as many rows as overlap, at most [`ROWS`]; the name left of the first.
    fn rows(&mut self, name: &str, slices: &[usize], height: f64) {
        if slices.is_empty() {
            return;
        }
        let activity = self.activity;
        let mut rows: Vec<(Ps, Vec<usize>)> = Vec::new();
        for index in slices {
            let slice = &activity.slices[*index];
            let free = rows.iter().position(|(end, _)| *end <= slice.start);
            let row = match free {
                Some(row) => row,
                None if rows.len() < ROWS => {
                    rows.push((Ps::ZERO, Vec::new()));
                    rows.len() - 1
                }
                None => {
                    self.crowded += 1;
                    // It is found where its row would be, so that arrows and badges have a place.
                    let top = self.drawing.height + length(ROWS - 1) * (height + 2.0);
                    self.places[*index] = Some(Placed { top, height });
                    continue;
                }
            };
            rows[row].0 = slice.end;
            rows[row].1.push(*index);
        }
        let top = self.drawing.height;
        if !name.is_empty() {
            let words = fitted(name, LEFT - 34.0).unwrap_or_default();
            let place = (LEFT - 10.0, top + height / 2.0 + 4.0);
            self.drawing.text(place, "faint end", &words);
        }
        for (row, (_, slices)) in rows.iter().enumerate() {
            let placed = Placed {
                top: top + length(row) * (height + 2.0),
                height,
            };
            self.row(slices, placed);
        }
        self.drawing.height = top + length(rows.len()) * (height + 2.0) + 1.0;
    }

    /// One row: blocks that can be seen, and the others together.
    fn row(&mut self, slices: &[usize], placed: Placed) {
        let mut narrow: Vec<(&'static str, f64, f64)> = Vec::new();
        for index in slices {
            let slice = &self.activity.slices[*index];
            self.places[*index] = Some(placed);
            let (from, to) = (self.x(slice.start), self.x(slice.end));
            let class = class(slice);
            if to - from >= NARROW {
                self.block(slice, class, (from, to), placed);
                continue;
            }
            let to = to.max(from + 1.0);
            // What comes in turns too small to see is one piece of each class.
            match narrow.iter_mut().rfind(|(known, ..)| *known == class) {
                Some((_, _, end)) if from <= *end + 1.0 => {
                    *end = end.max(to);
                }
                _ => narrow.push((class, from, to)),
            }
        }
        let mut classes: Vec<&'static str> = narrow.iter().map(|(class, ..)| *class).collect();
        classes.sort_unstable();
        classes.dedup();
        for class in classes {
            let mut path = String::new();
            for (_, from, to) in narrow.iter().filter(|(of, ..)| *of == class) {
                let (width, height) = (at(to - from), at(placed.height));
                let _ = write!(
                    path,
                    "M{} {}h{width}v{height}h-{width}z",
                    at(*from),
                    at(placed.top)
                );
            }
            let class = if class == "work" { "many" } else { class };
            self.drawing
                .put(&format!("<path d=\"{path}\" class=\"{class}\"/>"));
        }
    }

    fn block(&mut self, slice: &Slice, class: &str, (from, to): (f64, f64), placed: Placed) {
        let target = match slice.target.as_str() {
            "" => String::new(),
            target => format!(" {target}"),
        };
        let tip = format!(
            "{}{target} ({}, line {}): {} to {}, {}",
            slice.name,
            slice.id,
            slice.line,
            slice.start,
            slice.end,
            slice.end - slice.start
        );
        let size = (to - from, placed.height);
        self.drawing.rect((from, placed.top), size, class, &tip);
        let words = match slice.row {
            Row::Command => quoted(&slice.name),
            Row::Fence => &slice.name,
            Row::Barrier => slice.name.split(':').next().unwrap_or_default(),
            Row::Stage(_) => return,
        };
        let on = if class == "work" { "on" } else { "" };
        let words = fitted(words, to - from - 6.0);
        if let Some(words) = words {
            let y = placed.top + placed.height / 2.0 + 4.0;
            // On a pattern, letters need a ground of their own.
            if slice.row != Row::Command {
                let ground = super::room(&words) + 4.0;
                let place = (from + 2.0, placed.top + 1.5);
                let size = (ground.min(to - from - 4.0), placed.height - 3.0);
                let (x, y) = place;
                self.drawing.put(&format!(
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#fff\"/>",
                    at(x),
                    at(y),
                    at(size.0),
                    at(size.1)
                ));
            }
            self.drawing.text((from + 4.0, y), on, &words);
        }
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
            let (x1, x2) = (self.x(arrow.from.1), self.x(arrow.to.1));
            let is_down = from.top < to.top;
            let y1 = if is_down {
                from.top + from.height
            } else {
                from.top
            };
            let y2 = if is_down { to.top } else { to.top + to.height };
            let bend = (y2 - y1) / 2.0;
            let path = format!(
                "M{} {}C{} {} {} {} {} {}",
                at(x1),
                at(y1),
                at(x1),
                at(y1 + bend),
                at(x2),
                at(y2 - bend),
                at(x2),
                at(y2)
            );
            self.drawing
                .put(&format!("<path d=\"{path}\" class=\"signal\"/>"));
        }
        if all.len() > ARROWS {
            let more = all.len() - ARROWS;
            self.notes
                .push(format!("{more} more fence arrows are not drawn"));
        }
    }

    /// What is not drawn, and what everything means.
    fn foot(&mut self) {
        if self.crowded > 0 {
            let count = text::count(self.crowded as u64, "slice is", "slices are");
            self.notes.push(format!(
                "{count} not drawn: more than {ROWS} at once in one row"
            ));
        }
        if self.activity.left_out > 0 {
            let count = text::count(self.activity.left_out, "slice is", "slices are");
            self.notes
                .push(format!("{count} left out: the run is too long"));
        }
        for note in std::mem::take(&mut self.notes) {
            self.drawing.height += 18.0;
            let y = self.drawing.height;
            self.drawing
                .text((20.0, y), "faint", &text::ellipsis(&note, LINE_LETTERS));
        }
        let shape = |class, words| Entry {
            class,
            is_line: false,
            words,
        };
        let mut entries = vec![shape("work", "command")];
        if self.has_stages {
            entries.push(shape("stage", "work of a stage"));
        }
        let has = |class: &str| {
            let blocks = self.activity.slices.iter();
            blocks.clone().any(|s| self::class(s) == class)
        };
        let barriers = [
            ("drain", "barrier drains: waits for earlier work"),
            ("clean", "writes a cache back (clean)"),
            ("invalidate", "drops cache lines (invalidate)"),
            ("layout", "layout operation"),
            ("other", "other barrier work"),
            ("fence", "signal, or wait for a fence"),
        ];
        entries.extend(
            barriers
                .iter()
                .filter(|(class, _)| has(class))
                .map(|(c, w)| shape(c, w)),
        );
        if !self.activity.exposed.is_empty() {
            entries.push(shape("exposed", "exposed: nothing runs on any queue"));
        }
        let line = |class, words| Entry {
            class,
            is_line: true,
            words,
        };
        if self.drawing.body.contains("class=\"signal\"") {
            entries.push(line("signal", "signal to wait"));
        }
        if self.drawing.body.contains("class=\"link\"") {
            entries.push(line("link", "hazard, from side 1 to side 2"));
        }
        let y = self.drawing.height + 26.0;
        self.drawing.height = legend(&mut self.drawing, &entries, (20.0, y), WIDTH);
    }
}

/// What a person called a command: the part of its label in quotation marks.
fn quoted(label: &str) -> &str {
    let inner = label
        .split_once('"')
        .map(|(_, rest)| rest.trim_end_matches('"'));
    inner.filter(|inner| !inner.is_empty()).unwrap_or(label)
}

/// How a slice looks.
fn class(slice: &Slice) -> &'static str {
    match slice.row {
        Row::Command => "work",
        Row::Stage(_) => "stage",
        Row::Fence => "fence",
        Row::Barrier => {
            let did = slice.name.split(':').next().unwrap_or_default();
            match did {
                "drain" | "held by barrier" => "drain",
                _ if did.starts_with("waits") => "drain",
                "clean" | "tile store" => "clean",
                "invalidate" | "tile load" => "invalidate",
                "layout" => "layout",
                _ => "other",
            }
        }
    }
}
