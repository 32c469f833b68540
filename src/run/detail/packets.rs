//! Packets: when each ran, what it waited for, after what, and what its stages did.

use super::{SPANS_MAX, Words, ps};
use crate::id::{OpId, SubmissionId, narrow};
use crate::order::Timeline;
use crate::program::{BarrierRole, HwOp, HwOpKind, Program};
use crate::run::StuckRow;
use crate::run::drawn;
use crate::run::stalls::{Namer, word};
use crate::time::Ps;
use crate::trace::{Causes, OpLife, Reason, Trace, Why};
use serde::Serialize;

/// Part of a packet's life: start, end, what it did (a word), its stage, cache, resource or fence (a word), and the packet
/// that held it, or -1.
pub type SpanRow = (u64, u64, u32, u32, i64);

/// What a stage did: its name (a word), start and end.
pub type StageRow = (u32, u64, u64);

/// From a signal to a wait: their packets, the fence (a word) and the value.
pub type ArrowRow = (u32, u32, u32, u64);

/// Packets, a column each.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct PacketColumns {
    /// Id of the command or barrier.
    pub id: Vec<String>,
    /// What it is called, a word.
    pub label: Vec<u32>,
    /// Line of its text.
    pub line: Vec<u32>,
    /// Index in [`super::Detail::tracks`].
    pub track: Vec<u32>,
    /// `w`ork, `b`arrier, s`c`ope, `s`ignal, `f`ence wait, clien`t`, `r`eset: a letter each.
    pub kind: String,
    /// When the front end took it up.
    pub queued: Vec<u64>,
    /// When its first stage began; of others, the same as `queued`.
    pub start: Vec<u64>,
    /// When it had retired; of a wait that never ends, when the drawing does.
    pub end: Vec<u64>,
    /// Rows that never ran: what comes after a wait that never ends.
    pub never: Vec<u32>,
    /// Waits that never end: row, what it waits for and why that never comes (a word), and the row of the wait that keeps the
    /// signal, or -1.
    pub open: Vec<(u32, u32, i64)>,
    /// The packet whose end it had waited for last, or -1.
    pub after: Vec<i64>,
    /// How that bears on it, a word.
    pub because: Vec<u32>,
    /// Its life; empty beyond [`SPANS_MAX`].
    pub spans: Vec<Vec<SpanRow>>,
    /// Its stages; empty if it has none, and beyond [`SPANS_MAX`].
    pub stages: Vec<Vec<StageRow>>,
}

/// Which packets a page has: rows by packet.
pub(super) struct Numbered {
    rows: Vec<i64>,
}

impl Numbered {
    pub(super) fn new(program: &Program, most: usize) -> Self {
        let mut rows = Vec::with_capacity(program.ops as usize);
        let mut next = 0;
        for (_, op) in program.ops() {
            debug_assert_eq!(
                op.id.index(),
                rows.len(),
                "packets are numbered without gaps"
            );
            let is_shown = rows.len() < most && drawn::is_drawn(op);
            rows.push(if is_shown { next } else { -1 });
            next += i64::from(is_shown);
        }
        Self { rows }
    }

    /// The row of a packet, or -1.
    pub(super) fn row(&self, op: OpId) -> i64 {
        self.rows.get(op.index()).copied().unwrap_or(-1)
    }
}

fn letter(op: &HwOp) -> char {
    match &op.kind {
        HwOpKind::Work(_) => 'w',
        HwOpKind::Barrier(barrier) => match barrier.role {
            BarrierRole::Whole
            | BarrierRole::SplitBegin
            | BarrierRole::SplitEnd
            | BarrierRole::ByRegion => 'b',
            _ => 'c',
        },
        HwOpKind::SignalFence { .. } => 's',
        HwOpKind::WaitFence { .. } => 'f',
        HwOpKind::Client(_) => 't',
        HwOpKind::Reset { .. } => 'r',
    }
}

/// Names of the queues, then of the CPU.
pub(super) fn tracks(timeline: &Timeline<'_>, words: &mut Words) -> Vec<u32> {
    let names = drawn::tracks(timeline);
    names.map(|name| words.number(name)).collect()
}

