//! What drawings of a dependency graph show: boxes and links, and how much that leaves out.
//!
//! Every drawing shows the same. An edge of order that follows from others is left out. Nodes next to each other on a queue
//! whose links are equal are one box. If boxes are still many, what one barrier call does is one box, and so are the commands
//! between two calls, which no barrier separates. What a missing edge touches is always a box of its own. A link is all
//! edges of one relation between two boxes. Nothing is lost: each box names its nodes, each link its edges.

use super::{Dependencies, EdgeRow};
use crate::graph::{Edge, Effect, Reason, Relation};
use std::collections::{BTreeMap, BTreeSet};

/// Boxes above which the commands between two barrier calls are one.
const MANY: usize = 48;
/// Boxes above which a drawing is split where queues hand work over.
const SPLIT: usize = 32;
/// Boxes of one part of a drawing that is split.
const PART: usize = 44;
/// How often boxes with equal links are looked for anew: those of a bundle are found at once, those of bundles of bundles after
/// them.
const ROUNDS: usize = 4;

/// What is drawn of a graph.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Drawing {
    /// In order of their first nodes.
    pub boxes: Vec<BoxRow>,
    /// By the boxes that they are between.
    pub links: Vec<LinkRow>,
    /// The parts that are next to each other: one for each queue, or from one hand-over of a queue to the next.
    pub parts: Vec<PartRow>,
    /// Whether the parts are stretches of queues, not whole queues.
    pub is_split: bool,
    /// Edges of order that are left out because they follow from others.
    pub implied: usize,
    /// Needed edges that are left out because a drawn barrier between the two covers them.
    pub covered: usize,
    /// Edges that are inside boxes.
    pub inside: usize,
}

/// A box.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BoxRow {
    /// Indices of its nodes, in order.
    pub nodes: Vec<usize>,
    /// Index of its part.
    pub part: usize,
}

/// A part of a drawing.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PartRow {
    /// The queue.
    pub queue: String,
}

/// The edges of one relation between two boxes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LinkRow {
    /// Index of the earlier box.
    pub from: usize,
    /// Index of the later box.
    pub to: usize,
    /// What it is.
    pub kind: LinkKind,
    /// Indices of its edges.
    pub edges: Vec<usize>,
    /// What was asked is also needed, and covered.
    pub is_needed: bool,
}

/// What a link is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LinkKind {
    /// Needed, and nothing covers it; or an operation that the packets lack.
    Missing(Relation),
    /// Needed, and covered.
    Needed,
    /// Needed, and no order is.
    Exempt,
    /// Asked.
    Asked,
    /// Ensured by the packets.
    Ensured,
    /// Paid.
    Paid,
}

impl LinkKind {
    fn of(edge: &Edge) -> Self {
        match (edge.relation, edge.reason) {
            (relation, Reason::Missing) => Self::Missing(relation),
            (_, Reason::Exempt) => Self::Exempt,
            (Relation::Needed, _) => Self::Needed,
            (Relation::Asked, _) => Self::Asked,
            (Relation::Ensured, _) => Self::Ensured,
            (Relation::Paid, _) => Self::Paid,
        }
    }
}

/// Where a node is executed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// Index of its submission.
    pub(super) submission: usize,
    /// Of a barrier, its call.
    pub(super) call: Option<u32>,
    /// The submission waits for a signal: another queue hands work over.
    pub(super) takes_over: bool,
}

/// What is drawn of a graph whose nodes are at some places. `whole`: every node and edge by itself. Cost: edges times the log
/// of their number.
pub(super) fn drawing(graph: &Dependencies, places: &[Place], whole: bool) -> Drawing {
    let grouping = Grouping::new(graph, places, whole);
    let mut groups: Vec<usize> = (0..graph.nodes.len()).collect();
    if !whole {
        groups = grouping.equal(groups);
        if count(&groups) > MANY {
            groups = grouping.equal(grouping.calls());
        }
    }
    let is_dense = count(&groups) > MANY;
    let mut made = Drawing {
        implied: if whole {
            0
        } else {
            graph.edges.iter().filter(|e| e.implied).count()
        },
        ..Drawing::default()
    };
    made.boxes(&groups);
    made.links(graph, &groups, whole);
    if is_dense && !whole {
        made.leave_covered(graph);
    }
    made.parts(graph, places);
    made
}

