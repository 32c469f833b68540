//! The dependency graph as JSON, and the words for its edges.

use super::format::{Output, Printer};
use super::{json, text};
use crate::graph::{Effect, Relation};
use crate::run::{Dependencies, EdgeRow};
use crate::schema::schema;
use petgraph::graph::DiGraph;
use petgraph::visit::DfsPostOrder;
use serde::Serialize;

/// The dependency graph: `graph`.
pub(crate) const GRAPH: Output<Printer<Dependencies>> = Output {
    name: "graph",
    noun: "a graph",
    writers: &[("json", |graph, _, out| {
        json::indented(&document(graph), out)
    })],
    schema: Some(schema!(
        written GraphDocument<'static>, "graph", "The output of `graph --format json`"
    )),
};

/// A dependency graph.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GraphDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// Title of the scenario, or its file name.
    scenario: &'a str,
    /// Nodes in order of execution, submissions last.
    nodes: Vec<GraphNode<'a>>,
    /// Edges by their ends.
    edges: Vec<GraphEdge<'a>>,
    /// Ids of the nodes of each cycle of the relation *asked*: a deadlock each.
    deadlocks: &'a [Vec<String>],
}

/// A node.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GraphNode<'a> {
    /// A command's or barrier's id as in reports; `end of gfx#3` for the submission that ends with that command.
    id: &'a str,
    /// `command`, `barrier` or `submission`.
    kind: &'a str,
    /// What people call it.
    label: &'a str,
    /// Line of its text.
    line: u32,
    /// Queue, or `cpu`.
    queue: &'a str,
}

/// An edge, from the earlier to the later.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GraphEdge<'a> {
    /// Id of the earlier node.
    from: &'a str,
    /// Id of the later node.
    to: &'a str,
    /// `needed`, `asked`, `ensured` or `paid`.
    relation: &'static str,
    /// `order`, `visibility` or `layout`.
    effect: &'static str,
    /// Where it comes from.
    reason: &'static str,
    /// How long the later node waited for the earlier; null for another relation than `paid`.
    paid_ps: Option<u64>,
    /// Name of the resource; null if it is about none.
    resource: Option<&'a str>,
}

fn document(graph: &Dependencies) -> GraphDocument<'_> {
    let nodes = graph.nodes.iter().map(|n| GraphNode {
        id: &n.id,
        kind: n.kind,
        label: &n.label,
        line: n.line,
        queue: &n.queue,
    });
    let edges = graph.edges.iter().map(|e| GraphEdge {
        from: &graph.nodes[e.from].id,
        to: &graph.nodes[e.to].id,
        relation: relation(e.edge.relation),
        effect: effect(e.edge.effect),
        reason: e.edge.reason.word(),
        paid_ps: (e.edge.relation == Relation::Paid).then_some(e.edge.paid_ps),
        resource: Some(e.resource.as_str()).filter(|name| !name.is_empty()),
    });
    GraphDocument {
        schema: 1,
        scenario: &graph.scenario,
        nodes: nodes.collect(),
        edges: edges.collect(),
        deadlocks: &graph.deadlocks,
    }
}

fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::Needed => "needed",
        Relation::Asked => "asked",
        Relation::Ensured => "ensured",
        Relation::Paid => "paid",
    }
}

/// The layer of each of some nodes: after everything that leads to it. Edges of a deadlock lead back: of its cycle one is
/// left out.
pub(super) fn layers<'e>(nodes: usize, edges: impl Iterator<Item = &'e EdgeRow>) -> Vec<usize> {
    let mut graph = DiGraph::<(), (), usize>::with_capacity(nodes, 0);
    for _ in 0..nodes {
        graph.add_node(());
    }
    for edge in edges.filter(|e| e.from < nodes && e.to < nodes) {
        graph.add_edge(edge.from.into(), edge.to.into(), ());
    }
    // Submissions come last in the list, and yet before others: a node ends after all that it leads to.
    let mut walk = DfsPostOrder::empty(&graph);
    let mut order = Vec::with_capacity(nodes);
    for node in graph.node_indices() {
        walk.move_to(node);
        while let Some(ended) = walk.next(&graph) {
            order.push(ended);
        }
    }
    order.reverse();
    let mut places = vec![0; nodes];
    for (place, node) in order.iter().enumerate() {
        places[node.index()] = place;
    }
    let mut layers = vec![0; nodes];
    for node in order {
        for next in graph.neighbors(node) {
            if places[next.index()] > places[node.index()] {
                layers[next.index()] = layers[next.index()].max(layers[node.index()] + 1);
            }
        }
    }
    layers
}

/// What a drawing of the first nodes leaves out, and how to see it; `None` if it has everything.
pub(super) fn undrawn(graph: &Dependencies, shown: usize) -> Option<String> {
    let nodes = graph.nodes.len().checked_sub(shown).filter(|n| *n > 0)?;
    let is_out = |edge: &&EdgeRow| edge.from >= shown || edge.to >= shown;
    let edges = graph.edges.iter().filter(is_out).count();
    Some(format!(
        "{} and {} are not drawn: --nodes all draws everything, --around ID one node with its neighbours",
        text::count(nodes as u64, "more node", "more nodes"),
        text::count(edges as u64, "edge", "edges"),
    ))
}

pub(super) fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Order => "order",
        Effect::Visibility => "visibility",
        Effect::Layout => "layout",
    }
}

#[cfg(test)]
mod tests {
    use super::layers;
    use crate::graph::{Edge, Effect, Reason, Relation};
    use crate::run::EdgeRow;

    fn edge(from: usize, to: usize) -> EdgeRow {
        EdgeRow {
            from,
            to,
            edge: Edge {
                relation: Relation::Asked,
                effect: Effect::Order,
                reason: Reason::Barrier,
                resource: None,
                paid_ps: 0,
            },
            resource: String::new(),
        }
    }

    /// A walk that goes down the chain by recursion overflows the stack; one that goes back over it takes hours.
    #[test]
    fn the_layers_of_a_long_chain_are_found() {
        const LONG: usize = 300_000;
        let forwards: Vec<EdgeRow> = (1..LONG).map(|to| edge(to - 1, to)).collect();
        let backwards: Vec<EdgeRow> = (1..LONG).map(|to| edge(to, to - 1)).collect();
        assert!(layers(LONG, forwards.iter()).into_iter().eq(0..LONG));
        assert!(layers(LONG, backwards.iter()).into_iter().rev().eq(0..LONG));
        // Each node leads to the next and to the one after it: the longest way counts.
        let twice = (2..LONG).map(|to| edge(to - 2, to));
        let twice: Vec<EdgeRow> = forwards.iter().cloned().chain(twice).collect();
        assert!(layers(LONG, twice.iter()).into_iter().eq(0..LONG));
    }

    #[test]
    fn of_a_cycle_one_edge_leads_back() {
        let edges = [edge(0, 1), edge(1, 2), edge(2, 0), edge(2, 3)];
        assert_eq!(layers(4, edges.iter()), [0, 1, 2, 3]);
        assert_eq!(layers(0, edges.iter()), Vec::<usize>::new());
    }
}
