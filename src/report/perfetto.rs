//! The format `perfetto`: a trace for <https://ui.perfetto.dev>, in the JSON format of Chrome's trace events.
//!
//! A queue is a process and a row of it a thread: whole commands, each stage, barriers, fences. What runs at once in one row
//! has a thread of its own, because slices of a thread must not overlap. Arrows are flows from the slice that was waited
//! for to the slice that waited. Counters say how many commands each queue has at work, and how many dirty and clean bytes
//! each cache holds. Times are microseconds with six decimals, so picoseconds stay exact.

use super::format::{Format, REPORT, WriteReport};
use super::{Style, text};
use crate::finding::Source;
use crate::run::activity::{Activity, Row, Slice};
use crate::run::{Drawn, Report};
use crate::time::Ps;
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    extensions: &["perfetto.json", "trace.json", "perfetto"],
    draws: Drawn::Counters,
    writers: &[REPORT.by(&WriteReport::Single(write))],
    usage: "[ui.perfetto.dev](https://ui.perfetto.dev) and `chrome://tracing` open it with \"Open trace file\". A queue is a process; \
            commands, stages, barriers and fences are its threads; arrows are waits.",
    ..Format::new(
        "perfetto",
        "a trace for ui.perfetto.dev and chrome://tracing",
    )
};

fn write(report: &Report, _: &Source, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let nothing = Activity::default();
    let activity = report.activity.as_deref().unwrap_or(&nothing);
    let threads = Threads::new(activity);
    let mut events = Events { out, any: false };
    let head = json!({
        "displayTimeUnit": "ns",
        "otherData": {
            "scenario": text::clean(&report.scenario),
            "profile": report.profile,
            "lowering": report.lowering,
            "version": env!("CARGO_PKG_VERSION"),
            "slices_left_out": activity.left_out,
            // From here on there was no room for what caches hold.
            "cache_counters_end_ps": activity.fill.cut_at,
        },
    });
    // Events are written as they are made; the object is closed after them.
    let head = head.to_string();
    let open = head.strip_suffix('}').unwrap_or(&head);
    write!(events.out, "{open},\"traceEvents\":[")?;
    names(activity, &threads, &mut events)?;
    slices(report, activity, &threads, &mut events)?;
    flows(activity, &threads, &mut events)?;
    exposed(activity, &mut events)?;
    occupancy(activity, &mut events)?;
    caches(activity, &mut events)?;
    writeln!(events.out, "\n]}}")
}

/// Events on their way out, one a line.
struct Events<'w> {
    out: &'w mut dyn Write,
    any: bool,
}

impl Events<'_> {
    fn put(&mut self, event: &impl Serialize) -> io::Result<()> {
        self.out.write_all(if self.any { b",\n" } else { b"\n" })?;
        self.any = true;
        Ok(serde_json::to_writer(&mut *self.out, event)?)
    }
}

/// Microseconds as a JSON number, exact to a picosecond.
fn us(time: Ps) -> Box<RawValue> {
    let (whole, rest) = (time.0 / 1_000_000, time.0 % 1_000_000);
    let number = format!("{whole}.{rest:06}");
    RawValue::from_string(number).expect("a decimal is JSON")
}

/// An event with a duration.
#[derive(Serialize)]
struct Complete<'a> {
    name: &'a str,
    cat: &'a str,
    ph: &'a str,
    ts: Box<RawValue>,
    dur: Box<RawValue>,
    pid: usize,
    tid: usize,
    args: Value,
}

/// One end of an arrow.
#[derive(Serialize)]
struct Flow<'a> {
    name: &'a str,
    cat: &'a str,
    ph: &'a str,
    id: usize,
    ts: Box<RawValue>,
    pid: usize,
    tid: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'a str>,
}

/// Values at a moment.
#[derive(Serialize)]
struct Counter<'a> {
    name: &'a str,
    ph: &'a str,
    ts: Box<RawValue>,
    pid: usize,
    args: Value,
}

/// A row of a queue, and which of those that are needed where slices overlap.
type Key = (usize, Row, usize);

