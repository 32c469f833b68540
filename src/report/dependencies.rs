//! The dependency graph as JSON, and the words for its edges.

use crate::graph::{Effect, Reason, Relation};
use crate::run::{Dependencies, EdgeRow};
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
                "reason": reason(e.edge.reason),
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

/// The layer of each of some nodes: after everything that leads to it. Edges of a deadlock lead back.
pub(super) fn layers<'e>(
    nodes: usize,
    edges: &(impl Iterator<Item = &'e EdgeRow> + Clone),
) -> Vec<usize> {
    let mut layers = vec![0; nodes];
    // Submissions come last in the list, and yet before others: as many rounds as a chain is long.
    for _ in 0..nodes {
        let mut is_still = true;
        for edge in edges.clone().filter(|e| e.from < nodes && e.to < nodes) {
            let after = layers[edge.from] + 1;
            if layers[edge.to] < after && after < nodes {
                layers[edge.to] = after;
                is_still = false;
            }
        }
        if is_still {
            break;
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

pub(super) fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Covered => "covered",
        Reason::Missing => "missing",
        Reason::Barrier => "barrier",
        Reason::Path => "path",
        Reason::Queue => "queue",
        Reason::Fence => "fence",
        Reason::Drain => "drain",
        Reason::Hold => "hold",
        Reason::Scope => "scope",
    }
}
