//! Where the time of a run went: the critical path, slack, and how busy everything was.
//!
//! All of it follows from what the simulation recorded ([`Causes`]); nothing is simulated again. Times are exact.

mod costly_barrier;
mod path;
mod slack;

pub use path::{Frame, PathStep, Segment, frames, path};
pub use slack::{Slack, slack};

use crate::api::Leaf;
use crate::finding::{Finding, Rule};
use crate::hardware::Profile;
use crate::id::{NodeId, OpId, QueueId, Table};
use crate::order::Timeline;
use crate::program::{BarrierRole, HwOp, HwOpKind, Pool, Program};
use crate::time::Ps;
use crate::trace::{Causes, LaneKind, Reason, Trace};

/// Packets above which no causes are recorded: they would take more memory than the rest of a run.
pub const CAUSES_MAX: u32 = 1 << 15;

/// Rules of this family.
pub static RULES: &[&Rule] = &[&costly_barrier::RULE];

/// Findings about a run.
pub fn findings(
    timeline: &Timeline<'_>,
    profile: &Profile,
    program: &Program,
    stalls: &Stalls,
) -> Vec<Finding> {
    let costly = costly_barrier::finding(timeline, profile, program, &stalls.frames);
    costly.into_iter().collect()
}

/// What is said about one run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stalls {
    /// Frames in order of time; they tile the run.
    pub frames: Vec<Frame>,
    /// How much longer each node could take, by `NodeId`; `None` for one that did not run.
    pub slack: Vec<Option<Ps>>,
}

/// The critical paths and slacks of a run; `None` if it recorded no causes.
pub fn stalls(program: &Program, trace: &Trace) -> Option<Stalls> {
    let causes = trace.causes.as_deref()?;
    let slack = slack(causes);
    Some(Stalls {
        frames: frames(program, causes),
        slack: of_nodes(program, causes, &slack),
    })
}

/// The slack of each node: the least of its work's, or of all its packets if it has no work.
fn of_nodes(program: &Program, causes: &Causes, slack: &Slack) -> Vec<Option<Ps>> {
    let mut nodes: Table<NodeId, Option<(bool, Ps)>> = Table::filled(program.nodes as usize, None);
    for (_, op) in program.ops() {
        // The begin and the end of a scope are no node's.
        if causes.ends[op.id] == Causes::NEVER || is_of_scope(op) {
            continue;
        }
        let is_work = matches!(op.kind, HwOpKind::Work(_));
        let own = slack.of_op(op.id);
        let node = &mut nodes[op.origin.node];
        *node = match *node {
            Some((true, least)) if !is_work => Some((true, least)),
            Some((was_work, least)) if was_work == is_work => Some((is_work, least.min(own))),
            _ => Some((is_work, own)),
        };
    }
    nodes
        .into_iter()
        .map(|n| n.map(|(_, least)| least))
        .collect()
}

/// Whether a packet begins or ends a scope. Such a packet has a node even where its submission has none.
fn is_of_scope(op: &HwOp) -> bool {
    let HwOpKind::Barrier(barrier) = &op.kind else {
        return false;
    };
    matches!(
        barrier.role,
        BarrierRole::ScopeBegin | BarrierRole::ScopeEnd
    )
}

/// How busy a queue was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueUse {
    /// The queue.
    pub queue: QueueId,
    /// Time in which work of it ran.
    pub work: Ps,
    /// Time in which none ran, and a barrier waited or operated.
    pub barrier: Ps,
    /// Time in which none ran, and its front end waited for a fence.
    pub fence: Ps,
    /// Time in which none ran, and it was submitted to, launched, began or ended a scope.
    pub submit: Ps,
    /// Time in which each stage had work, for stages that had any.
    pub stages: Vec<(Leaf, Ps)>,
}

/// How busy each queue was.
pub fn queues(trace: &Trace) -> Vec<QueueUse> {
    let of = |(index, stages): (usize, &[Ps; Leaf::COUNT])| {
        let total = |kind| {
            let own = trace.lanes[index].iter().filter(|s| s.kind == kind);
            own.map(|s| s.end - s.start).sum()
        };
        let used = Leaf::ALL.iter().map(|leaf| (*leaf, stages[leaf.index()]));
        QueueUse {
            queue: QueueId::new(index),
            work: total(LaneKind::Work),
            barrier: total(LaneKind::Barrier),
            fence: total(LaneKind::Fence),
            submit: total(LaneKind::Submit),
            stages: used.filter(|(_, busy)| *busy > Ps::ZERO).collect(),
        }
    };
    trace.stages.iter().enumerate().map(of).collect()
}

/// A share of the whole in thousandths, rounded down.
pub fn permille(part: Ps, whole: Ps) -> u32 {
    let permille = u128::from(part.0) * 1000 / u128::from(whole.0.max(1));
    u32::try_from(permille).unwrap_or(u32::MAX)
}

/// What carries out a packet's stage, and the time that it takes undisturbed.
fn task(program: &Program, op: OpId, leaf: Leaf) -> Option<(Pool, Ps)> {
    let block = program.block_of(op);
    let HwOpKind::Work(work) = &block.op(op).kind else {
        return None;
    };
    let tasks = work.tasks.of(&block.tasks).iter();
    let mut own = tasks.filter(|task| task.leaf == leaf);
    own.next().map(|task| (task.pool, task.cost))
}

/// The node of a packet.
pub fn node(program: &Program, op: OpId) -> NodeId {
    program.op(op).origin.node
}

/// Time that barriers' own packets take on the critical paths, with what they did: all but launch and latency.
pub fn of_barriers<'f>(
    program: &Program,
    frames: impl IntoIterator<Item = &'f Frame>,
) -> Vec<(OpId, Reason, Ps)> {
    let segments = frames.into_iter().flat_map(|frame| &frame.path);
    let own = segments.filter(|s| is_barrier(program, s.op) && s.did != Reason::FrontEnd);
    own.map(|s| (s.op, s.did, s.end - s.start)).collect()
}

/// Whether a packet stands for an entry of a `Barrier()` call.
fn is_barrier(program: &Program, op: OpId) -> bool {
    let op = program.op(op);
    matches!(op.kind, HwOpKind::Barrier(_)) && op.origin.entry.is_some()
}
