//! No producer is missing: between two touches of the same bytes, of which one writes, a path of what is needed leads, by a
//! reference that looks at every byte where anything begins.

use super::{corpus, graph_of, parsed, scenes};
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet};
use syncscope::graph::{DependencyGraph, Effect, Node, Reason, Relation};
use syncscope::id::{BarrierRef, Extent, NodeId, SubmissionId};
use syncscope::order::{SubmissionKind, Timeline};
use syncscope::scenario::{Scenario, UseMode};

/// A touch of bytes by a command or by a barrier that changes a layout.
struct Touch {
    node: Node,
    extents: Vec<Extent>,
    writes: bool,
    /// Its read does not depend on writes next to it.
    independent: bool,
    /// It begins a split barrier, or ends one.
    half: Option<Half>,
}

#[derive(Copy, Clone, PartialEq)]
enum Half {
    Begins,
    Ends,
}

/// The touches of a submission, in order.
fn touches(timeline: &Timeline<'_>, scenario: &Scenario, id: SubmissionId) -> Vec<Touch> {
    let mut touches = Vec::new();
    for (node, _, command) in timeline.commands(id) {
        for used in &command.uses {
            touches.push(Touch {
                node: Node::Command(node),
                extents: timeline
                    .memory
                    .extents(scenario, used.resource, &used.range),
                writes: used.writes(),
                independent: used.independent || used.may || used.mode == UseMode::Atomics,
                half: None,
            });
        }
        for (entry, barrier) in command.kind.barriers().iter().enumerate() {
            let Some((_, texture)) = barrier.named_texture() else {
                continue;
            };
            let half = match (
                barrier.sync_after.is_split(),
                barrier.sync_before.is_split(),
            ) {
                (true, _) => Some(Half::Begins),
                (_, true) => Some(Half::Ends),
                _ => None,
            };
            if texture.layout_before == texture.layout_after {
                continue;
            }
            let mut extents = Vec::new();
            timeline
                .memory
                .for_each_barrier_extent(scenario, barrier, |extent| extents.push(extent));
            let entry = u32::try_from(entry).expect("few entries");
            touches.push(Touch {
                node: Node::Barrier(BarrierRef { node, entry }),
                extents,
                writes: true,
                independent: false,
                half,
            });
        }
    }
    touches
}

/// The nodes that each node leads to in what is needed, whether it is covered or not.
fn reached(graph: &DependencyGraph) -> BTreeMap<Node, BTreeSet<Node>> {
    let all = graph.graph.node_indices();
    all.map(|start| {
        let mut open = vec![start];
        let mut seen = BTreeSet::new();
        while let Some(node) = open.pop() {
            for edge in graph.graph.edges(node) {
                if edge.weight().relation == Relation::Needed
                    && seen.insert(graph.graph[edge.target()])
                {
                    open.push(edge.target());
                }
            }
        }
        (graph.graph[start], seen)
    })
    .collect()
}

/// Checks one scene. Returns the number of pairs that it looked at.
fn check(name: &str, text: &str) -> usize {
    let scenario = parsed(text);
    let timeline = Timeline::new(&scenario);
    let reached = reached(&graph_of(&timeline));
    let mut looked = 0;
    for id in (0..timeline.submissions.len()).map(SubmissionId::new) {
        if timeline.submission(id).kind != SubmissionKind::Execute {
            continue;
        }
        let touches = touches(&timeline, &scenario, id);
        let starts: BTreeSet<_> = touches
            .iter()
            .flat_map(|touch| &touch.extents)
            .map(|extent| (extent.memory, extent.start))
            .collect();
        for (memory, byte) in starts {
            let has = |touch: &&Touch| {
                let mut extents = touch.extents.iter();
                extents.any(|e| e.memory == memory && e.start <= byte && byte < e.end)
            };
            let mut writer: Option<&Touch> = None;
            let mut is_open = false;
            // Halves that nothing leads to or from are no nodes: what joins them is the law below.
            for touch in touches.iter().filter(has) {
                // A use in mid-split is a hazard of its own, and compared with nothing else.
                if is_open && touch.half != Some(Half::Ends) {
                    continue;
                }
                if !is_open && touch.half == Some(Half::Ends) {
                    // A second half whose first is in another scope, or nowhere.
                    writer = None;
                    continue;
                }
                is_open = touch.half == Some(Half::Begins);
                if let Some(first) = writer.filter(|w| {
                    w.node != touch.node && !touch.independent && w.half != Some(Half::Begins)
                }) {
                    let leads = reached.get(&first.node);
                    let leads = leads.is_some_and(|nodes| nodes.contains(&touch.node));
                    assert!(
                        leads,
                        "{name}: {:?} leads to {:?}\n{text}",
                        first.node, touch.node
                    );
                    looked += 1;
                }
                if touch.writes && !touch.independent {
                    writer = Some(touch);
                }
            }
        }
    }
    looked
}

