//! The dependency graph as a value: commands, barriers and submissions, and why one comes after the other.
//!
//! Kept by `petgraph`. Built on demand from what the walk collected; the evaluation itself never materialises pairs.
//! A submission's node stands for its end: what comes after it comes after everything in it. A barrier that changes a layout
//! reads and writes (reading R17): it is needed after what it changes, and what comes after it needs it. A barrier that only
//! orders or makes visible, for one resource or for all, is a node between the two uses in what was asked.

use super::barriers::changes_memory;
use super::{ConflictKind, Evaluation, NeededPair, Part, Side};
use crate::id::{BarrierRef, NodeId, ResourceId, SubmissionId};
use crate::order::{Of, SubmissionKind, Timeline, split_pairs};
use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A node of the graph.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Node {
    /// The end of a submission.
    Submission(SubmissionId),
    /// An executed command, a present, a CPU access.
    Command(NodeId),
    /// An executed barrier entry.
    Barrier(BarrierRef),
}

/// Which relation an edge belongs to.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Relation {
    /// Two uses touch the same bytes and one writes.
    Needed,
    /// The application asked for it.
    Asked,
    /// The packets of a lowering see to it on a machine.
    Ensured,
    /// A simulated machine made one wait for the other.
    Paid,
}

/// What an edge is about.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Effect {
    /// Execution order.
    Order,
    /// Visibility of what was written.
    Visibility,
    /// A layout transition or discard on either side.
    Layout,
}

/// Why there is an edge.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// Two uses of one resource's bytes, covered by what was asked.
    Covered,
    /// Two uses of one resource's bytes that nothing covers: a hazard.
    Missing,
    /// Two uses of one resource's bytes that need no order: the hardware keeps raster order, or both are atomic (readings
    /// R18, R19).
    Exempt,
    /// A barrier between the two.
    Barrier,
    /// Order without a barrier on the bytes: through other barriers, or because a copy is synchronous.
    Path,
    /// One actor's submissions follow each other.
    Queue,
    /// A wait comes after its signal.
    Fence,
    /// It is in the submission.
    Scope,
    /// A barrier waited for earlier work.
    Drain,
    /// Work was held by a barrier.
    Hold,
}

impl Reason {
    /// The word that outputs have for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Covered => "covered",
            Self::Missing => "missing",
            Self::Exempt => "exempt",
            Self::Barrier => "barrier",
            Self::Path => "path",
            Self::Queue => "queue",
            Self::Fence => "fence",
            Self::Scope => "scope",
            Self::Drain => "drain",
            Self::Hold => "hold",
        }
    }
}

/// An edge.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// Which of the four relations it belongs to.
    pub relation: Relation,
    /// Order, visibility or layout.
    pub effect: Effect,
    /// Where the edge comes from.
    pub reason: Reason,
    /// The resource that it is about, if it is about one.
    pub resource: Option<ResourceId>,
    /// What was paid, in picoseconds; zero for the other relations.
    pub paid_ps: u64,
}

