//! Barriers: waits, steps and holds.

use super::feed::Held;
use super::{Engine, Event, Incomplete, NONE};
use crate::api::{Leaf, LeafSet, QueueType};
use crate::hardware::Profile;
use crate::id::{BarrierRef, OpId, narrow};
use crate::program::{BarrierOp, BarrierRole, Block, HwOp, HwOpKind, Step, StepKind};
use crate::time::Ps;
use crate::trace::{BarrierTiming, Reason};
use std::cmp::Reverse;

impl<'p> Engine<'p> {
    /// A barrier leaves the front end: from now on it holds its leaves.
    pub(super) fn issue_barrier(
        &mut self,
        queue: usize,
        block: &Held<'p>,
        op: HwOp,
        barrier: BarrierOp,
    ) {
        let flight = self.take_off(block.clone(), op, queue);
        let seq = self.flights[flight as usize].seq;
        let actor = &mut self.actors[queue];
        self.flights[flight as usize].timing = std::mem::replace(&mut actor.taken_timing, NONE);
        let costs = actor.costs_of(self.profile, block, &barrier);
        let f = &mut self.flights[flight as usize];
        (f.due, f.idle, f.free_steps) = (costs.waits, costs.idle, costs.free);
        actor.incomplete.push(Incomplete {
            seq,
            op: op.id,
            flight,
            hold: barrier.hold,
        });
        if let Some(causes) = &mut self.causes {
            causes.barrier(queue, seq, barrier.hold);
        }
        self.issue_layout(flight, &barrier);
        self.watch_wait(flight, &barrier);
        self.stop_front_end(queue, seq, &op, &barrier);
        self.hold_fetches(queue, block, &barrier);
        self.look_at_barriers(queue);
        self.try_drain(flight);
    }

    /// A front end takes a barrier entry up: from now on its time counts.
    pub(super) fn arrive(&mut self, queue: usize, op: &HwOp) {
        let HwOpKind::Barrier(barrier) = &op.kind else {
            return;
        };
        let Some(entry) = op.origin.entry.filter(|_| is_entry(barrier.role)) else {
            return;
        };
        let timing = self.exposure.arrive(BarrierTiming {
            barrier: BarrierRef::new(op.origin.node, entry),
            op: op.id,
            arrival: self.now,
            turn: Ps::MAX,
            drained: Ps::MAX,
            completed: Ps::MAX,
            first_held_start: None,
            drain: Ps::ZERO,
            operation: Ps::ZERO,
            refill: Ps::ZERO,
            exposed: Ps::ZERO,
        });
        self.actors[queue].taken_timing = timing;
        if self.options.rows {
            self.timing_of[op.id] = timing;
        }
    }

    fn barrier(&self, flight: u32) -> BarrierOp {
        let HwOpKind::Barrier(barrier) = self.flights[flight as usize].op.kind else {
            unreachable!("the flight is a barrier");
        };
        barrier
    }

