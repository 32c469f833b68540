//! The format `dot`: the dependency graph for Graphviz.

use super::dependencies::{GRAPH, effect, layers, undrawn};
use super::format::Format;
use super::{Style, text};
use crate::graph::{Reason, Relation};
use crate::run::{Dependencies, EdgeRow, NodeRow};
use crate::time::Ps;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    extensions: &["dot", "gv"],
    writers: &[GRAPH.by(&(write as _))],
    ..Format::new("dot", "for Graphviz")
};

/// Nodes that are drawn, unless the user says how many: Graphviz takes minutes for more.
const MOST: usize = 500;

/// Nodes above which those of one rank are not named: the ranks follow from the edges, only slower.
const RANKED_MAX: usize = 5_000;

/// Needed edges dashed, red where nothing covers them; asked edges solid. Later is further right, on every queue.
fn write(graph: &Dependencies, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let nodes = &graph.nodes[..graph.nodes.len().min(style.nodes.unwrap_or(MOST))];
    let is_drawn = |edge: &&EdgeRow| edge.from < nodes.len() && edge.to < nodes.len();
    let edges: Vec<&EdgeRow> = graph.edges.iter().filter(is_drawn).collect();
    writeln!(out, "digraph {} {{", quoted(&graph.scenario))?;
    writeln!(
        out,
        "  rankdir=LR; newrank=true; node [shape=box, fontname=\"sans-serif\"]; edge [fontname=\"sans-serif\"];"
    )?;
    let mut title = graph.scenario.clone();
    if let Some(says) = undrawn(graph, nodes.len()) {
        title = format!("{title}\n{says}");
    }
    writeln!(
        out,
        "  label={}; labelloc=t; fontname=\"sans-serif\";",
        quoted(&title)
    )?;
    let mut queues: Vec<&str> = nodes.iter().map(|n| n.queue.as_str()).collect();
    queues.sort_unstable();
    queues.dedup();
    for (index, queue) in queues.iter().enumerate() {
        writeln!(
            out,
            "  subgraph cluster_{index} {{ label={};",
            quoted(queue)
        )?;
        for node in nodes.iter().filter(|n| n.queue == *queue) {
            writeln!(out, "    {}", dot_node(node))?;
        }
        writeln!(out, "  }}")?;
    }
    if nodes.len() <= RANKED_MAX {
        ranks(nodes, &edges, out)?;
    }
    for edge in &edges {
        writeln!(out, "  {}", dot_edge(graph, edge))?;
    }
    legend(&edges, out)?;
    writeln!(out, "}}")
}

/// Nodes after equally many others are at one place of the time.
fn ranks(nodes: &[NodeRow], edges: &[&EdgeRow], out: &mut dyn Write) -> io::Result<()> {
    let layers = layers(nodes.len(), edges.iter().copied());
    let last = layers.iter().max().copied().unwrap_or_default();
    for layer in 0..=last {
        let here = nodes.iter().zip(&layers);
        let here = here.filter(|(_, of)| **of == layer);
        let names: Vec<String> = here.map(|(node, _)| quoted(&node.id)).collect();
        if names.len() > 1 {
            writeln!(out, "  {{ rank=same; {}; }}", names.join("; "))?;
        }
    }
    Ok(())
}

/// What nodes and lines mean: those that there are.
fn legend(edges: &[&EdgeRow], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "  subgraph cluster_legend {{ label=\"legend\"; style=dashed; node [fontsize=10]; edge [fontsize=10];"
    )?;
    writeln!(out, "    \"legend command\" [label=\"command\"];")?;
    writeln!(
        out,
        "    \"legend barrier\" [label=\"barrier\", shape=hexagon];"
    )?;
    writeln!(
        out,
        "    \"legend end\" [label=\"end of a submission\", shape=plaintext];"
    )?;
    let kinds = [
        (Relation::Needed, Reason::Covered, "needed, covered"),
        (Relation::Needed, Reason::Missing, "needed, missing"),
        (Relation::Asked, Reason::Barrier, "asked"),
        (Relation::Ensured, Reason::Barrier, "ensured"),
        (Relation::Ensured, Reason::Missing, "ensured: missing"),
        (Relation::Paid, Reason::Drain, "paid"),
    ];
    for (index, (relation, reason, words)) in kinds.into_iter().enumerate() {
        let is_missing = |reason| reason == Reason::Missing;
        let has = edges.iter().any(|row| {
            row.edge.relation == relation && is_missing(row.edge.reason) == is_missing(reason)
        });
        if has {
            let style = style(relation, reason);
            writeln!(
                out,
                "    \"legend {index} from\" [shape=point]; \"legend {index} to\" [shape=point]; \
                 \"legend {index} from\" -> \"legend {index} to\" [label={}, {style}];",
                quoted(words)
            )?;
        }
    }
    writeln!(out, "  }}")
}

fn dot_node(node: &NodeRow) -> String {
    let shape = match node.kind {
        "barrier" => ", shape=hexagon",
        "submission" => ", shape=plaintext",
        _ => "",
    };
    let name = text::clean(&node.label);
    let label = format!("{}\n{name}\nline {}", node.id, node.line);
    format!("{} [label={}{shape}];", quoted(&node.id), quoted(&label))
}

fn dot_edge(graph: &Dependencies, row: &EdgeRow) -> String {
    let style = style(row.edge.relation, row.edge.reason);
    let mut label = effect(row.edge.effect).to_string();
    if !row.resource.is_empty() {
        label = format!("{label} of {}", row.resource);
    }
    if row.edge.relation == Relation::Paid {
        let paid = Ps(row.edge.paid_ps);
        label = format!("{} {paid}", row.edge.reason.word());
    }
    let (from, to) = (&graph.nodes[row.from].id, &graph.nodes[row.to].id);
    format!(
        "{} -> {} [label={}, {style}];",
        quoted(from),
        quoted(to),
        quoted(&label)
    )
}

fn style(relation: Relation, reason: Reason) -> &'static str {
    match (relation, reason) {
        (_, Reason::Missing) => "style=dashed, color=red, fontcolor=red, penwidth=2",
        (Relation::Needed, _) => "style=dashed",
        (Relation::Asked, _) => "style=solid",
        (Relation::Ensured, _) => "style=bold, color=darkgreen",
        (Relation::Paid, _) => "style=dotted, penwidth=2, color=orange",
    }
}

/// A DOT string: quotes and backslashes escaped, line breaks as `\\n`.
fn quoted(words: &str) -> String {
    // A line break of our own is one; all else that is no letter is made harmless.
    let lines: Vec<String> = words.split('\n').map(text::clean).collect();
    let escaped = lines
        .join("\n")
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{escaped}\"")
}
