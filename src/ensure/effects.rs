//! What packets do for one barrier entry, and for which later work: a packet's operations count from where its waits end,
//! and another packet's count for it only if that one is complete by then.
//!
//! Packets of a queue overlap. One comes after another if it names it (`after`), or if work between the two was held by
//! the first and is waited for by the second. So what is certain is carried from packet to packet, and from packets to the
//! work that they hold: which earlier work has ended, and which operations are still to come. Linear in packets and work.

use super::asked::{Asked, Operations};
use super::caches::CacheSet;
use super::{ScopeCheck, What};
use crate::api::{Leaf, LeafSet};
use crate::id::{CacheId, OpId};
use crate::program::{BarrierOp, HwOpKind, Reach, StepKind, Work};
use smallvec::SmallVec;

/// What is certain at some point.
#[derive(Copy, Clone)]
struct Certain {
    /// Work of these leaves that comes before the barrier has ended.
    ended: LeafSet,
    progress: Progress,
}

impl Certain {
    /// Makes certain what one or the other makes certain.
    fn and(&mut self, other: &Self) {
        self.ended = self.ended.union(other.ended);
        self.progress.and(&other.progress);
    }
}

/// How far operations have come.
#[derive(Copy, Clone)]
pub(super) struct Progress {
    /// Operations that have not happened.
    pub(super) left: Operations,
    /// Caches that were dropped before they were written back, and lost what they had: they are never clean.
    pub(super) lost: CacheSet,
}

impl Progress {
    /// None of these operations has happened.
    pub(super) fn none_of(left: Operations) -> Self {
        let lost = CacheSet::default();
        Self { left, lost }
    }

    /// Takes off what one or the other takes off.
    pub(super) fn and(&mut self, other: &Self) {
        self.left = self.left.intersection(&other.left);
        self.lost = self.lost.union(other.lost);
    }

    /// A cache is dropped that loses dirty lines: what is not written back by now never is.
    fn lose(&mut self, cache: CacheId) {
        let left = &self.left;
        if left.clean.contains(cache) || left.layout.is_none() && left.clean_after.contains(cache) {
            self.lost.insert(cache);
        }
    }

    /// The front end is held: it fetches as soon as it may, so nothing else may be left to do.
    pub(super) fn hold_fetches(&mut self) {
        let only = Operations {
            front_end: true,
            ..Operations::default()
        };
        self.left.front_end &= self.left != only;
    }
}

/// What packets give to an entry.
struct Given {
    /// By all of them together.
    all: Certain,
    /// Leaves whose later work starts only when all of that is so.
    held: LeafSet,
}

impl ScopeCheck<'_, '_> {
    /// Whether packets do all that is asked.
    pub(super) fn ensures(&self, asked: &Asked, packets: &[usize]) -> bool {
        if let [at] = packets {
            // As a rule an entry's own packet does.
            let Some(barrier) = self.barrier(*at) else {
                return false;
            };
            let mut certain = Certain {
                ended: barrier.wait,
                progress: Progress::none_of(asked.operations),
            };
            self.operate(asked, barrier, &mut certain);
            return certain.ended.contains(asked.wait)
                && certain.progress.left.is_empty()
                && barrier.hold.contains(asked.hold);
        }
        let given = self.given(asked, packets, &[]);
        given.all.ended.contains(asked.wait)
            && given.all.progress.left.is_empty()
            && given.held.contains(asked.hold)
    }

    /// What packets do not do of what is asked.
    pub(super) fn lacks(&self, asked: &Asked, packets: &[usize]) -> Vec<What> {
        let given = self.given(asked, packets, &[]);
        let unwaited = asked.wait.minus(given.all.ended);
        let unheld = asked.hold.minus(given.held);
        let wait = (!unwaited.is_empty()).then_some(What::Wait(unwaited));
        let hold = (!unheld.is_empty()).then_some(What::Hold(unheld));
        let operations = given.all.progress.left.iter();
        wait.into_iter().chain(operations).chain(hold).collect()
    }