    /// Goes on if everything that a barrier waits for is over; otherwise it waits at one thing that is not, and looks
    /// again when that is.
    pub(super) fn try_drain(&mut self, flight: u32) {
        let now = self.now;
        let barrier = self.barrier(flight);
        let f = &mut self.flights[flight as usize];
        let seq = f.seq;
        let actor = &mut self.actors[f.queue as usize];
        for leaf in barrier.wait.intersection(actor.busy).iter() {
            let state = &mut actor.leaves[leaf.index()];
            if state
                .outstanding
                .front()
                .is_some_and(|entry| entry.seq < seq)
            {
                state.drainers.push(Reverse((seq, flight)));
                // Before its turn it would wait in any case.
                f.life.turn(
                    now,
                    if f.turn == Ps::MAX {
                        Reason::WaitEarlierBarrier
                    } else {
                        Reason::Drain
                    },
                );
                return;
            }
        }
        if f.waits_in != NONE {
            super::count::add_wait(&mut self.trace.sums, f, now);
        }
        let after = barrier.after.of(&f.block.after);
        let earlier = actor.incomplete.partition_point(|b| b.seq < seq);
        let follows = |op| barrier.after_all || after.contains(op);
        let earlier = actor.incomplete[..earlier].iter();
        if let Some(latest) = earlier.rev().find(|b| follows(&b.op)) {
            f.life.turn(now, Reason::WaitEarlierBarrier);
            f.follows = latest.flight;
            let queue = f.queue as usize;
            self.flights[latest.flight as usize].dependants.push(flight);
            self.look_at_barriers(queue);
            return;
        }
        f.drained = true;
        let queue = f.queue as usize;
        if f.timing != NONE {
            let timed = self.exposure.of(f.timing);
            timed.drain(now, actor.scope_begun, f.turn);
        }
        if let Some(causes) = &mut self.causes {
            let place = (queue, flight, seq);
            causes.drained(place, barrier.wait, (after, barrier.after_all), now);
        }
        let cost = f.due;
        self.look_at_barriers(queue);
        if cost > Ps::ZERO {
            let f = &mut self.flights[flight as usize];
            f.life.turn(now, Reason::WaitCost);
            self.schedule(now + cost, Event::StepEnd { flight });
        } else {
            self.waited(flight);
            self.next_steps(flight);
        }
    }

    /// The oldest work of a leaf has left it: barriers that waited for it look again.
    pub(super) fn leaf_advanced(&mut self, queue: usize, leaf: usize) {
        self.note_free(queue, leaf);
        loop {
            let state = &mut self.actors[queue].leaves[leaf];
            let oldest = state
                .outstanding
                .front()
                .map_or(u32::MAX, |entry| entry.seq);
            let Some(Reverse((seq, flight))) =
                state.drainers.peek().copied().filter(|d| d.0.0 < oldest)
            else {
                return;
            };
            debug_assert!(seq < oldest);
            state.drainers.pop();
            self.try_drain(flight);
        }
    }

    /// Steps that ran have ended.
    pub(super) fn step_end(&mut self, flight: u32) {
        let f = &self.flights[flight as usize];
        if let (Some(causes), Some(reason)) = (&mut self.causes, f.life.reason) {
            causes.step(flight, reason, self.now);
        }
        let (from, to) = (f.step as usize, f.step_end as usize);
        let (block, op) = (f.block.clone(), f.op.id);
        if to == 0 {
            self.waited(flight);
        }
        for index in from..to {
            let step = self.barrier(flight).steps.of(&block.steps)[index];
            let mut moved = 0;
            match &step.kind {
                StepKind::Clean { cache, reach } => {
                    self.trace.totals.cleans += 1;
                    moved = self.memory.clean(*cache, block.reach(*reach));
                    self.trace.totals.cleaned_bytes += moved;
                }
                StepKind::Invalidate { cache, reach } => {
                    self.trace.totals.invalidates += 1;
                    for cache in self.profile.dropped_by(*cache) {
                        let (written, dropped) =
                            self.memory.invalidate(cache, block.reach(*reach), op);
                        self.trace.totals.cleaned_bytes += written;
                        self.trace.totals.invalidated_bytes += dropped;
                        moved += dropped;
                    }
                }
                StepKind::Layout {
                    op,
                    initialise,
                    extents,
                    ..
                } => {
                    moved = extents.of(&block.extents).iter().map(|e| e.len()).sum();
                    self.trace.totals.layout_operations += 1;
                    let whole = !initialise && !self.profile.layout_op(*op).metadata_only;
                    self.trace.totals.decompressions += u64::from(whole);
                    self.land_layout(flight, index);
                }
                StepKind::TileLoad { cache, extents } => {
                    self.trace.totals.tile_loads += 1;
                    for extent in extents.of(&block.extents) {
                        let (mut seen, mut lost) = (Vec::new(), Vec::new());
                        self.memory.read(&[*cache], *extent, &mut seen, &mut lost);
                    }
                }
                StepKind::TileStore { cache, extents } => {
                    self.trace.totals.tile_stores += 1;
                    self.memory.clean(*cache, Some(extents.of(&block.extents)));
                }
                StepKind::FrontEnd | StepKind::Driver { .. } | StepKind::EngineSwitch => {}
            }
            if step.kind.stops_fetches(&self.profile.front_end_stopped_by) {
                let queue = self.flights[flight as usize].queue as usize;
                self.release_fetches(queue, LeafSet::ALL);
            }
            self.count_step(&block, op, index, moved);
        }
        self.flights[flight as usize].step = narrow(to);
        self.next_steps(flight);
    }