#[test]
fn no_producer_is_missing() {
    let random: usize = scenes(60).map(|(name, text)| check(&name, &text)).sum();
    let corpus: usize = corpus().map(|(name, text)| check(&name, &text)).sum();
    assert!(random > 500 && corpus > 100, "{random} and {corpus} pairs");
}

/// The edges of a text between nodes by their places: relation, effect and reason.
fn edges(text: &str) -> Vec<(Node, Node, Relation, Effect, Reason)> {
    let scenario = parsed(text);
    let timeline = Timeline::new(&scenario);
    let graph = graph_of(&timeline).graph;
    let all = graph.edge_references();
    all.map(|e| {
        let (from, to, edge) = (graph[e.source()], graph[e.target()], e.weight());
        (from, to, edge.relation, edge.effect, edge.reason)
    })
    .collect()
}

const COLOR: &str = "queue gfx : direct\ntexture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }\n\
    buffer b : 4KiB { flags UNORDERED_ACCESS }\nbuffer c : 4KiB { flags UNORDERED_ACCESS }\n";

/// A change of a layout reads and writes: it is needed and asked, between what it waits for and what it holds.
#[test]
fn a_change_of_a_layout_is_between_its_producer_and_its_consumer() {
    let change = "access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE";
    let whole = format!(
        "{COLOR}timeline {{ gfx execute {{\n  draw {{ RENDER_TARGET t }}\n  draw {{ RENDER_TARGET t }}\n  \
         barrier {{ texture t {{ sync RENDER_TARGET -> PIXEL_SHADING; {change} }} }}\n  \
         draw {{ SHADER_RESOURCE t @ PIXEL_SHADING }}\n}} }}\n"
    );
    let split = format!(
        "{COLOR}timeline {{ gfx execute {{\n  draw {{ RENDER_TARGET t }}\n  draw {{ RENDER_TARGET t }}\n  \
         barrier {{ texture t {{ sync RENDER_TARGET -> SPLIT; {change} }} }}\n  \
         barrier {{ texture t {{ sync SPLIT -> PIXEL_SHADING; {change} }} }}\n  \
         draw {{ SHADER_RESOURCE t @ PIXEL_SHADING }}\n}} }}\n"
    );
    for (text, changes) in [(whole, 1), (split, 2)] {
        let edges = edges(&text);
        let leads = |relation: Relation| {
            let layout = edges
                .iter()
                .filter(|e| e.2 == relation && e.3 == Effect::Layout);
            layout.count()
        };
        // The draw before, each half, the draw after.
        assert_eq!(leads(Relation::Needed), changes + 1, "{edges:?}");
        assert_eq!(leads(Relation::Asked), changes + 1, "{edges:?}");
        // The first draw is in raster order with the second, and needs no order.
        let exempt: Vec<_> = edges.iter().filter(|e| e.4 == Reason::Exempt).collect();
        assert_eq!(exempt.len(), 1, "{edges:?}");
        assert_eq!(
            (exempt[0].2, exempt[0].3),
            (Relation::Needed, Effect::Order)
        );
    }
}

/// A barrier for all resources is between the uses that it orders, or makes visible, also where it goes on with what another
/// one has begun.
#[test]
fn global_barriers_are_between_what_they_order() {
    let cases = [
        // A write is made visible.
        (
            "UNORDERED_ACCESS b writes",
            "SHADER_RESOURCE b",
            "",
            Effect::Visibility,
        ),
        // A write after a read only needs order.
        (
            "SHADER_RESOURCE b",
            "UNORDERED_ACCESS b writes",
            "",
            Effect::Order,
        ),
        // Through two barriers, the second of which is global.
        (
            "SHADER_RESOURCE b",
            "UNORDERED_ACCESS b writes",
            "barrier { buffer c { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }",
            Effect::Order,
        ),
    ];
    for (first, second, between, effect) in cases {
        let text = format!(
            "{COLOR}timeline {{ gfx execute {{\n  dispatch 1x1x1 {{ {first} }}\n  {between}\n  \
             barrier {{ global {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access COMMON -> COMMON }} }}\n  \
             dispatch 1x1x1 {{ {second} }}\n}} }}\n"
        );
        let edges = edges(&text);
        let through = |from: bool| {
            let mut asked = edges
                .iter()
                .filter(|e| e.2 == Relation::Asked && e.3 == effect);
            asked.any(|e| {
                let end = if from { e.0 } else { e.1 };
                matches!(end, Node::Barrier(_)) && e.4 == Reason::Barrier
            })
        };
        assert!(through(true) && through(false), "{edges:?}\n{text}");
    }
}