    /// What is missing, in the order in which it should happen, and whether it is there and comes too early. What comes too
    /// early only because something else is missing is not named. `own` are the packets of the entry itself.
    pub(super) fn explained(
        &self,
        asked: &Asked,
        packets: &[usize],
        own: &[usize],
    ) -> Vec<(What, bool)> {
        let there = self.there(asked, packets);
        let mut rest = asked.clone();
        rest.operations = asked.operations.intersection(&there.progress.left);
        rest.wait = asked.wait.intersection(there.ended);
        let mut given = self.given(&rest, packets, &[]);
        let mut unwaited = asked.wait.minus(there.ended);
        if !given.all.progress.left.is_empty() {
            // They come too early: because their own packets do not wait?
            let waiting = self.given(&rest, packets, own);
            if waiting.all.progress.left != given.all.progress.left {
                let waits = own.iter().filter_map(|at| self.barrier(*at));
                let waits = waits.fold(asked.idle, |set, packet| set.union(packet.wait));
                unwaited = unwaited.union(asked.wait.minus(waits));
                given = waiting;
            }
        }
        let unheld = asked.hold.minus(given.held);
        let mut missing = Vec::new();
        if !unwaited.is_empty() {
            missing.push((What::Wait(unwaited), false));
        }
        for what in asked.operations.iter() {
            let is_there = there.progress.left.contains(what);
            if !is_there || given.all.progress.left.contains(what) {
                // What was lost before is not written back too early, but not at all.
                let is_lost =
                    matches!(what, What::Clean(cache) if given.all.progress.lost.contains(cache));
                missing.push((what, is_there && !is_lost));
            }
        }
        if !unheld.is_empty() {
            missing.push((What::Hold(unheld), false));
        }
        missing
    }

    /// What packets have of what is asked, whenever it happens: waits, and in `left`, operations.
    fn there(&self, asked: &Asked, packets: &[usize]) -> Certain {
        let mut there = Certain {
            ended: LeafSet::EMPTY,
            progress: Progress::none_of(Operations::default()),
        };
        for barrier in packets.iter().filter_map(|at| self.barrier(*at)) {
            there.ended = there.ended.union(barrier.wait);
            for step in barrier.steps.of(&self.block.steps) {
                let had = &mut there.progress.left;
                match step.kind {
                    StepKind::Clean { cache, reach } if self.covers(reach, asked) => {
                        had.clean.insert(cache);
                        had.clean_after.insert(cache);
                    }
                    StepKind::Invalidate { cache, reach } if self.covers(reach, asked) => {
                        if !self.profile.cache(cache).drop_loses {
                            // Dirty lines are written back first.
                            for set in [&mut had.clean, &mut had.clean_after] {
                                set.insert(cache);
                            }
                        }
                        for dropped in self.profile.dropped_by(cache) {
                            had.drop_first.insert(dropped);
                            had.invalidate.insert(dropped);
                        }
                    }
                    StepKind::Layout { op, extents, .. }
                        if asked.operations.layout == Some(op)
                            && self.covers(Reach::Extents(extents), asked) =>
                    {
                        had.layout = Some(op);
                    }
                    _ => {}
                }
                had.front_end |= step.kind.stops_fetches(&self.profile.front_end_stopped_by);
            }
        }
        there
    }

    /// What is certain after packets. Those of `waiting` are taken to wait for all that is asked.
    fn given(&self, asked: &Asked, packets: &[usize], waiting: &[usize]) -> Given {
        let nothing = Certain {
            ended: LeafSet::EMPTY,
            progress: Progress::none_of(asked.operations),
        };
        let mut all = nothing;
        // By leaf: of the packets that hold it, and of its work.
        let mut held = [nothing; Leaf::COUNT];
        let mut work = [nothing; Leaf::COUNT];
        let mut complete: SmallVec<[(OpId, Certain); 4]> = SmallVec::new();
        let mut next = packets.first().copied().unwrap_or_default();
        for at in packets {
            let Some(barrier) = self.barrier(*at) else {
                continue;
            };
            for op in &self.block.ops[next..*at] {
                if let HwOpKind::Work(between) = &op.kind {
                    self.pass(between, &held, &mut work);
                }
            }
            next = *at;
            let mut certain = nothing;
            if waiting.contains(at) {
                certain.ended = asked.wait;
            }
            certain.ended = certain.ended.union(barrier.wait);
            for leaf in barrier.wait.iter() {
                certain.and(&work[leaf.index()]);
            }
            if barrier.after_all {
                certain.and(&all);
            } else {
                for after in barrier.after.of(&self.block.after) {
                    if let Ok(found) = complete.binary_search_by_key(after, |(op, _)| *op) {
                        certain.and(&complete[found].1);
                    }
                }
            }
            self.operate(asked, barrier, &mut certain);
            all.and(&certain);
            complete.push((self.block.ops[*at].id, certain));
            for leaf in barrier.hold.iter() {
                held[leaf.index()].and(&certain);
            }
        }
        let is_all = |certain: &Certain| {
            let ended = |c: &Certain| c.ended.union(asked.idle).intersection(asked.wait);
            ended(certain) == ended(&all) && certain.progress.left == all.progress.left
        };
        let held_by = packets.iter().filter_map(|at| self.barrier(*at));
        let held_by = held_by.fold(LeafSet::EMPTY, |set, barrier| set.union(barrier.hold));
        let held = held_by.iter().filter(|leaf| is_all(&held[leaf.index()]));
        let held = held.fold(LeafSet::EMPTY, |set, leaf| set.union(leaf.into()));
        Given { all, held }
    }

