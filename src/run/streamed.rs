//! Lowering, checking and simulating submission by submission: for runs whose report has no row for one command or
//! barrier. Only what is in flight is in memory, however long the timeline is.
//!
//! A long timeline of large submissions is lowered on a thread of its own, a little ahead of the machine, and from
//! before needed and asked are known. Blocks come in the same order then, so that the report has the same bytes.

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
use crate::program::{Block, Blocks, Counted};
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

/// A block, its index, and what lowering it took.
type Timed = ((usize, Block), Duration);

/// Where blocks come from, and how the time is noted that they took.
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
    let Machine {
        profile, lowering, ..
    } = machine;
    let place = clock.place();
    let nodes = timeline.node_count();
    let is_fine = nodes < NODES_OF_SUBMISSION * timeline.submissions.len();
    if nodes < NODES_APART || is_fine || rayon::current_num_threads() == 1 {
        let asked = judge(clock);
        let (illegal, (tally, trace)) = legality.beside(place, clock, |clock| {
            let blocks = Lowering {
                blocks: timed(lowering.stream(timeline, profile)),
                note: Clock::part,
            };
            simulate(timeline, machine, options, &asked, (blocks, clock))
        });
        return (illegal, asked, tally, trace);
    }
    thread::scope(|scope| {
        let (to, from) = mpsc::sync_channel(PARCELS);
        scope.spawn(move || send(timed(lowering.stream(timeline, profile)), &to));
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

/// The blocks with what each took.
fn timed(mut lowered: impl Iterator<Item = (usize, Block)>) -> impl Iterator<Item = Timed> {
    std::iter::from_fn(move || {
        let start = Instant::now();
        let block = lowered.next()?;
        Some((block, start.elapsed()))
    })
}

/// Hands blocks on, many at a time, for as long as somebody takes them.
fn send(lowered: impl Iterator<Item = Timed>, to: &SyncSender<Vec<Timed>>) {
    let (mut parcel, mut ops) = (Vec::new(), 0);
    for timed in lowered {
        ops += timed.0.1.ops.len() as u64;
        parcel.push(timed);
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

/// Checks and simulates blocks as they come.
fn simulate(
    timeline: &Timeline<'_>,
    machine: Machine<'_>,
    options: &sim::SimOptions,
    asked: &Evaluation,
    (from, clock): (Lowering<impl Iterator<Item = Timed>>, &mut Clock),
) -> (Tally, Trace) {
    let profile = machine.profile;
    let setting = lower::setting(timeline, profile);
    let (mut lowering, mut ops) = (Duration::ZERO, 0);
    let lowered = from.blocks.map(|(block, took)| {
        lowering += took;
        ops += block.1.ops.len() as u64;
        block
    });
    let mut watched = Watched {
        timeline,
        profile,
        stream: Stream::new(timeline, lowered),
        tally: Tally::default(),
        checking: Duration::ZERO,
    };
    let watch = hazards::watch(timeline, asked);
    let mut trace = sim::simulate_blocks(&setting, &mut watched, profile, options, &watch);
    while let Some((index, block)) = watched.stream.rest() {
        watched.check(index, &block);
    }
    let Watched {
        tally, checking, ..
    } = watched;
    (from.note)(clock, "lower", lowering, ops);
    clock.part("ensure", checking, tally.checked);
    clock.lap("simulate", trace.totals.events);
    attribution::acquit(timeline, asked, &mut trace);
    (tally, trace)
}

/// A stream whose blocks are checked as they pass.
struct Watched<'t, 's, I> {
    timeline: &'t Timeline<'s>,
    profile: &'t Profile,
    stream: Stream<'t, 's, I>,
    tally: Tally,
    checking: Duration,
}

impl<I: Iterator<Item = (usize, Block)>> Watched<'_, '_, I> {
    fn check(&mut self, index: usize, block: &Block) -> Vec<Counted> {
        let start = Instant::now();
        let mut found = Shortfalls::default();
        let id = SubmissionId::new(index);
        ensure::check_block(self.timeline, self.profile, id, block, &mut found);
        let counted = self.tally.take(self.timeline, &found);
        self.checking += start.elapsed();
        counted
    }
}

impl<I: Iterator<Item = (usize, Block)>> Blocks for Watched<'_, '_, I> {
    fn count(&self) -> usize {
        self.stream.count()
    }

    fn queue(&self, index: usize) -> Option<QueueId> {
        self.stream.queue(index)
    }

    fn take(&mut self, index: usize) -> Block {
        let mut block = self.stream.take(index);
        block.counted = self.check(index, &block);
        block
    }
}
