//! The dependency graph as DOT and as JSON.

use crate::graph::{Effect, Reason, Relation};
use crate::run::{Dependencies, EdgeRow, NodeRow};
use serde_json::{Value, json};
use std::io::{self, Write};

/// For Graphviz: needed edges dashed, red where nothing covers them; asked edges solid.
///
/// # Errors
/// Only what the writer returns.
pub fn dot(graph: &Dependencies, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "digraph {} {{", quoted(&graph.scenario))?;
    writeln!(
        out,
        "  rankdir=LR; node [shape=box, fontname=\"sans-serif\"];"
    )?;
    let mut queues: Vec<&str> = graph.nodes.iter().map(|n| n.queue.as_str()).collect();
    queues.sort_unstable();
    queues.dedup();
    for (index, queue) in queues.iter().enumerate() {
        writeln!(
            out,
            "  subgraph cluster_{index} {{ label={};",
            quoted(queue)
        )?;
        for node in graph.nodes.iter().filter(|n| n.queue == *queue) {
            writeln!(out, "    {}", dot_node(node))?;
        }
        writeln!(out, "  }}")?;
    }
    for edge in &graph.edges {
        writeln!(out, "  {}", dot_edge(graph, edge))?;
    }
    writeln!(out, "}}")
}

fn dot_node(node: &NodeRow) -> String {
    let shape = match node.kind {
        "barrier" => ", shape=hexagon",
        "submission" => ", shape=plaintext",
        _ => "",
    };
    let label = format!("{}\n{}\nline {}", node.id, node.label, node.line);
    format!("{} [label={}{shape}];", quoted(&node.id), quoted(&label))
}

fn dot_edge(graph: &Dependencies, row: &EdgeRow) -> String {
    let style = match (row.edge.relation, row.edge.reason) {
        (_, Reason::Missing) => "style=dashed, color=red",
        (Relation::Needed, _) => "style=dashed",
        (Relation::Asked, _) => "style=solid",
        (Relation::Ensured, _) => "style=bold, color=darkgreen",
        (Relation::Paid, _) => "style=bold, color=orange",
    };
    let mut label = effect(row.edge.effect).to_string();
    if !row.resource.is_empty() {
        label = format!("{label} of {}", row.resource);
    }
    if row.edge.relation == Relation::Paid {
        label = format!(
            "{} {}",
            reason(row.edge.reason),
            format_args!("{:.1} ns", crate::time::Ps(row.edge.paid_ps).as_ns())
        );
    }
    let (from, to) = (&graph.nodes[row.from].id, &graph.nodes[row.to].id);
    format!(
        "{} -> {} [label={}, {style}];",
        quoted(from),
        quoted(to),
        quoted(&label)
    )
}

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

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Order => "order",
        Effect::Visibility => "visibility",
        Effect::Layout => "layout",
    }
}

fn reason(reason: Reason) -> &'static str {
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

/// A DOT string: quotes and backslashes escaped, line breaks as `\\n`.
fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{escaped}\"")
}
