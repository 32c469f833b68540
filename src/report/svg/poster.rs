//! One scenario on several machines, for a wall: a sentence about all, then a row a machine, with what ran when on the machine's
//! own scale, what it took, and why each hazard shows there or is hidden.

use super::timeline::COMMANDS;
use super::{Drawing, Entry, LINE_LETTERS, WIDTH, at, columns, fitted, legend, length, look};
use crate::report::packing::{self, Bar};
use crate::report::profiles::broken;
use crate::report::{Style, text};
use crate::run::{Does, HazardRow, Lane, ProfileRow, ProfileTable, Segment, SegmentKind};
use crate::time::Ps;
use crate::trace::ObservationKind;
use std::io::{self, Write};

/// Where the time of a machine starts, and how much room is right of its end.
const LEFT: f64 = 230.0;
const RIGHT: f64 = 24.0;
/// Height of a bar, with the gap below it.
const BAR: f64 = 17.0;
/// Hazards, and errors of its lowering, that are told of a machine.
const TOLD: usize = 4;
/// Letters of a reason in a line.
const LETTERS: usize = 120;

/// Writes the drawing.
///
/// # Errors
/// Only what the writer returns.
pub(super) fn write(table: &ProfileTable, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(drawing(table).as_bytes())
}

/// The drawing as text.
pub(in crate::report) fn drawing(table: &ProfileTable) -> String {
    let mut drawing = Drawing::new();
    let title = text::ellipsis(&text::clean(&table.scenario), 90);
    drawing.text((20.0, 34.0), "h1", &title);
    let sentence = sentence(table);
    drawing.height = 40.0;
    for line in text::wrap(&sentence, LINE_LETTERS) {
        drawing.height += 18.0;
        let at = (20.0, drawing.height);
        drawing.text(at, "", &line);
    }
    drawing.height += 12.0;
    let mut left_out = 0;
    for (index, row) in table.rows.iter().enumerate() {
        left_out += machine(&mut drawing, row, &reasons(table, index));
    }
    let y = drawing.height + 22.0;
    drawing.height = legend(&mut drawing, ENTRIES, (20.0, y), WIDTH);
    let note = "each machine on its own scale, from 0 to the end of its work; times are to be compared by the numbers on the left";
    let at = (20.0, drawing.height + 4.0);
    drawing.text(at, "faint", note);
    drawing.height += 18.0;
    if left_out > 0 {
        let count = text::count(left_out as u64, "bar is", "bars are");
        let note = format!(
            "{count} not drawn: a queue has room for {COMMANDS} at once, for work first, then for the longest"
        );
        let at = (20.0, drawing.height + 2.0);
        drawing.text(at, "faint", &note);
        drawing.height += 18.0;
    }
    for kind in ObservationKind::ALL {
        let said = kind.data();
        let mut all = table.hazards.iter().flat_map(|hazard| &hazard.on);
        if all.any(|on| on.visible && on.why == said) {
            let at = (20.0, drawing.height + 2.0);
            drawing.text(at, "faint", &format!("{said}: {}", kind.means()));
            drawing.height += 18.0;
        }
    }
    let title = format!("{} on several machines", table.scenario);
    drawing.finish(WIDTH, &title, &sentence)
}

const ENTRIES: &[Entry] = &[
    entry("work", "work"),
    entry("held", "held by a barrier"),
    entry("turn", "waits its turn"),
    entry("launch", "launch"),
    entry("drain", "barrier: waits for earlier work"),
    entry("clean", "barrier: operates"),
    entry("fence", "fence wait"),
    entry("never", "never ends"),
    entry("submit", "submission"),
];

const fn entry(class: &'static str, words: &'static str) -> Entry {
    Entry {
        class,
        is_line: false,
        words,
    }
}

