//! What ran when on each queue, stage by stage, and what waited for what: for formats that draw it.
//!
//! Only made for reports that show it. A very long run has its first [`SLICES_MAX`] slices; how many more there are is said.

use super::back::Ran;
use super::dependencies::machine::drained_by;
use super::stalls::{self, Namer};
use super::{Lane, SegmentKind};
use crate::finding::Source;
use crate::hardware::Profile;
use crate::id::{MomentId, NodeId, OpId, SubmissionId};
use crate::order::{SubmissionKind, Timeline};
use crate::program::{BarrierRole, HwOp, HwOpKind};
use crate::time::Ps;
use crate::trace::{Causes, Reason, Trace};
use std::collections::BTreeMap;

/// Slices that are kept.
pub const SLICES_MAX: usize = 200_000;

/// What ran when.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    /// Names of the queues, then of the CPU.
    pub tracks: Vec<String>,
    /// What was done, by track and start.
    pub slices: Vec<Slice>,
    /// What waited for what.
    pub arrows: Vec<Arrow>,
    /// Times in which nothing ran on any queue and a barrier waited or operated.
    pub exposed: Vec<(Ps, Ps)>,
    /// Slices for which there is no room.
    pub left_out: u64,
}

/// Something that took a while, or happened at one moment.
#[derive(Clone, Debug)]
pub struct Slice {
    /// Which of the tracks.
    pub track: usize,
    /// What kind of row it belongs to.
    pub row: Row,
    /// Start.
    pub start: Ps,
    /// End.
    pub end: Ps,
    /// What was done: a command's label, `drain`, `clean`, `waits for fence`.
    pub name: String,
    /// Cache, resource or fence; may be empty.
    pub target: String,
    /// Id of the command or barrier entry.
    pub id: String,
    /// Line of its text.
    pub line: u32,
}

/// What kind of thing a slice is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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
pub struct Arrow {
    /// Why.
    pub kind: ArrowKind,
    /// The slice that was waited for, and when it let go.
    pub from: (usize, Ps),
    /// The slice that waited, and when it went on.
    pub to: (usize, Ps),
}

/// Why something waited.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ArrowKind {
    /// For a fence.
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

/// Slices by packet, before they are sorted.
struct Made<'a> {
    namer: Namer<'a, 'a>,
    trace: &'a Trace,
    slices: Vec<Slice>,
    /// The slice of each packet that arrows start at, and the one that they end at.
    ends: BTreeMap<OpId, (usize, usize)>,
    left_out: u64,
}

pub(super) fn activity(
    source: &Source,
    timeline: &Timeline<'_>,
    profile: &Profile,
    ran: &Ran,
    lanes: &[Lane],
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
    let stages = trace.causes.as_deref().map(stages).unwrap_or_default();
    for (index, block) in program.blocks.iter().enumerate() {
        let actor = timeline.submission(SubmissionId::new(index)).actor;
        let of = timeline.actor_index(actor);
        for op in &block.ops {
            made.packet(op, of, stages.get(&op.id).map_or(&[], Vec::as_slice));
        }
    }
    let mut tracks: Vec<String> = timeline.scenario.queues.keys().cloned().collect();
    tracks.push("cpu".to_owned());
    let arrows = arrows(timeline, ran, &made);
    let Made {
        slices, left_out, ..
    } = made;
    let mut activity = Activity {
        tracks,
        slices,
        arrows,
        exposed: exposed(lanes),
        left_out,
    };
    activity.sort();
    activity
}