    /// Begins the next steps, or completes. Adjacent cleans run together, and so do adjacent invalidates: one packet
    /// carries them.
    fn next_steps(&mut self, flight: u32) {
        let now = self.now;
        let f = &self.flights[flight as usize];
        let (block, from, queue) = (f.block.clone(), f.step as usize, f.queue as usize);
        let steps = self.barrier(flight).steps.of(&block.steps);
        let Some(first) = steps.get(from) else {
            self.complete(flight);
            return;
        };
        let together = |a: &StepKind, b: &StepKind| {
            matches!(
                (a, b),
                (StepKind::Clean { .. }, StepKind::Clean { .. })
                    | (StepKind::Invalidate { .. }, StepKind::Invalidate { .. })
            )
        };
        let count = 1 + steps[from + 1..]
            .iter()
            .take_while(|s| together(&first.kind, &s.kind))
            .count();
        let mut longest = (Ps::ZERO, Reason::FrontEndSync);
        let (free, op) = (f.free_steps, f.op.id);
        let mut counted = super::count::Batch::default();
        for (index, step) in steps.iter().enumerate().skip(from).take(count) {
            if index < 64 && free >> index & 1 != 0 {
                continue;
            }
            let (time, reason) = self.step_time(flight, queue, &block, &step.kind);
            counted.take(&block, op, index, time);
            if time > longest.0 || longest.0 == Ps::ZERO {
                longest = (time, reason);
            }
        }
        counted.add(&mut self.trace.sums);
        let f = &mut self.flights[flight as usize];
        f.step_end = narrow(from + count);
        f.life.turn(now, longest.1);
        self.schedule(now + longest.0, Event::StepEnd { flight });
    }

    /// Time of one step: its fixed part, and its bytes at the bandwidth that they go through.
    fn step_time(&self, flight: u32, queue: usize, block: &Block, kind: &StepKind) -> (Ps, Reason) {
        let costs = &self.profile.costs;
        match kind {
            StepKind::Clean { cache, reach } => {
                let state = self.profile.cache(*cache);
                let dirty = self.memory.dirty_bytes(*cache, block.reach(*reach));
                (
                    state.clean + Ps::for_amount(dirty, state.bytes_per_s),
                    Reason::Clean(*cache),
                )
            }
            StepKind::Invalidate { cache, reach } => {
                let state = self.profile.cache(*cache);
                let dirty = self.memory.dirty_bytes(*cache, block.reach(*reach));
                (
                    state.invalidate + Ps::for_amount(dirty, state.bytes_per_s),
                    Reason::Invalidate(*cache),
                )
            }
            StepKind::Layout {
                op,
                resource,
                extents,
                initialise,
                ..
            } => {
                let bytes = extents.of(&block.extents).iter().map(|e| e.len()).sum();
                let queue = self.program.queues[queue];
                let time = self.profile.layout_time(*op, queue, bytes, *initialise);
                (time, Reason::Layout(*resource))
            }
            StepKind::TileLoad { cache, extents } => {
                let state = self.profile.cache(*cache);
                let bytes = extents.of(&block.extents).iter().map(|e| e.len()).sum();
                (
                    state.fill + Ps::for_amount(bytes, state.bytes_per_s),
                    Reason::TileLoad(*cache),
                )
            }
            StepKind::TileStore { cache, extents } => {
                let state = self.profile.cache(*cache);
                let extents = extents.of(&block.extents);
                let dirty = self.memory.dirty_bytes(*cache, Some(extents));
                (
                    state.clean + Ps::for_amount(dirty, state.bytes_per_s),
                    Reason::TileStore(*cache),
                )
            }
            StepKind::FrontEnd => {
                let idle = self.flights[flight as usize].idle;
                (self.profile.front_end_cost(idle), Reason::FrontEndSync)
            }
            StepKind::Driver { takes, .. } => (*takes, Reason::FrontEndSync),
            StepKind::EngineSwitch => {
                let time = match self.program.queues[queue] {
                    QueueType::Compute => costs.engine_switch.min(costs.engine_switch_compute),
                    _ => costs.engine_switch,
                };
                (time, Reason::EngineSwitch)
            }
        }
    }

