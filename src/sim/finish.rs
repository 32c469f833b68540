//! Lanes while the simulation runs, and what can be said only at its end.

use super::{Engine, Front};
use crate::id::{NodeId, QueueId};
use crate::program::{BarrierRole, HwOpKind};
use crate::time::Ps;
use crate::trace::{BarrierTiming, LaneKind, LaneSegment, Stuck, Trace};

impl Engine<'_> {
    /// What a queue does now.
    fn lane_state(&self, queue: usize) -> Option<(LaneKind, NodeId)> {
        let actor = &self.actors[queue];
        let taken = actor.taken.map(|(_, op)| op.origin.node);
        if actor.active > 0 {
            // The node is asked for only when a segment begins; then the flight that has just begun is meant.
            return Some((LaneKind::Work, NodeId(u32::MAX)));
        }
        if let Some((_, _, flight)) = actor.incomplete.first() {
            let op = self.flights[*flight as usize].op;
            let kind = match &op.kind {
                HwOpKind::Barrier(barrier) => match barrier.role {
                    BarrierRole::Whole
                    | BarrierRole::SplitBegin
                    | BarrierRole::SplitEnd
                    | BarrierRole::Synchronous => LaneKind::Barrier,
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
            Front::Idle | Front::Ended => {
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
        if queue == self.cpu() {
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
        if self.idle_since < self.now {
            self.idle.push((self.idle_since, self.now));
        }
        self.note_use();
        self.memory.audit();
        self.trace.totals.memory_read_bytes = self.memory.read_bytes;
        self.trace.totals.memory_written_bytes = self.memory.written_bytes;
        self.note_stuck();
        let refills = std::mem::take(&mut self.refills);
        let mut barriers = std::mem::take(&mut self.trace.barriers);
        let idle = Idle::new(&self.idle);
        let mut windows = Vec::with_capacity(barriers.len());
        for (timing, (misses, scope_begun)) in barriers.iter_mut().zip(refills) {
            let end = cost(timing, misses);
            // What the begin of the scope costs is not the barrier's.
            let start = timing.arrival.max(scope_begun).min(end);
            timing.exposed = idle.between(start, end);
            windows.push((start, end));
        }
        self.trace.exposed = idle.under(windows);
        self.trace.barriers = barriers;
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
            if let (Front::WaitFence, Some((_, op))) = (actor.front, actor.taken)
                && let HwOpKind::WaitFence { fence, value } = op.kind
            {
                self.trace.stuck.push(Stuck {
                    queue: (index < self.cpu()).then(|| QueueId::new(index)),
                    node: op.origin.node,
                    fence,
                    value,
                    reached: self.fences[fence.index()],
                });
            }
        }
    }
}

/// Fills in a barrier's refill and returns the end of its window.
fn cost(timing: &mut BarrierTiming, misses: Ps) -> Ps {
    assert!(
        timing.completed != Ps::MAX,
        "every barrier that arrives completes: only front ends can be stuck"
    );
    let end = timing.first_held_start.unwrap_or(timing.completed);
    timing.refill = (end - timing.completed) + misses;
    end
}

/// When nothing ran on any queue: disjoint, ascending, with the sum of those before each.
struct Idle {
    spans: Vec<(Ps, Ps, Ps)>,
}

impl Idle {
    fn new(spans: &[(Ps, Ps)]) -> Self {
        let mut before = Ps::ZERO;
        let spans = spans
            .iter()
            .map(|(start, end)| {
                let entry = (*start, *end, before);
                before += *end - *start;
                entry
            })
            .collect();
        Self { spans }
    }

    /// Idle time before a moment.
    fn before(&self, moment: Ps) -> Ps {
        let at = self.spans.partition_point(|(start, ..)| *start < moment);
        match at.checked_sub(1).map(|i| self.spans[i]) {
            Some((start, end, before)) => before + (end.min(moment) - start),
            None => Ps::ZERO,
        }
    }

    fn between(&self, start: Ps, end: Ps) -> Ps {
        self.before(end) - self.before(start)
    }

    /// Idle time in the union of windows.
    fn under(&self, mut windows: Vec<(Ps, Ps)>) -> Ps {
        windows.sort_unstable();
        let mut total = Ps::ZERO;
        let mut covered = Ps::ZERO;
        for (start, end) in windows {
            let start = start.max(covered);
            if start < end {
                total += self.between(start, end);
                covered = end;
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_under_windows_is_counted_once() {
        let idle = Idle::new(&[(Ps(10), Ps(20)), (Ps(30), Ps(35))]);
        assert_eq!(idle.between(Ps(0), Ps(40)), Ps(15));
        assert_eq!(idle.between(Ps(12), Ps(31)), Ps(9));
        assert_eq!(
            idle.under(vec![(Ps(0), Ps(15)), (Ps(12), Ps(31)), (Ps(13), Ps(14))]),
            Ps(11)
        );
    }
}
