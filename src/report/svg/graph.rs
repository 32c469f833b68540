//! The dependency graph: what comes later is further down, each queue has a column of its own.
//!
//! Only edges that say more than order are labelled: what is missing, and what was paid.

use super::{Drawing, Entry, LINE_LETTERS, WIDTH, at, fitted, legend, length};
use crate::graph::{Reason, Relation};
use crate::report::dependencies::{effect, layers, undrawn};
use crate::report::{Style, text};
use crate::run::{Dependencies, EdgeRow, NodeRow};
use crate::time::Ps;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Nodes that are drawn, unless the user says how many.
const MOST: usize = 250;
const BOX: (f64, f64) = (176.0, 40.0);
/// The distance between neighbours in a layer, and between layers.
const STEP: (f64, f64) = (200.0, 84.0);
/// From one line of nodes to the next in one layer.
const LINE: f64 = 52.0;
/// Columns that a page has room for.
const COLUMNS: usize = 6;
const TOP: f64 = 96.0;

/// Where a node is: its middle.
#[derive(Copy, Clone)]
struct Spot {
    x: f64,
    y: f64,
}

pub(super) fn write(graph: &Dependencies, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let shown = graph.nodes.len().min(style.nodes.unwrap_or(MOST));
    let mut drawing = Drawing::new();
    let title = text::ellipsis(&text::clean(&graph.scenario), 90);
    drawing.text((20.0, 34.0), "h1", &title);
    let edges = drawn(graph, shown);
    let says = format!(
        "{}, {}; later is further down",
        text::count(graph.nodes.len() as u64, "node", "nodes"),
        text::count(graph.edges.len() as u64, "edge", "edges"),
    );
    drawing.text((20.0, 56.0), "faint", &says);
    let (spots, width, bottom) = layout(graph, shown, &edges, &mut drawing);
    for edge in &edges {
        draw_edge(&mut drawing, graph, edge, &spots);
    }
    for (node, spot) in graph.nodes.iter().zip(&spots) {
        draw_node(&mut drawing, node, *spot);
    }
    drawing.height = bottom;
    if let Some(says) = undrawn(graph, shown) {
        drawing.text((20.0, bottom), "faint", &says);
        drawing.height += 10.0;
    }
    for cycle in &graph.deadlocks {
        drawing.height += 18.0;
        let says = format!(
            "deadlock: each of these waits for the next: {}",
            cycle.join(", ")
        );
        let y = drawing.height;
        drawing.text(
            (20.0, y),
            "bad",
            &text::ellipsis(&text::clean(&says), LINE_LETTERS),
        );
    }
    let y = drawing.height + 20.0;
    drawing.height = legend(&mut drawing, &entries(&edges), (20.0, y), width);
    let title = format!("Dependency graph of {}", graph.scenario);
    let missing = edges
        .iter()
        .filter(|e| e.edge.reason == Reason::Missing)
        .count();
    let about = format!("{says}; {missing} needed edges that nothing covers");
    out.write_all(drawing.finish(width, &title, &about).as_bytes())
}

/// Edges between nodes that are drawn; of several of one kind between two nodes, one.
fn drawn(graph: &Dependencies, shown: usize) -> Vec<&EdgeRow> {
    let mut edges: Vec<&EdgeRow> = Vec::new();
    let inside = graph
        .edges
        .iter()
        .filter(|e| e.from < shown && e.to < shown);
    for edge in inside {
        let key = |e: &EdgeRow| (e.from, e.to, class(e));
        if !edges
            .iter()
            .rev()
            .take(64)
            .any(|known| key(known) == key(edge))
        {
            edges.push(edge);
        }
    }
    edges
}