    /// Work starts when the packets that hold it are complete, stage by stage: so it ends later than these.
    fn pass(&self, work: &Work, held: &[Certain], of: &mut [Certain]) {
        let tasks = work.tasks.of(&self.block.tasks);
        let Some(first) = tasks.first() else { return };
        let mut certain = held[first.leaf.index()];
        for task in tasks {
            certain.and(&held[task.leaf.index()]);
            // Nobody waits for a stage at which there is nothing to do.
            if !task.passes {
                of[task.leaf.index()].and(&certain);
            }
        }
    }

    /// The operations of a packet, one after the other.
    fn operate(&self, asked: &Asked, barrier: &BarrierOp, certain: &mut Certain) {
        let ended = certain.ended.union(asked.idle);
        if certain.progress.left.is_empty() || !ended.contains(asked.wait) {
            return;
        }
        for step in barrier.steps.of(&self.block.steps) {
            self.strike(asked, &mut certain.progress, &step.kind);
        }
    }

    /// Takes off what a step provides, if what must come before it has come.
    pub(super) fn strike(&self, asked: &Asked, certain: &mut Progress, step: &StepKind) {
        if let StepKind::Invalidate { cache, reach } = step
            && self.profile.cache(*cache).drop_loses
            && self.meets(*reach, asked)
        {
            certain.lose(*cache);
        }
        match step {
            StepKind::Clean { cache, reach } if self.covers(*reach, asked) => {
                self.strike_stored(certain, *cache);
            }
            StepKind::TileStore { cache, extents }
                if self.covers(Reach::Extents(*extents), asked) =>
            {
                self.strike_stored(certain, *cache);
            }
            StepKind::Invalidate { cache, reach } if self.covers(*reach, asked) => {
                if !self.profile.cache(*cache).drop_loses {
                    // Dirty lines are written back first.
                    self.strike_clean(certain, *cache);
                }
                for dropped in self.profile.dropped_by(*cache) {
                    strike_drop(&mut certain.left, dropped);
                }
            }
            StepKind::Layout { op, extents, .. }
                if certain.left.layout == Some(*op)
                    && certain.left.clean.is_empty()
                    && certain.left.drop_first.is_empty()
                    && self.covers(Reach::Extents(*extents), asked) =>
            {
                certain.left.layout = None;
            }
            _ => {}
        }
        if step.stops_fetches(&self.profile.front_end_stopped_by) {
            certain.hold_fetches();
        }
    }

    /// Takes off a cache that is written back, and dropped if that is how it writes back.
    fn strike_stored(&self, progress: &mut Progress, cache: CacheId) {
        self.strike_clean(progress, cache);
        if self.profile.cache(cache).clean_drops {
            strike_drop(&mut progress.left, cache);
        }
    }

    /// Takes off a cache that is written back, if no cache is left whose lines would still come into it.
    fn strike_clean(&self, certain: &mut Progress, cache: CacheId) {
        if certain.lost.contains(cache) {
            return;
        }
        let left = &mut certain.left;
        let is_last = |set: &CacheSet| !set.iter().any(|it| self.profile.is_below(it, cache));
        if is_last(&left.clean) {
            left.clean.remove(cache);
        }
        if left.layout.is_none() && is_last(&left.clean_after) {
            left.clean_after.remove(cache);
        }
    }

    /// Whether a step reaches some byte of the barrier.
    fn meets(&self, reach: Reach, asked: &Asked) -> bool {
        match (self.block.reach(reach), &asked.extents) {
            (None, _) | (_, None) => true,
            (Some(reached), Some(extents)) => extents
                .iter()
                .any(|e| reached.iter().any(|r| r.intersection(*e).is_some())),
        }
    }

    /// Whether a step reaches every byte of the barrier.
    fn covers(&self, reach: Reach, asked: &Asked) -> bool {
        match (self.block.reach(reach), &asked.extents) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(reached), Some(extents)) => extents.iter().all(|e| {
                reached
                    .iter()
                    .any(|r| r.memory == e.memory && r.start <= e.start && e.end <= r.end)
            }),
        }
    }
}

/// Takes off a cache that is dropped, where all has come that must come before.
fn strike_drop(left: &mut Operations, cache: CacheId) {
    if left.clean.is_empty() {
        left.drop_first.remove(cache);
        if left.layout.is_none() && left.clean_after.is_empty() {
            left.invalidate.remove(cache);
        }
    }
}