    /// A barrier is done: what it held may start.
    fn complete(&mut self, flight: u32) {
        self.charge();
        let now = self.now;
        let barrier = self.barrier(flight);
        let f = &self.flights[flight as usize];
        let (queue, seq, timing, op) = (f.queue as usize, f.seq, f.timing, f.op);
        if timing != NONE {
            self.exposure.of(timing).complete(now);
            self.trace.totals.barriers += 1;
        }
        if barrier.role == BarrierRole::ScopeBegin {
            let begun = now + self.profile.costs.resume;
            let actor = &mut self.actors[queue];
            (actor.scope_begun, actor.free_at) = (begun, begun);
        }
        self.actors[queue].incomplete.retain(|b| b.seq != seq);
        if barrier.holds_fetches {
            self.release_fetches(queue, barrier.hold);
        }
        if let Some(causes) = &mut self.causes {
            causes.complete(queue, flight, seq, barrier.hold);
        }
        let mut released = 0;
        for leaf in barrier.hold.intersection(self.actors[queue].held).iter() {
            released += self.release(queue, leaf, timing);
            self.hand_over(queue, leaf, op.id);
        }
        self.let_go(flight, released);
        if is_entry(barrier.role) {
            let queued = self.flights[flight as usize].life.queued;
            self.note_command(&op, queued, now);
        }
        let dependants = std::mem::take(&mut self.flights[flight as usize].dependants);
        for dependant in &dependants {
            self.flights[*dependant as usize].follows = NONE;
        }
        self.look_at_barriers(queue);
        self.retire(flight);
        for dependant in dependants {
            self.try_drain(dependant);
        }
    }

    /// What the next barrier still holds waits for that from now on.
    fn hand_over(&mut self, queue: usize, leaf: Leaf, from: OpId) {
        let actor = &self.actors[queue];
        let Some(holder) = actor.holder(leaf).filter(|_| self.options.rows) else {
            return;
        };
        for Reverse((_, flight, _)) in &actor.leaves[leaf.index()].held {
            let life = &mut self.flights[*flight as usize].life;
            if life.reason == Some(Reason::WaitBarrier(from)) {
                life.turn(self.now, Reason::WaitBarrier(holder.op));
            }
        }
    }

