//! Where boxes and edges are: a column for each step on the way from the clients to memory, boxes near those that they are
//! linked with. An edge that passes a column has a lane of its own there, so that it crosses no box.

use super::{BoxRow, Diagram};
use crate::id::narrow;

/// Width of a diagram.
const WIDTH: u32 = 960;
/// Narrowest and widest box.
const BOX: (u32, u32) = (118, 150);
/// Room between columns at least.
const GAP: u32 = 44;
/// Height of a client, of a cache, of a lane, and the room below each.
const CLIENT: u32 = 50;
const CACHE: u32 = 76;
const LANE: u32 = 10;
const BELOW: u32 = 10;
/// Height at least, so that memory has room.
const HEIGHT: u32 = 214;

/// Something in a column: a box, or the lane of an edge.
struct Node {
    column: u32,
    height: u32,
    y: u32,
    /// Nodes of the column before it that it is linked with.
    before: Vec<usize>,
}

/// Places all boxes and edges.
pub(super) fn place(diagram: &mut Diagram) {
    let columns = columns(diagram);
    let last = columns.iter().max().copied().unwrap_or(0);
    let all = last + 1;
    let width = (WIDTH.saturating_sub(GAP * last) / all).clamp(BOX.0, BOX.1);
    // What remains is between the columns.
    let between = (WIDTH.saturating_sub(width * all) / last.max(1)).max(GAP);
    let left = |column: u32| column * (width + between);
    let (mut nodes, ways) = nodes(diagram, &columns);
    let high = (0..=last).map(|column| {
        let own = nodes.iter().filter(|node| node.column == column);
        own.map(|node| node.height + BELOW).sum::<u32>()
    });
    let high = high.max().unwrap_or(0).max(HEIGHT);
    (diagram.width, diagram.height) = (WIDTH.max(left(last) + width), high);
    for column in 0..=last {
        stack(&mut nodes, column, high);
    }
    for (row, node) in diagram.boxes.iter_mut().zip(&nodes) {
        let is_memory = row.kind == "memory";
        (row.x, row.width) = (left(node.column), width);
        (row.y, row.height) = if is_memory {
            (0, high - BELOW)
        } else {
            (node.y, node.height)
        };
    }
    let middle = |node: &Node| node.y + node.height / 2;
    for (edge, way) in diagram.edges.iter_mut().zip(ways) {
        let lanes = way.iter().map(|at| &nodes[*at]);
        let lanes = lanes.flat_map(|lane| {
            let x = left(lane.column);
            [[x, middle(lane)], [x + width, middle(lane)]]
        });
        let (from, to) = (edge.from as usize, edge.to as usize);
        let start = [left(nodes[from].column) + width, middle(&nodes[from])];
        let before = way.last().map_or(from, |lane| *lane);
        let into = if diagram.boxes[to].kind == "memory" {
            // Memory is as high as the diagram: an edge goes straight on.
            middle(&nodes[before])
        } else {
            middle(&nodes[to])
        };
        let end = [left(nodes[to].column), into];
        edge.points = [start].into_iter().chain(lanes).chain([end]).collect();
    }
}

/// A node for each box, in order, then the lanes; and the lanes of each edge.
fn nodes(diagram: &Diagram, columns: &[u32]) -> (Vec<Node>, Vec<Vec<usize>>) {
    let node = |(row, column): (&BoxRow, &u32)| Node {
        column: *column,
        height: if row.kind == "client" { CLIENT } else { CACHE },
        y: 0,
        before: Vec::new(),
    };
    let mut nodes: Vec<Node> = diagram.boxes.iter().zip(columns).map(node).collect();
    let mut ways = Vec::new();
    for edge in &diagram.edges {
        let mut at = edge.from as usize;
        let first = nodes.len();
        for column in columns[at] + 1..columns[edge.to as usize] {
            let before = vec![at];
            at = nodes.len();
            nodes.push(Node {
                column,
                height: LANE,
                y: 0,
                before,
            });
        }
        nodes[edge.to as usize].before.push(at);
        ways.push((first..nodes.len()).collect());
    }
    (nodes, ways)
}

/// The column of each box: clients in the first, memory in the last, each cache as far from memory as its longest way there.
fn columns(diagram: &Diagram) -> Vec<u32> {
    let mut steps = vec![0; diagram.boxes.len()];
    // A way has no circle: as many rounds as there are boxes are enough.
    for _ in 0..diagram.boxes.len() {
        for edge in &diagram.edges {
            let beyond = steps[edge.to as usize] + 1;
            let own = &mut steps[edge.from as usize];
            *own = beyond.max(*own);
        }
    }
    let boxes = || diagram.boxes.iter().zip(&steps);
    let inner = boxes().filter(|(row, _)| row.kind != "client");
    let deepest = inner.map(|(_, steps)| *steps).max().unwrap_or(0);
    let first = u32::from(boxes().any(|(row, _)| row.kind == "client"));
    let column = |(row, steps): (&BoxRow, &u32)| match row.kind {
        "client" => 0,
        _ => first + deepest - steps,
    };
    boxes().map(column).collect()
}

/// Stacks what is in a column: each as near as there is room to the middle of what it is linked with in the column before.
fn stack(nodes: &mut [Node], column: u32, high: u32) {
    let own = (0..nodes.len()).filter(|at| nodes[*at].column == column);
    let wish = |at: usize| {
        let before = &nodes[at].before;
        let middles = before
            .iter()
            .map(|at| nodes[*at].y + nodes[*at].height / 2)
            .sum::<u32>();
        middles.checked_div(narrow(before.len())).unwrap_or(0)
    };
    let mut order: Vec<(u32, usize)> = own.map(|at| (wish(at), at)).collect();
    order.sort_unstable();
    let mut rest: u32 = order.iter().map(|(_, at)| nodes[*at].height + BELOW).sum();
    // Clients have nothing before them: they share the room evenly.
    let is_first = order.iter().all(|(_, at)| nodes[*at].before.is_empty());
    let spare = (high - rest) / narrow(order.len()).max(1);
    let mut top = if is_first { spare / 2 } else { 0 };
    for (wish, at) in order {
        let takes = nodes[at].height + BELOW;
        let place = if is_first {
            top
        } else {
            let height = nodes[at].height;
            wish.saturating_sub(height / 2).clamp(top, high - rest)
        };
        nodes[at].y = place;
        top = place + takes + if is_first { spare } else { 0 };
        rest -= takes;
    }
}