/// What each packet's stages did: a stage goes from the moment of its start to that of its end.
fn stages(causes: &Causes) -> BTreeMap<OpId, Vec<(&'static str, Ps, Ps)>> {
    let mut all: BTreeMap<OpId, Vec<_>> = BTreeMap::new();
    for index in 0..causes.moments.len() {
        let id = MomentId::new(index);
        let moment = causes.moment(id);
        let Some(op) = moment.op else { continue };
        for link in causes.links(id) {
            let is_own = causes.moment(link.from).op == Some(op);
            if let (Reason::Work(leaf), true) = (link.did, is_own) {
                let stage = (leaf.name(), causes.at(link.from), moment.at);
                all.entry(op).or_default().push(stage);
            }
        }
    }
    all
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
        }
    }

    fn packet(&mut self, op: &HwOp, track: usize, stages: &[(&'static str, Ps, Ps)]) {
        let life = self.trace.ops[op.id.index()];
        match &op.kind {
            HwOpKind::Work(_) => self.work(op, track, stages),
            HwOpKind::Barrier(barrier) => {
                let is_shown = match barrier.role {
                    BarrierRole::ScopeBegin | BarrierRole::PassBegin => !barrier.steps.is_empty(),
                    _ => true,
                };
                if is_shown {
                    self.barrier(op, track);
                }
            }
            HwOpKind::SignalFence { .. } | HwOpKind::WaitFence { .. } => {
                let slice = self.slice(op, track, Row::Fence, (life.queued, life.retired));
                if let Some(at) = self.push(slice) {
                    self.ends.insert(op.id, (at, at));
                }
            }
            HwOpKind::Client(_) | HwOpKind::Reset { .. } => {
                let slice = self.slice(op, track, Row::Command, (life.queued, life.retired));
                if let Some(at) = self.push(slice) {
                    self.ends.insert(op.id, (at, at));
                }
            }
        }
    }

    /// A command, and its stages.
    fn work(&mut self, op: &HwOp, track: usize, stages: &[(&'static str, Ps, Ps)]) {
        let timing = self.trace.command(op.origin.node);
        if !timing.ran() {
            return;
        }
        let whole = self.slice(op, track, Row::Command, (timing.start, timing.end));
        let of_spans: Vec<(&'static str, Ps, Ps)> = if stages.is_empty() {
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
        if let Some(at) = self.push(whole) {
            self.ends.insert(op.id, (at, at));
        }
    }

    /// What a barrier did with its time.
    fn barrier(&mut self, op: &HwOp, track: usize) {
        let whole = self.slice(op, track, Row::Barrier, (Ps::ZERO, Ps::ZERO));
        let spans: Vec<_> = self.trace.spans(op.id).collect();
        let mut ends: Option<(usize, usize)> = None;
        for (start, span) in spans {
            let name = match span.reason {
                Reason::Drain => "drain",
                Reason::WaitEarlierBarrier => "waits for earlier barrier",
                Reason::WaitBarrier(_) => "held by barrier",
                Reason::WaitIdle => "waits for idle queue",
                Reason::WaitSlot => "waits: too much in flight",
                other => stalls::word(other),
            };
            let slice = Slice {
                start,
                end: span.end,
                name: format!("{name}: {}", whole.name),
                target: self.namer.target(span.reason),
                ..whole.clone()
            };
            let is_drain = span.reason == Reason::Drain;
            let Some(at) = self.push(slice) else { continue };
            let (_, drained) = ends.unwrap_or((at, at));
            ends = Some((at, if is_drain { at } else { drained }));
        }
        if let Some(ends) = ends {
            self.ends.insert(op.id, ends);
        }
    }
}

/// What waited for what: signals, work and barriers.
fn arrows(timeline: &Timeline<'_>, ran: &Ran, made: &Made<'_>) -> Vec<Arrow> {
    let program = &ran.program;
    let end_of = |slice: usize| (slice, made.slices[slice].end);
    let fence = |id: SubmissionId| {
        let ops = &program.blocks.get(id.index())?.ops;
        let mut own = ops.iter().filter(|op| {
            let kind = &op.kind;
            matches!(
                kind,
                HwOpKind::SignalFence { .. } | HwOpKind::WaitFence { .. }
            )
        });
        made.ends.get(&own.next()?.id)
    };
    let mut arrows = Vec::new();
    for (index, submission) in timeline.submissions.iter().enumerate() {
        let wait = SubmissionId::new(index);
        if !matches!(submission.kind, SubmissionKind::Wait { .. }) {
            continue;
        }
        let signal = timeline.awaited_signal(wait).and_then(fence);
        if let (Some((from, _)), Some((_, to))) = (signal, fence(wait)) {
            arrows.push(Arrow {
                kind: ArrowKind::Fence,
                from: end_of(*from),
                to: end_of(*to),
            });
        }
    }
    let drained = ran
        .paid
        .causes
        .as_deref()
        .map(drained_by)
        .unwrap_or_default();
    for (barrier, work) in drained {
        if let (Some((from, _)), Some((_, to))) = (made.ends.get(&work), made.ends.get(&barrier)) {
            arrows.push(Arrow {
                kind: ArrowKind::Drain,
                from: end_of(*from),
                to: end_of(*to),
            });
        }
    }
    let mut held: BTreeMap<(OpId, NodeId), usize> = BTreeMap::new();
    for (_, op) in program.ops() {
        let Some((_, to)) = made
            .ends
            .get(&op.id)
            .filter(|_| matches!(op.kind, HwOpKind::Work(_)))
        else {
            continue;
        };
        for (_, span) in ran.paid.spans(op.id) {
            if let Reason::WaitBarrier(by) = span.reason {
                held.entry((by, op.origin.node)).or_insert(*to);
            }
        }
    }
    for ((barrier, _), to) in held {
        if let Some((from, _)) = made.ends.get(&barrier) {
            arrows.push(Arrow {
                kind: ArrowKind::Hold,
                from: end_of(*from),
                to: (to, made.slices[to].start),
            });
        }
    }
    // What overlapped did not wait.
    arrows.retain(|arrow| arrow.from.1 <= arrow.to.1);
    arrows
}

impl Activity {
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
        let mut slices: Vec<Option<Slice>> = std::mem::take(&mut self.slices)
            .into_iter()
            .map(Some)
            .collect();
        let sorted = order.iter().filter_map(|old| slices[*old].take());
        self.slices = sorted.collect();
    }
}

/// Times in which a queue is stopped by a barrier, and none has work.
fn exposed(lanes: &[Lane]) -> Vec<(Ps, Ps)> {
    let of = |kind: SegmentKind| {
        let segments = lanes.iter().flat_map(|lane| &lane.segments);
        let own = segments.filter(|s| s.kind == kind && s.end > s.start);
        joined(own.map(|s| (s.start, s.end)).collect())
    };
    let work = of(SegmentKind::Work);
    let mut exposed = Vec::new();
    for (mut from, to) in of(SegmentKind::Barrier) {
        let first = work.partition_point(|(_, end)| *end <= from);
        for (start, end) in work[first..].iter().take_while(|(start, _)| *start < to) {
            if *start > from {
                exposed.push((from, *start));
            }
            from = from.max(*end);
        }
        if from < to {
            exposed.push((from, to));
        }
    }
    exposed
}

/// The intervals in order, those that touch joined.
fn joined(mut all: Vec<(Ps, Ps)>) -> Vec<(Ps, Ps)> {
    all.sort_unstable();
    let mut joined: Vec<(Ps, Ps)> = Vec::new();
    for (start, end) in all {
        match joined.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}
