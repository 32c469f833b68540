//! The dependency graph as JSON, and the words for its edges.

use crate::graph::{Effect, Relation};
use crate::run::{Dependencies, EdgeRow};
use petgraph::graph::DiGraph;
use petgraph::visit::DfsPostOrder;
use serde_json::{Value, json};
use std::io::{self, Write};

/// As JSON: `nodes` and `edges`; an edge names its ends by id.
///
/// # Errors
/// Only what the writer returns.
pub fn json(graph: &Dependencies, out: &mut dyn Write) -> io::Result<()> {
    let nodes: Vec<Value> = graph
        .nodes
        .iter()
        .map(|n| {
            json!({ "id": n.id, "kind": n.kind, "label": n.label, "line": n.line, "queue": n.queue })
        })
        .collect();
    let edges: Vec<Value> = graph
        .edges
        .iter()
        .map(|e| {
            json!({
                "from": graph.nodes[e.from].id,
                "to": graph.nodes[e.to].id,
                "relation": relation(e.edge.relation),
                "effect": effect(e.edge.effect),
                "reason": e.edge.reason.word(),
                "paid_ps": (e.edge.relation == Relation::Paid).then_some(e.edge.paid_ps),
                "resource": if e.resource.is_empty() { Value::Null } else { json!(e.resource) },
            })
        })
        .collect();
    let value = json!({ "schema": 1, "scenario": graph.scenario, "nodes": nodes, "edges": edges, "deadlocks": graph.deadlocks });
    serde_json::to_writer_pretty(&mut *out, &value)?;
    writeln!(out)
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

pub(super) fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Order => "order",
        Effect::Visibility => "visibility",
        Effect::Layout => "layout",
    }
}
