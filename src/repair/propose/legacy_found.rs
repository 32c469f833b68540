//! What a legacy transition could say by what its executions find: as they act where its `StateBefore` is wrong (reading R72).

use super::legacy::{elsewhere, state_of, uses_after};
use crate::api::{Layout, ResourceState};
use crate::id::{NodeId, ResourceId};
use crate::legacy::states;
use crate::order::{Of, Timeline};
use crate::scenario::geometry::SubresourceBox;
use crate::scenario::{
    Barrier, LegacyBarrier, LegacyKind, LegacyTransition, Scenario, TextureShape, geometry,
};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// The barriers that an entry acts as, with the nodes of its executions (reading R72).
fn acting<'p>(
    timeline: &Timeline<'p>,
    id: ResourceId,
    entry: &LegacyBarrier,
) -> Vec<(NodeId, &'p Barrier)> {
    let entries = timeline.touches(Of::Entries(Some(id)), ..);
    let own = entries.filter_map(|touch| touch.entry());
    let own = own.filter(|(_, barrier)| barrier.span == entry.span);
    own.map(|(place, barrier)| (place.node, barrier)).collect()
}

/// Whether each execution of a transition finds its resource where the transition takes it.
pub(super) fn changes_nothing(timeline: &Timeline<'_>, entry: &LegacyBarrier) -> bool {
    let Some(whole) = entry.kind.as_whole_transition() else {
        return false;
    };
    let all = acting(timeline, whole.resource, entry);
    let is_still = |barrier: &Barrier| {
        let layouts = barrier.transition();
        barrier.access_before == barrier.access_after
            && barrier.sync_before == barrier.sync_after
            && layouts.is_none_or(|(from, to)| from == to)
    };
    !all.is_empty() && all.iter().all(|(_, barrier)| is_still(barrier))
}

/// A transition whose subresources are in several states, as one entry for each of these; those that already are where it takes
/// them are left out.
pub(super) fn in_parts(
    written: &Scenario,
    timeline: &Timeline<'_>,
    entry: &LegacyBarrier,
    all: &[&LegacyBarrier],
) -> Option<Vec<LegacyKind>> {
    let it = entry.kind.as_transition()?;
    let shape = written.resource(it.resource).texture()?;
    let (known, _) = elsewhere(written, it.resource, &it.range, all);
    let known: Vec<ResourceState> = std::iter::once(it.before).chain(known).collect();
    let acts = acting(timeline, it.resource, entry);
    let first = acts.first()?.0;
    let mut parts: IndexMap<Layout, BTreeSet<u32>> = IndexMap::new();
    for (_, barrier) in acts.iter().filter(|(node, _)| *node == first) {
        let (from, _) = barrier.transition()?;
        let part = geometry::part_of_barrier(timeline.scenario, barrier)?;
        let runs = part.index_runs(shape).into_iter();
        parts
            .entry(from)
            .or_default()
            .extend(runs.flat_map(|(first, end)| first..end));
    }
    if parts.len() < 2 {
        return None;
    }
    parts.shift_remove(&states::layout(it.after));
    let parts = parts.into_iter().map(|(layout, part)| {
        let is_such = |state: &&ResourceState| states::layout(**state) == layout;
        let before = known.iter().find(is_such).copied();
        let runs: Vec<(u32, u32)> = part.into_iter().map(|at| (at, at + 1)).collect();
        Some(LegacyKind::Transition(LegacyTransition {
            range: geometry::range_of_box(shape, &geometry::box_of_runs(shape, &runs)?),
            before: before.or_else(|| states::of_layout(layout))?,
            ..it.clone()
        }))
    });
    parts.collect()
}

/// The transition on those of its subresources that are in the state which it names, where others are not: each of these acts
/// as an entry of its own. First on those of them that are used in the state which it leaves.
pub(super) fn narrowed(
    written: &Scenario,
    timeline: &Timeline<'_>,
    entry: &LegacyBarrier,
) -> Vec<LegacyKind> {
    let Some(it) = entry.kind.as_transition() else {
        return Vec::new();
    };
    let Some(shape) = written.resource(it.resource).texture() else {
        return Vec::new();
    };
    let own = acting(timeline, it.resource, entry).into_iter();
    let fitting = own.map(|(_, barrier)| barrier).filter(|barrier| {
        let from = barrier.transition().map(|(from, _)| from);
        from == Some(states::layout(it.before))
    });
    let fitting =
        fitting.filter_map(|barrier| geometry::part_of_barrier(timeline.scenario, barrier));
    let of = |sub: geometry::SubresourceBox| sub.index_runs(shape).into_iter();
    let each = |(first, end): (u32, u32)| first..end;
    let fitting: BTreeSet<u32> = fitting.flat_map(of).flat_map(each).collect();
    let used = uses_after(written, entry, it.resource).into_iter();
    let used = used.filter(|used| it.after.contains(state_of(used.access, used.stages)));
    let used = used.filter_map(|used| geometry::part_of_use(written, used));
    let used: BTreeSet<u32> = used.flat_map(of).flat_map(each).collect();
    let kinds = [&fitting & &used, fitting]
        .into_iter()
        .filter_map(|set| on(shape, entry, set));
    kinds.collect()
}

/// The transition on other subresources, if they are a range.
pub(super) fn on(
    shape: &TextureShape,
    entry: &LegacyBarrier,
    set: BTreeSet<u32>,
) -> Option<LegacyKind> {
    let runs: Vec<(u32, u32)> = set.into_iter().map(|at| (at, at + 1)).collect();
    let sub = geometry::box_of_runs(shape, &runs)?;
    let kind = on_box(shape, entry, &sub);
    (kind != entry.kind).then_some(kind)
}

/// The transition on a box of subresources.
pub(super) fn on_box(
    shape: &TextureShape,
    entry: &LegacyBarrier,
    sub: &SubresourceBox,
) -> LegacyKind {
    let mut kind = entry.kind.clone();
    if let Some(it) = kind.as_transition_mut() {
        it.range = geometry::range_of_box(shape, sub);
    }
    kind
}