/// What a report says once, because it takes it for granted from then on (reading R47), is missing for each later use: nothing
/// was asked. So a dispatch is not drawn as covered after a `set-root` that was reported.
#[test]
fn what_was_reported_once_is_missing_for_later_uses_too() {
    for between in [
        "set-root compute { SHADER_RESOURCE b }\n  dispatch 1x1x1 { UNORDERED_ACCESS c writes }",
        "dispatch 1x1x1 { SHADER_RESOURCE b }\n  dispatch 1x1x1 { SHADER_RESOURCE b; UNORDERED_ACCESS c writes }",
    ] {
        let text = format!(
            "{COLOR}timeline {{ gfx execute {{\n  dispatch 1x1x1 {{ UNORDERED_ACCESS b writes }}\n  {between}\n}} }}\n"
        );
        let edges = edges(&text);
        let of_uses = |relation| {
            let own = edges
                .iter()
                .filter(move |e| e.2 == relation && e.3 == Effect::Visibility);
            own.map(|e| e.4).collect::<Vec<Reason>>()
        };
        assert_eq!(
            of_uses(Relation::Needed),
            [Reason::Missing; 2],
            "{edges:?}\n{text}"
        );
        assert_eq!(of_uses(Relation::Asked), [], "{edges:?}\n{text}");
    }
}

/// A use in a wrong layout is one more thing that is missing, after what the texture was used for before.
#[test]
fn a_missing_change_of_a_layout_is_between_two_uses() {
    let text = format!(
        "{COLOR}timeline {{ gfx execute {{\n  draw {{ RENDER_TARGET t }}\n  \
         barrier {{ global {{ sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE }} }}\n  \
         draw {{ SHADER_RESOURCE t @ PIXEL_SHADING }}\n}} }}\n"
    );
    let edges = edges(&text);
    let missing: Vec<_> = edges.iter().filter(|e| e.4 == Reason::Missing).collect();
    assert_eq!(missing.len(), 1, "{edges:?}");
    assert_eq!(
        (missing[0].2, missing[0].3),
        (Relation::Needed, Effect::Layout)
    );
}

/// A global barrier that no use follows was asked for as well.
#[test]
fn a_global_barrier_between_no_two_uses_is_a_node() {
    let text = format!(
        "{COLOR}timeline {{ gfx execute {{\n  dispatch 1x1x1 {{ UNORDERED_ACCESS b writes }}\n  \
         barrier {{ global {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access COMMON -> COMMON }} }}\n}} }}\n"
    );
    let edges = edges(&text);
    let leads = |e: &&(Node, Node, Relation, Effect, Reason)| matches!(e.0, Node::Barrier(_));
    let ends: Vec<_> = edges.iter().filter(leads).map(|e| (e.1, e.4)).collect();
    assert!(
        matches!(ends.as_slice(), [(Node::Submission(_), Reason::Scope)]),
        "{edges:?}"
    );
}

/// What a read lacks that nothing makes visible is no change of a layout.
#[test]
fn a_read_that_is_not_visible_lacks_no_change_of_a_layout() {
    let text = format!(
        "{COLOR}timeline {{ gfx execute {{\n  dispatch 1x1x1 {{ UNORDERED_ACCESS b writes }}\n  \
         dispatch 1x1x1 {{ SHADER_RESOURCE b }}\n}} }}\n"
    );
    let edges = edges(&text);
    let missing: Vec<_> = edges.iter().filter(|e| e.4 == Reason::Missing).collect();
    assert_eq!(missing.len(), 1, "{edges:?}");
    assert_eq!(
        (missing[0].2, missing[0].3),
        (Relation::Needed, Effect::Visibility)
    );
}