/// How many groups there are: each is named by its first node.
fn count(groups: &[usize]) -> usize {
    groups
        .iter()
        .enumerate()
        .filter(|(node, of)| node == *of)
        .count()
}

/// What groups are made of.
struct Grouping<'a> {
    graph: &'a Dependencies,
    places: &'a [Place],
    /// Edges that are drawn.
    edges: Vec<&'a EdgeRow>,
    /// Nodes by queue, in order of execution.
    queues: Vec<Vec<usize>>,
    /// Nodes that a missing edge touches.
    missing: BTreeSet<usize>,
}

/// The links of a group: the other group, whether it is the later one, and what the link is.
type Links = BTreeSet<(usize, bool, Edge)>;

impl<'a> Grouping<'a> {
    fn new(graph: &'a Dependencies, places: &'a [Place], whole: bool) -> Self {
        let mut queues: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, node) in graph.nodes.iter().enumerate() {
            queues.entry(&node.queue).or_default().push(index);
        }
        let missing = graph
            .edges
            .iter()
            .filter(|e| e.edge.reason == Reason::Missing);
        Self {
            graph,
            places,
            edges: graph.edges.iter().filter(|e| whole || !e.implied).collect(),
            queues: queues.into_values().collect(),
            missing: missing.flat_map(|e| [e.from, e.to]).collect(),
        }
    }

    /// Whether two nodes may be in one box: of one kind and submission, and nothing is missing at either.
    fn are_alike(&self, one: usize, other: usize) -> bool {
        let kind = |node: usize| self.graph.nodes[node].kind;
        kind(one) == kind(other)
            && kind(one) != "submission"
            && self.places[one].submission == self.places[other].submission
            && ![one, other].iter().any(|node| self.missing.contains(node))
    }

    /// Joins groups that are next to each other on a queue and have equal links.
    fn equal(&self, mut groups: Vec<usize>) -> Vec<usize> {
        for _ in 0..ROUNDS {
            let links = self.links(&groups);
            let mut joined: Vec<usize> = (0..groups.len()).collect();
            for queue in &self.queues {
                let mut heads = queue.iter().copied().filter(|node| groups[*node] == *node);
                let Some(mut before) = heads.next() else {
                    continue;
                };
                for head in heads {
                    if self.are_alike(before, head) && links[before] == links[head] {
                        joined[head] = joined[before];
                    }
                    before = head;
                }
            }
            let next: Vec<usize> = groups.iter().map(|of| joined[*of]).collect();
            if next == groups {
                break;
            }
            groups = next;
        }
        groups
    }

    fn links(&self, groups: &[usize]) -> Vec<Links> {
        let mut links = vec![Links::new(); groups.len()];
        for row in &self.edges {
            let (from, to) = (groups[row.from], groups[row.to]);
            if from != to {
                links[from].insert((to, true, row.edge));
                links[to].insert((from, false, row.edge));
            }
        }
        links
    }

    /// One group for each barrier call, and one for the commands between two calls of a submission. What leads out of such
    /// a group does not lead back: within a submission edges lead to what is executed later.
    fn calls(&self) -> Vec<usize> {
        let mut groups: Vec<usize> = (0..self.places.len()).collect();
        for queue in &self.queues {
            for pair in queue.windows(2) {
                let [before, node] = [pair[0], pair[1]];
                if self.are_alike(before, node)
                    && self.places[before].call == self.places[node].call
                {
                    groups[node] = groups[before];
                }
            }
        }
        groups
    }
}

impl Drawing {
    /// The box that a node is in; by the groups.
    fn boxes(&mut self, groups: &[usize]) {
        let mut of: BTreeMap<usize, usize> = BTreeMap::new();
        for (node, group) in groups.iter().enumerate() {
            let next = of.len();
            let index = *of.entry(*group).or_insert(next);
            if index == self.boxes.len() {
                self.boxes.push(BoxRow {
                    nodes: Vec::new(),
                    part: 0,
                });
            }
            self.boxes[index].nodes.push(node);
        }
    }

    /// Of each node, its box.
    fn box_of(&self, nodes: usize) -> Vec<usize> {
        let mut of = vec![0; nodes];
        for (index, row) in self.boxes.iter().enumerate() {
            for node in &row.nodes {
                of[*node] = index;
            }
        }
        of
    }

