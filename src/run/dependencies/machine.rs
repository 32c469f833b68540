//! The relations that need a machine: what packets ensure, and what waiting was paid.

use crate::analyze::lowering::Judged;
use crate::ensure::What;
use crate::graph::{DependencyGraph, Edge, Effect, Node, Reason, Relation};
use crate::id::{BarrierRef, MomentId, NodeId, OpId, SubmissionId};
use crate::order::{SubmissionKind, Timeline};
use crate::program::{BarrierRole, HwOp, HwOpKind, Program};
use crate::time::Ps;
use crate::trace::{Causes, Reason as Waited, Trace, Why};
use petgraph::visit::EdgeRef;
use std::collections::BTreeMap;

/// Every asked edge once more, as the packets see to it; *missing* where the barrier lacks the operation.
pub(super) fn ensured(graph: &DependencyGraph, judged: &Judged) -> Vec<(Node, Node, Edge)> {
    let lacks = |barrier: BarrierRef, effect: Effect| {
        let mut missing = judged.missing.iter().map(|lack| lack.shortfall);
        missing.any(|shortfall| {
            shortfall.barrier == barrier
                && match shortfall.what {
                    What::Wait(_) | What::Hold(_) | What::FrontEnd | What::FirstHalf => true,
                    What::Clean(_) | What::Invalidate(_) => effect != Effect::Order,
                    What::Layout(_) => effect == Effect::Layout,
                }
        })
    };
    graph
        .graph
        .edge_references()
        .filter(|edge| edge.weight().relation == Relation::Asked)
        .map(|edge| {
            let (from, to) = (graph.graph[edge.source()], graph.graph[edge.target()]);
            let weight = *edge.weight();
            let is_missing = [from, to].iter().any(|node| match node {
                Node::Barrier(barrier) => lacks(*barrier, weight.effect),
                Node::Command(_) | Node::Submission(_) => false,
            });
            let ensured = Edge {
                relation: Relation::Ensured,
                reason: if is_missing {
                    Reason::Missing
                } else {
                    weight.reason
                },
                ..weight
            };
            (from, to, ensured)
        })
        .collect()
}

/// Who waited for whom in a simulation, and for how long: a barrier or the end of a scope for the work that ended last
/// before it, work for the barrier that held it, a wait for its signal.
///
/// What a barrier waited for is what the run recorded as the reason of that moment, never what happened to end before.
pub(super) fn paid(
    timeline: &Timeline<'_>,
    program: &Program,
    trace: &Trace,
) -> Vec<(Node, Node, Edge)> {
    let ops = || program.blocks.iter().flat_map(|block| &block.ops);
    let origins: BTreeMap<OpId, Node> = ops()
        .filter_map(|op| Some((op.id, origin(timeline, op)?)))
        .collect();
    let drained = trace.causes.as_deref().map(drained_by).unwrap_or_default();
    let mut costs: BTreeMap<(Node, Node, Reason), Ps> = BTreeMap::new();
    for op in ops() {
        let Some(to) = origins.get(&op.id).copied() else {
            continue;
        };
        let drains = if matches!(to, Node::Submission(_)) {
            Reason::Scope
        } else {
            Reason::Drain
        };
        for (start, span) in trace.spans(op.id) {
            let (from, reason) = match span.reason {
                Waited::WaitBarrier(by) => (origins.get(&by).copied(), Reason::Hold),
                Waited::Drain => {
                    let work = drained.get(&op.id).and_then(|work| origins.get(work));
                    (work.copied(), drains)
                }
                Waited::WaitFence(_) => (signal(timeline, to), Reason::Fence),
                _ => continue,
            };
            let to = end_of(timeline, to, reason);
            if let Some(from) = from.filter(|from| *from != to) {
                let sum = costs.entry((from, to, reason)).or_default();
                *sum += span.end - start;
            }
        }
    }
    costs
        .into_iter()
        .map(|((from, to, reason), time)| {
            let edge = Edge {
                relation: Relation::Paid,
                effect: Effect::Order,
                reason,
                resource: None,
                paid_ps: time.0,
            };
            (from, to, edge)
        })
        .collect()
}

/// What of the text a packet stands for; `None`: nothing that another command could wait for.
fn origin(timeline: &Timeline<'_>, op: &HwOp) -> Option<Node> {
    let node = op.origin.node;
    let HwOpKind::Barrier(barrier) = &op.kind else {
        return Some(Node::Command(node));
    };
    match barrier.role {
        BarrierRole::Whole
        | BarrierRole::SplitBegin
        | BarrierRole::SplitEnd
        | BarrierRole::ByRegion => {
            let entry = op.origin.entry?;
            Some(Node::Barrier(BarrierRef { node, entry }))
        }
        BarrierRole::ScopeEnd => Some(Node::Submission(timeline.submission_of(node))),
        // What comes after a synchronous copy waits for the copy.
        BarrierRole::Synchronous | BarrierRole::Present => Some(Node::Command(node)),
        // Neither the start of a scope nor that of a render pass is anybody's work, nor is what a driver writes by itself.
        BarrierRole::ScopeBegin
        | BarrierRole::PassBegin
        | BarrierRole::PassEnd
        | BarrierRole::Unasked => None,
    }
}

/// By barrier packet, the work packet whose end it had waited for last.
pub(in crate::run) fn drained_by(causes: &Causes) -> BTreeMap<OpId, OpId> {
    let mut drained = BTreeMap::new();
    for index in 0..causes.moments.len() {
        let id = MomentId::new(index);
        let Some(op) = causes.moment(id).op else {
            continue;
        };
        let at = causes.at(id);
        let mut links = causes.links(id).iter();
        let binds = links.find(|l| l.why == Why::Drain && causes.end_of(l) == at);
        if let Some(work) = binds.and_then(|link| met(causes, link.from)) {
            drained.entry(op).or_insert(work);
        }
    }
    drained
}

/// The packet that came last to a meeting, or whose moment it is.
fn met(causes: &Causes, mut id: MomentId) -> Option<OpId> {
    while id != Causes::START {
        if let Some(op) = causes.moment(id).op {
            return Some(op);
        }
        id = causes
            .links(id)
            .iter()
            .max_by_key(|l| causes.at(l.from))?
            .from;
    }
    None
}

fn node_of(node: Node) -> Option<NodeId> {
    match node {
        Node::Command(node) => Some(node),
        Node::Barrier(barrier) => Some(barrier.node),
        Node::Submission(_) => None,
    }
}

/// The submission of the signal that a wait came after.
fn signal(timeline: &Timeline<'_>, wait: Node) -> Option<Node> {
    let id = timeline.submission_of(node_of(wait)?);
    timeline.awaited_signal(id).map(Node::Submission)
}

/// A wait stands for its submission, as in the other relations.
fn end_of(timeline: &Timeline<'_>, node: Node, reason: Reason) -> Node {
    let Some(at) = node_of(node).filter(|_| reason == Reason::Fence) else {
        return node;
    };
    let id: SubmissionId = timeline.submission_of(at);
    if matches!(timeline.submission(id).kind, SubmissionKind::Wait { .. }) {
        Node::Submission(id)
    } else {
        node
    }
}
