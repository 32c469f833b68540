//! Lowering, checking and simulating submission by submission: for runs whose report has no row for one command or
//! barrier. Only what is in flight is in memory, however long the timeline is.
//!
//! A long timeline of large submissions is lowered on a thread of its own, a little ahead of the machine, and from
//! before needed and asked are known; each block is checked there as well. Blocks come in the same order then, so that the
//! report has the same bytes.

use super::back::{Legality, Machine};
use super::clock::Clock;
use crate::analyze::lowering::Tally;
use crate::analyze::{attribution, hazards};
use crate::ensure::{self, Shortfalls};
use crate::finding::Finding;
use crate::graph::Evaluation;
use crate::hardware::Profile;
use crate::id::{QueueId, SubmissionId};
use crate::lower::{self, Stream};
use crate::order::Timeline;
use crate::program::{Block, Blocks};
use crate::sim;
use crate::trace::Trace;
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

/// Nodes of a timeline from which on it is lowered on a thread of its own, if a submission has so many.
const NODES_APART: usize = 4096;
/// Nodes of a submission, as a rule, from which on that pays: smaller ones take longer to hand on than to lower.
const NODES_OF_SUBMISSION: usize = 16;
/// Packets that the thread hands on together, and how many such parcels may wait.
const PARCEL_OPS: u64 = 4096;
const PARCELS: usize = 2;

/// A block, what it lacks, and what lowering and checking it took.
struct Checked {
    block: Block,
    found: Shortfalls,
    lowering: Duration,
    checking: Duration,
}

/// Where blocks come from, each with its index, and how the time is noted that they took.
struct Lowering<I> {
    blocks: I,
    note: fn(&mut Clock, &'static str, Duration, u64),
}

/// What a lowering lacks and what the machine did, and before that what is legal, and what is needed and asked, which the
/// readings find out. The machine waits for the second only, and takes longest: the first is read next to it.
pub(super) fn run(
    timeline: &Timeline<'_>,
    machine: Machine<'_>,
    options: &sim::SimOptions,
    (judge, legality): (
        impl FnOnce(&mut Clock) -> Evaluation,
        Legality<impl FnOnce() -> Vec<Finding> + Send>,
    ),
    clock: &mut Clock,
) -> (Vec<Finding>, Evaluation, Tally, Trace) {
    let place = clock.place();
    let nodes = timeline.node_count();
    let is_fine = nodes < NODES_OF_SUBMISSION * timeline.submissions.len();
    if nodes < NODES_APART || is_fine || rayon::current_num_threads() == 1 {
        let asked = judge(clock);
        let (illegal, (tally, trace)) = legality.beside(place, clock, |clock| {
            let blocks = Lowering {
                blocks: checked(timeline, machine),
                note: Clock::part,
            };
            simulate(timeline, machine, options, &asked, (blocks, clock))
        });
        return (illegal, asked, tally, trace);
    }
    thread::scope(|scope| {
        let (to, from) = mpsc::sync_channel(PARCELS);
        scope.spawn(move || send(checked(timeline, machine), &to));
        let asked = judge(clock);
        let (illegal, (tally, trace)) = legality.beside(place, clock, |clock| {
            let blocks = Lowering {
                blocks: from.into_iter().flatten(),
                note: Clock::aside,
            };
            simulate(timeline, machine, options, &asked, (blocks, clock))
        });
        (illegal, asked, tally, trace)
    })
}

/// The blocks in evaluation order, each lowered and then checked.
fn checked<'t>(
    timeline: &'t Timeline<'_>,
    machine: Machine<'t>,
) -> impl Iterator<Item = (usize, Checked)> {
    let profile = machine.profile;
    let mut lowered = machine.lowering.stream(timeline, profile);
    std::iter::from_fn(move || {
        let start = Instant::now();
        let (index, block) = lowered.next()?;
        let lowering = start.elapsed();
        let found = lacks(timeline, profile, index, &block);
        let checked = Checked {
            block,
            found,
            lowering,
            checking: start.elapsed().saturating_sub(lowering),
        };
        Some((index, checked))
    })
}

/// What a block lacks.
fn lacks(timeline: &Timeline<'_>, profile: &Profile, index: usize, block: &Block) -> Shortfalls {
    let mut found = Shortfalls::default();
    let id = SubmissionId::new(index);
    ensure::check_block(timeline, profile, id, block, &mut found);
    found
}

/// Hands blocks on, many at a time, for as long as somebody takes them.
fn send(lowered: impl Iterator<Item = (usize, Checked)>, to: &SyncSender<Vec<(usize, Checked)>>) {
    let (mut parcel, mut ops) = (Vec::new(), 0);
    for checked in lowered {
        ops += checked.1.block.ops.len() as u64;
        parcel.push(checked);
        if ops >= PARCEL_OPS {
            if to.send(std::mem::take(&mut parcel)).is_err() {
                return;
            }
            ops = 0;
        }
    }
    // Whoever takes no more has all that it needs.
    to.send(parcel).unwrap_or_default();
}

/// Simulates blocks as they come.
fn simulate(
    timeline: &Timeline<'_>,
    machine: Machine<'_>,
    options: &sim::SimOptions,
    asked: &Evaluation,
    (from, clock): (Lowering<impl Iterator<Item = (usize, Checked)>>, &mut Clock),
) -> (Tally, Trace) {
    let profile = machine.profile;
    let setting = lower::setting(timeline, profile);
    let mut watched = Watched {
        timeline,
        profile,
        stream: Stream::new(timeline, from.blocks),
        tally: Tally::default(),
        ops: 0,
        lowering: Duration::ZERO,
        checking: Duration::ZERO,
    };
    let watch = hazards::watch(timeline, asked);
    let mut trace = sim::simulate_blocks(&setting, &mut watched, profile, options, &watch);
    while let Some((_, checked)) = watched.stream.rest() {
        watched.tell(checked);
    }
    let Watched {
        tally,
        ops,
        lowering,
        checking,
        ..
    } = watched;
    (from.note)(clock, "lower", lowering, ops);
    (from.note)(clock, "ensure", checking, tally.checked);
    clock.lap("simulate", trace.totals.events);
    attribution::acquit(timeline, asked, &mut trace);
    (tally, trace)
}

/// A stream of which it is noted, in the order of the machine, what its blocks lack.
struct Watched<'t, 's, I> {
    timeline: &'t Timeline<'s>,
    profile: &'t Profile,
    stream: Stream<'t, 's, Checked, I>,
    tally: Tally,
    ops: u64,
    lowering: Duration,
    checking: Duration,
}

impl<I> Watched<'_, '_, I> {
    /// Notes what a block lacks. Returns the block.
    fn tell(&mut self, checked: Checked) -> Block {
        let mut block = checked.block;
        self.ops += block.ops.len() as u64;
        self.lowering += checked.lowering;
        self.checking += checked.checking;
        block.counted = self.tally.take(self.timeline, &checked.found);
        block
    }
}

impl<I: Iterator<Item = (usize, Checked)>> Blocks for Watched<'_, '_, I> {
    fn count(&self) -> usize {
        self.stream.count()
    }

    fn queue(&self, index: usize) -> Option<QueueId> {
        self.stream.queue(index)
    }

    fn take(&mut self, index: usize) -> Block {
        let checked = self.stream.asked(index).unwrap_or_else(|| {
            let block = self.stream.empty(index);
            let found = lacks(self.timeline, self.profile, index, &block);
            Checked {
                block,
                found,
                lowering: Duration::ZERO,
                checking: Duration::ZERO,
            }
        });
        self.tell(checked)
    }
}
