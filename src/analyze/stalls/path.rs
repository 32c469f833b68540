//! The critical path: the chain of causes back from an end to the start of time.

use super::task;
use crate::id::{MomentId, NodeId, OpId};
use crate::program::{Client, HwOpKind, Pool, Program};
use crate::time::Ps;
use crate::trace::{Causes, Link, Reason, Why};

/// Part of a critical path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// When the segment begins.
    pub start: Ps,
    /// End; the next segment begins there.
    pub end: Ps,
    /// The packet that spent the time.
    pub op: OpId,
    /// What the packet did.
    pub did: Reason,
    /// Why it began no earlier, and whose end it waited for; `None` where the packet just went on.
    pub after: Option<(Why, OpId)>,
    /// Part of the time that fetched what a barrier had dropped.
    pub refill: Ps,
    /// Part of the time that was lost because other work shared the pool.
    pub shared: Ps,
    /// Those others; the packet's own node stands for its other stages.
    pub shared_with: Vec<NodeId>,
}

/// The time between two presents, or to the end of the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// When the frame begins.
    pub start: Ps,
    /// When the frame ends.
    pub end: Ps,
    /// The present that ended it; `None`: the end of the run.
    pub present: Option<NodeId>,
    /// What it waited for all along: segments that tile it.
    pub path: Vec<Segment>,
}

/// Frames of a run: one ends at each present, and the last at the end of the run.
pub fn frames(program: &Program, causes: &Causes) -> Vec<Frame> {
    let presents = program.ops().filter(
        |(_, op)| matches!(&op.kind, HwOpKind::Client(client) if client.client == Client::Display),
    );
    let mut ends: Vec<(Ps, MomentId, Option<NodeId>)> = presents
        .map(|(_, op)| (causes.ends[op.id], op.origin.node))
        .filter(|(end, _)| *end != Causes::NEVER)
        .map(|(end, node)| (causes.at(end), end, Some(node)))
        .collect();
    let last = causes.last();
    if ends.iter().all(|(at, ..)| *at < causes.at(last)) {
        ends.push((causes.at(last), last, None));
    }
    ends.sort_unstable();
    let mut frames: Vec<Frame> = Vec::with_capacity(ends.len());
    let mut start = Ps::ZERO;
    for (end, moment, present) in ends {
        // Several presents of one moment end one frame.
        if end == start && !frames.is_empty() {
            continue;
        }
        let mut path = path(causes, moment, start);
        measure(program, causes, &mut path);
        frames.push(Frame {
            start,
            end,
            present,
            path: path.into_iter().map(|step| step.segment).collect(),
        });
        start = end;
    }
    frames
}

/// A segment with the link that it was made from.
#[derive(Clone, Debug)]
pub struct PathStep {
    /// The segment.
    pub segment: Segment,
    /// Begin of the link, which may lie before the segment's.
    begin: Ps,
    takes: Ps,
}

/// The chain of causes from a moment back to `floor`, in order of time. Its segments tile `floor..` the moment's time.
///
/// # Panics
/// If the causes do not explain a moment, which [`Causes::check`] excludes.
pub fn path(causes: &Causes, end: MomentId, floor: Ps) -> Vec<PathStep> {
    let mut steps: Vec<PathStep> = Vec::new();
    let mut at = end;
    while causes.at(at) > floor {
        let link = *causes
            .binding(at)
            .expect("every moment but the first has a cause");
        let earlier = owner(causes, link.from);
        let this = causes.moment(at).op;
        // The time in which held work starts again is the barrier's.
        let whose = if link.did == Reason::Resume {
            earlier
        } else {
            this
        };
        let note = |steps: &mut Vec<PathStep>, op: Option<OpId>| {
            if let (Some(step), Some(op), Some(from)) = (steps.last_mut(), op, earlier)
                && step.segment.op == op
                && op != from
                && step.segment.after.is_none()
            {
                step.segment.after = Some((link.why, from));
            }
        };
        if whose != this {
            note(&mut steps, this);
        }
        if let (Some(op), true) = (whose, link.takes > Ps::ZERO) {
            push(&mut steps, causes, &link, op, (at, floor));
        }
        note(&mut steps, whose);
        at = link.from;
    }
    steps.reverse();
    steps
}

