//! Front ends of queues, the CPU, and fences.

use super::actor::Stopped;
use super::causes::Need;
use super::feed::Held;
use super::{Engine, Event, Front, NONE, SimOptions};
use crate::id::{FenceId, SubmissionId, narrow};
use crate::program::{BarrierOp, BarrierRole, HwOp, HwOpKind};
use crate::time::Ps;
use crate::trace::{CommandTiming, Reason};

impl<'p> Engine<'p> {
    /// Lets a front end take up packets as long as it can.
    pub(super) fn pump(&mut self, actor: usize) {
        while self.actors[actor].front == Front::Idle {
            let Some((block, op)) = self.next(actor) else {
                break;
            };
            let (front, reason) = self.state_for(actor, &op);
            let this = &mut self.actors[actor];
            this.life.begin(self.now, reason, self.options.rows);
            this.front = front;
            if let Some(causes) = &mut self.causes {
                causes.take(actor, front == Front::WaitSlot);
            }
            self.arrive(actor, &op);
            self.actors[actor].taken = Some((block, op));
            self.look_ahead(actor);
            self.enter_state(actor);
        }
        self.update_lane(actor);
    }

    /// What a front end does with a packet that it has taken up, and why.
    fn state_for(&self, actor: usize, op: &HwOp) -> (Front, Reason) {
        let this = &self.actors[actor];
        let full = u64::from(this.in_flight) >= self.profile.costs.in_flight;
        match op.kind {
            // Entries of one call wait together.
            _ if let Some(by) = this.stopped.first().filter(|by| !is_of_call(op, by)) => {
                (Front::WaitBarrier, Reason::WaitBarrier(by.op))
            }
            HwOpKind::Work(_) | HwOpKind::Barrier(_) if full => (Front::WaitSlot, Reason::WaitSlot),
            HwOpKind::WaitFence { fence, value } if self.fences[fence] < value => {
                (Front::WaitFence, Reason::WaitFence(fence))
            }
            // A machine that waits for whole queues takes up the next call when the queue is idle.
            HwOpKind::Barrier(barrier)
                if barrier.role == BarrierRole::ScopeBegin
                    && this.in_flight > 0
                    && self.profile.drains_queue() =>
            {
                (Front::WaitIdle, Reason::WaitIdle)
            }
            HwOpKind::SignalFence { .. } | HwOpKind::Client(_) if this.in_flight > 0 => {
                (Front::WaitIdle, Reason::WaitIdle)
            }
            _ => (Front::Busy, launch_reason(op)),
        }
    }

    /// Begins what a front end does with the packet that it has taken up.
    fn enter_state(&mut self, actor: usize) {
        match self.actors[actor].front {
            Front::Busy => self.launch(actor),
            Front::WaitIdle => self.look_at_barriers(actor),
            Front::WaitFence => {
                if let Some((_, op)) = &self.actors[actor].taken
                    && let HwOpKind::WaitFence { fence, .. } = op.kind
                {
                    self.fence_waiters[fence].push(narrow(actor));
                }
            }
            _ => {}
        }
    }

    /// A barrier that takes effect keeps the front end until its waits are over (reading R77).
    pub(super) fn stop_front_end(
        &mut self,
        queue: usize,
        seq: u32,
        op: &HwOp,
        barrier: &BarrierOp,
    ) {
        let actor = &mut self.actors[queue];
        let wait = barrier.wait.intersection(actor.possible);
        if barrier.waits_in_order() && self.profile.wait_stops_front_end(wait) {
            actor.stopped.push(Stopped {
                seq,
                op: op.id,
                node: op.origin.node,
            });
        }
    }