/// Where every node is, how wide the drawing is, and where it ends.
fn layout(
    graph: &Dependencies,
    shown: usize,
    edges: &[&EdgeRow],
    drawing: &mut Drawing,
) -> (Vec<Spot>, f64, f64) {
    let nodes = &graph.nodes[..shown];
    let layers = layers(shown, edges.iter().copied());
    let mut queues: Vec<&str> = Vec::new();
    for node in nodes {
        if !queues.contains(&node.queue.as_str()) {
            queues.push(&node.queue);
        }
    }
    // Nodes of one layer and queue are side by side, as many as the queue has columns, then below each other.
    let depth = layers.iter().max().map_or(0, |last| last + 1);
    let mut counts = vec![vec![0_usize; queues.len()]; depth];
    let mut slots = Vec::with_capacity(shown);
    for (node, layer) in nodes.iter().zip(&layers) {
        let queue = queues
            .iter()
            .position(|q| *q == node.queue)
            .unwrap_or_default();
        slots.push((queue, counts[*layer][queue]));
        counts[*layer][queue] += 1;
    }
    let widths = columns(&counts, queues.len());
    let all: usize = widths.iter().sum();
    let width = (length(all) * STEP.0 + 60.0 + length(queues.len()) * 8.0).max(WIDTH);
    let mut tops = Vec::with_capacity(depth);
    let mut bottom = TOP;
    for row in &counts {
        tops.push(bottom);
        let lines = row
            .iter()
            .zip(&widths)
            .map(|(n, columns)| n.div_ceil(*columns));
        let lines = lines.max().unwrap_or(1).max(1);
        bottom += STEP.1 + length(lines - 1) * LINE;
    }
    bottom += 6.0;
    let spare = (width - 40.0 - length(all) * STEP.0) / length(queues.len().max(1));
    let mut lefts = Vec::new();
    let mut left = 20.0;
    for (queue, columns) in queues.iter().zip(&widths) {
        let own = length(*columns) * STEP.0 + spare;
        let _ = writeln!(
            drawing.ground,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" class=\"band\"/>",
            at(left + 4.0),
            at(TOP - 26.0),
            at(own - 8.0),
            at(bottom - TOP + 20.0)
        );
        let name = fitted(queue, own - 30.0).unwrap_or_default();
        drawing.text((left + own / 2.0, TOP - 10.0), "h2 mid", &name);
        lefts.push((left, own));
        left += own;
    }
    let places = slots.iter().zip(&layers).map(|((queue, slot), layer)| {
        let (left, own) = lefts[*queue];
        let (line, place) = (slot / widths[*queue], slot % widths[*queue]);
        let here = (counts[*layer][*queue] - line * widths[*queue]).min(widths[*queue]);
        let first = left + own / 2.0 - (length(here) - 1.0) / 2.0 * STEP.0;
        Spot {
            x: first + length(place) * STEP.0,
            y: tops[*layer] + 12.0 + length(line) * LINE + BOX.1 / 2.0,
        }
    });
    (places.collect(), width, bottom)
}

/// How many columns each queue has: one, and more for those with many nodes in one layer, as long as the page has room.
fn columns(counts: &[Vec<usize>], queues: usize) -> Vec<usize> {
    let need = |queue: usize| counts.iter().map(|row| row[queue]).max().unwrap_or(1);
    let mut columns = vec![1; queues];
    while columns.iter().sum::<usize>() < COLUMNS {
        let lacking = |queue: &usize| need(*queue).div_ceil(columns[*queue]);
        match (0..queues).rev().max_by_key(lacking) {
            Some(queue) if need(queue) > columns[queue] => columns[queue] += 1,
            _ => break,
        }
    }
    columns
}

fn draw_node(drawing: &mut Drawing, node: &NodeRow, spot: Spot) {
    let class = match node.kind {
        "barrier" => "barrier",
        "submission" => "submission",
        _ => "node",
    };
    let (left, top) = (spot.x - BOX.0 / 2.0, spot.y - BOX.1 / 2.0);
    let tip = super::escaped(&format!("{} ({}, line {})", node.label, node.id, node.line));
    // A barrier has pointed sides: its shape tells it, not only its colour.
    let shape = if class == "barrier" {
        let (right, bottom, middle) = (left + BOX.0, top + BOX.1, spot.y);
        format!(
            "<path d=\"M{} {}H{}L{} {}L{} {}H{}L{} {}z\"",
            at(left + 9.0),
            at(top),
            at(right - 9.0),
            at(right),
            at(middle),
            at(right - 9.0),
            at(bottom),
            at(left + 9.0),
            at(left),
            at(middle)
        )
    } else {
        format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\"",
            at(left),
            at(top),
            at(BOX.0),
            at(BOX.1)
        )
    };
    drawing.put(&format!(
        "{shape} class=\"{class}\"><title>{tip}</title></{}>",
        if class == "barrier" { "path" } else { "rect" }
    ));
    if let Some(label) = fitted(&node.label, BOX.0 - 18.0) {
        drawing.text((spot.x, spot.y - 4.0), "mid", &label);
    }
    let place = format!("{}, line {}", node.id, node.line);
    if let Some(place) = fitted(&place, BOX.0 - 14.0) {
        drawing.text((spot.x, spot.y + 12.0), "faint mid", &place);
    }
}