pub(super) fn columns(
    namer: &Namer<'_, '_>,
    trace: &Trace,
    numbered: &Numbered,
    words: &mut Words,
) -> PacketColumns {
    let (timeline, program) = (namer.timeline, namer.program);
    let mut made = PacketColumns::default();
    let with_spans = program.ops <= SPANS_MAX;
    let mut stages = match trace.causes.as_deref().filter(|_| with_spans) {
        Some(causes) => stages(causes, program.ops as usize, words),
        None => Vec::new(),
    };
    for (index, block) in program.blocks.iter().enumerate() {
        let actor = timeline.submission(SubmissionId::new(index)).actor;
        for op in &block.ops {
            if numbered.row(op.id) < 0 {
                continue;
            }
            let life = trace.ops[op.id];
            let timing = trace.command(op.origin.node);
            let is_work = matches!(op.kind, HwOpKind::Work(_));
            let start = if is_work && timing.ran() {
                timing.start
            } else {
                life.queued
            };
            if life == OpLife::default() && !timing.ran() {
                made.never.push(narrow(made.id.len()));
            }
            let (label, span) = namer.label(op.id);
            made.id.push(namer.id(op.id));
            made.label.push(words.number(&label));
            made.line.push(namer.source.line(span.start));
            made.track.push(narrow(timeline.actor_index(actor)));
            made.kind.push(letter(op));
            made.queued.push(ps(life.queued));
            made.start.push(ps(start));
            made.end.push(ps(life.retired));
            let (after, because) = trace
                .causes
                .as_deref()
                .and_then(|causes| waited_for(causes, op.id))
                .map_or((-1, ""), |(why, other)| {
                    (numbered.row(other), namer.why(why, other))
                });
            made.after.push(after);
            made.because.push(words.number(because));
            if with_spans {
                let row = |(from, span): (Ps, crate::trace::Span)| {
                    let (what, target, by) = reason(namer, numbered, span.reason);
                    let (what, target) = (words.number(what), words.number(&target));
                    (ps(from), ps(span.end), what, target, by)
                };
                made.spans.push(trace.spans(op.id).map(row).collect());
                let own = stages.get_mut(op.id.index());
                made.stages
                    .push(own.map(std::mem::take).unwrap_or_default());
            }
        }
    }
    made
}

impl PacketColumns {
    /// Notes the waits that never end: they are drawn to the end of the drawing.
    pub(super) fn open(&mut self, stuck: &[StuckRow], until: Ps, words: &mut Words) {
        let row = |wait: &StuckRow| {
            let mut rows = self.never.iter().copied();
            rows.find(|row| {
                let at = *row as usize;
                self.id[at] == wait.id && self.kind.as_bytes()[at] == b'f'
            })
        };
        let rows: Vec<Option<u32>> = stuck.iter().map(row).collect();
        for (wait, row) in stuck.iter().zip(&rows) {
            let Some(row) = *row else { continue };
            let behind = wait.behind.and_then(|at| rows[at]);
            let says = words.number(&wait.says);
            self.open.push((row, says, behind.map_or(-1, i64::from)));
            let at = row as usize;
            self.queued[at] = ps(wait.since);
            self.start[at] = ps(wait.since);
            self.end[at] = ps(until);
        }
        self.never.retain(|row| !rows.contains(&Some(*row)));
    }
}

/// What each packet's stages did.
fn stages(causes: &Causes, ops: usize, words: &mut Words) -> Vec<Vec<StageRow>> {
    let mut all = vec![Vec::new(); ops];
    for (op, leaf, start, end) in causes.stages() {
        all[op.index()].push((words.number(leaf.name()), ps(start), ps(end)));
    }
    all
}

/// Whose end a packet had waited for last: the chain of binding causes back from its end, to where it leaves the packet.
fn waited_for(causes: &Causes, op: OpId) -> Option<(Why, OpId)> {
    let mut at = *causes.ends.get(op)?;
    if at == Causes::NEVER {
        return None;
    }
    let mut why = None;
    loop {
        let link = causes.binding(at)?;
        let before = causes.moment(link.from).op;
        if before != Some(op) {
            // Several may meet before: how the meeting bears on the packet is what counts.
            let why = *why.get_or_insert(link.why);
            if let Some(before) = before {
                return Some((why, before));
            }
        }
        if link.from == Causes::START {
            return None;
        }
        at = link.from;
    }
}

/// Why a packet spent time: what it did, with what, and which packet held it.
fn reason(
    namer: &Namer<'_, '_>,
    numbered: &Numbered,
    reason: Reason,
) -> (&'static str, String, i64) {
    let (target, by) = match reason {
        Reason::WaitBarrier(op) => (namer.id(op), numbered.row(op)),
        Reason::WaitFence(fence) => {
            let name = namer.timeline.scenario.fences.named(fence);
            (name.map_or(String::new(), |(name, _)| name.to_owned()), -1)
        }
        _ => (namer.target(reason), -1),
    };
    (word(reason), target, by)
}

/// From each signal to the waits that it lets go.
pub(super) fn arrows(
    timeline: &Timeline<'_>,
    program: &Program,
    numbered: &Numbered,
    words: &mut Words,
) -> Vec<ArrowRow> {
    let row = |op: OpId| u32::try_from(numbered.row(op)).ok();
    let mut all = Vec::new();
    for it in drawn::signalled(timeline, program) {
        if let (Some(from), Some(to)) = (row(it.signal), row(it.wait)) {
            let name = timeline.scenario.fences.named(it.fence);
            let name = name.map_or("", |(name, _)| name);
            all.push((from, to, words.number(name), it.value));
        }
    }
    all
}

/// Times in which nothing ran on any queue because of barriers.
pub(super) fn exposed(trace: &Trace) -> Vec<(u64, u64)> {
    let times = trace.exposed_at.iter();
    times.map(|(start, end)| (ps(*start), ps(*end))).collect()
}
