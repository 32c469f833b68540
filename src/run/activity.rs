//! What ran when on each queue, stage by stage, and what waited for what: for formats that draw it.
//!
//! Only made for reports that show it. A very long run has its first [`SLICES_MAX`] slices; how many more there are is said.

use super::Options;
use super::dependencies::machine::drained_by;
use super::drawn;
use super::life::{self, LifeRow};
use super::stalls::{self, Namer};
use super::stuck::StuckRow;
use crate::finding::Source;
use crate::hardware::Profile;
use crate::id::{NodeId, OpId, SubmissionId};
use crate::order::Timeline;
use crate::pipeline::back::Ran;
use crate::program::{HwOp, HwOpKind};
use crate::sim;
use crate::time::Ps;
use crate::trace::{Fill, OpLife, Reason, Trace};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Slices that are kept.
pub const SLICES_MAX: usize = 200_000;

/// Points of [`Activity::fill`] that are kept.
pub const POINTS_MAX: usize = 200_000;

/// What ran when.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Activity {
    /// Names of the queues, then of the CPU.
    pub tracks: Vec<String>,
    /// What was done, by track and start.
    pub slices: Vec<Slice>,
    /// What waited for what.
    pub arrows: Vec<Arrow>,
    /// Times in which nothing ran on any queue because of barriers: together what the report says is exposed.
    pub exposed: Vec<(Ps, Ps)>,
    /// Of waits that never end, which of them keeps the signal of which: slices.
    pub keeps: Vec<(usize, usize)>,
    /// Until when a drawing goes: to the end of the run, and further where something never ends.
    pub until: Ps,
    /// Slices for which there is no room.
    pub left_out: u64,
    /// Names of the caches of [`fill`](Self::fill).
    pub caches: Vec<String>,
    /// How much each cache held, whenever that changed; made for [`Drawn::Counters`](super::Drawn::Counters). A very long run
    /// has the first [`POINTS_MAX`].
    pub fill: Fill,
}

/// Something that took a while, or happened at one moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Slice {
    /// Which of the tracks.
    pub track: usize,
    /// What kind of row it belongs to.
    pub row: Row,
    /// When the slice starts.
    pub start: Ps,
    /// When the slice ends.
    pub end: Ps,
    /// What was done: a command's label, `drain`, `clean`, `waits for fence`.
    pub name: String,
    /// Cache, resource or fence; may be empty.
    pub target: String,
    /// Id of the command or barrier entry.
    pub id: String,
    /// Line of its text.
    pub line: u32,
    /// It never ended: the drawing ends before it.
    pub is_open: bool,
    /// Of a command, what it did when, from when the front end took it up. Empty for others.
    pub life: Arc<[LifeRow]>,
}

/// What kind of thing a slice is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Row {
    /// A whole command.
    Command,
    /// What a stage did for a command.
    Stage(&'static str),
    /// Part of the life of a barrier.
    Barrier,
    /// A signal, or a wait for a fence.
    Fence,
}

/// Something waited for something else.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Arrow {
    /// What kind of wait it is.
    pub kind: ArrowKind,
    /// The slice that was waited for, and when it let go.
    pub from: (usize, Ps),
    /// The slice that waited, and when it went on.
    pub to: (usize, Ps),
}

/// Kinds of waits.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ArrowKind {
    /// A queue, for a fence.
    Fence,
    /// A barrier, for earlier work.
    Drain,
    /// Work, for a barrier.
    Hold,
}

impl ArrowKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fence => "fence",
            Self::Drain => "drain",
            Self::Hold => "hold",
        }
    }
}

/// What a stage did: its name, start and end.
type StageOf = (&'static str, Ps, Ps);

/// Slices by packet, before they are sorted.
struct Made<'a> {
    namer: Namer<'a, 'a>,
    trace: &'a Trace,
    slices: Vec<Slice>,
    /// The slice of each packet that arrows start at, and the one that they end at; a barrier whose turn came when its work
    /// was over has waited for none.
    ends: BTreeMap<OpId, (usize, Option<usize>)>,
    left_out: u64,
}

/// Looks at the caches of a run, which takes a second run.
pub(super) fn watch_caches(
    activity: &mut Activity,
    profile: &Profile,
    ran: &Ran,
    options: &Options,
) {
    let simulated = sim::SimOptions {
        eviction: options.eviction,
        ..sim::SimOptions::default()
    };
    activity.fill = sim::fill(&ran.program, profile, &simulated, POINTS_MAX);
    let names = activity.fill.places.iter();
    activity.caches = names.map(|place| drawn::place(profile, *place)).collect();
}

