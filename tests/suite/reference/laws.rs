//! Laws of barriers, over the pairs that are not covered, before anything is folded (reading R42): each holds for every
//! edit of a kind on random scenarios.

use super::{generate, pair_of};
use crate::sizes;
use rand::prelude::*;
use std::collections::BTreeSet;
use syncscope::api::{BarrierAccess, BarrierSync, BarrierType};
use syncscope::finding::Source;
use syncscope::graph::{self, ConflictKind, Part};
use syncscope::id::{ListId, NodeId, ResourceId};
use syncscope::order::Timeline;
use syncscope::scenario::{
    self, Barrier, BarrierRange, BarrierTarget, CommandKind, Entries, Range, Scenario,
    TextureShape, geometry,
};

/// A pair without the numbers of barrier entries, which edits move.
type Loose = (
    NodeId,
    Option<Part>,
    NodeId,
    Option<Part>,
    ResourceId,
    ConflictKind,
);

fn uncovered(scenario: &Scenario) -> BTreeSet<Loose> {
    let timeline = Timeline::new(scenario);
    let options = graph::Request {
        unfolded: true,
        ..graph::Request::default()
    };
    let evaluation = graph::evaluate(&timeline, options);
    let loose = |part: Part| Some(part).filter(|p| p.entry().is_none());
    let conflicts = evaluation.conflicts.iter().filter(|c| c.kind.is_data());
    conflicts
        .map(|c| {
            let (first, a, second, b, kind) = pair_of(c);
            (first, loose(a), second, loose(b), c.second.resource, kind)
        })
        .collect()
}

fn parse(text: &str) -> Option<Scenario> {
    let (parsed, findings) = scenario::parse(&Source::new("random.scn", text.to_string()));
    (!findings.iter().any(|f| f.severity.fails())).then_some(parsed)
}

/// Every `Barrier()` call of a scenario: list, command.
fn calls(scenario: &Scenario) -> Vec<(ListId, usize)> {
    let mut found = Vec::new();
    for (list, described) in scenario.lists.pairs() {
        for (index, command) in described.commands.iter().enumerate() {
            if matches!(command.kind, CommandKind::Barrier(_)) {
                found.push((list, index));
            }
        }
    }
    found
}

fn entries(scenario: &mut Scenario, (list, command): (ListId, usize)) -> &mut Entries {
    match &mut scenario.lists[list].commands[command].kind {
        CommandKind::Barrier(entries) => entries,
        _ => unreachable!("a call is a barrier"),
    }
}

/// Runs an edit over random, prepared scenarios; `holds` compares the pairs before and after.
fn law(
    name: &str,
    prepare: impl Fn(&mut Scenario, &mut StdRng),
    edit: impl Fn(&mut Scenario, &mut StdRng) -> bool,
    holds: impl Fn(&BTreeSet<Loose>, &BTreeSet<Loose>) -> bool,
) {
    let mut edited = 0;
    for seed in sizes::LAWS.seeds() {
        let text = generate::scenario(seed);
        let Some(mut before) = parse(&text) else {
            continue;
        };
        let mut random = StdRng::seed_from_u64(seed);
        prepare(&mut before, &mut random);
        let mut after = before.clone();
        if !edit(&mut after, &mut random) {
            continue;
        }
        edited += 1;
        let (old, new) = (uncovered(&before), uncovered(&after));
        assert!(
            holds(&old, &new),
            "{name}, seed {seed}:\n{}becomes\n{}\nadded {:?}\ngone {:?}",
            scenario::print(&before),
            scenario::print(&after),
            new.difference(&old).collect::<Vec<_>>(),
            old.difference(&new).collect::<Vec<_>>(),
        );
    }
    assert!(edited > 200, "{name}: only {edited} edits");
}

fn adds_none(old: &BTreeSet<Loose>, new: &BTreeSet<Loose>) -> bool {
    new.is_subset(old)
}

/// Whether both masks can take another bit and mean more: `COMMON`, `NONE`, `NO_ACCESS` and `SPLIT` are no sets.
fn is_plain(barrier: &Barrier) -> bool {
    let access = |a: BarrierAccess| a != BarrierAccess::COMMON && !a.is_no_access();
    let sync = |s: BarrierSync| !s.is_split() && !s.is_empty();
    access(barrier.access_before)
        && access(barrier.access_after)
        && sync(barrier.sync_before)
        && sync(barrier.sync_after)
}