    /// A barrier's waits are over: the front end goes on if that barrier kept it.
    pub(super) fn waited(&mut self, flight: u32) {
        let f = &self.flights[flight as usize];
        let queue = f.queue as usize;
        let stopped = &mut self.actors[queue].stopped;
        let Some(at) = stopped.iter().position(|by| by.seq == f.seq) else {
            return;
        };
        stopped.remove(at);
        if let Some(causes) = &mut self.causes {
            causes.waited(queue, flight);
        }
        let is_free = self.actors[queue].stopped.is_empty();
        if self.actors[queue].front != Front::WaitBarrier || !is_free {
            return;
        }
        let Some((_, op)) = self.actors[queue].taken else {
            return;
        };
        let (front, reason) = self.state_for(queue, &op);
        let this = &mut self.actors[queue];
        this.front = front;
        this.life.turn(self.now, reason);
        if let Some(causes) = &mut self.causes {
            causes.retake(queue, front == Front::WaitSlot);
        }
        self.enter_state(queue);
        self.update_lane(queue);
    }

    /// The next packet of an actor. The CPU hands blocks of queues over as it comes to them.
    fn next(&mut self, actor: usize) -> Option<(Held<'p>, HwOp)> {
        loop {
            let this = &mut self.actors[actor];
            if let Some(block) = &this.block {
                if let Some(op) = block.ops.get(this.next) {
                    this.next += 1;
                    return Some((block.clone(), *op));
                }
                this.block = None;
            }
            let next = if actor == self.cpu() {
                let index = self.cpu_block;
                if index == self.feed.count() {
                    return None;
                }
                self.cpu_block += 1;
                if let Some(queue) = self.feed.queue(index) {
                    let cpu = self.cpu();
                    if let Some(causes) = &mut self.causes {
                        causes.submit(index, cpu);
                    }
                    let now = self.now;
                    if let Some(at) = self.trace.submitted.get_mut(SubmissionId::new(index)) {
                        *at = now;
                    }
                    self.actors[queue.index()].submit(narrow(index));
                    self.pump(queue.index());
                    continue;
                }
                index
            } else {
                self.actors[actor].begin()? as usize
            };
            if let Some(causes) = &mut self.causes {
                causes.begin_block(actor, next);
            }
            self.actors[actor].block = Some(self.feed.take(next));
            self.actors[actor].next = 0;
        }
    }

    /// Spends the launch time of the packet that was taken up.
    fn launch(&mut self, actor: usize) {
        let now = self.now;
        let this = &mut self.actors[actor];
        let Some((_, op)) = &this.taken else { return };
        this.front = Front::Busy;
        this.life.turn(now, launch_reason(op));
        let launch = op.launch;
        let is_timed = this.taken_timing != NONE;
        if let (Some(causes), HwOpKind::WaitFence { fence, value }) = (&mut self.causes, op.kind) {
            causes.reach(actor, fence, value);
        }
        self.schedule(
            now + launch,
            Event::FrontEnd {
                actor: narrow(actor),
            },
        );
        if is_timed {
            self.look_at_barriers(actor);
        }
    }

    /// Something that a front end may wait for has happened.
    pub(super) fn wake(&mut self, actor: usize) {
        let this = &self.actors[actor];
        let ready = match this.front {
            Front::WaitSlot => u64::from(this.in_flight) < self.profile.costs.in_flight,
            Front::WaitIdle => this.in_flight == 0,
            Front::Idle | Front::Busy | Front::WaitFence | Front::WaitBarrier | Front::Ended => {
                false
            }
        };
        if ready {
            self.launch(actor);
        }
    }

    /// The launch time is over: the packet takes effect.
    pub(super) fn front_end(&mut self, actor: usize) {
        if self.actors[actor].front != Front::Busy {
            return;
        }
        let Some((block, op)) = self.actors[actor].taken.take() else {
            // The last group of what it had taken up before is launched.
            if let Some(causes) = &mut self.causes {
                causes.tailed(actor, Reason::FrontEnd, self.now);
            }
            self.actors[actor].front = Front::Idle;
            self.pump(actor);
            return;
        };
        self.note_launch(actor, &op);
        match &op.kind {
            HwOpKind::Work(work) => self.issue_work(actor, &block, op, *work),
            HwOpKind::Barrier(barrier) => self.issue_barrier(actor, &block, op, *barrier),
            HwOpKind::SignalFence { fence, value } => {
                self.end_of_front(actor, &op);
                self.set_fence(*fence, *value);
            }
            HwOpKind::WaitFence { .. } => self.end_of_front(actor, &op),
            HwOpKind::Client(client) => {
                self.client(actor, &block, &op, client);
                self.end_of_front(actor, &op);
            }
            HwOpKind::Reset { queue } => {
                self.end_of_front(actor, &op);
                self.reset(queue.map(crate::id::QueueId::index));
            }
        }
        if op.tail > Ps::ZERO && self.actors[actor].front == Front::Busy {
            let actor = narrow(actor);
            self.schedule(self.now + op.tail, Event::FrontEnd { actor });
            return;
        }
        if self.actors[actor].front == Front::Busy {
            self.actors[actor].front = Front::Idle;
        }
        self.pump(actor);
    }