    /// Lets tasks go that no barrier holds any more; returns how many.
    fn release(&mut self, queue: usize, leaf: Leaf, timing: u32) -> usize {
        let actor = &mut self.actors[queue];
        let until = actor.holder(leaf).map_or(u32::MAX, |barrier| barrier.seq);
        let state = &mut actor.leaves[leaf.index()];
        let at = self.now + self.profile.costs.resume;
        let mut free = Vec::new();
        while let Some(Reverse((s, flight, task))) = state.held.peek().copied() {
            if s > until {
                break;
            }
            state.held.pop();
            free.push((flight, task));
        }
        if !free.is_empty() {
            state.resumes = at;
            if let Some(causes) = &mut self.causes {
                causes.resume(queue, leaf.index());
            }
        }
        if state.held.is_empty() {
            actor.held = actor.held.minus(leaf.into());
        }
        if timing != NONE {
            self.exposure.of(timing).released += narrow(free.len());
        }
        let count = free.len();
        for (flight, task) in free {
            self.schedule(
                at,
                Event::Start {
                    flight,
                    task,
                    released: timing,
                },
            );
        }
        count
    }
}

/// What a barrier pays for.
struct Toll {
    /// Price of the waits.
    waits: Ps,
    /// There was no work since the last wait.
    idle: bool,
    /// Its operations that cost nothing, a bit each.
    free: u64,
}

impl super::Actor<'_> {
    /// What a barrier pays for. On a machine where a repeat is free, what counts is the work between two barriers in the queue,
    /// not what runs when.
    fn costs_of(&mut self, profile: &Profile, block: &Block, barrier: &BarrierOp) -> Toll {
        let leaves = barrier.wait.intersection(self.possible);
        if barrier.role == BarrierRole::ByRegion || barrier.is_order_of_engine() {
            // Tile by tile, or one piece of work after the other, work waits in order and for nothing else.
            let (waits, idle, free) = (Ps::ZERO, false, 0);
            return Toll { waits, idle, free };
        }
        if !profile.idle_drains_free {
            let (idle, free) = (false, 0);
            let waits = profile.drain_cost(leaves);
            return Toll { waits, idle, free };
        }
        let worked = leaves.intersection(self.worked);
        self.worked = self.worked.minus(worked);
        let switches = |step: &Step| matches!(step.kind, StepKind::EngineSwitch);
        let steps = barrier.steps.of(&block.steps);
        let priced = self.priced(worked);
        let waits = match barrier.role {
            BarrierRole::ScopeEnd => {
                let free = |leaf: &Leaf| profile.drain(*leaf).free_at_end;
                let free = priced
                    .iter()
                    .filter(free)
                    .fold(LeafSet::EMPTY, |all, leaf| all.union(leaf.into()));
                profile.drain_cost(priced.minus(free))
            }
            BarrierRole::Synchronous if steps.iter().any(switches) && profile.switch_waits_free => {
                Ps::ZERO
            }
            _ => profile.drain_cost(priced),
        };
        for leaf in worked.iter() {
            self.prices[leaf.index()] = LeafSet::EMPTY;
        }
        let mut free = 0;
        for (index, step) in steps.iter().enumerate() {
            if let StepKind::Invalidate { cache, .. } = step.kind {
                let fresh = &mut self.fresh[cache];
                if index < 64 {
                    free |= u64::from(*fresh) << index;
                }
                *fresh = true;
            }
        }
        // What the copy engine has done is no work of the front end's.
        let idle = priced.minus(Leaf::Copy.into()).is_empty();
        Toll { waits, idle, free }
    }

    /// The stages whose prices waiting for the work at these costs.
    fn priced(&self, worked: LeafSet) -> LeafSet {
        let prices = worked.iter().map(|leaf| self.prices[leaf.index()]);
        prices.fold(LeafSet::EMPTY, LeafSet::union)
    }
}

/// Whether a barrier packet is an entry of a `Barrier()` call.
fn is_entry(role: BarrierRole) -> bool {
    match role {
        BarrierRole::Whole
        | BarrierRole::SplitBegin
        | BarrierRole::SplitEnd
        | BarrierRole::ByRegion => true,
        BarrierRole::ScopeBegin
        | BarrierRole::ScopeEnd
        | BarrierRole::Synchronous
        | BarrierRole::Present
        | BarrierRole::PassBegin
        | BarrierRole::PassEnd
        | BarrierRole::Unasked => false,
    }
}