/// What is to be seen on all machines together.
pub(in crate::report) fn sentence(table: &ProfileTable) -> String {
    let count = table.rows.len();
    let machines = text::count(count, "machine", "machines");
    let mut parts = Vec::new();
    let stuck = table.rows.iter().filter(|row| row.stuck > 0).count();
    if stuck > 0 {
        parts.push(format!(
            "On {stuck} of {machines} there are waits that never end: what comes after them never runs."
        ));
    }
    parts.extend(broken(table));
    match table.hazards.as_slice() {
        [] if stuck > 0 => {}
        [] => parts.push(format!("No hazards on {machines}.")),
        [one] => parts.push(told(one, count)),
        several => {
            let all = several.len() + table.more_hazards;
            let shown = |row: &HazardRow| row.on.iter().any(|on| on.visible);
            let shown = several.iter().filter(|row| shown(row)).count();
            parts.push(format!(
                "{all} hazards, all invalid by specification; {shown} of {} show on at least one of {machines}.",
                several.len()
            ));
        }
    }
    let bugs: Vec<&str> = table
        .rows
        .iter()
        .filter(|row| !row.bugs.is_empty())
        .map(|row| row.profile.as_str())
        .collect();
    if !bugs.is_empty() {
        parts.push(format!(
            "The lowering misses something on {}.",
            bugs.join(", ")
        ));
    }
    let fastest = table.rows.iter().min_by_key(|row| row.makespan);
    let slowest = table.rows.iter().max_by_key(|row| row.makespan);
    if let (Some(fast), Some(slow)) = (fastest, slowest)
        && fast.makespan != slow.makespan
    {
        parts.push(format!(
            "It takes {} on {} and {} on {}.",
            fast.makespan, fast.profile, slow.makespan, slow.profile
        ));
    }
    parts.join(" ")
}

/// The only hazard, and where it shows.
fn told(hazard: &HazardRow, count: usize) -> String {
    let on = hazard.on.iter().filter(|on| on.visible);
    let visible: Vec<&str> = on.map(|on| on.profile.as_str()).collect();
    let where_it_is = match visible.len() {
        0 => format!("hidden on all {count}"),
        shown if shown == count => format!("visible on all {count}"),
        shown => format!("visible on {shown} of {count}"),
    };
    format!(
        "{} {} of {} at line {}: invalid by specification everywhere, {where_it_is}.",
        hazard.rule,
        hazard.name,
        text::clean(&hazard.resource),
        hazard.line
    )
}