    /// Notes why a packet takes effect only now.
    fn note_launch(&mut self, actor: usize, op: &HwOp) {
        let Some(causes) = &mut self.causes else {
            return;
        };
        let slots = Need::Slot(u32::try_from(self.profile.costs.in_flight).unwrap_or(u32::MAX));
        let need = match op.kind {
            HwOpKind::Barrier(barrier)
                if barrier.role == BarrierRole::ScopeBegin
                    && self.profile.drains_queue()
                    && !causes.is_full(actor) =>
            {
                Need::Idle
            }
            HwOpKind::Work(_) | HwOpKind::Barrier(_) => slots,
            HwOpKind::SignalFence { .. } | HwOpKind::Client(_) => Need::Idle,
            HwOpKind::WaitFence { .. } | HwOpKind::Reset { .. } => Need::Nothing,
        };
        causes.launched(actor, op.id, need, (launch_reason(op), op.launch, self.now));
    }

    /// The life of a packet that never flies ends.
    fn end_of_front(&mut self, actor: usize, op: &HwOp) {
        let now = self.now;
        let life = &mut self.actors[actor].life;
        life.close(now);
        let queued = life.queued;
        let SimOptions { rows, spans, .. } = self.options;
        self.trace
            .record(op.id, queued, now, &life.spans, rows, spans);
        if let Some(causes) = &mut self.causes {
            causes.over(op.id);
        }
        self.note_command(op, queued, now);
        self.trace.makespan = now;
    }

    /// Notes when a command ran that has no work of its own.
    pub(super) fn note_command(&mut self, op: &HwOp, start: Ps, end: Ps) {
        if !self.options.rows {
            return;
        }
        let slot = &mut self.trace.commands[op.origin.node];
        *slot = if slot.ran() {
            CommandTiming {
                start: slot.start.min(start),
                end: slot.end.max(end),
            }
        } else {
            CommandTiming { start, end }
        };
    }

    fn set_fence(&mut self, fence: FenceId, value: u64) {
        self.fences[fence] = value;
        if let Some(causes) = &mut self.causes {
            causes.set_fence(fence, value);
        }
        let waiting = std::mem::take(&mut self.fence_waiters[fence]);
        for actor in waiting {
            let reached = match &self.actors[actor as usize].taken {
                Some((
                    _,
                    HwOp {
                        kind: HwOpKind::WaitFence { value: asked, .. },
                        ..
                    },
                )) => value >= *asked,
                _ => false,
            };
            if self.actors[actor as usize].front != Front::WaitFence {
                continue;
            }
            if reached {
                self.launch(actor as usize);
                self.update_lane(actor as usize);
            } else {
                self.fence_waiters[fence].push(actor);
            }
        }
    }
}

/// Whether a packet is an entry of the call of a barrier that keeps the front end.
fn is_of_call(op: &HwOp, by: &Stopped) -> bool {
    op.origin.entry.is_some() && op.origin.node == by.node
}

/// Why a packet spends its launch time.
fn launch_reason(op: &HwOp) -> Reason {
    match op.kind {
        HwOpKind::Work(_) | HwOpKind::Barrier(_) | HwOpKind::WaitFence { .. } => Reason::FrontEnd,
        HwOpKind::SignalFence { .. } => Reason::Signal,
        HwOpKind::Client(_) | HwOpKind::Reset { .. } => Reason::Client,
    }
}
