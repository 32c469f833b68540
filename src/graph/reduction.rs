//! Which edges of order follow from the others of their relation: the transitive reduction.
//!
//! Order composes along any path; visibility and layout do not. So only an edge of order follows, from a path of edges of
//! its relation whatever they are about, since each of them orders too. Where nothing covers, or nothing has to, an edge
//! orders nothing: it follows from none, and none follows from it. What was paid is a measure and follows from nothing.
//!
//! `petgraph::algo::tred` keeps the closure, the square of the nodes in memory. Here nearly every edge is decided by its
//! neighbours: those into the end of a scope and out of its start have a detour of two edges, or one of their ends has no
//! other edge. What remains is decided by one sweep over the nodes between for each 64 ends. Cost: edges times the log of
//! a degree, and (nodes + edges) between × undecided edges / 64.

use super::dependency::{DependencyGraph, Effect, Node, Relation};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Ends that one sweep decides: the bits of a word.
const ENDS: usize = 64;

/// Of each edge, by its index, whether it follows from others.
pub(super) fn implied(graph: &DependencyGraph) -> Vec<bool> {
    let mut implied = vec![false; graph.graph.edge_count()];
    for relation in [Relation::Needed, Relation::Asked, Relation::Ensured] {
        let order = OrderOf::new(graph, relation);
        for edge in order.implied(graph) {
            implied[edge] = true;
        }
    }
    implied
}

/// What one relation orders: the graph without nodes of cycles, which are deadlocks and have no order.
struct OrderOf {
    relation: Relation,
    /// Places so that every edge leads to a later one, near to the order of execution; `None` in a cycle.
    place: Vec<Option<usize>>,
    /// Neighbours by place, as places, each list in order and without doubles.
    next: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
}

impl OrderOf {
    fn new(graph: &DependencyGraph, relation: Relation) -> Self {
        let nodes = graph.graph.node_count();
        let edges: Vec<(usize, usize)> = graph
            .graph
            .edge_references()
            .filter(|e| e.weight().relation == relation && e.weight().orders())
            .map(|e| (e.source().index(), e.target().index()))
            .collect();
        let mut next = vec![Vec::new(); nodes];
        let mut before = vec![0_usize; nodes];
        for (from, to) in &edges {
            next[*from].push(*to);
            before[*to] += 1;
        }
        let key = |node: usize| (when(graph.graph[NodeIndex::new(node)]), node);
        let free = (0..nodes).filter(|node| before[*node] == 0);
        let mut open: BinaryHeap<_> = free.map(|node| Reverse(key(node))).collect();
        let (mut place, mut places) = (vec![None; nodes], 0);
        while let Some(Reverse((_, node))) = open.pop() {
            place[node] = Some(places);
            places += 1;
            for to in &next[node] {
                before[*to] -= 1;
                if before[*to] == 0 {
                    open.push(Reverse(key(*to)));
                }
            }
        }
        let mut order = Self {
            relation,
            next: vec![Vec::new(); places],
            before: vec![Vec::new(); places],
            place,
        };
        for (from, to) in edges {
            if let (Some(from), Some(to)) = (order.place[from], order.place[to]) {
                order.next[from].push(to);
                order.before[to].push(from);
            }
        }
        for list in order.next.iter_mut().chain(&mut order.before) {
            list.sort_unstable();
            list.dedup();
        }
        order
    }

    /// Indices of the edges that follow from others.
    fn implied(&self, graph: &DependencyGraph) -> Vec<usize> {
        let mut found = Vec::new();
        let mut open: Vec<(usize, usize, usize)> = Vec::new();
        let beside = self.says_more(graph);
        for edge in graph.graph.edge_references() {
            let weight = edge.weight();
            if weight.relation != self.relation
                || !weight.orders()
                || weight.effect != Effect::Order
            {
                continue;
            }
            let ends = [edge.source(), edge.target()].map(|node| self.place[node.index()]);
            let [Some(from), Some(to)] = ends else {
                continue;
            };
            if beside.contains(&(from, to)) || self.has_short_detour(from, to) {
                found.push(edge.id().index());
            } else if self.next[from].len() > 1 && self.before[to].len() > 1 {
                open.push((to, from, edge.id().index()));
            }
        }
        open.sort_unstable();
        let mut rest = open.as_slice();
        while let Some(first) = rest.first() {
            // As many as have the next 64 ends.
            let mut ends = vec![first.0];
            let count = rest.iter().take_while(|(to, ..)| {
                if ends.last() != Some(to) && ends.len() < ENDS {
                    ends.push(*to);
                }
                ends.last() == Some(to)
            });
            let (block, others) = rest.split_at(count.count());
            self.sweep(block, &ends, &mut found);
            rest = others;
        }
        found
    }

    /// Ends of edges about visibility or a layout, which order too: an edge of order next to one says nothing more.
    fn says_more(&self, graph: &DependencyGraph) -> BTreeSet<(usize, usize)> {
        let edges = graph.graph.edge_references();
        let more = edges.filter(|e| {
            let weight = e.weight();
            weight.relation == self.relation && weight.orders() && weight.effect != Effect::Order
        });
        more.filter_map(|e| {
            let from = self.place[e.source().index()]?;
            Some((from, self.place[e.target().index()]?))
        })
        .collect()
    }

    /// Whether two edges lead from one node to another.
    fn has_short_detour(&self, from: usize, to: usize) -> bool {
        let (next, before) = (&self.next[from], &self.before[to]);
        // The shorter list is looked through.
        if next.len() <= before.len() {
            next.iter().any(|n| before.binary_search(n).is_ok())
        } else {
            before.iter().any(|n| next.binary_search(n).is_ok())
        }
    }

    /// Decides edges to at most 64 ends, all of them in order of their ends.
    fn sweep(&self, edges: &[(usize, usize, usize)], ends: &[usize], found: &mut Vec<usize>) {
        let (Some(first), Some(last)) = (edges.iter().map(|e| e.1).min(), ends.last().copied())
        else {
            return;
        };
        let mut reaches = vec![0_u64; last - first + 1];
        let own = |node: usize| ends.binary_search(&node).map_or(0, |bit| 1_u64 << bit);
        for node in (first..=last).rev() {
            let next = self.next[node].iter().take_while(|n| **n <= last);
            reaches[node - first] = next.fold(0, |set, n| set | own(*n) | reaches[n - first]);
        }
        for (to, from, edge) in edges {
            // What an edge reaches by itself does not count: a detour leads over another node.
            let mut others = self.next[*from].iter().take_while(|n| *n < to);
            if others.any(|n| reaches[n - first] & own(*to) != 0) {
                found.push(*edge);
            }
        }
    }
}

/// Nodes in order of execution; the end of a submission as soon as it can be.
fn when(node: Node) -> (u32, u32) {
    match node {
        Node::Submission(_) => (0, 0),
        Node::Command(command) => (command.0, 0),
        Node::Barrier(barrier) => (barrier.node.0, barrier.entry),
    }
}