    fn links(&mut self, graph: &Dependencies, groups: &[usize], whole: bool) {
        let of = self.box_of(groups.len());
        let mut links: BTreeMap<(usize, usize, LinkKind), Vec<usize>> = BTreeMap::new();
        for (index, row) in graph.edges.iter().enumerate() {
            if row.implied && !whole {
                continue;
            }
            let (from, to) = (of[row.from], of[row.to]);
            if from == to {
                self.inside += 1;
                continue;
            }
            let key = (from, to, LinkKind::of(&row.edge));
            links.entry(key).or_default().push(index);
        }
        // What is needed and asked between the same two is one link.
        let both: Vec<(usize, usize)> = links
            .keys()
            .filter(|(from, to, kind)| {
                *kind == LinkKind::Needed && links.contains_key(&(*from, *to, LinkKind::Asked))
            })
            .map(|(from, to, _)| (*from, *to))
            .collect();
        for (from, to) in &both {
            let needed = links
                .remove(&(*from, *to, LinkKind::Needed))
                .unwrap_or_default();
            links
                .entry((*from, *to, LinkKind::Asked))
                .or_default()
                .extend(needed);
        }
        let both: BTreeSet<(usize, usize)> = both.into_iter().collect();
        self.links = links
            .into_iter()
            .map(|((from, to, kind), edges)| LinkRow {
                from,
                to,
                kind,
                edges,
                is_needed: kind == LinkKind::Asked && both.contains(&(from, to)),
            })
            .collect();
    }

    /// Leaves out needed edges next to a drawn way over one barrier for the same resource: the barrier covers them.
    fn leave_covered(&mut self, graph: &Dependencies) {
        let mut asked: BTreeMap<usize, BTreeMap<usize, BTreeSet<&str>>> = BTreeMap::new();
        for link in self.links.iter().filter(|l| l.kind == LinkKind::Asked) {
            let names = asked
                .entry(link.from)
                .or_default()
                .entry(link.to)
                .or_default();
            let edges = link.edges.iter().map(|edge| &graph.edges[*edge]);
            let edges = edges.filter(|row| row.edge.relation == Relation::Asked);
            names.extend(
                edges
                    .map(|row| row.resource.as_str())
                    .filter(|n| !n.is_empty()),
            );
        }
        let is_covered = |from: usize, to: usize, name: &str| {
            let Some(next) = asked.get(&from) else {
                return false;
            };
            next.iter().any(|(middle, names)| {
                *middle != to
                    && names.contains(name)
                    && asked
                        .get(middle)
                        .and_then(|next| next.get(&to))
                        .is_some_and(|names| names.contains(name))
            })
        };
        let mut covered = 0;
        for link in self.links.iter_mut().filter(|l| l.kind == LinkKind::Needed) {
            let (from, to, known) = (link.from, link.to, link.edges.len());
            link.edges
                .retain(|edge| !is_covered(from, to, &graph.edges[*edge].resource));
            covered += known - link.edges.len();
        }
        self.links.retain(|link| !link.edges.is_empty());
        self.covered = covered;
    }

    /// Which boxes are one below the other.
    fn parts(&mut self, graph: &Dependencies, places: &[Place]) {
        self.is_split = self.boxes.len() > SPLIT;
        // Of each queue, its part so far, how many boxes that has, and the submission of the last.
        let mut latest: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
        for row in &mut self.boxes {
            let first = row.nodes[0];
            let (queue, place) = (graph.nodes[first].queue.as_str(), places[first]);
            let known = latest.get(queue).copied().filter(|(_, boxes, submission)| {
                let takes_over = place.takes_over && *submission != place.submission;
                !(self.is_split && (takes_over || *boxes >= PART))
            });
            let (part, boxes) =
                known.map_or((self.parts.len(), 0), |(part, boxes, _)| (part, boxes));
            if known.is_none() {
                self.parts.push(PartRow {
                    queue: queue.to_owned(),
                });
            }
            row.part = part;
            latest.insert(queue, (part, boxes + 1, place.submission));
        }
    }
}

/// Whether a link says only that one comes after the other.
pub fn is_order(graph: &Dependencies, link: &LinkRow) -> bool {
    let edges = link.edges.iter().map(|edge| &graph.edges[*edge].edge);
    link.kind == LinkKind::Asked
        && edges
            .into_iter()
            .all(|e| e.effect == Effect::Order && e.resource.is_none())
}