impl Edge {
    /// Whether its first node comes before its second: not where that is missing, or need not be.
    pub(super) fn orders(&self) -> bool {
        !matches!(self.reason, Reason::Missing | Reason::Exempt)
    }
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
        builder.halves(timeline);
        for pair in &evaluation.pairs {
            builder.pair(timeline, pair);
        }
        let (across, exempt) = super::across::with_exempt(timeline);
        for pair in &across {
            builder.pair(timeline, pair);
        }
        for pair in &exempt {
            builder.exempt(pair);
        }
        // Pairs between actors are not walked; those that nothing orders are known from the races. A use in mid-split, or of
        // what an alias or nothing holds, is compared with nothing else.
        let told = evaluation.conflicts.iter().filter(|c| {
            let lost = matches!(
                c.kind,
                ConflictKind::UseWhileSplit
                    | ConflictKind::UseInactive
                    | ConflictKind::UseOverwritten
            );
            c.kind.is_race() || lost
        });
        for conflict in told {
            let pair = NeededPair {
                first: conflict.first,
                second: conflict.second,
                through: None,
                asked: false,
            };
            builder.pair(timeline, &pair);
        }
        builder.layouts(timeline, evaluation);
        // An entry that no use follows is part of what was asked as well.
        for (barrier, _) in timeline
            .touches(Of::Entries(None), ..)
            .filter_map(|touch| touch.entry())
        {
            builder.node(Node::Barrier(barrier));
        }
        builder.submissions(timeline);
        Self {
            graph: builder.graph,
        }
    }

    /// Adds edges between nodes, which are made where they are missing.
    #[must_use]
    pub fn with(self, edges: impl IntoIterator<Item = (Node, Node, Edge)>) -> Self {
        let mut builder = Builder::of(self.graph);
        for (from, to, edge) in edges {
            let (from, to) = (builder.node(from), builder.node(to));
            builder.edge(from, to, edge);
        }
        Self {
            graph: builder.graph,
        }
    }

    /// Cycles of the relation *asked*: each is a deadlock. Of nodes that all wait for each other, a shortest cycle through the
    /// first; each node waits for the next, and the last for the first.
    pub fn deadlocks(&self) -> Vec<Vec<Node>> {
        let asked = self.only(Relation::Asked).graph;
        let mut cycles: Vec<Vec<Node>> = petgraph::algo::tarjan_scc(&asked)
            .into_iter()
            .filter(|component| component.len() > 1)
            .filter_map(|component| {
                let first = component.into_iter().min_by_key(|n| asked[*n])?;
                let cycle = shortest_cycle(&asked, first);
                Some(cycle.into_iter().map(|n| asked[n]).collect())
            })
            .collect();
        cycles.sort_unstable();
        cycles
    }

    /// Whether the relation *asked* has no cycle, as it must in a timeline without deadlock.
    pub fn asked_is_acyclic(&self) -> bool {
        let asked = self.graph.filter_map(
            |_, n| Some(*n),
            |_, e| (e.relation == Relation::Asked).then_some(*e),
        );
        !petgraph::algo::is_cyclic_directed(&asked)
    }

    /// The graph with the edges of one relation only.
    #[must_use]
    pub fn only(&self, relation: Relation) -> Self {
        self.among(&[relation])
    }

    /// The graph with the edges of some relations.
    #[must_use]
    pub fn among(&self, relations: &[Relation]) -> Self {
        let graph = self.graph.filter_map(
            |_, n| Some(*n),
            |_, e| relations.contains(&e.relation).then_some(*e),
        );
        Self { graph }
    }

    /// A node with its neighbours, and the edges among them.
    #[must_use]
    pub fn around(&self, node: Node) -> Self {
        let Some(centre) = self.graph.node_indices().find(|n| self.graph[*n] == node) else {
            return Self::default();
        };
        let mut kept: BTreeSet<NodeIndex> = BTreeSet::from([centre]);
        for direction in [Direction::Incoming, Direction::Outgoing] {
            kept.extend(self.graph.neighbors_directed(centre, direction));
        }
        let graph = self.graph.filter_map(
            |index, n| kept.contains(&index).then_some(*n),
            |_, e| Some(*e),
        );
        Self { graph }
    }

    /// Without nodes that no edge touches.
    #[must_use]
    pub fn connected(&self) -> Self {
        let touched = |index| self.graph.neighbors_undirected(index).next().is_some();
        let graph = self
            .graph
            .filter_map(|index, n| touched(index).then_some(*n), |_, e| Some(*e));
        Self { graph }
    }

    /// Of each edge, by its index, whether it is one of order that follows from others of its relation.
    pub fn implied(&self) -> Vec<bool> {
        super::reduction::implied(self)
    }

    /// Without edges of order that follow from others of their relation.
    #[must_use]
    pub fn reduced(&self) -> Self {
        let implied = self.implied();
        let graph = self.graph.filter_map(
            |_, n| Some(*n),
            |index, e| (!implied[index.index()]).then_some(*e),
        );
        Self { graph }
    }
}

/// A shortest way from a node back to it, walked from its end: the node first, then what leads to it, and so on. By the order of nodes
/// where several are as short.
fn shortest_cycle(graph: &DiGraph<Node, Edge>, first: NodeIndex) -> Vec<NodeIndex> {
    let mut from: BTreeMap<NodeIndex, NodeIndex> = BTreeMap::new();
    let mut open = VecDeque::from([first]);
    while let Some(node) = open.pop_front() {
        let mut next: Vec<NodeIndex> = graph.neighbors(node).collect();
        next.sort_by_key(|n| graph[*n]);
        for later in next {
            if later == first {
                let back = std::iter::successors(Some(node), |n| from.get(n).copied());
                let back = back.take_while(|n| *n != first);
                return std::iter::once(first).chain(back).collect();
            }
            if let Entry::Vacant(entry) = from.entry(later) {
                entry.insert(node);
                open.push_back(later);
            }
        }
    }
    vec![first]
}

fn side_node(side: &Side) -> Node {
    side.barrier()
        .map_or(Node::Command(side.node), Node::Barrier)
}

