//! Lowering, checking and simulating submission by submission: for runs whose report has no row for one command or
//! barrier. Only what is in flight is in memory, however long the timeline is.
//!
//! A long timeline of large submissions is lowered on a thread of its own, a little ahead of the machine; each block is
//! checked there as well. Blocks come in the same order as on one thread, so that the report has the same bytes.
//!
//! Neither lowering nor machine waits until needed and asked are known. The machine starts as if no read had to be looked at,
//! which is right for a text without hazards. If the text has hazards the run is dropped, and a second one looks at the reads
//! that they name.

use super::back::{Machine, Readings};
use super::clock::{Clock, Stopwatch, WallClock};
use crate::analyze::hazards;
use crate::analyze::lowering::{Judged, NeededPairs, Owed, Tally};
use crate::finding::Finding;
use crate::graph::Evaluation;
use crate::hardware::Profile;
use crate::id::{QueueId, SubmissionId};
use crate::lower::{self, Stream};
use crate::order::Timeline;
use crate::program::{Block, Blocks};
use crate::sim;
use crate::trace::Trace;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::Duration;

/// A timeline with fewer nodes is lowered on the thread that simulates it.
const NODES_APART: usize = 4096;
/// So is a timeline whose submissions have fewer nodes on average: handing them on takes longer than lowering them.
const NODES_OF_SUBMISSION: usize = 16;
/// Packets that the lowering thread hands on together, as one parcel.
const PARCEL_OPS: u64 = 4096;
/// Parcels that may wait for the machine.
const PARCELS: usize = 2;

/// A block, what it lacks, and what lowering and checking it took.
struct Checked {
    block: Block,
    found: Judged,
    lowering: Duration,
    checking: Duration,
}

/// A run, and what each part of it took.
struct Ran {
    tally: Tally,
    trace: Trace,
    /// Packets.
    ops: u64,
    lowering: Duration,
    checking: Duration,
    /// With waiting for blocks.
    simulating: Duration,
}

/// Runs a timeline. Returns what is illegal, what is needed and asked, what the packets lack, and what the machine did.
/// The readings find the first two while the machine runs, which takes longest.
pub(crate) fn run(
    timeline: &Timeline<'_>,
    machine: Machine<'_>,
    options: &sim::SimOptions,
    readings: Readings<impl FnOnce(&mut Clock) -> Evaluation, impl FnOnce() -> Vec<Finding> + Send>,
    clock: &mut Clock,
) -> (Vec<Finding>, Evaluation, Tally, Trace) {
    let Readings { judge, legality } = readings;
    let (place, tells) = (clock.place(), clock.clock());
    let nodes = timeline.node_count();
    let is_fine = nodes < NODES_OF_SUBMISSION * timeline.submissions.len();
    if nodes < NODES_APART || is_fine || crate::parallel::current_num_threads() == 1 {
        let asked = judge(clock);
        let (illegal, mut ran) = legality.beside(place, clock, |clock| {
            let watch = hazards::watch(timeline, &asked);
            let blocks = checked(timeline, machine, tells);
            let blocks = Watched::new(timeline, machine, blocks, &WANTED);
            let ran = simulate(blocks, options, &watch, tells);
            clock.part("lower", ran.lowering, ran.ops);
            clock.part("ensure", ran.checking, ran.tally.checked);
            clock.lap("simulate", ran.trace.totals.events);
            ran
        });
        hazards::settle(timeline, &asked, &mut ran.trace);
        return (illegal, asked, ran.tally, ran.trace);
    }
    let is_dropped = AtomicBool::new(false);
    thread::scope(|scope| {
        let early = || {
            apart(
                timeline,
                machine,
                options,
                &sim::NOTHING,
                &is_dropped,
                tells,
            )
        };
        let early = scope.spawn(early);
        let asked = judge(clock);
        let watch = hazards::watch(timeline, &asked);
        is_dropped.store(watch != sim::NOTHING, Ordering::Relaxed);
        let (illegal, mut ran) = legality.beside(place, clock, |clock| {
            let early = early.join().unwrap_or_else(|panic| resume_unwind(panic));
            let ran = if watch == sim::NOTHING {
                early
            } else {
                apart(timeline, machine, options, &watch, &WANTED, tells)
            };
            clock.aside("lower", ran.lowering, ran.ops);
            clock.aside("ensure", ran.checking, ran.tally.checked);
            clock.aside("simulate", ran.simulating, ran.trace.totals.events);
            ran
        });
        hazards::settle(timeline, &asked, &mut ran.trace);
        (illegal, asked, ran.tally, ran.trace)
    })
}