/// Adds a link in front of those that were found.
fn push(
    steps: &mut Vec<PathStep>,
    causes: &Causes,
    link: &Link,
    op: OpId,
    (at, floor): (MomentId, Ps),
) {
    let begin = causes.at(link.from);
    let (start, end) = (begin.max(floor), causes.at(at));
    let is_work = matches!(link.did, Reason::Work(_));
    if let Some(last) = steps.last_mut()
        && last.segment.op == op
        && last.segment.did == link.did
        && last.segment.after.is_none()
        && !is_work
    {
        last.segment.start = start;
        return;
    }
    // What a stage lost to misses is part of its work, and on the path only if that is.
    let refills = &causes.refills;
    let lost = refills.binary_search_by_key(&at, |(moment, _)| *moment);
    let lost = lost.map_or(Ps::ZERO, |i| refills[i].1);
    let refill = if is_work {
        lost.min(link.takes).min(end - start)
    } else {
        Ps::ZERO
    };
    steps.push(PathStep {
        segment: Segment {
            start,
            end,
            op,
            did: link.did,
            after: None,
            refill,
            shared: Ps::ZERO,
            shared_with: Vec::new(),
        },
        begin,
        takes: link.takes,
    });
}

/// Whose a moment is; a meeting is the last one's who came.
fn owner(causes: &Causes, mut at: MomentId) -> Option<OpId> {
    loop {
        if let Some(op) = causes.moment(at).op {
            return Some(op);
        }
        at = causes.binding(at)?.from;
    }
}

/// Finds out what shared pools cost, and who shared them.
fn measure(program: &Program, causes: &Causes, path: &mut [PathStep]) {
    let mut pools: Vec<(usize, Pool)> = Vec::new();
    for (index, step) in path.iter_mut().enumerate() {
        let Reason::Work(leaf) = step.segment.did else {
            continue;
        };
        let Some((pool, undisturbed)) = task(program, step.segment.op, leaf) else {
            continue;
        };
        let segment = &mut step.segment;
        let shared = step.takes.saturating_sub(undisturbed + segment.refill);
        let length = segment.end - segment.start;
        segment.refill = segment.refill.min(length);
        segment.shared = shared.min(length);
        if shared > Ps::ZERO && pool != Pool::Fixed {
            pools.push((index, pool));
        }
    }
    if !pools.is_empty() {
        name(program, causes, path, &pools);
    }
}

/// Names who shared pools with the steps of a path that lost time to that. Both are walked in order of time.
fn name(program: &Program, causes: &Causes, path: &mut [PathStep], slowed: &[(usize, Pool)]) {
    let mut tasks = tasks(program, causes);
    tasks.sort_unstable_by_key(|task| task.start);
    let mut next = 0;
    let mut open: Vec<Task> = Vec::new();
    for (index, pool) in slowed {
        let step = &mut path[*index];
        let (start, end) = (step.begin, step.begin + step.takes);
        open.retain(|task| task.end > start);
        while let Some(task) = tasks.get(next).filter(|task| task.start < end) {
            if task.end > start {
                open.push(*task);
            }
            next += 1;
        }
        let others = open.iter().filter(|task| {
            let itself = task.op == step.segment.op && task.end == end && task.start == start;
            task.pool == *pool && task.start < end && task.end > start && !itself
        });
        let mut nodes: Vec<NodeId> = others.map(|task| super::node(program, task.op)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        step.segment.shared_with = nodes;
    }
}

/// When a pool worked for a packet.
#[derive(Copy, Clone)]
struct Task {
    start: Ps,
    end: Ps,
    pool: Pool,
    op: OpId,
}

fn tasks(program: &Program, causes: &Causes) -> Vec<Task> {
    let mut tasks = Vec::new();
    for index in 0..causes.moments.len() {
        let id = MomentId::new(index);
        let Some(op) = causes.moment(id).op else {
            continue;
        };
        for link in causes.links(id) {
            if let (Reason::Work(leaf), Why::Flow) = (link.did, link.why)
                && let Some((pool, _)) = task(program, op, leaf)
            {
                tasks.push(Task {
                    start: causes.at(link.from),
                    end: causes.end_of(link),
                    pool,
                    op,
                });
            }
        }
    }
    tasks
}