pub(super) fn activity(
    source: &Source,
    timeline: &Timeline<'_>,
    profile: &Profile,
    ran: &Ran,
) -> Activity {
    let (program, trace) = (&ran.program, &ran.paid);
    let mut made = Made {
        namer: Namer {
            source,
            timeline,
            profile,
            program,
        },
        trace,
        slices: Vec::new(),
        ends: BTreeMap::new(),
        left_out: 0,
    };
    let mut stages: BTreeMap<OpId, Vec<StageOf>> = BTreeMap::new();
    for (op, leaf, start, end) in trace.causes.iter().flat_map(|causes| causes.stages()) {
        let own = stages.entry(op).or_default();
        own.push((leaf.name(), start, end));
    }
    for (index, block) in program.blocks.iter().enumerate() {
        let actor = timeline.submission(SubmissionId::new(index)).actor;
        let of = timeline.actor_index(actor);
        for op in block.ops.iter().filter(|op| drawn::is_drawn(op)) {
            made.packet(op, of, stages.get(&op.id).map_or(&[], Vec::as_slice));
        }
    }
    let arrows = arrows(timeline, ran, &made);
    let Made {
        slices, left_out, ..
    } = made;
    let mut activity = Activity {
        tracks: drawn::tracks(timeline).map(str::to_owned).collect(),
        slices,
        arrows,
        exposed: trace.exposed_at.clone(),
        keeps: Vec::new(),
        until: trace.makespan,
        left_out,
        caches: Vec::new(),
        fill: Fill::default(),
    };
    activity.sort();
    activity
}

impl Made<'_> {
    fn push(&mut self, slice: Slice) -> Option<usize> {
        if self.slices.len() == SLICES_MAX {
            self.left_out += 1;
            return None;
        }
        self.slices.push(slice);
        Some(self.slices.len() - 1)
    }

    fn slice(&self, op: &HwOp, track: usize, row: Row, (start, end): (Ps, Ps)) -> Slice {
        let (name, span) = self.namer.label(op.id);
        Slice {
            track,
            row,
            start,
            end,
            name,
            target: String::new(),
            id: self.namer.id(op.id),
            line: self.namer.source.line(span.start),
            is_open: false,
            life: Arc::new([]),
        }
    }

    /// From the end of one packet to the end of another, or to the start of work that was held.
    fn arrow(&self, kind: ArrowKind, from: OpId, to: OpId) -> Option<Arrow> {
        let (from, _) = *self.ends.get(&from)?;
        let to = self.ends.get(&to)?.1?;
        let ended = &self.slices[to];
        let went_on = match kind {
            ArrowKind::Fence | ArrowKind::Drain => ended.end,
            ArrowKind::Hold => ended.start,
        };
        Some(Arrow {
            kind,
            from: (from, self.slices[from].end),
            to: (to, went_on),
        })
    }

    fn packet(&mut self, op: &HwOp, track: usize, stages: &[StageOf]) {
        let life = self.trace.ops[op.id];
        if life == OpLife::default() && !self.trace.command(op.origin.node).ran() {
            return;
        }
        match &op.kind {
            HwOpKind::Work(_) => self.work(op, track, stages),
            HwOpKind::Barrier(_) => self.barrier(op, track),
            HwOpKind::SignalFence { .. } | HwOpKind::WaitFence { .. } => {
                let slice = self.slice(op, track, Row::Fence, (life.queued, life.retired));
                if let Some(at) = self.push(slice) {
                    self.ends.insert(op.id, (at, Some(at)));
                }
            }
            HwOpKind::Client(_) | HwOpKind::Reset { .. } => {
                let slice = Slice {
                    life: life::of_packet(self.namer, self.trace, op.id),
                    ..self.slice(op, track, Row::Command, (life.queued, life.retired))
                };
                if let Some(at) = self.push(slice) {
                    self.ends.insert(op.id, (at, Some(at)));
                }
            }
        }
    }

    /// A command, and its stages.
    fn work(&mut self, op: &HwOp, track: usize, stages: &[StageOf]) {
        let timing = self.trace.command(op.origin.node);
        if !timing.ran() {
            return;
        }
        let whole = self.slice(op, track, Row::Command, (timing.start, timing.end));
        let of_spans: Vec<StageOf> = if stages.is_empty() {
            let spans = self.trace.spans(op.id);
            let work = spans.filter_map(|(start, span)| match span.reason {
                Reason::Work(leaf) => Some((leaf.name(), start, span.end)),
                _ => None,
            });
            work.collect()
        } else {
            Vec::new()
        };
        for (stage, start, end) in stages.iter().chain(&of_spans) {
            let slice = Slice {
                row: Row::Stage(stage),
                start: *start,
                end: *end,
                ..whole.clone()
            };
            self.push(slice);
        }
        let life = life::of_packet(self.namer, self.trace, op.id);
        if let Some(at) = self.push(Slice { life, ..whole }) {
            self.ends.insert(op.id, (at, Some(at)));
        }
    }

    /// What a barrier did with its time.
    fn barrier(&mut self, op: &HwOp, track: usize) {
        let whole = self.slice(op, track, Row::Barrier, (Ps::ZERO, Ps::ZERO));
        let spans: Vec<_> = self.trace.spans(op.id).collect();
        let mut ends: Option<(usize, Option<usize>)> = None;
        for (start, span) in spans {
            let name = stalls::word(span.reason);
            let slice = Slice {
                start,
                end: span.end,
                name: format!("{name}: {}", whole.name),
                target: self.namer.target(span.reason),
                ..whole.clone()
            };
            let is_drain = span.reason == Reason::Drain;
            let Some(at) = self.push(slice) else { continue };
            let drained = ends.and_then(|(_, drained)| drained);
            ends = Some((at, if is_drain { Some(at) } else { drained }));
        }
        if let Some(ends) = ends {
            self.ends.insert(op.id, ends);
        }
    }
}