/// The flag of a run that nothing drops: always false.
static WANTED: AtomicBool = AtomicBool::new(false);

/// Simulates a timeline, while another thread lowers it and checks the packets.
fn apart(
    timeline: &Timeline<'_>,
    machine: Machine<'_>,
    options: &sim::SimOptions,
    watch: &sim::Watch,
    is_dropped: &AtomicBool,
    tells: WallClock,
) -> Ran {
    thread::scope(|scope| {
        let (to, from) = mpsc::sync_channel(PARCELS);
        scope.spawn(move || send(checked(timeline, machine, tells), &to));
        let blocks = Watched::new(timeline, machine, from.into_iter().flatten(), is_dropped);
        simulate(blocks, options, watch, tells)
    })
}

/// The blocks in evaluation order, each lowered and then checked.
fn checked<'t>(
    timeline: &'t Timeline<'_>,
    machine: Machine<'t>,
    tells: WallClock,
) -> impl Iterator<Item = (usize, Checked)> {
    let profile = machine.profile;
    let mut lowered = machine.lowering.stream(timeline, profile);
    let needed = NeededPairs::new(timeline);
    let mut owed = Owed::default();
    std::iter::from_fn(move || {
        let start = Stopwatch::start(tells);
        let (index, block) = lowered.next()?;
        let lowering = start.elapsed();
        let id = SubmissionId::new(index);
        let found = needed.check_block(profile, (id, &block), &mut owed);
        let checked = Checked {
            block,
            found,
            lowering,
            checking: start.elapsed().saturating_sub(lowering),
        };
        Some((index, checked))
    })
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
    mut blocks: Watched<'_, '_, impl Iterator<Item = (usize, Checked)>>,
    options: &sim::SimOptions,
    watch: &sim::Watch,
    tells: WallClock,
) -> Ran {
    let start = Stopwatch::start(tells);
    let profile = blocks.profile;
    let setting = lower::setting(blocks.timeline, profile);
    let trace = sim::simulate_blocks(&setting, &mut blocks, profile, options, watch);
    if !blocks.is_dropped() {
        while let Some((_, checked)) = blocks.stream.rest() {
            blocks.tell(checked);
        }
    }
    Ran {
        tally: blocks.tally,
        trace,
        ops: blocks.ops,
        lowering: blocks.lowering,
        checking: blocks.checking,
        simulating: start.elapsed(),
    }
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
    is_dropped: &'t AtomicBool,
}

impl<'t, 's, I: Iterator<Item = (usize, Checked)>> Watched<'t, 's, I> {
    fn new(
        timeline: &'t Timeline<'s>,
        machine: Machine<'t>,
        blocks: I,
        is_dropped: &'t AtomicBool,
    ) -> Self {
        Self {
            timeline,
            profile: machine.profile,
            stream: Stream::new(timeline, blocks),
            tally: Tally::default(),
            ops: 0,
            lowering: Duration::ZERO,
            checking: Duration::ZERO,
            is_dropped,
        }
    }

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
            let id = SubmissionId::new(index);
            // It has no packets of barriers, so no half of one.
            let needed = NeededPairs::new(self.timeline);
            let found = needed.check_block(self.profile, (id, &block), &mut Owed::default());
            Checked {
                block,
                found,
                lowering: Duration::ZERO,
                checking: Duration::ZERO,
            }
        });
        self.tell(checked)
    }

    fn is_dropped(&self) -> bool {
        self.is_dropped.load(Ordering::Relaxed)
    }
}
