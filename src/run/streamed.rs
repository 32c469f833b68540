//! Lowering, checking and simulating submission by submission: for runs whose report has no row for one command or
//! barrier. Only what is in flight is in memory, however long the timeline is.

use super::back::Machine;
use super::clock::Clock;
use crate::analyze::lowering::Tally;
use crate::analyze::{attribution, hazards};
use crate::ensure::{self, Shortfalls};
use crate::graph::Evaluation;
use crate::hardware::Profile;
use crate::id::{QueueId, SubmissionId};
use crate::lower::{self, Stream};
use crate::order::Timeline;
use crate::program::{Block, Blocks, Counted};
use crate::sim;
use crate::trace::Trace;
use std::time::{Duration, Instant};

/// What a lowering lacks and what the machine did. `None` if the timeline has a reset: what a reset drops must be known
/// before.
pub(super) fn run(
    timeline: &Timeline<'_>,
    Machine {
        profile, lowering, ..
    }: Machine<'_>,
    options: &sim::SimOptions,
    asked: &Evaluation,
    clock: &mut Clock,
) -> Option<(Tally, Trace)> {
    if !timeline.resets.is_empty() {
        return None;
    }
    let setting = lower::setting(timeline, profile);
    let mut watched = Watched {
        timeline,
        profile,
        stream: lowering.stream(timeline, profile),
        tally: Tally::default(),
        lowering: Duration::ZERO,
        checking: Duration::ZERO,
    };
    let watch = hazards::watch(timeline, asked);
    let mut trace = sim::simulate_blocks(&setting, &mut watched, profile, options, &watch);
    while let Some((index, block)) = watched.stream.rest() {
        watched.check(index, &block);
    }
    clock.part("lower", watched.lowering, u64::from(watched.stream.ops()));
    clock.part("ensure", watched.checking, watched.tally.checked);
    clock.lap("simulate", trace.totals.events);
    attribution::acquit(timeline, asked, &mut trace);
    Some((watched.tally, trace))
}

/// A stream whose blocks are checked as they pass.
struct Watched<'t, 's> {
    timeline: &'t Timeline<'s>,
    profile: &'t Profile,
    stream: Stream<'t, 's>,
    tally: Tally,
    lowering: Duration,
    checking: Duration,
}

impl Watched<'_, '_> {
    fn check(&mut self, index: usize, block: &Block) -> Vec<Counted> {
        let mut found = Shortfalls::default();
        let id = SubmissionId::new(index);
        ensure::check_block(self.timeline, self.profile, id, block, &mut found);
        self.tally.take(self.timeline, &found)
    }
}

impl Blocks for Watched<'_, '_> {
    fn count(&self) -> usize {
        self.stream.count()
    }

    fn queue(&self, index: usize) -> Option<QueueId> {
        self.stream.queue(index)
    }

    fn take(&mut self, index: usize) -> Block {
        let begin = Instant::now();
        let mut block = self.stream.take(index);
        let lowered = Instant::now();
        block.counted = self.check(index, &block);
        self.lowering += lowered - begin;
        self.checking += lowered.elapsed();
        block
    }
}