/// The halves of a split barrier are there for what comes before the first and after the second: without either there is nothing
/// between the two.
#[test]
fn a_split_barrier_between_no_two_uses_is_left_out() {
    let access = "access UNORDERED_ACCESS -> SHADER_RESOURCE";
    let text = format!(
        "{COLOR}timeline {{ gfx execute {{\n  dispatch 1x1x1 {{ UNORDERED_ACCESS c writes }}\n  \
         barrier {{ buffer b {{ sync COMPUTE_SHADING -> SPLIT; {access} }} }}\n  \
         barrier {{ buffer b {{ sync SPLIT -> COMPUTE_SHADING; {access} }} }}\n}} }}\n"
    );
    let edges = edges(&text);
    let is_half = |node: Node| matches!(node, Node::Barrier(_));
    let half = edges.iter().find(|e| is_half(e.0) || is_half(e.1));
    assert!(half.is_none(), "{edges:?}");
}

/// Two queues wait for each other, and two more do after that: two deadlocks, in the order of their first nodes. In each one node
/// waits for the next, and the last for the first.
#[test]
fn a_deadlock_is_a_cycle_of_waits() {
    let text = "queue a : direct\nqueue b : direct\nqueue c : direct\nqueue d : direct\n\
        fence f\nfence g\nfence h\nfence i\ntimeline {\n  a wait f 1\n  a signal g 1\n  b wait g 1\n  b signal f 1\n  \
        c wait g 1\n  c wait h 1\n  c signal i 1\n  d wait i 1\n  d signal h 1\n}\n";
    let scenario = parsed(text);
    let timeline = Timeline::new(&scenario);
    let graph = graph_of(&timeline);
    let cycles = graph.deadlocks();
    let lengths: Vec<usize> = cycles.iter().map(Vec::len).collect();
    assert_eq!(lengths, [4, 4], "{cycles:?}");
    assert!(cycles.is_sorted(), "{cycles:?}");
    let asked = graph.only(Relation::Asked).graph;
    let all = asked.edge_references();
    let asked: BTreeSet<(Node, Node)> = all
        .map(|e| (asked[e.source()], asked[e.target()]))
        .collect();
    for cycle in &cycles {
        let awaited = cycle.iter().skip(1).chain(&cycle[..1]);
        for (node, awaited) in cycle.iter().zip(awaited) {
            assert!(asked.contains(&(*awaited, *node)), "{cycle:?}");
        }
    }
}

/// The resources of the barriers that lead to a command in what was asked.
fn leading_to_commands(text: &str) -> Vec<String> {
    let scenario = parsed(text);
    let timeline = Timeline::new(&scenario);
    let graph = graph_of(&timeline).graph;
    let asked = graph
        .edge_references()
        .filter(|e| e.weight().relation == Relation::Asked);
    let barriers = asked.filter_map(|e| match (graph[e.source()], graph[e.target()]) {
        (Node::Barrier(barrier), Node::Command(_)) => Some(barrier),
        _ => None,
    });
    let resource = |barrier: BarrierRef| {
        let command = timeline.command(barrier.node)?;
        let entry = command.kind.barriers().get(barrier.entry as usize)?;
        entry.resource()
    };
    let resources = barriers.filter_map(resource);
    resources
        .map(|id| scenario.resource_name(id).to_owned())
        .collect()
}

/// Of several barriers between two uses the one is named that orders them: the first that waits for the one and holds the other.
/// What holds other work only does not, and what a synchronous copy does is over without any.
#[test]
fn the_barrier_is_named_that_orders_two_uses() {
    let read = "dispatch 1x1x1 { SHADER_RESOURCE b }";
    let write = "dispatch 1x1x1 { UNORDERED_ACCESS b writes }";
    let own = "barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> UNORDERED_ACCESS } }";
    let same = "barrier { buffer c { sync COMPUTE_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> UNORDERED_ACCESS } }";
    let front = "barrier { buffer c { sync COMPUTE_SHADING -> EXECUTE_INDIRECT; access SHADER_RESOURCE -> INDIRECT_ARGUMENT } }";
    let copies = "barrier { buffer c { sync COPY -> COPY; access COPY_SOURCE -> COPY_SOURCE } }";
    let cases: [(&[&str], &[&str]); 4] = [
        (&[read, own, same, write], &["b"]),
        (&[read, same, own, write], &["c"]),
        (&[read, front, own, write], &["b"]),
        (&["copy c -> b", copies, "copy c -> b"], &[]),
    ];
    for (commands, named) in cases {
        let commands = commands.join("\n  ");
        let text = format!("{COLOR}timeline {{ gfx execute {{\n  {commands}\n}} }}\n");
        assert_eq!(leading_to_commands(&text), named, "{text}");
    }
}

