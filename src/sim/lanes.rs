//! What the trace says of queues as a whole: lanes, idle time, exposed barrier time.

use crate::id::NodeId;
use crate::program::Program;
use crate::time::Ps;
use crate::trace::{LaneKind, LaneSegment, Trace};

/// Work as it ran: queue, begin, end, node.
type Run = (u32, Ps, Ps, NodeId);

/// Fills lanes and exposed times from what ran and what waited.
pub(super) fn fill(trace: &mut Trace, program: &Program, runs: &mut [Run], waits: &[Vec<(Ps, Ps, NodeId)>]) {
    runs.sort_unstable_by_key(|(queue, start, end, node)| (*start, *end, *queue, *node));
    let idle = idle_intervals(runs, trace.makespan);
    expose(trace, &idle);
    let windows = windows(trace, program);
    for queue in 0..program.queues.len() {
        let own: Vec<&Run> = runs.iter().filter(|run| run.0 == queue as u32).collect();
        trace.lanes[queue] = lane(&own, &waits[queue], &windows[queue], trace.makespan);
    }
}

/// Moments at which nothing runs on any queue.
fn idle_intervals(runs: &[Run], makespan: Ps) -> Vec<(Ps, Ps)> {
    let mut idle = Vec::new();
    let mut busy_until = Ps::ZERO;
    for (_, start, end, _) in runs {
        if *start > busy_until {
            idle.push((busy_until, *start));
        }
        busy_until = busy_until.max(*end);
    }
    if makespan > busy_until {
        idle.push((busy_until, makespan));
    }
    idle
}

/// Time of each barrier, and of all together, during which nothing ran.
fn expose(trace: &mut Trace, idle: &[(Ps, Ps)]) {
    // Idle time before each interval, so that any window is two binary searches.
    let mut before = Vec::with_capacity(idle.len() + 1);
    let mut sum = Ps::ZERO;
    for (start, end) in idle {
        before.push(sum);
        sum += *end - *start;
    }
    before.push(sum);
    let idle_until = |time: Ps| {
        let at = idle.partition_point(|(start, _)| *start < time);
        match at.checked_sub(1).map(|i| idle[i]) {
            Some((start, end)) => before[at - 1] + (time.min(end) - start),
            None => Ps::ZERO,
        }
    };
    let mut windows: Vec<(Ps, Ps)> = Vec::with_capacity(trace.barriers.len());
    for barrier in &mut trace.barriers {
        let end = barrier.first_held_start.unwrap_or(barrier.completed);
        barrier.exposed = idle_until(end) - idle_until(barrier.arrival);
        windows.push((barrier.arrival, end));
    }
    windows.sort_unstable();
    let mut covered = Ps::ZERO;
    let mut total = Ps::ZERO;
    for (start, end) in windows {
        let start = start.max(covered);
        if end > start {
            total += idle_until(end) - idle_until(start);
            covered = end;
        }
    }
    trace.exposed = total;
}

/// Times of each queue's barriers, sorted by begin.
fn windows(trace: &Trace, program: &Program) -> Vec<Vec<(Ps, Ps, NodeId)>> {
    let mut windows = vec![Vec::new(); program.queues.len()];
    for barrier in &trace.barriers {
        let block = program.blocks.partition_point(|b| b.first_op <= barrier.op) - 1;
        let end = barrier.first_held_start.unwrap_or(barrier.completed);
        // Empty blocks share their first id with the block behind them.
        let owner = program.blocks[..=block].iter().rev().find(|b| !b.ops.is_empty());
        if let Some(queue) = owner.and_then(|b| b.queue) {
            windows[queue.index()].push((barrier.arrival, end, barrier.barrier.node));
        }
    }
    windows.iter_mut().for_each(|rows| rows.sort_unstable());
    windows
}

/// One queue: its work, and why it was idle between.
fn lane(
    runs: &[&Run],
    waits: &[(Ps, Ps, NodeId)],
    barriers: &[(Ps, Ps, NodeId)],
    makespan: Ps,
) -> Vec<LaneSegment> {
    let mut segments: Vec<LaneSegment> = Vec::new();
    let mut at = Ps::ZERO;
    for (_, start, end, node) in runs {
        gap(at, *start, *node, waits, barriers, &mut segments);
        let start = (*start).max(at);
        if *end > start {
            segments.push(LaneSegment { start, end: *end, kind: LaneKind::Work, node: *node });
            at = *end;
        }
    }
    let last = runs.last().map_or(NodeId(0), |run| run.3);
    gap(at, makespan, last, waits, barriers, &mut segments);
    segments
}

/// An idle stretch: a fence wait if there was one in it, else a barrier, else submission.
fn gap(
    start: Ps,
    end: Ps,
    next: NodeId,
    waits: &[(Ps, Ps, NodeId)],
    barriers: &[(Ps, Ps, NodeId)],
    segments: &mut Vec<LaneSegment>,
) {
    if end <= start {
        return;
    }
    let overlaps = |(from, until, _): &&(Ps, Ps, NodeId)| *from < end && *until > start;
    let fence = waits.iter().find(overlaps);
    // Few barriers are open at once: those that began last before the gap's end are enough.
    const OPEN_MAX: usize = 64;
    let began = barriers.partition_point(|(from, ..)| *from < end);
    let barrier = barriers[..began].iter().rev().take(OPEN_MAX).find(overlaps);
    let (kind, node) = match (fence, barrier) {
        (Some((.., node)), _) => (LaneKind::Fence, *node),
        (None, Some((.., node))) => (LaneKind::Barrier, *node),
        (None, None) => (LaneKind::Submit, next),
    };
    segments.push(LaneSegment { start, end, kind, node });
}
