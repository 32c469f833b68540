//! The dependency graph by the names that reports print.

pub(super) mod drawing;
pub(super) mod machine;

use self::drawing::{Drawing, Place};
use super::{Chosen, Failure, Options, Registry, Unusable, choose, front};
use crate::analyze::lowering::NeededPairs;
use crate::analyze::names;
use crate::finding::Source;
use crate::graph::{self, DependencyGraph, Edge, Node, Relation};
use crate::order::Timeline;
use crate::pipeline::trial::Bench;
use crate::sim;
use petgraph::visit::EdgeRef;
use serde::Serialize;

/// What to show of a graph.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Only these relations; empty: what is needed and what was asked.
    pub relations: Vec<Relation>,
    /// Only the neighbourhood of the node of this id.
    pub around: Option<String>,
    /// Leave out edges of order that follow from others.
    pub reduced: bool,
    /// Draw every node and edge by itself.
    pub whole: bool,
}

/// Nodes and edges with their names.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Dependencies {
    /// Title of the scenario, or its file name.
    pub scenario: String,
    /// Nodes in order of execution, submissions last.
    pub nodes: Vec<NodeRow>,
    /// Edges by their ends.
    pub edges: Vec<EdgeRow>,
    /// Ids of the nodes of each cycle of the relation *asked*, a deadlock each: every node waits for the next, the last for the first.
    pub deadlocks: Vec<Vec<String>>,
    /// What drawings show.
    pub drawing: Drawing,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "GraphNode"))]
#[non_exhaustive]
pub struct NodeRow {
    /// A command's or barrier's id as in reports; `end of gfx#3` for the submission that ends with that command.
    pub id: String,
    /// `command`, `barrier` or `submission`.
    pub kind: &'static str,
    /// What people call it.
    pub label: String,
    /// Line of its text.
    pub line: u32,
    /// Queue, or `cpu`.
    pub queue: String,
}

/// An edge, from the earlier to the later.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct EdgeRow {
    /// Index of the earlier node.
    pub from: usize,
    /// Index of the later node.
    pub to: usize,
    /// Relation, effect and reason.
    pub edge: Edge,
    /// Name of the resource, or empty.
    pub resource: String,
    /// It is one of order that follows from others of its relation.
    pub implied: bool,
}

/// The dependency graph of a scenario.
///
/// # Errors
/// The findings of a text or kernel that cannot be used; or that there is no timeline, the id is unknown, or the graph to reduce has a cycle.
pub fn dependencies(
    source: &Source,
    registry: &Registry,
    options: &Options,
    view: &View,
) -> Result<Dependencies, Failure> {
    let prepared = front::understood(source, options)?;
    if prepared.written().timeline.is_none() {
        let help = "add `timeline { QUEUE execute LIST }`";
        return Err(front::without_timeline(source, "nothing depends on anything", help).into());
    }
    let timeline = prepared.timeline();
    let pairs = graph::Request {
        pairs: graph::Collected::Named,
        ..graph::Request::default()
    };
    let evaluation = graph::evaluate(&timeline, pairs);
    let mut graph = DependencyGraph::new(&timeline, &evaluation);
    let deadlocks: Vec<Vec<String>> = graph
        .deadlocks()
        .into_iter()
        .map(|cycle| cycle.into_iter().map(|n| node_id(&timeline, n)).collect())
        .collect();
    let wants = |relation| view.relations.contains(&relation);
    if wants(Relation::Ensured) || wants(Relation::Paid) {
        let Chosen {
            profile, lowering, ..
        } = choose(registry, prepared.written(), &source.name, options)?;
        let bench = Bench::new(&profile, lowering, options);
        let program = bench.lower(&timeline);
        let judged = NeededPairs::new(&timeline).check(&profile, &program);
        let ensured = machine::ensured(&graph, &judged);
        graph = graph.with(ensured);
        if wants(Relation::Paid) {
            let recorded = sim::SimOptions {
                causes: true,
                ..sim::SimOptions::default()
            };
            let trace = bench.simulate(&timeline, &evaluation, &program, recorded);
            if trace.is_cut {
                return Err(super::too_long(source).into());
            }
            graph = graph.with(machine::paid(&timeline, &program, &trace));
        }
    }
    graph = seen(graph, view, &timeline, &deadlocks)?;
    let scenario = prepared.written().title_in(source);
    let graph = graph.connected();
    let (mut named, places) = named(source, &timeline, scenario, &graph);
    named.deadlocks = deadlocks;
    named.drawing = drawing::drawing(&named, &places, view.whole);
    Ok(named)
}