/// Threads of slices.
struct Threads {
    /// Numbers by track, row and copy.
    all: IndexMap<Key, usize>,
    /// The thread of each slice.
    of: Vec<usize>,
}

impl Threads {
    fn new(activity: &Activity) -> Self {
        let mut ends: IndexMap<(usize, Row), Vec<Ps>> = IndexMap::new();
        let mut keys: Vec<Key> = Vec::with_capacity(activity.slices.len());
        for slice in &activity.slices {
            let rows = ends.entry((slice.track, slice.row)).or_default();
            // A slice without time may be where another ends, but not inside one.
            let free = rows.iter().position(|end| *end <= slice.start);
            let copy = free.unwrap_or_else(|| {
                rows.push(Ps::ZERO);
                rows.len() - 1
            });
            rows[copy] = slice.end;
            keys.push((slice.track, slice.row, copy));
        }
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let all: IndexMap<Key, usize> = sorted.into_iter().zip(1..).collect();
        let of = keys.iter().map(|key| all[key]).collect();
        Self { all, of }
    }
}

/// Processes are numbered from 1: 0 is the system's idle process to some readers.
fn pid(track: usize) -> usize {
    track + 1
}

fn names(activity: &Activity, threads: &Threads, events: &mut Events<'_>) -> io::Result<()> {
    let meta = |name: &str, track: usize, tid: usize, args: Value| json!({ "name": name, "ph": "M", "pid": pid(track), "tid": tid, "args": args });
    for (track, name) in activity.tracks.iter().enumerate() {
        if !threads.all.keys().any(|(of, ..)| *of == track) {
            continue;
        }
        let name = if name == "cpu" {
            "CPU".to_owned()
        } else {
            format!("queue {}", text::clean(name))
        };
        events.put(&meta("process_name", track, 0, json!({ "name": name })))?;
        events.put(&meta(
            "process_sort_index",
            track,
            0,
            json!({ "sort_index": track }),
        ))?;
    }
    for ((track, row, copy), tid) in &threads.all {
        let name = match row {
            Row::Command => "commands",
            Row::Stage(stage) => stage,
            Row::Barrier => "barriers",
            Row::Fence => "fences",
        };
        let name = match copy {
            0 => name.to_owned(),
            _ => format!("{name} ({})", copy + 1),
        };
        events.put(&meta("thread_name", *track, *tid, json!({ "name": name })))?;
        events.put(&meta(
            "thread_sort_index",
            *track,
            *tid,
            json!({ "sort_index": tid }),
        ))?;
    }
    Ok(())
}

fn category(slice: &Slice) -> &'static str {
    match slice.row {
        Row::Command => "command",
        Row::Stage(_) => "stage",
        Row::Barrier => "barrier",
        Row::Fence => "fence",
    }
}

fn slices(
    report: &Report,
    activity: &Activity,
    threads: &Threads,
    events: &mut Events<'_>,
) -> io::Result<()> {
    let mut found: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for finding in &report.findings {
        if let Some(hazard) = finding.hazard.as_deref() {
            for party in [&hazard.first, &hazard.second] {
                let rules = found.entry(&party.command).or_default();
                if !rules.contains(&finding.rule.id) {
                    rules.push(finding.rule.id);
                }
            }
        }
    }
    for (slice, tid) in activity.slices.iter().zip(&threads.of) {
        let mut args = json!({ "id": slice.id, "line": slice.line });
        if !slice.target.is_empty() {
            args["target"] = json!(text::clean(&slice.target));
        }
        // The start and the end of a scope have the id of a command that is theirs.
        let is_side = slice.row == Row::Command || slice.id.contains('.');
        if let Some(rules) = found.get(slice.id.as_str()).filter(|_| is_side) {
            args["hazards"] = json!(rules.join(", "));
        }
        events.put(&Complete {
            name: &text::clean(&slice.name),
            cat: category(slice),
            ph: "X",
            ts: us(slice.start),
            dur: us(slice.end - slice.start),
            pid: pid(slice.track),
            tid: *tid,
            args,
        })?;
    }
    Ok(())
}

