//! The format `dot`: the dependency graph for Graphviz.

use super::Style;
use super::dependencies::{effect, reason};
use super::format::Format;
use crate::graph::{Reason, Relation};
use crate::run::{Dependencies, EdgeRow, NodeRow};
use crate::time::Ps;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    graph: Some(write),
    ..Format::new("dot", "for Graphviz")
};

/// Needed edges dashed, red where nothing covers them; asked edges solid.
fn write(graph: &Dependencies, _: &Style, out: &mut dyn Write) -> io::Result<()> {
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
        let paid = Ps(row.edge.paid_ps);
        label = format!("{} {paid}", reason(row.edge.reason));
    }
    let (from, to) = (&graph.nodes[row.from].id, &graph.nodes[row.to].id);
    format!(
        "{} -> {} [label={}, {style}];",
        quoted(from),
        quoted(to),
        quoted(&label)
    )
}

/// A DOT string: quotes and backslashes escaped, line breaks as `\\n`.
fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{escaped}\"")
}