fn class(edge: &EdgeRow) -> &'static str {
    match (edge.edge.relation, edge.edge.reason) {
        (_, Reason::Missing) => "missing",
        (Relation::Needed, _) => "needed",
        (Relation::Asked, _) => "asked",
        (Relation::Ensured, _) => "ensured",
        (Relation::Paid, _) => "paid",
    }
}

fn draw_edge(drawing: &mut Drawing, graph: &Dependencies, edge: &EdgeRow, spots: &[Spot]) {
    let (from, to) = (spots[edge.from], spots[edge.to]);
    let is_down = from.y < to.y;
    let (y1, y2) = if is_down {
        (from.y + BOX.1 / 2.0, to.y - BOX.1 / 2.0 - 1.0)
    } else {
        (from.y - BOX.1 / 2.0, to.y + BOX.1 / 2.0 + 1.0)
    };
    // Different relations between two nodes are next to each other; long edges go around what is between.
    let class = class(edge);
    let shift = match class {
        "missing" => 0.0,
        "needed" => -22.0,
        "asked" => 22.0,
        "ensured" => 40.0,
        _ => -40.0,
    };
    let far = ((to.y - from.y).abs() / STEP.1 - 1.0).max(0.0);
    let is_straight = (from.x - to.x).abs() < 1.0;
    let around = if far > 0.5 && is_straight {
        (BOX.0 / 2.0 + 14.0 + far * 6.0) * if shift < 0.0 { -1.4 } else { 1.4 }
    } else {
        0.0
    };
    let bend = ((y2 - y1).abs() / 2.0).max(16.0) * if is_down { 1.0 } else { -1.0 };
    let (x1, x2) = (from.x + shift, to.x + shift);
    let path = format!(
        "M{} {}C{} {} {} {} {} {}",
        at(x1),
        at(y1),
        at(x1 + around),
        at(y1 + bend),
        at(x2 + around),
        at(y2 - bend),
        at(x2),
        at(y2)
    );
    let (a, b) = (&graph.nodes[edge.from].id, &graph.nodes[edge.to].id);
    let of = match edge.resource.as_str() {
        "" => String::new(),
        resource => format!(" of {resource}"),
    };
    let tip = format!("{class}: {}{of}, {a} to {b}", effect(edge.edge.effect));
    let tip = super::escaped(&tip);
    drawing.put(&format!(
        "<path d=\"{path}\" class=\"{class}\"><title>{tip}</title></path>"
    ));
    let words = match class {
        "missing" => format!("✗ {}{of}", effect(edge.edge.effect)),
        "paid" => format!("{} {}", edge.edge.reason.word(), Ps(edge.edge.paid_ps)),
        _ => return,
    };
    let words = fitted(&words, 200.0).unwrap_or_default();
    let (x, y) = (
        f64::midpoint(x1, x2) + around * 0.75,
        f64::midpoint(y1, y2) + 4.0,
    );
    let ground = super::room(&words) + 6.0;
    drawing.put(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"14\" fill=\"#fff\" fill-opacity=\".9\"/>",
        at(x - ground / 2.0),
        at(y - 10.5),
        at(ground)
    ));
    let look = if class == "missing" { "bad mid" } else { "mid" };
    drawing.text((x, y), look, &words);
}

fn entries(edges: &[&EdgeRow]) -> Vec<Entry> {
    let mut entries = vec![
        Entry {
            class: "node",
            is_line: false,
            words: "command",
        },
        Entry {
            class: "barrier",
            is_line: false,
            words: "barrier (pointed sides)",
        },
        Entry {
            class: "submission",
            is_line: false,
            words: "end of a submission",
        },
    ];
    let lines = [
        ("needed", "needed, and covered"),
        ("missing", "needed, and missing: a hazard"),
        ("asked", "asked by barriers, fences, calls"),
        ("ensured", "ensured by the packets"),
        ("paid", "paid: waited"),
    ];
    for (class, words) in lines {
        if edges.iter().any(|edge| self::class(edge) == class) {
            entries.push(Entry {
                class,
                is_line: true,
                words,
            });
        }
    }
    entries
}