/// What waited for what: waits for signals, barriers for work, work for barriers.
fn arrows(timeline: &Timeline<'_>, ran: &Ran, made: &Made<'_>) -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> = drawn::signalled(timeline, &ran.program)
        .filter_map(|it| made.arrow(ArrowKind::Fence, it.signal, it.wait))
        .collect();
    let causes = ran.paid.causes.as_deref();
    for (barrier, work) in causes.map(drained_by).unwrap_or_default() {
        arrows.extend(made.arrow(ArrowKind::Drain, work, barrier));
    }
    let mut held: BTreeMap<(OpId, NodeId), OpId> = BTreeMap::new();
    for (_, op) in ran.program.ops() {
        if !matches!(op.kind, HwOpKind::Work(_)) || !made.ends.contains_key(&op.id) {
            continue;
        }
        for by in let_go_by(&ran.paid, op.id) {
            held.entry((by, op.origin.node)).or_insert(op.id);
        }
    }
    for ((barrier, _), work) in held {
        arrows.extend(made.arrow(ArrowKind::Hold, barrier, work));
    }
    // What overlapped did not wait.
    arrows.retain(|arrow| arrow.from.1 <= arrow.to.1);
    arrows
}

/// The barriers whose ends let held work go: of several that held it one after the other, the last.
fn let_go_by(trace: &Trace, op: OpId) -> Vec<OpId> {
    let mut all = Vec::new();
    let mut holder = None;
    for (_, span) in trace.spans(op) {
        match span.reason {
            Reason::WaitBarrier(by) => holder = Some(by),
            _ => all.extend(holder.take()),
        }
    }
    all
}

impl Slice {
    /// When its bar begins: of a command, when the front end took it up.
    pub fn from(&self) -> Ps {
        self.life.first().map_or(self.start, |row| row.start)
    }
}

impl Activity {
    /// Adds waits that never end, open until the end of the drawing.
    pub(super) fn open(&mut self, stuck: &[StuckRow], until: Ps) {
        self.until = until;
        let first = self.slices.len();
        self.slices.extend(stuck.iter().map(|row| Slice {
            track: row.track,
            row: Row::Fence,
            start: row.since,
            end: until,
            name: format!("{}: {}", row.label, row.says),
            target: String::new(),
            id: row.id.clone(),
            line: row.line,
            is_open: true,
            life: Arc::new([]),
        }));
        let behind = stuck.iter().enumerate();
        let behind = behind.filter_map(|(index, row)| Some((index, row.behind?)));
        self.keeps = behind
            .map(|(one, other)| (first + other, first + one))
            .collect();
        self.sort();
    }

    /// Sorts slices by track, row and start; arrows follow.
    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.slices.len()).collect();
        order.sort_by_key(|at| {
            let slice = &self.slices[*at];
            (slice.track, slice.start, slice.row, slice.end)
        });
        let mut place = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            place[*old] = new;
        }
        for arrow in &mut self.arrows {
            arrow.from.0 = place[arrow.from.0];
            arrow.to.0 = place[arrow.to.0];
        }
        for (keeper, kept) in &mut self.keeps {
            (*keeper, *kept) = (place[*keeper], place[*kept]);
        }
        let mut slices: Vec<Option<Slice>> = std::mem::take(&mut self.slices)
            .into_iter()
            .map(Some)
            .collect();
        let sorted = order.iter().filter_map(|old| slices[*old].take());
        self.slices = sorted.collect();
    }
}