/// Whether a side writes: its use says so, and not only its access, which `UNORDERED_ACCESS … reads` shares with writers. After
/// a read, order is enough (reading R15).
fn writes(timeline: &Timeline<'_>, side: &Side) -> bool {
    let (node, index) = match side.part {
        Part::Use(index) => (side.node, index),
        Part::Root { set, index } => (set, index),
        // What a CPU does with a resource is said by its statement.
        Part::Whole => {
            let id = timeline.submission_of(side.node);
            let kind = timeline.submission(id).kind;
            return matches!(kind, SubmissionKind::CpuWrite { .. });
        }
        Part::Entry(_) => return side.access.writes(),
    };
    let own = timeline
        .command(node)
        .and_then(|command| command.uses.get(index as usize));
    own.map_or_else(|| side.access.writes(), |used| used.writes())
}

/// The latest use of a resource before a side, or the latest entry on it if that is later.
fn latest(timeline: &Timeline<'_>, side: &Side) -> BTreeSet<Node> {
    let now = timeline.moment(side.node, None);
    let last = |of| timeline.touches(of, ..now).next_back();
    let both = [Of::Uses(side.resource), Of::Entries(Some(side.resource))];
    let touch = both.into_iter().filter_map(last).max_by_key(|t| t.moment);
    let node = touch.map(|touch| {
        touch
            .entry()
            .map_or(Node::Command(touch.moment.node), |(b, _)| Node::Barrier(b))
    });
    node.into_iter().collect()
}

#[derive(Default)]
struct Builder {
    graph: DiGraph<Node, Edge>,
    index: BTreeMap<Node, NodeIndex>,
    known: BTreeSet<(NodeIndex, NodeIndex, Edge)>,
    /// The first half of a split barrier by its second.
    begun: BTreeMap<BarrierRef, BarrierRef>,
}

impl Builder {
    fn of(graph: DiGraph<Node, Edge>) -> Self {
        let index = graph.node_indices().map(|n| (graph[n], n)).collect();
        let known = graph
            .edge_references()
            .map(|e| (e.source(), e.target(), *e.weight()))
            .collect();
        Self {
            graph,
            index,
            known,
            begun: BTreeMap::new(),
        }
    }

    fn node(&mut self, node: Node) -> NodeIndex {
        let graph = &mut self.graph;
        *self
            .index
            .entry(node)
            .or_insert_with(|| graph.add_node(node))
    }

    fn edge(&mut self, from: NodeIndex, to: NodeIndex, edge: Edge) {
        if from != to && self.known.insert((from, to, edge)) {
            self.graph.add_edge(from, to, edge);
        }
    }

    /// The halves of split barriers: what is needed and asked goes in at the first and comes out at the second. Halves that
    /// nothing leads to or from are left out with all other nodes without edges.
    fn halves(&mut self, timeline: &Timeline<'_>) {
        for id in (0..timeline.submissions.len()).map(SubmissionId::new) {
            if timeline.submission(id).kind == SubmissionKind::Execute {
                self.begun
                    .extend(split_pairs(timeline, id).into_iter().map(|(a, b)| (b, a)));
            }
        }
    }

    /// Leads from the first half of a split barrier to its second, for those that the graph has.
    fn join_halves(&mut self, timeline: &Timeline<'_>) {
        for (second, first) in std::mem::take(&mut self.begun) {
            let nodes = [first, second].map(Node::Barrier);
            if nodes.iter().all(|node| !self.index.contains_key(node)) {
                continue;
            }
            let entry = timeline
                .command(first.node)
                .and_then(|command| command.kind.barriers().get(first.entry as usize));
            let Some(entry) = entry else { continue };
            let changes = changes_memory(timeline.scenario, entry);
            let asked = Edge {
                relation: Relation::Asked,
                effect: if changes {
                    Effect::Layout
                } else {
                    Effect::Visibility
                },
                reason: Reason::Barrier,
                resource: entry.resource(),
                paid_ps: 0,
            };
            let [first, second] = nodes.map(|node| self.node(node));
            self.edge(first, second, asked);
            if changes {
                let (relation, reason) = (Relation::Needed, Reason::Covered);
                let needed = Edge {
                    relation,
                    reason,
                    ..asked
                };
                self.edge(first, second, needed);
            }
        }
    }

    /// Uses in a layout that does not allow them, or without metadata: what is missing is a change of layout after what the bytes were
    /// used for before.
    fn layouts(&mut self, timeline: &Timeline<'_>, evaluation: &Evaluation) {
        let wrong = |kind| {
            matches!(
                kind,
                ConflictKind::LayoutMismatch | ConflictKind::MetadataUninitialised
            )
        };
        let mut before: BTreeMap<(Node, ResourceId), BTreeSet<Node>> = BTreeMap::new();
        for pair in &evaluation.pairs {
            let second = (side_node(&pair.second), pair.second.resource);
            before
                .entry(second)
                .or_default()
                .insert(side_node(&pair.first));
        }
        for conflict in evaluation.conflicts.iter().filter(|c| wrong(c.kind)) {
            let (second, resource) = (side_node(&conflict.second), conflict.second.resource);
            let known = before.get(&(second, resource)).cloned();
            let firsts = known.unwrap_or_else(|| latest(timeline, &conflict.second));
            let edge = Edge {
                relation: Relation::Needed,
                effect: Effect::Layout,
                reason: Reason::Missing,
                resource: Some(resource),
                paid_ps: 0,
            };
            for first in firsts {
                let [first, second] = [first, second].map(|node| self.node(node));
                self.edge(first, second, edge);
            }
        }
    }

