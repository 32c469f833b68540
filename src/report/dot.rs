//! The format `dot`: the dependency graph for Graphviz.
//!
//! Later is further down. Each queue is a column. A graph of many boxes has a column for each stretch of a queue between two
//! hand-overs, from left to right, so that a frame fits a slide: there a box says in words what it needs of other columns,
//! and lines between columns are those of queues and fences, and what is missing.

use super::dependencies::{GRAPH, box_lines, layers, left_out, link_words, resources, undrawn};
use super::format::Format;
use super::{Style, text};
use crate::graph::Relation;
use crate::run::{Dependencies, LinkKind, LinkRow, is_order};
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    extensions: &["dot", "gv"],
    writers: &[GRAPH.by(&(write as _))],
    usage: "Graphviz draws it: `dot -Tpdf graph.dot -o graph.pdf`; see [dependency graphs](../formats.md#dependency-graphs).",
    ..Format::new("dot", "for Graphviz")
};

/// Boxes that are drawn, unless the user says how many: Graphviz takes minutes for more.
const MOST: usize = 500;

/// Boxes above which those of one rank are not named: the ranks follow from the edges, only slower.
const RANKED_MAX: usize = 5_000;

/// Letters of a line in a box, and in one of a drawing that is split.
const LETTERS: [usize; 2] = [44, 30];

/// How a barrier looks: its corners tell it, not only its colour.
const BARRIER: &str = ", style=\"rounded,filled\", fillcolor=\"#fff4ec\"";

/// Lines of a box that say what it needs of other columns.
const HANDED_MAX: usize = 3;

/// A slide: at most 4,000 by 2,500 pixels at Graphviz's 96 to the inch. What is smaller stays as it is.
const SIZE: &str = "41.4,25.8";

/// What is missing is red and dashed; what was asked is solid. Later is further down, on every queue.
fn write(graph: &Dependencies, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let drawing = &graph.drawing;
    let shown = drawing.boxes.len().min(style.nodes.unwrap_or(MOST));
    let is_drawn =
        |link: &&LinkRow| link.from < shown && link.to < shown && !is_handed(graph, link);
    let links: Vec<&LinkRow> = drawing.links.iter().filter(is_drawn).collect();
    writeln!(out, "digraph {} {{", quoted(&graph.scenario))?;
    writeln!(
        out,
        "  newrank=true; ranksep={}; nodesep=0.15; size={}; fontname=\"sans-serif\";\n  \
         node [shape=box, fontname=\"sans-serif\", fontsize={}, height=0.3, margin=\"0.06,0.03\"];\n  \
         edge [fontname=\"sans-serif\", fontsize=10, arrowsize=0.7];",
        if drawing.is_split { "0.1" } else { "0.22" },
        quoted(SIZE),
        if drawing.is_split { 10 } else { 11 },
    )?;
    let mut title = vec![graph.scenario.clone(), left_out(graph)];
    title.extend(undrawn(graph, shown));
    writeln!(out, "  label={}; labelloc=t;", quoted(&title.join("\n")))?;
    let mut heads: Vec<String> = Vec::new();
    for (index, part) in drawing.parts.iter().enumerate() {
        let own = (0..shown).filter(|i| drawing.boxes[*i].part == index);
        let own: Vec<usize> = own.collect();
        let Some(first) = own.first() else { continue };
        heads.push(quoted(name(graph, *first)));
        writeln!(
            out,
            "  subgraph cluster_{index} {{ label={};",
            quoted(&part.queue)
        )?;
        for index in own {
            writeln!(out, "    {}", dot_box(graph, index))?;
        }
        writeln!(out, "  }}")?;
    }
    if drawing.is_split {
        stretches(&heads, out)?;
    } else if shown <= RANKED_MAX {
        ranks(graph, shown, &links, out)?;
    }
    for link in &links {
        writeln!(out, "  {}", dot_link(graph, link))?;
    }
    legend(&links, out)?;
    writeln!(out, "}}")
}

/// The first boxes of all stretches are at the top, one next to the other: below one node that nobody sees.
fn stretches(heads: &[String], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "  \"stretches\" [style=invis, shape=point, ordering=out];"
    )?;
    for head in heads {
        writeln!(out, "  \"stretches\" -> {head} [style=invis, weight=0];")?;
    }
    writeln!(out, "  {{ rank=same; {}; }}", heads.join("; "))
}

/// Boxes after equally many others are at one place of the time.
fn ranks(
    graph: &Dependencies,
    shown: usize,
    links: &[&LinkRow],
    out: &mut dyn Write,
) -> io::Result<()> {
    let layers = layers(shown, links.iter().map(|link| (link.from, link.to)));
    let last = layers.iter().max().copied().unwrap_or_default();
    for layer in 0..=last {
        let here = (0..shown).filter(|index| layers[*index] == layer);
        let names: Vec<String> = here.map(|index| quoted(name(graph, index))).collect();
        if names.len() > 1 {
            writeln!(out, "  {{ rank=same; {}; }}", names.join("; "))?;
        }
    }
    Ok(())
}

