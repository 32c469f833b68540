//! The dependency graph as JSON, and the words for its edges.

use super::format::{Output, Printer};
use super::{json, text};
use crate::graph::{Effect, Relation};
use crate::run::{BoxRow, Dependencies, LinkKind, LinkRow, NodeRow, is_order};
use crate::schema::schema;
use crate::time::Ps;
use petgraph::graph::DiGraph;
use petgraph::visit::DfsPostOrder;
use serde::Serialize;

/// Resources that a link names of each effect.
const NAMES_MAX: usize = 3;

/// The dependency graph: `graph`.
pub(crate) const GRAPH: Output<Printer<Dependencies>> = Output {
    name: "graph",
    noun: "a graph",
    writers: &[("json", |graph, _, out| {
        json::indented(&document(graph), out)
    })],
    schema: Some(schema!(
        written GraphDocument<'static>, "graph", "The output of `graph --format json`"
    )),
};

/// A dependency graph.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GraphDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// Title of the scenario, or its file name.
    scenario: &'a str,
    /// Nodes in order of execution, submissions last.
    nodes: Vec<GraphNode<'a>>,
    /// Edges by their ends.
    edges: Vec<GraphEdge<'a>>,
    /// Ids of the nodes of each cycle of the relation *asked*, a deadlock each: every node waits for the next, the last for the first.
    deadlocks: &'a [Vec<String>],
}

/// A node.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GraphNode<'a> {
    #[serde(flatten)]
    node: &'a NodeRow,
    /// Id of the node by which a drawing names the box that it has this node in: the first one of the box, perhaps itself.
    drawn_in: &'a str,
}

/// An edge, from the earlier to the later.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GraphEdge<'a> {
    /// Id of the earlier node.
    from: &'a str,
    /// Id of the later node.
    to: &'a str,
    /// `needed`, `asked`, `ensured` or `paid`.
    relation: &'static str,
    /// `order`, `visibility` or `layout`.
    effect: &'static str,
    /// Where it comes from.
    reason: &'static str,
    /// How long the later node waited for the earlier; null for another relation than `paid`.
    paid_ps: Option<u64>,
    /// Name of the resource; null if it is about none.
    resource: Option<&'a str>,
    /// Whether it is one of order that follows from other edges of its relation; a drawing leaves it out.
    implied: bool,
}

fn document(graph: &Dependencies) -> GraphDocument<'_> {
    let mut drawn_in = vec![""; graph.nodes.len()];
    for row in &graph.drawing.boxes {
        for node in &row.nodes {
            drawn_in[*node] = &graph.nodes[row.nodes[0]].id;
        }
    }
    let nodes = graph.nodes.iter().zip(drawn_in);
    let nodes = nodes.map(|(node, drawn_in)| GraphNode { node, drawn_in });
    let edges = graph.edges.iter().map(|e| GraphEdge {
        from: &graph.nodes[e.from].id,
        to: &graph.nodes[e.to].id,
        relation: relation(e.edge.relation),
        effect: effect(e.edge.effect),
        reason: e.edge.reason.word(),
        paid_ps: (e.edge.relation == Relation::Paid).then_some(e.edge.paid_ps),
        resource: Some(e.resource.as_str()).filter(|name| !name.is_empty()),
        implied: e.implied,
    });
    GraphDocument {
        schema: 1,
        scenario: &graph.scenario,
        nodes: nodes.collect(),
        edges: edges.collect(),
        deadlocks: &graph.deadlocks,
    }
}

pub(super) fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::Needed => "needed",
        Relation::Asked => "asked",
        Relation::Ensured => "ensured",
        Relation::Paid => "paid",
    }
}

/// The layer of each of some nodes: after everything that leads to it. Edges of a deadlock lead back: of its cycle one is
/// left out.
pub(super) fn layers(nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut graph = DiGraph::<(), (), usize>::with_capacity(nodes, 0);
    for _ in 0..nodes {
        graph.add_node(());
    }
    for (from, to) in edges.filter(|(from, to)| *from < nodes && *to < nodes) {
        graph.add_edge(from.into(), to.into(), ());
    }
    // Submissions come last in the list, and yet before others: a node ends after all that it leads to.
    let mut walk = DfsPostOrder::empty(&graph);
    let mut order = Vec::with_capacity(nodes);
    for node in graph.node_indices() {
        walk.move_to(node);
        while let Some(ended) = walk.next(&graph) {
            order.push(ended);
        }
    }
    order.reverse();
    let mut places = vec![0; nodes];
    for (place, node) in order.iter().enumerate() {
        places[node.index()] = place;
    }
    let mut layers = vec![0; nodes];
    for node in order {
        for next in graph.neighbors(node) {
            if places[next.index()] > places[node.index()] {
                layers[next.index()] = layers[next.index()].max(layers[node.index()] + 1);
            }
        }
    }
    layers
}

/// What a drawing of the first boxes leaves out, and how to see it; `None` if it has every box.
pub(super) fn undrawn(graph: &Dependencies, shown: usize) -> Option<String> {
    let more = graph.drawing.boxes.get(shown..).filter(|b| !b.is_empty())?;
    let nodes: usize = more.iter().map(|row| row.nodes.len()).sum();
    let links = graph.drawing.links.iter();
    let links = links.filter(|link| link.from >= shown || link.to >= shown);
    Some(format!(
        "{} and {} are not drawn: --nodes all draws everything, --around ID one node with its neighbours",
        text::count(nodes as u64, "more node", "more nodes"),
        text::count(links.count() as u64, "link", "links"),
    ))
}