/// The part of a graph that is to be shown.
fn seen(
    mut graph: DependencyGraph,
    view: &View,
    timeline: &Timeline<'_>,
    deadlocks: &[Vec<String>],
) -> Result<DependencyGraph, Unusable> {
    let relations = if view.relations.is_empty() {
        &[Relation::Needed, Relation::Asked]
    } else {
        view.relations.as_slice()
    };
    graph = graph.among(relations);
    if view.reduced && !deadlocks.is_empty() {
        return Err(Unusable {
            message: "a graph with a deadlock has no least set of edges".into(),
            help: format!("break the cycle: {}", deadlocks[0].join(" waits for ")),
        });
    }
    if view.reduced {
        graph = graph.reduced();
    }
    if let Some(id) = &view.around {
        let node = graph.graph.node_weights().copied();
        let node = node.into_iter().find(|n| node_id(timeline, *n) == *id);
        let Some(node) = node else {
            return Err(Unusable {
                message: format!("the graph has no node `{id}`"),
                help: "`--format json` without `--around` lists all ids; commands that share no memory with others have none".into(),
            });
        };
        graph = graph.around(node);
    }
    Ok(graph)
}

fn named(
    source: &Source,
    timeline: &Timeline<'_>,
    scenario: String,
    graph: &DependencyGraph,
) -> (Dependencies, Vec<Place>) {
    let implied = graph.implied();
    let graph = &graph.graph;
    let mut order: Vec<_> = graph.node_indices().collect();
    order.sort_by_key(|index| place(timeline, graph[*index]));
    let mut row_of = vec![0; graph.node_count()];
    for (row, index) in order.iter().enumerate() {
        row_of[index.index()] = row;
    }
    let nodes = order
        .iter()
        .map(|index| node_row(source, timeline, graph[*index]))
        .collect();
    let mut edges: Vec<EdgeRow> = graph
        .edge_references()
        .zip(implied)
        .map(|(edge, implied)| EdgeRow {
            implied,
            from: row_of[edge.source().index()],
            to: row_of[edge.target().index()],
            edge: *edge.weight(),
            resource: edge
                .weight()
                .resource
                .map(|id| timeline.scenario.resource_name(id).to_string())
                .unwrap_or_default(),
        })
        .collect();
    edges.sort_by_key(|e| (e.from, e.to, e.edge));
    let places = order
        .iter()
        .map(|index| executed(timeline, graph[*index]))
        .collect();
    let named = Dependencies {
        scenario,
        nodes,
        edges,
        deadlocks: Vec::new(),
        drawing: Drawing::default(),
    };
    (named, places)
}

/// Where a node is executed.
fn executed(timeline: &Timeline<'_>, node: Node) -> Place {
    let (submission, call) = match node {
        Node::Command(command) => (timeline.submission_of(command), None),
        Node::Barrier(barrier) => (timeline.submission_of(barrier.node), Some(barrier.node.0)),
        Node::Submission(id) => (id, None),
    };
    Place {
        submission: submission.index(),
        call,
        takes_over: timeline.awaited_signal(submission).is_some(),
    }
}

/// Where a node comes: by execution, the end of a submission after all in it.
fn place(timeline: &Timeline<'_>, node: Node) -> (u32, u8, u32) {
    match node {
        Node::Command(command) => (command.0, 0, 0),
        Node::Barrier(barrier) => (barrier.node.0, 0, barrier.entry),
        Node::Submission(id) => (last_node(timeline, id), 1, 0),
    }
}

fn last_node(timeline: &Timeline<'_>, id: crate::id::SubmissionId) -> u32 {
    let submission = timeline.submission(id);
    submission.first_node.0 + submission.nodes.max(1) - 1
}

fn node_id(timeline: &Timeline<'_>, node: Node) -> String {
    match node {
        Node::Command(command) => timeline.node_name(command),
        Node::Barrier(barrier) => timeline.barrier_name(barrier),
        Node::Submission(id) => {
            let last = crate::id::NodeId(last_node(timeline, id));
            format!("end of {}", timeline.node_name(last))
        }
    }
}

fn node_row(source: &Source, timeline: &Timeline<'_>, node: Node) -> NodeRow {
    let (kind, label, span, submission) = match node {
        Node::Command(command) => (
            "command",
            names::node_label(timeline, command),
            timeline.span(command),
            timeline.submission_of(command),
        ),
        Node::Barrier(barrier) => {
            let entry = names::entry(timeline, barrier);
            (
                "barrier",
                entry.map_or_else(String::new, |e| names::barrier_text(timeline.scenario, e)),
                entry.map_or_else(|| timeline.span(barrier.node), |e| e.span),
                timeline.submission_of(barrier.node),
            )
        }
        Node::Submission(id) => {
            let submission = timeline.submission(id);
            let label = match submission.kind {
                crate::order::SubmissionKind::Execute => "execute".to_string(),
                _ => names::node_label(timeline, submission.first_node),
            };
            ("submission", label, submission.statement.span, id)
        }
    };
    NodeRow {
        id: node_id(timeline, node),
        kind,
        label,
        line: source.line(span.start),
        queue: timeline
            .actor_name(timeline.submission(submission).actor)
            .to_string(),
    }
}
