//! The dependency graph: what comes later is further down, each queue has a column of its own.
//!
//! Only edges that say more than order are labelled: what is missing, and what was paid.

use super::{Drawing, Entry, LINE_LETTERS, WIDTH, at, fitted, fitted_end, legend, length};
use crate::graph::Reason;
use crate::report::dependencies::{
    box_lines, effect, layers, left_out, link_words, relation, undrawn,
};
use crate::report::{Style, text};
use crate::run::{BoxRow, Dependencies, LinkKind, LinkRow};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Boxes that are drawn, unless the user says how many.
const MOST: usize = 250;
const BOX: (f64, f64) = (176.0, 40.0);
/// The distance between neighbours in a layer, and between layers.
const STEP: (f64, f64) = (200.0, 84.0);
/// From one line of nodes to the next in one layer.
const LINE: f64 = 52.0;
/// Columns that a page has room for.
const COLUMNS: usize = 6;
const TOP: f64 = 96.0;
/// Nodes and edges that a tip names.
const TIPS: usize = 12;

/// Where a node is: its middle.
#[derive(Copy, Clone)]
struct Spot {
    x: f64,
    y: f64,
}

pub(super) fn write(graph: &Dependencies, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let boxes = &graph.drawing.boxes;
    let shown = boxes.len().min(style.nodes.unwrap_or(MOST));
    let mut drawing = Drawing::new();
    let title = text::ellipsis(&text::clean(&graph.scenario), 90);
    drawing.text((20.0, 34.0), "h1", &title);
    let is_drawn = |link: &&LinkRow| link.from < shown && link.to < shown;
    let links: Vec<&LinkRow> = graph.drawing.links.iter().filter(is_drawn).collect();
    let says = format!("{}; later is further down", left_out(graph));
    drawing.text((20.0, 56.0), "faint", &text::ellipsis(&says, LINE_LETTERS));
    let (spots, width, bottom) = layout(graph, shown, &links, &mut drawing);
    for link in &links {
        draw_link(&mut drawing, graph, link, &spots);
    }
    for (row, spot) in boxes.iter().zip(&spots) {
        draw_box(&mut drawing, graph, row, *spot);
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
    drawing.height = legend(&mut drawing, &entries(&links), (20.0, y), width);
    let title = format!("Dependency graph of {}", graph.scenario);
    let edges = links.iter().flat_map(|link| &link.edges);
    let missing = edges
        .filter(|edge| graph.edges[**edge].edge.reason == Reason::Missing)
        .count();
    let about = format!("{says}; {missing} needed edges that nothing covers");
    out.write_all(drawing.finish(width, &title, &about).as_bytes())
}

/// Where every node is, how wide the drawing is, and where it ends.
fn layout(
    graph: &Dependencies,
    shown: usize,
    links: &[&LinkRow],
    drawing: &mut Drawing,
) -> (Vec<Spot>, f64, f64) {
    let boxes = graph.drawing.boxes[..shown].iter();
    let nodes = boxes.map(|row| &graph.nodes[row.nodes[0]]);
    let layers = layers(shown, links.iter().map(|link| (link.from, link.to)));
    let mut queues: Vec<&str> = Vec::new();
    for node in nodes.clone() {
        if !queues.contains(&node.queue.as_str()) {
            queues.push(&node.queue);
        }
    }
    // Nodes of one layer and queue are side by side, as many as the queue has columns, then below each other.
    let depth = layers.iter().max().map_or(0, |last| last + 1);
    let mut counts = vec![vec![0_usize; queues.len()]; depth];
    let mut slots = Vec::with_capacity(shown);
    for (node, layer) in nodes.zip(&layers) {
        let queue = queues.iter().position(|q| *q == node.queue);
        let queue = queue.expect("the queue of each node is one of them");
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
        let below = row
            .iter()
            .zip(&widths)
            .map(|(n, columns)| n.div_ceil(*columns));
        let below = below.max().unwrap_or(1).max(1);
        bottom += STEP.1 + length(below - 1) * LINE;
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

fn draw_box(drawing: &mut Drawing, graph: &Dependencies, row: &BoxRow, spot: Spot) {
    let node = &graph.nodes[row.nodes[0]];
    let class = match node.kind {
        "barrier" => "barrier",
        "submission" => "submission",
        _ => "node",
    };
    let (left, top) = (spot.x - BOX.0 / 2.0, spot.y - BOX.1 / 2.0);
    let tips = row.nodes.iter().take(TIPS).map(|at| {
        let node = &graph.nodes[*at];
        format!("{} ({}, line {})", node.label, node.id, node.line)
    });
    let mut tips: Vec<String> = tips.collect();
    if row.nodes.len() > TIPS {
        tips.push(format!("and {} more", row.nodes.len() - TIPS));
    }
    let tip = super::escaped(&tips.join("\n"));
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
    // Of many, how many and which; of one, what it is called.
    let lines = box_lines(graph, row);
    let label = match row.nodes.len() {
        1 => node.label.clone(),
        _ => lines[..lines.len() - 1].join(": "),
    };
    if let Some(label) = fitted(&label, BOX.0 - 18.0) {
        drawing.text((spot.x, spot.y - 4.0), "mid", &label);
    }
    let place = lines.last().map_or("", String::as_str);
    if let Some(place) = fitted_end(place, BOX.0 - 14.0) {
        drawing.text((spot.x, spot.y + 12.0), "faint mid", &place);
    }
}

fn class(link: &LinkRow) -> &'static str {
    match link.kind {
        LinkKind::Missing(_) => "missing",
        LinkKind::Needed => "needed",
        LinkKind::Exempt => "exempt",
        LinkKind::Asked if link.is_needed => "both",
        LinkKind::Asked => "asked",
        LinkKind::Ensured => "ensured",
        LinkKind::Paid => "paid",
    }
}

fn draw_link(drawing: &mut Drawing, graph: &Dependencies, link: &LinkRow, spots: &[Spot]) {
    let (from, to) = (spots[link.from], spots[link.to]);
    let is_down = from.y < to.y;
    let (y1, y2) = if is_down {
        (from.y + BOX.1 / 2.0, to.y - BOX.1 / 2.0 - 1.0)
    } else {
        (from.y - BOX.1 / 2.0, to.y + BOX.1 / 2.0 + 1.0)
    };
    // Different relations between two nodes are next to each other; long edges go around what is between.
    let class = class(link);
    let shift = match class {
        "missing" | "both" => 0.0,
        "needed" => -22.0,
        "exempt" => -34.0,
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
    let tip = super::escaped(&tip(graph, link));
    drawing.put(&format!(
        "<path d=\"{path}\" class=\"{class}\"><title>{tip}</title></path>"
    ));
    let words = match class {
        "missing" => format!("✗ {}", link_words(graph, link)),
        "paid" => link_words(graph, link),
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

/// What a link says where the mouse is on it: its edges, or the first of many.
fn tip(graph: &Dependencies, link: &LinkRow) -> String {
    let mut lines: Vec<String> = Vec::new();
    for edge in link.edges.iter().take(TIPS) {
        let row = &graph.edges[*edge];
        let (a, b) = (&graph.nodes[row.from].id, &graph.nodes[row.to].id);
        let of = match row.resource.as_str() {
            "" => String::new(),
            resource => format!(" of {resource}"),
        };
        let relation = match row.edge.reason {
            Reason::Missing => "missing",
            Reason::Exempt => "exempt",
            _ => relation(row.edge.relation),
        };
        lines.push(format!(
            "{relation}: {}{of}, {a} to {b}",
            effect(row.edge.effect)
        ));
    }
    if link.edges.len() > TIPS {
        lines.push(format!("and {} more", link.edges.len() - TIPS));
    }
    lines.join("\n")
}

fn entries(links: &[&LinkRow]) -> Vec<Entry> {
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
    let kinds = [
        ("both", "needed and asked"),
        ("needed", "needed, and covered"),
        ("exempt", "raster order, or atomics"),
        ("missing", "needed, and missing: a hazard"),
        ("asked", "asked by barriers, fences, calls"),
        ("ensured", "ensured by the packets"),
        ("paid", "paid: waited"),
    ];
    for (class, words) in kinds {
        if links.iter().any(|link| self::class(link) == class) {
            entries.push(Entry {
                class,
                is_line: true,
                words,
            });
        }
    }
    entries
}