fn flows(activity: &Activity, threads: &Threads, events: &mut Events<'_>) -> io::Result<()> {
    for (index, arrow) in activity.arrows.iter().enumerate() {
        let end = |(slice, at): (usize, Ps), ph| Flow {
            name: arrow.kind.word(),
            cat: "dependency",
            ph,
            id: index + 1,
            ts: us(at),
            pid: pid(activity.slices[slice].track),
            tid: threads.of[slice],
            // The end belongs to the slice that it is in, not to the next one.
            bp: (ph == "f").then_some("e"),
        };
        events.put(&end(arrow.from, "s"))?;
        events.put(&end(arrow.to, "f"))?;
    }
    Ok(())
}

/// The process of what is nobody's own.
fn machine(activity: &Activity) -> usize {
    pid(activity.tracks.len())
}

/// Times in which the whole machine stood still, on a thread of their own.
fn exposed(activity: &Activity, events: &mut Events<'_>) -> io::Result<()> {
    if activity.slices.is_empty() {
        return Ok(());
    }
    let pid = machine(activity);
    let meta = |name: &str, args: Value| json!({ "name": name, "ph": "M", "pid": pid, "tid": 1, "args": args });
    events.put(&meta("process_name", json!({ "name": "machine" })))?;
    events.put(&meta("process_sort_index", json!({ "sort_index": pid })))?;
    events.put(&meta(
        "thread_name",
        json!({ "name": "exposed in barriers" }),
    ))?;
    for (start, end) in &activity.exposed {
        events.put(&Complete {
            name: "nothing runs: a barrier",
            cat: "exposed",
            ph: "X",
            ts: us(*start),
            dur: us(*end - *start),
            pid,
            tid: 1,
            args: json!({}),
        })?;
    }
    Ok(())
}

/// How many commands each queue has at work.
fn occupancy(activity: &Activity, events: &mut Events<'_>) -> io::Result<()> {
    let mut changes: Vec<(Ps, usize, bool)> = Vec::new();
    for slice in &activity.slices {
        if slice.row == Row::Command && slice.end > slice.start {
            changes.push((slice.start, slice.track, true));
            changes.push((slice.end, slice.track, false));
        }
    }
    changes.sort_unstable();
    let mut running = vec![0_u64; activity.tracks.len()];
    let mut rest = changes.as_slice();
    while let Some((at, ..)) = rest.first().copied() {
        let now = rest.partition_point(|(time, ..)| *time == at);
        let before = running.clone();
        for (_, track, begins) in &rest[..now] {
            running[*track] = if *begins {
                running[*track] + 1
            } else {
                running[*track] - 1
            };
        }
        rest = &rest[now..];
        for (track, count) in running
            .iter()
            .enumerate()
            .filter(|(t, n)| before[*t] != **n)
        {
            events.put(&Counter {
                name: "commands at work",
                ph: "C",
                ts: us(at),
                pid: pid(track),
                args: json!({ "commands": count }),
            })?;
        }
    }
    Ok(())
}

/// How much each cache holds: bytes that are written back already, and dirty ones. Both are 0 at the start.
fn caches(activity: &Activity, events: &mut Events<'_>) -> io::Result<()> {
    let pid = machine(activity);
    let names: Vec<String> = activity.caches.iter().map(|c| text::clean(c)).collect();
    let names: Vec<String> = names.iter().map(|c| format!("{c} bytes")).collect();
    let mut has_begun = vec![false; names.len()];
    for point in &activity.fill.points {
        let place = point.place as usize;
        let mut put = |at: Ps, held: u64, dirty: u64| {
            events.put(&Counter {
                name: &names[place],
                ph: "C",
                ts: us(at),
                pid,
                args: json!({ "dirty": dirty, "clean": held - dirty }),
            })
        };
        if !std::mem::replace(&mut has_begun[place], true) && point.at > Ps::ZERO {
            put(Ps::ZERO, 0, 0)?;
        }
        put(point.at, point.held, point.dirty)?;
    }
    Ok(())
}
