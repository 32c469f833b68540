//! Lanes while the simulation runs, and what can be said only at its end.

use super::exposure::Exposure;
use super::{Engine, Front};
use crate::id::{NodeId, QueueId};
use crate::program::{BarrierRole, HwOpKind};
use crate::trace::{LaneKind, LaneSegment, Stuck, Trace};

impl Engine<'_> {
    /// What a queue does now.
    fn lane_state(&self, queue: usize) -> Option<(LaneKind, NodeId)> {
        let actor = &self.actors[queue];
        let taken = actor.taken.as_ref().map(|(_, op)| op.origin.node);
        if actor.active > 0 {
            // The node is needed only when a segment starts, and is then the flight that has just started.
            return Some((LaneKind::Work, NodeId(u32::MAX)));
        }
        if let Some(first) = actor.incomplete.first() {
            let op = &self.flights[first.flight as usize].op;
            let kind = match &op.kind {
                HwOpKind::Barrier(barrier) => match barrier.role {
                    BarrierRole::Whole
                    | BarrierRole::SplitBegin
                    | BarrierRole::SplitEnd
                    | BarrierRole::Synchronous
                    | BarrierRole::ByRegion
                    | BarrierRole::PassBegin
                    | BarrierRole::PassEnd
                    | BarrierRole::Unasked => LaneKind::Barrier,
                    BarrierRole::ScopeBegin | BarrierRole::ScopeEnd | BarrierRole::Present => {
                        LaneKind::Submit
                    }
                },
                _ => LaneKind::Submit,
            };
            return Some((kind, op.origin.node));
        }
        match actor.front {
            Front::WaitFence => Some((LaneKind::Fence, taken?)),
            Front::Busy | Front::WaitSlot | Front::WaitIdle => Some((LaneKind::Submit, taken?)),
            Front::Idle | Front::WaitBarrier | Front::Ended => {
                let flying = self
                    .flights
                    .iter()
                    .find(|f| actor.in_flight > 0 && f.queue as usize == queue);
                flying.map(|f| (LaneKind::Submit, f.op.origin.node))
            }
        }
    }

    /// Closes a queue's open segment if it does something else now.
    pub(super) fn update_lane(&mut self, queue: usize) {
        if queue == self.cpu() || !self.options.rows {
            return;
        }
        let state = self.lane_state(queue);
        let open = self.actors[queue].lane;
        if open.map(|(_, kind, _)| kind) == state.map(|(kind, _)| kind) {
            return;
        }
        self.close_lane(queue);
        self.actors[queue].lane = state.map(|(kind, node)| {
            let node = if node.0 == u32::MAX {
                self.newest(queue)
            } else {
                node
            };
            (self.now, kind, node)
        });
    }

    /// The command that began last.
    fn newest(&self, queue: usize) -> NodeId {
        let running = self
            .flights
            .iter()
            .filter(|f| f.active && f.queue as usize == queue);
        running.map(|f| f.op.origin.node).max().unwrap_or(NodeId(0))
    }

    fn close_lane(&mut self, queue: usize) {
        let Some((start, kind, node)) = self.actors[queue].lane.take() else {
            return;
        };
        if start == self.now {
            return;
        }
        let lane = &mut self.trace.lanes[queue];
        match lane.last_mut() {
            Some(last) if last.kind == kind && last.end == start => last.end = self.now,
            _ => lane.push(LaneSegment {
                start,
                end: self.now,
                kind,
                node,
            }),
        }
    }

    /// The trace, complete.
    pub(super) fn finish(mut self) -> Trace {
        self.now = self.trace.makespan;
        for queue in 0..self.cpu() {
            self.close_lane(queue);
        }
        let in_flight = self.actors.iter().any(|actor| actor.in_flight > 0);
        if in_flight || self.trace.is_cut {
            // What is under way would end after the clock does.
            self.trace.is_cut = true;
            return self.trace;
        }
        self.charge();
        self.note_use();
        self.memory.audit();
        self.trace.totals.memory_read_bytes = self.memory.read_bytes;
        self.trace.totals.evictions = self.memory.evictions;
        self.trace.totals.memory_written_bytes = self.memory.written_bytes;
        self.note_stuck();
        self.trace.samples.sort_by_key(|sample| sample.node);
        let exposure = std::mem::replace(&mut self.exposure, Exposure::new(false));
        let exposed = exposure.finish();
        self.trace.exposed = exposed.total;
        self.trace.exposed_at = exposed.times;
        self.trace.barriers = exposed.barriers;
        self.trace
    }

    /// How much stages and pools were used, and why nothing came earlier.
    fn note_use(&mut self) {
        let queues = &self.actors[..self.cpu()];
        let busy = |leaf: usize, queue: &super::Actor<'_>| queue.leaves[leaf].busy;
        let stages = queues
            .iter()
            .map(|queue| std::array::from_fn(|leaf| busy(leaf, queue)));
        self.trace.stages = stages.collect();
        self.trace.pools = self.pools.iter().map(|pool| pool.used).collect();
        self.trace.causes = self.causes.take().map(|causes| Box::new(causes.finish()));
    }

    /// Waits that nothing satisfied.
    fn note_stuck(&mut self) {
        for (index, actor) in self.actors.iter().enumerate() {
            if let (Front::WaitFence, Some((_, op))) = (actor.front, &actor.taken)
                && let HwOpKind::WaitFence { fence, value } = op.kind
            {
                self.trace.stuck.push(Stuck {
                    queue: (index < self.cpu()).then(|| QueueId::new(index)),
                    node: op.origin.node,
                    fence,
                    value,
                    reached: self.fences[fence],
                    since: actor.life.queued,
                });
            }
        }
    }
}
