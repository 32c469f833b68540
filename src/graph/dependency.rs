//! The dependency graph as a value: commands, barriers and submissions, and why one comes after the other.
//!
//! Kept by `petgraph`. Built on demand from what the walk collected; the evaluation itself never materialises pairs.

use super::{Evaluation, Side};
use crate::id::{BarrierRef, NodeId, SubmissionId};
use crate::order::Timeline;
use petgraph::graph::{DiGraph, NodeIndex};

/// A node of the graph.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Node {
    /// A submission: what comes after it comes after its end.
    Submission(SubmissionId),
    /// An executed command, a present, a CPU access.
    Command(NodeId),
    /// An executed barrier entry.
    Barrier(BarrierRef),
}

/// Which relation an edge belongs to.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relation {
    /// Two uses touch the same bytes and one writes.
    Needed,
    /// The application asked for it.
    Asked,
}

/// What an edge is about.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Effect {
    /// Execution order.
    Order,
    /// Visibility of what was written.
    Visibility,
}

/// An edge.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Relation.
    pub relation: Relation,
    /// Effect.
    pub effect: Effect,
}

/// Commands, barriers and submissions with the relations *needed* and *asked*.
#[derive(Debug, Default)]
pub struct DependencyGraph {
    /// The graph. An edge points from the earlier to the later node.
    pub graph: DiGraph<Node, Edge>,
}

impl DependencyGraph {
    /// Builds the graph from needed pairs and the order of submissions. Cost: linear in both, with a map of nodes.
    pub fn new(timeline: &Timeline<'_>, evaluation: &Evaluation) -> Self {
        let mut builder = Builder::default();
        for pair in &evaluation.pairs {
            let first = builder.node(side_node(&pair.first));
            let second = builder.node(side_node(&pair.second));
            let effect = if pair.through.is_some() {
                Effect::Visibility
            } else {
                Effect::Order
            };
            builder.graph.add_edge(
                first,
                second,
                Edge {
                    relation: Relation::Needed,
                    effect,
                },
            );
            if let Some(barrier) = pair.through.filter(|_| pair.asked) {
                let middle = builder.node(Node::Barrier(barrier));
                let asked = Edge {
                    relation: Relation::Asked,
                    effect: Effect::Visibility,
                };
                builder.graph.update_edge(first, middle, asked);
                builder.graph.update_edge(middle, second, asked);
            }
        }
        let mut latest = vec![None; timeline.actor_count()];
        for index in 0..timeline.submissions.len() {
            let id = SubmissionId::new(index);
            let submission = timeline.submission(id);
            let this = builder.node(Node::Submission(id));
            let earlier = latest[timeline.actor_index(submission.actor)].replace(id);
            let asked = Edge {
                relation: Relation::Asked,
                effect: Effect::Order,
            };
            for before in earlier.into_iter().chain(timeline.awaited_signal(id)) {
                let from = builder.node(Node::Submission(before));
                builder.graph.update_edge(from, this, asked);
            }
        }
        Self {
            graph: builder.graph,
        }
    }

    /// Whether the relation *asked* has no cycle, as it must in a timeline without deadlock.
    pub fn asked_is_acyclic(&self) -> bool {
        let asked = self.graph.filter_map(
            |_, n| Some(*n),
            |_, e| (e.relation == Relation::Asked).then_some(*e),
        );
        !petgraph::algo::is_cyclic_directed(&asked)
    }
}

fn side_node(side: &Side) -> Node {
    side.barrier()
        .map_or(Node::Command(side.node), Node::Barrier)
}

#[derive(Default)]
struct Builder {
    graph: DiGraph<Node, Edge>,
    index: std::collections::BTreeMap<Node, NodeIndex>,
}

impl Builder {
    fn node(&mut self, node: Node) -> NodeIndex {
        let graph = &mut self.graph;
        *self
            .index
            .entry(node)
            .or_insert_with(|| graph.add_node(node))
    }
}