/// How much a drawing shows of a graph, and what it leaves out.
pub(super) fn left_out(graph: &Dependencies) -> String {
    let drawing = &graph.drawing;
    let count = |n: usize, one, many| text::count(n as u64, one, many);
    let (nodes, edges) = (graph.nodes.len(), graph.edges.len());
    let mut says = vec![format!(
        "{}, {}",
        count(nodes, "node", "nodes"),
        count(edges, "edge", "edges")
    )];
    if (nodes, edges) != (drawing.boxes.len(), drawing.links.len()) {
        says.push(format!(
            "drawn as {} and {}",
            count(drawing.boxes.len(), "box", "boxes"),
            count(drawing.links.len(), "link", "links")
        ));
    }
    let mut out = Vec::new();
    if drawing.implied > 0 {
        let edges = count(drawing.implied, "edge of order", "edges of order");
        out.push(format!("{edges} that others imply"));
    }
    if drawing.covered > 0 {
        let edges = count(drawing.covered, "needed edge", "needed edges");
        out.push(format!("{edges} around a barrier that covers them"));
    }
    if drawing.inside > 0 {
        out.push(format!(
            "{} inside boxes",
            count(drawing.inside, "edge", "edges")
        ));
    }
    if !out.is_empty() {
        says.push(format!("left out: {} (--whole draws all)", out.join(", ")));
    }
    says.join("; ")
}

/// The lines of a box: what it is called, and where it is.
pub(super) fn box_lines(graph: &Dependencies, row: &BoxRow) -> Vec<String> {
    let node = |at: usize| &graph.nodes[at];
    let (first, last) = (
        node(row.nodes[0]),
        node(*row.nodes.last().unwrap_or(&row.nodes[0])),
    );
    let place = |words: &str| format!("{words}, line {}", first.line);
    if row.nodes.len() == 1 {
        let label = text::clean(&first.label);
        // A change of a layout is long: what it becomes has a line of its own.
        let mut lines: Vec<String> = match label.split_once(" -> ") {
            Some((before, after)) if label.len() > 40 => {
                vec![before.to_owned(), format!("-> {after}")]
            }
            _ => vec![label],
        };
        lines.push(place(&first.id));
        return lines;
    }
    let many = row.nodes.len() as u64;
    let ids = format!("{} … {}", first.id, last.id);
    if first.kind == "barrier" {
        let mut names: Vec<&str> = Vec::new();
        for at in &row.nodes {
            let label = node(*at).label.split(" -> ").next().unwrap_or_default();
            let name = label.rsplit_once(' ').map_or(label, |(name, _)| name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let says = text::count(many, "barrier", "barriers");
        return vec![
            format!("{says}: {}", text::clean(&names.join(", "))),
            place(&ids),
        ];
    }
    let says = text::count(many, "command", "commands");
    let labels = format!(
        "{} … {}",
        text::clean(&first.label),
        text::clean(&last.label)
    );
    vec![says, labels, place(&ids)]
}

/// The names of the resources that a link is about.
pub(super) fn resources<'g>(graph: &'g Dependencies, link: &LinkRow) -> Vec<&'g str> {
    let mut names: Vec<&str> = Vec::new();
    for edge in &link.edges {
        let name = graph.edges[*edge].resource.as_str();
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What a link is about; empty if it says only that one comes after the other.
pub(super) fn link_words(graph: &Dependencies, link: &LinkRow) -> String {
    if is_order(graph, link) {
        return String::new();
    }
    let rows = || link.edges.iter().map(|edge| &graph.edges[*edge]);
    if link.kind == LinkKind::Paid {
        let paid = rows().map(|row| format!("{} {}", row.edge.reason.word(), Ps(row.edge.paid_ps)));
        return paid.collect::<Vec<_>>().join(", ");
    }
    let mut words = Vec::new();
    for kind in [Effect::Layout, Effect::Visibility, Effect::Order] {
        let mut names: Vec<&str> = Vec::new();
        for row in rows().filter(|row| row.edge.effect == kind) {
            if !names.contains(&row.resource.as_str()) {
                names.push(&row.resource);
            }
        }
        names.retain(|name| !name.is_empty());
        let more = names.len().saturating_sub(NAMES_MAX);
        names.truncate(NAMES_MAX);
        if !names.is_empty() {
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            words.push(format!("{} of {}{more}", effect(kind), names.join(", ")));
        }
    }
    words.join("; ")
}

pub(super) fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Order => "order",
        Effect::Visibility => "visibility",
        Effect::Layout => "layout",
    }
}

#[cfg(test)]
mod tests {
    use super::layers;

    /// A walk that goes down the chain by recursion overflows the stack; one that goes back over it takes hours.
    #[test]
    fn the_layers_of_a_long_chain_are_found() {
        const LONG: usize = 300_000;
        let forwards: Vec<(usize, usize)> = (1..LONG).map(|to| (to - 1, to)).collect();
        let backwards: Vec<(usize, usize)> = (1..LONG).map(|to| (to, to - 1)).collect();
        assert!(
            layers(LONG, forwards.iter().copied())
                .into_iter()
                .eq(0..LONG)
        );
        assert!(
            layers(LONG, backwards.into_iter())
                .into_iter()
                .rev()
                .eq(0..LONG)
        );
        // Each node leads to the next and to the one after it: the longest way counts.
        let twice = (2..LONG).map(|to| (to - 2, to));
        assert!(
            layers(LONG, forwards.into_iter().chain(twice))
                .into_iter()
                .eq(0..LONG)
        );
    }

    #[test]
    fn of_a_cycle_one_edge_leads_back() {
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3)];
        assert_eq!(layers(4, edges.into_iter()), [0, 1, 2, 3]);
        assert_eq!(layers(0, edges.into_iter()), Vec::<usize>::new());
    }
}