/// Two uses of one command that need no order are no edge from the command to itself.
#[test]
fn no_edge_ends_where_it_starts() {
    let atomics = format!(
        "{COLOR}timeline {{ gfx execute {{ dispatch 1x1x1 {{ UNORDERED_ACCESS b atomics; UNORDERED_ACCESS b atomics }} }} }}\n"
    );
    let targets = format!(
        "{COLOR}timeline {{ gfx execute {{ draw {{ RENDER_TARGET t; RENDER_TARGET t }} }} }}\n"
    );
    for text in [atomics, targets] {
        let edges = edges(&text);
        assert!(!edges.is_empty(), "the end of the submission waits");
        assert!(edges.iter().all(|(from, to, ..)| from != to), "{edges:?}");
    }
}

/// Of the reads of one range in earlier submissions the latest sixteen are known: a write has an edge from each of these.
#[test]
fn of_many_reads_the_latest_are_known() {
    let reads = "dispatch 1x1x1 { SHADER_RESOURCE b }\n  ".repeat(17);
    let text = format!(
        "{COLOR}list reads : direct {{\n  {reads}\n}}\nlist writes : direct {{ dispatch 1x1x1 {{ UNORDERED_ACCESS b writes }} }}\n\
         timeline {{ gfx execute reads\n  gfx execute writes }}\n"
    );
    let needed = edges(&text).into_iter();
    let needed = needed.filter(|edge| edge.2 == Relation::Needed);
    let readers = needed.filter_map(|(from, ..)| match from {
        Node::Command(read) => Some(read),
        _ => None,
    });
    let readers: BTreeSet<NodeId> = readers.collect();
    let scenario = parsed(&text);
    let timeline = Timeline::new(&scenario);
    let reads = timeline.commands(SubmissionId::new(0));
    let reads: Vec<NodeId> = reads.map(|(node, ..)| node).collect();
    assert_eq!(reads.len(), 17);
    assert_eq!(readers, reads[1..].iter().copied().collect());
}

/// A use of a whole texture has each of the entries before it that name one mip, however alike the mips are.
#[test]
fn every_entry_of_a_mip_is_named() {
    let one = |mip: u32| {
        format!(
            "texture m[mip {mip}] {{ sync COMPUTE_SHADING|COPY -> COPY; access SHADER_RESOURCE -> COPY_SOURCE; layout COMMON -> COMMON }}\n"
        )
    };
    let entries: String = (0..9).map(one).collect();
    let other = "dispatch 1x1x1 { UNORDERED_ACCESS b }";
    let text = format!(
        "{COLOR}texture m : R8_UNORM 512x512 {{ mips 9; flags UNORDERED_ACCESS|SIMULTANEOUS_ACCESS }}\n\
         texture to : R8_UNORM 512x512 {{ mips 9; initial COPY_DEST }}\n\
         timeline {{ gfx execute {{\n  dispatch 1x1x1 {{ UNORDERED_ACCESS m writes }}\n  \
         barrier {{ texture m {{ sync COMPUTE_SHADING -> COMPUTE_SHADING|COPY; access UNORDERED_ACCESS -> SHADER_RESOURCE; layout COMMON -> COMMON }} }}\n  \
         {other}\n  barrier {{\n{entries}  }}\n  {other}\n  \
         barrier {{ texture m {{ sync COPY -> COPY; access COPY_SOURCE -> COPY_SOURCE; layout COMMON -> COMMON }} }}\n  \
         copy m -> to\n  copy m -> to\n}} }}\n"
    );
    let edges = edges(&text).into_iter();
    let asked = edges.filter(|edge| edge.2 == Relation::Asked);
    let mut named: BTreeMap<NodeId, BTreeSet<u32>> = BTreeMap::new();
    for node in asked.flat_map(|(from, to, ..)| [from, to]) {
        if let Node::Barrier(entry) = node {
            named.entry(entry.node).or_default().insert(entry.entry);
        }
    }
    assert!(
        named.values().any(|entries| entries.len() == 9),
        "{named:?}"
    );
}