/// What is said of a machine: class and words.
type Reason = (&'static str, String);

/// Why each hazard shows on a machine or is hidden, and what its lowering misses.
fn reasons(table: &ProfileTable, index: usize) -> Vec<Reason> {
    let is_one = table.hazards.len() == 1;
    let hazards = table.hazards.iter().filter_map(|hazard| {
        let on = hazard.on.get(index)?;
        let of = if is_one {
            String::new()
        } else {
            format!(
                "{} line {}, {}: ",
                hazard.rule, hazard.line, hazard.resource
            )
        };
        Some(if on.visible {
            ("bad", format!("⚠ {of}visible: {}", on.why))
        } else {
            ("", format!("○ {of}hidden: {}", on.why))
        })
    });
    let bugs = table.rows[index].bugs.iter();
    let bugs = bugs.map(|bug| {
        (
            "bad",
            format!("✖ {} line {}: {}", bug.rule, bug.line, bug.message),
        )
    });
    let stuck = table.rows[index].stuck;
    let stuck = (stuck > 0).then(|| {
        let waits = text::count(stuck as u64, "wait never ends", "waits never end");
        ("bad", format!("✖ {waits}: `run` says which"))
    });
    let mut hazards: Vec<Reason> = hazards.collect();
    // What shows comes first: there is room for some only.
    hazards.sort_by_key(|(class, _)| *class != "bad");
    let mut all: Vec<Reason> = stuck.into_iter().chain(bugs).chain(hazards).collect();
    let more = (all.len() + table.more_hazards).saturating_sub(TOLD);
    all.truncate(TOLD);
    if more > 0 {
        all.push(("faint", format!("… and {more} more")));
    }
    all
}

/// The row of a machine; how many bars it has no room for.
fn machine(drawing: &mut Drawing, row: &ProfileRow, reasons: &[Reason]) -> usize {
    let top = drawing.height + 8.0;
    let name = fitted(&row.profile, LEFT - 40.0).unwrap_or_default();
    drawing.text((20.0, top + 14.0), "h2", &name);
    let facts = [
        format!("{} with {}", row.makespan, row.lowering),
        format!("{} exposed", row.exposed),
    ];
    for (line, fact) in facts.iter().enumerate() {
        let words = text::ellipsis(&text::clean(fact), 28);
        drawing.text((20.0, top + 32.0 + 16.0 * length(line)), "faint", &words);
    }
    let (mut y, mut left_out) = (top, 0);
    for lane in &row.lanes {
        let (below, missing) = queue(drawing, lane, row.drawn_until(), y);
        (y, left_out) = (below, left_out + missing);
    }
    y = y.max(top + 22.0);
    for (class, words) in reasons {
        for line in text::wrap(&text::clean(words), LETTERS) {
            y += 16.0;
            drawing.text((LEFT, y), class, &line);
        }
    }
    let bottom = (y + 8.0).max(top + 58.0);
    let band = format!(
        "<rect x=\"8\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" class=\"band\"/>\n",
        at(top - 4.0),
        at(WIDTH - 16.0),
        at(bottom - top + 2.0)
    );
    drawing.ground += &band;
    drawing.height = bottom;
    left_out
}

/// The name of a queue in the room there is. Names that are long often differ at their ends.
fn short(name: &str) -> String {
    let name = text::clean(name);
    if text::width(&name) <= 8 {
        return name;
    }
    let end = text::ellipsis_left(&name, 5);
    text::ellipsis(&name, 4) + end.trim_start_matches('…')
}

/// What one queue did, bars below each other where they overlap; the place below them, and how many have no room.
fn queue(drawing: &mut Drawing, lane: &Lane, until: Ps, top: f64) -> (f64, usize) {
    if lane.segments.is_empty() {
        return (top, 0);
    }
    let name = short(&lane.name);
    drawing.text((LEFT - 8.0, top + 12.0), "faint end", &name);
    let bars = lane.segments.iter().map(|segment| {
        let is_work = segment.kind == SegmentKind::Work;
        Bar::command((segment.start, segment.end), &segment.life, is_work)
    });
    let packed = packing::packed(&bars.collect::<Vec<_>>(), COMMANDS);
    let left_out = packed.iter().filter(|row| row.is_none()).count();
    let rows = packed.iter().flatten().max().map_or(1, |last| last + 1);
    for (segment, row) in lane.segments.iter().zip(packed) {
        if let Some(row) = row {
            draw(drawing, segment, until, top + BAR * length(row));
        }
    }
    (top + BAR * length(rows) + 3.0, left_out)
}

#[allow(
    clippy::cast_precision_loss,
    reason = "a drawing is laid out in tenths of a pixel"
)]
fn x(time: Ps, until: Ps) -> f64 {
    let share = time.0 as f64 / until.0.max(1) as f64;
    LEFT + share.min(1.0) * (WIDTH - LEFT - RIGHT)
}

/// One bar: a command part by part, a barrier with its wait and its operations.
fn draw(drawing: &mut Drawing, segment: &Segment, until: Ps, top: f64) {
    let mut part = |(start, end): (Ps, Ps), class: &str| {
        let (from, to) = (x(start, until), x(end, until));
        let (class, from, width) = (class, from, to - from);
        if width >= 0.4 || class == "work" {
            let tip = format!("{} ({}): {start} to {end}", segment.label, segment.id);
            drawing.rect((from, top), (width.max(0.6), BAR - 3.0), class, &tip);
        }
    };
    let whole = (segment.start, segment.end);
    match segment.kind {
        SegmentKind::Work if segment.life.is_empty() => part(whole, "work"),
        SegmentKind::Work => {
            for row in segment.life.iter() {
                part((row.start, row.end), look(row.does));
            }
        }
        SegmentKind::Barrier => {
            part((segment.start, segment.drained), "drain");
            part((segment.drained, segment.end), "clean");
        }
        SegmentKind::Fence => part(whole, "fence"),
        SegmentKind::Never => part(whole, "never"),
        SegmentKind::Submit => part(whole, "submit"),
    }
    if segment.kind == SegmentKind::Work {
        let longest = segment.life.iter().filter(|row| row.does == Does::Work);
        let longest = longest.max_by_key(|row| row.end - row.start);
        let place = longest.map_or(whole, |row| (row.start, row.end));
        let (from, to) = (x(place.0, until), x(place.1, until));
        let name = &segment.label;
        if columns(name) > 0.0
            && let Some(words) = fitted(name, to - from - 6.0)
        {
            drawing.text((from + 4.0, top + 11.5), "on", &words);
        }
    }
}