/// What boxes and lines mean: those that there are.
fn legend(links: &[&LinkRow], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "  subgraph cluster_legend {{ label=\"legend\"; style=dashed; node [fontsize=10]; edge [fontsize=10];"
    )?;
    writeln!(out, "    \"legend command\" [label=\"command\"];")?;
    writeln!(out, "    \"legend barrier\" [label=\"barrier\"{BARRIER}];")?;
    writeln!(
        out,
        "    \"legend end\" [label=\"end of a submission\", shape=plaintext];"
    )?;
    let kinds = [
        (LinkKind::Asked, true, "needed and asked"),
        (LinkKind::Asked, false, "asked"),
        (LinkKind::Needed, false, "needed, and covered by others"),
        (
            LinkKind::Missing(Relation::Needed),
            false,
            "needed, missing",
        ),
        (LinkKind::Exempt, false, "raster order, or atomics"),
        (LinkKind::Ensured, false, "ensured"),
        (
            LinkKind::Missing(Relation::Ensured),
            false,
            "ensured: missing",
        ),
        (LinkKind::Paid, false, "paid"),
    ];
    for (index, (kind, is_needed, words)) in kinds.into_iter().enumerate() {
        let is_one = |link: &&&LinkRow| (link.kind, link.is_needed) == (kind, is_needed);
        if links.iter().any(|link| is_one(&link)) {
            let style = style(kind, is_needed);
            writeln!(
                out,
                "    \"legend {index} from\" [shape=point, width=0.05]; \"legend {index} to\" [label={}, shape=plaintext]; \
                 \"legend {index} from\" -> \"legend {index} to\" [{style}];",
                quoted(words)
            )?;
        }
    }
    writeln!(out, "  }}")
}

/// The name of a box: that of its first node.
fn name(graph: &Dependencies, index: usize) -> &str {
    &graph.nodes[graph.drawing.boxes[index].nodes[0]].id
}

fn dot_box(graph: &Dependencies, index: usize) -> String {
    let row = &graph.drawing.boxes[index];
    let shape = match graph.nodes[row.nodes[0]].kind {
        "barrier" => BARRIER,
        "submission" => ", shape=plaintext",
        _ => "",
    };
    let letters = LETTERS[usize::from(graph.drawing.is_split)];
    let lines = box_lines(graph, row).into_iter();
    let lines = lines.chain(handed(graph, index));
    let lines: Vec<String> = lines.map(|line| text::ellipsis(&line, letters)).collect();
    let ids: Vec<&str> = row
        .nodes
        .iter()
        .map(|n| graph.nodes[*n].id.as_str())
        .collect();
    format!(
        "{} [label={}{shape}, tooltip={}];",
        quoted(name(graph, index)),
        quoted(&lines.join("\n")),
        quoted(&ids.join(", "))
    )
}

fn dot_link(graph: &Dependencies, link: &LinkRow) -> String {
    let style = style(link.kind, link.is_needed);
    let words = quoted(&link_words(graph, link));
    // Of many boxes, only what is missing and what was paid is labelled: the barriers name their resources.
    let is_quiet =
        graph.drawing.is_split && !matches!(link.kind, LinkKind::Missing(_) | LinkKind::Paid);
    let says = if is_quiet { "tooltip" } else { "label" };
    // A stretch begins at the top, whatever it takes over.
    let rank = if is_between(graph, link) {
        ", constraint=false"
    } else {
        ""
    };
    let [from, to] = [link.from, link.to].map(|index| quoted(name(graph, index)));
    format!("{from} -> {to} [{style}, {says}={words}{rank}];")
}

/// Whether a link is between two columns of a drawing that is split.
fn is_between(graph: &Dependencies, link: &LinkRow) -> bool {
    let drawing = &graph.drawing;
    drawing.is_split && drawing.boxes[link.from].part != drawing.boxes[link.to].part
}

/// Whether a link is told in its later box, not drawn.
fn is_handed(graph: &Dependencies, link: &LinkRow) -> bool {
    is_between(graph, link) && !is_order(graph, link) && !matches!(link.kind, LinkKind::Missing(_))
}

/// What a box needs of other columns, in words.
fn handed(graph: &Dependencies, index: usize) -> Vec<String> {
    let drawing = &graph.drawing;
    let links = drawing.links.iter().filter(|link| link.to == index);
    let links = links.filter(|link| is_handed(graph, link));
    let says = links.map(|link| {
        let many = if drawing.boxes[link.from].nodes.len() > 1 {
            " …"
        } else {
            ""
        };
        let names = resources(graph, link).join(", ");
        let words = if names.is_empty() {
            link_words(graph, link)
        } else {
            names
        };
        format!("after {}{many}: {words}", name(graph, link.from))
    });
    let mut says: Vec<String> = says.collect();
    if says.len() > HANDED_MAX {
        let more = says.len() - HANDED_MAX + 1;
        says.truncate(HANDED_MAX - 1);
        says.push(format!("and after {more} more"));
    }
    says
}

fn style(kind: LinkKind, is_needed: bool) -> &'static str {
    match kind {
        LinkKind::Missing(_) => "style=dashed, color=red, fontcolor=red, penwidth=2",
        LinkKind::Needed => "style=dashed",
        LinkKind::Exempt => "style=dotted, color=gray40, fontcolor=gray40",
        LinkKind::Asked if is_needed => "style=solid, penwidth=2",
        LinkKind::Asked => "style=solid",
        LinkKind::Ensured => "style=bold, color=darkgreen",
        LinkKind::Paid => "style=dotted, penwidth=2, color=orange",
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
