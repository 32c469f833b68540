//! What follows from other edges, by a slow reference and by `petgraph`.

use super::{corpus, graph_of, parsed, scenes};
use petgraph::algo::tred::{dag_to_toposorted_adjacency_list, dag_transitive_reduction_closure};
use petgraph::graph::{DiGraph, EdgeReference, NodeIndex};
use petgraph::visit::{EdgeRef, IntoNeighbors};
use std::collections::BTreeSet;
use syncscope::graph::{DependencyGraph, Edge, Effect, Reason, Relation};
use syncscope::order::Timeline;

/// Whether an edge says that its first node comes before its second.
fn orders(edge: &Edge, relation: Relation) -> bool {
    edge.relation == relation && !matches!(edge.reason, Reason::Missing | Reason::Exempt)
}

/// The nodes that a cycle has: a deadlock has no order.
fn in_cycles(graph: &DependencyGraph, relation: Relation) -> BTreeSet<NodeIndex> {
    let own = graph.graph.filter_map(
        |_, node| Some(*node),
        |_, edge| orders(edge, relation).then_some(*edge),
    );
    let cycles = petgraph::algo::tarjan_scc(&own).into_iter();
    cycles.filter(|c| c.len() > 1).flatten().collect()
}

/// The obvious way: an edge of order follows if the nodes are connected without it.
fn follows(
    graph: &DependencyGraph,
    edge: EdgeReference<'_, Edge>,
    cyclic: &BTreeSet<NodeIndex>,
) -> bool {
    let relation = edge.weight().relation;
    let (from, to) = (edge.source(), edge.target());
    if cyclic.contains(&from) || cyclic.contains(&to) {
        return false;
    }
    let next = |node: NodeIndex| {
        let edges = graph.graph.edges(node);
        edges.filter(move |e| orders(e.weight(), relation))
    };
    let says_more =
        |e: EdgeReference<'_, Edge>| e.target() == to && e.weight().effect != Effect::Order;
    if next(from).any(says_more) {
        return true;
    }
    let mut open: Vec<NodeIndex> = next(from)
        .map(|e| e.target())
        .filter(|n| *n != to)
        .collect();
    let mut seen: BTreeSet<NodeIndex> = open.iter().copied().collect();
    while let Some(node) = open.pop() {
        if cyclic.contains(&node) {
            continue;
        }
        for edge in next(node) {
            if edge.target() == to {
                return true;
            }
            if seen.insert(edge.target()) {
                open.push(edge.target());
            }
        }
    }
    false
}

/// Which nodes an edge of a relation leads to by any path, for each node.
fn reached(graph: &DependencyGraph, relation: Relation) -> Vec<BTreeSet<NodeIndex>> {
    let all = graph.graph.node_indices();
    all.map(|node| {
        let mut open = vec![node];
        let mut seen = BTreeSet::new();
        while let Some(node) = open.pop() {
            let edges = graph.graph.edges(node);
            for edge in edges.filter(|e| orders(e.weight(), relation)) {
                if seen.insert(edge.target()) {
                    open.push(edge.target());
                }
            }
        }
        seen
    })
    .collect()
}

/// The pairs of nodes that petgraph keeps.
fn least(graph: &DependencyGraph, relation: Relation) -> BTreeSet<(NodeIndex, NodeIndex)> {
    let mut plain = DiGraph::<(), ()>::new();
    for _ in graph.graph.node_indices() {
        plain.add_node(());
    }
    for edge in graph
        .graph
        .edge_references()
        .filter(|e| orders(e.weight(), relation))
    {
        plain.update_edge(edge.source(), edge.target(), ());
    }
    let sorted = petgraph::algo::toposort(&plain, None).expect("no cycle");
    let (list, place) = dag_to_toposorted_adjacency_list::<_, u32>(&plain, &sorted);
    let (kept, _) = dag_transitive_reduction_closure(&list);
    let mut pairs = BTreeSet::new();
    for (at, node) in sorted.iter().enumerate() {
        let at = u32::try_from(at).expect("a small graph");
        for next in kept.neighbors(at) {
            pairs.insert((*node, sorted[next as usize]));
        }
    }
    assert_eq!(place.len(), sorted.len());
    pairs
}

/// Checks one scene. Returns how many edges follow.
fn check(name: &str, text: &str) -> usize {
    let scenario = parsed(text);
    let timeline = Timeline::new(&scenario);
    let graph = graph_of(&timeline);
    let implied = graph.implied();
    for relation in [Relation::Needed, Relation::Asked] {
        let cyclic = in_cycles(&graph, relation);
        for edge in graph
            .graph
            .edge_references()
            .filter(|e| e.weight().relation == relation)
        {
            let is_order = orders(edge.weight(), relation) && edge.weight().effect == Effect::Order;
            let expected = is_order && follows(&graph, edge, &cyclic);
            let ends = (graph.graph[edge.source()], graph.graph[edge.target()]);
            let found = implied[edge.id().index()];
            assert_eq!(
                found,
                expected,
                "{name}: {ends:?} {:?}\n{text}",
                edge.weight()
            );
        }
        let reduced = graph.reduced();
        let same = reached(&graph, relation) == reached(&reduced, relation);
        assert!(same, "{name}: {relation:?} keeps what it leads to\n{text}");
        if cyclic.is_empty() {
            let least = least(&graph, relation);
            for edge in reduced.graph.edge_references() {
                let weight = edge.weight();
                let is_order = orders(weight, relation) && weight.effect == Effect::Order;
                let ends = (edge.source(), edge.target());
                assert!(
                    !is_order || least.contains(&ends),
                    "{name}: {ends:?}\n{text}"
                );
            }
        }
    }
    implied.iter().filter(|is| **is).count()
}

#[test]
fn what_follows_from_other_edges_is_what_a_slow_search_and_petgraph_find() {
    let random: usize = scenes(60).map(|(name, text)| check(&name, &text)).sum();
    let corpus: usize = corpus().map(|(name, text)| check(&name, &text)).sum();
    assert!(
        random > 500 && corpus > 500,
        "{random} and {corpus} edges follow"
    );
}

/// What is not decided by neighbours is swept, 64 ends at a time: barriers that wait for all before them make long detours.
#[test]
fn a_long_chain_of_barriers_is_reduced() {
    let mut text = String::from(
        "queue gfx : direct\nbuffer a : 4KiB { flags UNORDERED_ACCESS }\nbuffer b : 4KiB { flags UNORDERED_ACCESS }\nlist main : direct {\n",
    );
    for _ in 0..150 {
        text += "  dispatch 1x1x1 { SHADER_RESOURCE a }\n  dispatch 1x1x1 { UNORDERED_ACCESS b }\n  \
                 barrier { global { sync ALL -> ALL; access COMMON -> COMMON } }\n";
    }
    text += "  dispatch 1x1x1 { UNORDERED_ACCESS a writes }\n}\ntimeline { gfx execute main; gfx execute main }\n";
    assert!(check("a long chain", &text) > 400);
}