#[test]
fn widening_a_barrier_never_adds_an_uncovered_pair() {
    let syncs = [
        BarrierSync::ALL,
        BarrierSync::COMPUTE_SHADING,
        BarrierSync::COPY,
        BarrierSync::PIXEL_SHADING,
        BarrierSync::VERTEX_SHADING,
        BarrierSync::RENDER_TARGET,
    ];
    let accesses = [
        BarrierAccess::UNORDERED_ACCESS,
        BarrierAccess::SHADER_RESOURCE,
        BarrierAccess::COPY_DEST,
        BarrierAccess::RENDER_TARGET,
    ];
    let widen = |scenario: &mut Scenario, random: &mut StdRng| {
        let Some(call) = calls(scenario).choose(random).copied() else {
            return false;
        };
        let Some(entry) = entries(scenario, call).choose_mut(random) else {
            return false;
        };
        if !is_plain(entry) {
            return false;
        }
        let sync = *syncs.choose(random).expect("some");
        let access = *accesses.choose(random).expect("some");
        match random.random_range(0..4) {
            0 => entry.sync_before |= sync,
            1 => entry.sync_after |= sync,
            2 => entry.access_before |= access,
            _ => entry.access_after |= access,
        }
        true
    };
    law("widening", as_it_is, widen, adds_none);
}

#[test]
fn splitting_and_regrouping_a_range_barrier_changes_nothing() {
    let split = |scenario: &mut Scenario, random: &mut StdRng| {
        let shapes: Vec<_> = scenario
            .resources
            .values()
            .map(|r| r.texture().cloned())
            .collect();
        let mut changed = false;
        for call in calls(scenario) {
            for barrier in std::mem::take(entries(scenario, call)) {
                let mut pieces = pieces(&barrier, &shapes);
                changed |= pieces.len() > 1;
                // Grouped anew: no piece touches what another does, so their order says nothing.
                pieces.shuffle(random);
                entries(scenario, call).extend(pieces);
            }
        }
        changed
    };
    // A barrier composes with the latest earlier one on each of its subresources (reading R12), and is one thing: what
    // one subresource waits for orders its transitions on the others too. Split, each stands for itself. For commands
    // nothing changes.
    law("splitting", as_it_is, split, |old, new| {
        let is_of_commands = |pair: &&Loose| pair.1.is_some() && pair.3.is_some();
        old.is_subset(new) && new.difference(old).all(|pair| !is_of_commands(&pair))
    });
}

/// One barrier a subresource; anything but a texture barrier stays whole.
fn pieces(barrier: &Barrier, shapes: &[Option<TextureShape>]) -> Vec<Barrier> {
    let mut pieces = Vec::new();
    if let Some((id, texture)) = barrier.named_texture()
        && let Some(shape) = &shapes[id.index()]
        && let Ok(sub) = geometry::barrier_box(shape, &texture.range)
    {
        for index in sub.index_runs(shape).into_iter().flat_map(|(a, b)| a..b) {
            let mut piece = barrier.clone();
            if let Some(texture) = piece.as_texture_mut() {
                texture.range = BarrierRange::Range(Range::Subresource(index));
            }
            pieces.push(piece);
        }
    } else {
        pieces.push(barrier.clone());
    }
    pieces
}

#[test]
fn the_union_of_two_adjacent_barriers_covers_what_they_cover() {
    let same = |a: &Barrier, b: &Barrier| match (&a.target, &b.target) {
        (BarrierTarget::Global, BarrierTarget::Global) => true,
        (BarrierTarget::Buffer { resource: x, .. }, BarrierTarget::Buffer { resource: y, .. }) => {
            x == y
        }
        (BarrierTarget::Texture(x), BarrierTarget::Texture(y)) => {
            let on_same = x.resource == y.resource && x.range == y.range;
            on_same && x.is_memory_only() && y.is_memory_only()
        }
        _ => false,
    };
    let unite = |scenario: &mut Scenario, _: &mut StdRng| {
        for call in calls(scenario) {
            let list = entries(scenario, call);
            for at in 1..list.len() {
                let (one, two) = (list[at - 1].clone(), list[at].clone());
                if same(&one, &two) && is_plain(&one) && is_plain(&two) {
                    let first = &mut list[at - 1];
                    first.sync_before |= two.sync_before;
                    first.sync_after |= two.sync_after;
                    first.access_before |= two.access_before;
                    first.access_after |= two.access_after;
                    list[at].target = BarrierTarget::EmptyGroup(BarrierType::Global);
                    return true;
                }
            }
        }
        false
    };
    law("union", add_neighbours, unite, adds_none);
}

/// Gives every call a second barrier on its last target, with the masks of another one of the scenario.
fn add_neighbours(scenario: &mut Scenario, random: &mut StdRng) {
    let calls = calls(scenario);
    let masks: Vec<Barrier> = calls
        .iter()
        .flat_map(|call| entries(scenario, *call).clone())
        .collect();
    for call in calls {
        let list = entries(scenario, call);
        if let (Some(last), Some(mask)) = (list.last().cloned(), masks.choose(random)) {
            let mut more = mask.clone();
            more.target = last.target.clone();
            list.push(more);
        }
    }
}

fn as_it_is(_: &mut Scenario, _: &mut StdRng) {}