    /// Two uses of the same bytes that need no order: nothing was asked.
    fn exempt(&mut self, pair: &NeededPair) {
        let [first, second] = [&pair.first, &pair.second].map(|side| self.node(side_node(side)));
        let edge = Edge {
            relation: Relation::Needed,
            effect: Effect::Order,
            reason: Reason::Exempt,
            resource: Some(pair.second.resource),
            paid_ps: 0,
        };
        self.edge(first, second, edge);
    }

    fn pair(&mut self, timeline: &Timeline<'_>, pair: &NeededPair) {
        let first = self.node(side_node(&pair.first));
        let second = self.node(side_node(&pair.second));
        let is_layout = pair.first.barrier().is_some() || pair.second.barrier().is_some();
        let effect = if is_layout {
            Effect::Layout
        } else if writes(timeline, &pair.first) {
            Effect::Visibility
        } else {
            Effect::Order
        };
        let edge = Edge {
            relation: Relation::Needed,
            effect,
            reason: if pair.asked {
                Reason::Covered
            } else {
                Reason::Missing
            },
            resource: Some(pair.second.resource),
            paid_ps: 0,
        };
        self.edge(first, second, edge);
        if !pair.asked {
            return;
        }
        let asked = Edge {
            relation: Relation::Asked,
            ..edge
        };
        let through = pair.through.map(Node::Barrier);
        if let Some(through) = through
            && through != side_node(&pair.first)
        {
            let (middle, reason) = (self.node(through), Reason::Barrier);
            // What goes through a split barrier comes in at its first half.
            let half = pair.through.and_then(|second| self.begun.get(&second));
            let enters = half.map_or(through, |first| Node::Barrier(*first));
            let enters = self.node(enters);
            self.edge(first, enters, Edge { reason, ..asked });
            self.edge(middle, second, Edge { reason, ..asked });
        } else {
            let is_change = pair.second.barrier().is_some();
            let reason = if through.is_some() || is_change {
                Reason::Barrier
            } else {
                Reason::Path
            };
            self.edge(first, second, Edge { reason, ..asked });
        }
    }

    fn submissions(&mut self, timeline: &Timeline<'_>) {
        self.join_halves(timeline);
        let asked = |reason| Edge {
            relation: Relation::Asked,
            effect: Effect::Order,
            reason,
            resource: None,
            paid_ps: 0,
        };
        let inside: Vec<(Node, NodeIndex)> = self.index.iter().map(|(n, i)| (*n, *i)).collect();
        let mut before: Vec<Vec<(SubmissionId, Reason)>> = Vec::new();
        let mut latest = vec![None; timeline.actor_count()];
        for index in 0..timeline.submissions.len() {
            let id = SubmissionId::new(index);
            let actor = timeline.actor_index(timeline.submission(id).actor);
            let earlier = latest[actor].replace(id).map(|s| (s, Reason::Queue));
            let signal = timeline.awaited_signal(id).map(|s| (s, Reason::Fence));
            before.push(earlier.into_iter().chain(signal).collect());
            let this = self.node(Node::Submission(id));
            for (first, reason) in &before[index] {
                let from = self.node(Node::Submission(*first));
                self.edge(from, this, asked(*reason));
            }
        }
        // Waits that wait for each other come after nobody, so that the evaluation ends; here the cycle stays.
        for problem in &timeline.fence_problems {
            for (wait, signal) in &problem.cycle {
                let from = self.node(Node::Submission(signal.submission));
                let to = self.node(Node::Submission(wait.submission));
                self.edge(from, to, asked(Reason::Fence));
            }
        }
        for (node, index) in inside {
            let id = match node {
                Node::Command(command) => timeline.submission_of(command),
                Node::Barrier(barrier) => timeline.submission_of(barrier.node),
                Node::Submission(_) => continue,
            };
            let end = self.node(Node::Submission(id));
            self.edge(index, end, asked(Reason::Scope));
            for (first, _) in &before[id.index()] {
                let from = self.node(Node::Submission(*first));
                self.edge(from, index, asked(Reason::Scope));
            }
        }
    }
}
