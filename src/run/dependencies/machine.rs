//! The relations that need a machine: what packets ensure, and what waiting was paid.

use crate::ensure::{Shortfalls, What};
use crate::graph::{DependencyGraph, Edge, Effect, Node, Reason, Relation};
use crate::id::{BarrierRef, NodeId, OpId, SubmissionId};
use crate::order::{SubmissionKind, Timeline};
use crate::program::Program;
use crate::time::Ps;
use crate::trace::{Reason as Waited, Trace};
use petgraph::visit::EdgeRef;
use std::collections::BTreeMap;

/// Every asked edge once more, as the packets see to it; *missing* where the barrier lacks the operation.
pub(super) fn ensured(graph: &DependencyGraph, shortfalls: &Shortfalls) -> Vec<(Node, Node, Edge)> {
    let lacks = |barrier: BarrierRef, effect: Effect| {
        shortfalls.missing.iter().any(|shortfall| {
            shortfall.barrier == barrier
                && match shortfall.what {
                    What::Wait(_) | What::Hold(_) | What::FirstHalf => true,
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

/// Who waited for whom in a simulation, and for how long: a barrier for the work that ended last before it, work for
/// the barrier that held it, a wait for its signal.
pub(super) fn paid(
    timeline: &Timeline<'_>,
    program: &Program,
    trace: &Trace,
) -> Vec<(Node, Node, Edge)> {
    let mut origins: BTreeMap<OpId, Node> = BTreeMap::new();
    for op in program.blocks.iter().flat_map(|block| &block.ops) {
        let node = op.origin.node;
        let origin = op.origin.entry.map_or(Node::Command(node), |entry| {
            Node::Barrier(BarrierRef { node, entry })
        });
        origins.insert(op.id, origin);
    }
    let mut costs: BTreeMap<(Node, Node, Reason), Ps> = BTreeMap::new();
    for (index, life) in trace.ops.iter().enumerate() {
        let Some(to) = origins.get(&OpId::new(index)).copied() else {
            continue;
        };
        let spans = &trace.spans[life.first_span as usize..][..life.spans as usize];
        let mut begin = life.queued;
        for span in spans {
            let time = Ps(span.end.0 - begin.0);
            let cause = match span.reason {
                Waited::WaitBarrier(op) => origins.get(&op).map(|from| (*from, Reason::Hold)),
                Waited::Drain => {
                    last_work(timeline, trace, to, span.end).map(|n| (n, Reason::Drain))
                }
                Waited::WaitFence(_) => signal(timeline, to).map(|n| (n, Reason::Fence)),
                _ => None,
            };
            begin = span.end;
            if let Some((from, reason)) = cause
                && time > Ps::ZERO
            {
                let sum = costs
                    .entry((from, end_of(timeline, to, reason), reason))
                    .or_default();
                *sum = Ps(sum.0 + time.0);
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

fn node_of(node: Node) -> Option<NodeId> {
    match node {
        Node::Command(node) => Some(node),
        Node::Barrier(barrier) => Some(barrier.node),
        Node::Submission(_) => None,
    }
}

/// The work of a barrier's scope that ended last before a time: what the barrier had waited for.
fn last_work(timeline: &Timeline<'_>, trace: &Trace, barrier: Node, time: Ps) -> Option<Node> {
    let node = node_of(barrier)?;
    let submission = timeline.submission(timeline.submission_of(node));
    (submission.first_node.0..node.0)
        .map(NodeId)
        .filter(|n| {
            let timing = trace.commands[n.index()];
            timing.ran() && timing.end <= time && timing.end > timing.start
        })
        .max_by_key(|n| (trace.commands[n.index()].end, n.0))
        .map(Node::Command)
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
