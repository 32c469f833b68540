//! What a wrong barrier entry could be instead: edited entries as data, the smallest change first.

use crate::api::{
    BarrierAccess, BarrierSync, Layout, LeafSet, QueueType, ResourceFlags, ResourceTraits, compat,
};
use crate::scenario::edit::{set_layout_after, set_layout_before};
use crate::scenario::{Barrier, BarrierRange, BarrierTarget};

/// What surrounds an entry where it executes first: its neighbours on the same resource.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    /// Layout of its subresources just before it, if it is one.
    pub layout: Option<Layout>,
    /// The resource of the entry is a buffer.
    pub is_buffer: bool,
    /// The entry is half of a split barrier, and its other half is missing.
    pub is_lone_half: bool,
    /// `SyncBefore` of the next barrier on the resource in the scope.
    pub next: Option<BarrierSync>,
    /// Ranges that the entry may have meant: what exists of one that goes too far, what is in its `LayoutBefore`.
    pub ranges: Vec<BarrierRange>,
    /// `AccessAfter` of the latest barrier on the resource in the scope.
    pub made_accessible: Option<BarrierAccess>,
    /// Leaves that `SyncBefore` must hold: of the latest barrier's `SyncAfter`, and of the uses since.
    pub leaves_before: LeafSet,
    /// Accesses of the uses since the latest barrier.
    pub accesses_before: BarrierAccess,
    /// Whether the scope touched the resource before.
    pub touched: bool,
    /// Leaves of the uses up to the next barrier.
    pub leaves_after: LeafSet,
    /// Accesses of those uses.
    pub accesses_after: BarrierAccess,
}

/// A field of an entry with another value.
#[derive(Clone, PartialEq, Debug)]
enum Field {
    Target(BarrierTarget),
    Range(BarrierRange),
    SyncBefore(BarrierSync),
    SyncAfter(BarrierSync),
    AccessBefore(BarrierAccess),
    AccessAfter(BarrierAccess),
    LayoutBefore(Layout),
    LayoutAfter(Layout),
    KeepContents,
}

/// Fields that one proposal changes at most.
const CHANGES_MAX: usize = 3;

/// Edited copies of an entry, those that change fewest fields first, the narrower value of a field first.
pub(crate) fn proposals(
    barrier: &Barrier,
    queue: QueueType,
    traits: Option<ResourceTraits>,
    around: &Surroundings,
) -> Vec<Barrier> {
    let fields = alternatives(barrier, queue, traits, around);
    let mut all: Vec<(usize, Barrier)> = vec![(0, barrier.clone())];
    for group in &fields {
        let mut more = Vec::new();
        for (changes, base) in all.iter().filter(|(changes, _)| *changes < CHANGES_MAX) {
            for field in group {
                let mut edited = base.clone();
                set(&mut edited, field);
                if edited != *base {
                    more.push((changes + 1, edited));
                }
            }
        }
        all.extend(more);
    }
    all.sort_by_key(|(changes, _)| *changes);
    let mut proposals: Vec<Barrier> = Vec::new();
    for (_, edited) in all.into_iter().skip(1) {
        if edited != *barrier && !proposals.contains(&edited) {
            proposals.push(edited);
        }
    }
    proposals
}

/// Other values of each field, the most likely first. After sides come from the uses that follow, before sides from
/// what came before; what neither says comes from the entry's other fields.
fn alternatives(
    barrier: &Barrier,
    queue: QueueType,
    traits: Option<ResourceTraits>,
    around: &Surroundings,
) -> Vec<Vec<Field>> {
    let has = |access: BarrierAccess| stages_of(access, queue);
    let leaves = |set: LeafSet| BarrierSync::named(set.intersection(queue.leaves()));
    let widened = leaves(barrier.sync_before.leaves().union(around.leaves_before));
    let kept = barrier.sync_after.leaves();
    // An entry is not both halves at once.
    let is_both = barrier.sync_before.is_split() && barrier.sync_after.is_split();
    let is_open = |sync: BarrierSync| around.is_lone_half || is_both || !sync.is_split();
    let mut before = Vec::new();
    if is_open(barrier.sync_before) {
        before.push(vec![
            Field::SyncBefore(leaves(around.leaves_before)),
            Field::SyncBefore(widened),
            Field::SyncBefore(has(barrier.access_before)),
        ]);
    }
    // Work of the scope that NO_ACCESS does not name is given up: only what came after nothing says it (reading R73).
    let was_none = barrier.access_before.is_no_access();
    let nothing = (!around.touched || was_none).then_some(BarrierAccess::NO_ACCESS);
    let used = around.touched.then_some(around.accesses_before);
    let accesses = [used.or(nothing), around.made_accessible, nothing];
    before.push(
        accesses
            .into_iter()
            .flatten()
            .map(Field::AccessBefore)
            .collect(),
    );
    if !around.touched {
        // Nothing came before: NO_ACCESS is likelier than a scope.
        before.reverse();
    }
    let mut targets = targets(barrier, queue, traits, around);
    targets.extend(around.ranges.iter().cloned().map(Field::Range));
    let mut fields = vec![targets];
    fields.extend(before);
    if barrier.as_texture().is_some() {
        fields.push(around.layout.map(Field::LayoutBefore).into_iter().collect());
    }
    if is_open(barrier.sync_after) {
        let begins = begins_split(barrier, around).then_some(Field::SyncAfter(BarrierSync::SPLIT));
        // Where NONE is wrong and nothing uses it, the next barrier says which work was let run.
        let next = around
            .next
            .map(BarrierSync::leaves)
            .filter(|next| kept.is_empty() && next.meets(has(barrier.access_after).leaves()));
        let named = [
            Field::SyncAfter(leaves(around.leaves_after)),
            Field::SyncAfter(leaves(next.unwrap_or(LeafSet::EMPTY))),
            Field::SyncAfter(has(barrier.access_after)),
            // What is there may hold work of a later list.
            Field::SyncAfter(leaves(kept.union(around.leaves_after))),
        ];
        fields.push(begins.into_iter().chain(named).collect());
    }
    fields.extend(layouts(barrier, queue, traits, around));
    // Last: that the entry makes the memory accessible for something else is the least likely to be meant. Where nothing
    // uses it, what it was for stays as written (reading R73).
    fields.push(accesses_after(barrier, around));
    // COMMON before is discouraged, and often nothing but the absence of uses.
    for group in &mut fields {
        group.retain(|field| *field != Field::AccessBefore(BarrierAccess::COMMON));
    }
    fields
}

/// Whether an entry is likely to be a first half that lost its `SPLIT`: the next entry is a second half.
fn begins_split(barrier: &Barrier, around: &Surroundings) -> bool {
    around.next.is_some_and(BarrierSync::is_split) && !barrier.sync_before.is_split()
}

/// Other values of `AccessAfter`: what the uses that follow need, and a combination without `NO_ACCESS`.
fn accesses_after(barrier: &Barrier, around: &Surroundings) -> Vec<Field> {
    let rest = barrier.access_after.difference(BarrierAccess::NO_ACCESS);
    let is_combined = barrier.access_after.contains(BarrierAccess::NO_ACCESS) && !rest.is_empty();
    let after = [
        (!around.accesses_after.is_empty()).then_some(around.accesses_after),
        is_combined.then_some(rest),
    ];
    after
        .into_iter()
        .flatten()
        .map(Field::AccessAfter)
        .collect()
}

/// The stages that have the accesses on a queue. Where every shader reads, acceleration structures may be built from it as
/// well: hardly what an entry means that names shaders.
fn stages_of(access: BarrierAccess, queue: QueueType) -> BarrierSync {
    let leaves = compat::access_leaves(access).intersection(queue.leaves());
    let shaders = BarrierSync::ALL_SHADING.leaves();
    let builds = BarrierSync::BUILD_RAYTRACING_ACCELERATION_STRUCTURE.leaves();
    let of_structures = BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ
        | BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE;
    if leaves.contains(shaders) && !access.intersects(of_structures) {
        BarrierSync::named(leaves.minus(builds))
    } else {
        BarrierSync::of_leaves(leaves)
    }
}

/// What else an entry could apply to: the kind of barrier that its resource has, all of a buffer.
fn targets(
    barrier: &Barrier,
    queue: QueueType,
    traits: Option<ResourceTraits>,
    around: &Surroundings,
) -> Vec<Field> {
    let Some(id) = barrier.resource() else {
        return Vec::new();
    };
    let buffer = || vec![Field::Target(BarrierTarget::buffer(id))];
    match barrier.target {
        BarrierTarget::Texture(_) if around.is_buffer => buffer(),
        BarrierTarget::Buffer { offset, size, .. }
            if around.is_buffer && (offset.is_some() || size.is_some()) =>
        {
            buffer()
        }
        BarrierTarget::Buffer { .. } if !around.is_buffer => {
            let Some(layout_before) = around.layout else {
                return Vec::new();
            };
            let wanted = [barrier.access_after, around.accesses_after];
            let fitting = wanted
                .into_iter()
                .filter_map(|access| narrowest_layout(access, queue, traits));
            let stays = traits.is_some_and(|traits| {
                compat::layout_allows(layout_before, barrier.access_after, traits)
            });
            let layouts = stays.then_some(layout_before).into_iter().chain(fitting);
            layouts
                .map(|layout_after| {
                    Field::Target(BarrierTarget::texture(id, (layout_before, layout_after)))
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Other layouts of a texture entry: after it, then what a discard needs before it.
fn layouts(
    barrier: &Barrier,
    queue: QueueType,
    traits: Option<ResourceTraits>,
    around: &Surroundings,
) -> Vec<Vec<Field>> {
    let Some(entry) = barrier.as_texture() else {
        return Vec::new();
    };
    let wanted = [around.accesses_after, barrier.access_after];
    let fitting = wanted.into_iter().filter_map(|access| {
        let access = access.difference(BarrierAccess::NO_ACCESS);
        narrowest_layout(access, queue, traits).map(Field::LayoutAfter)
    });
    let is_simultaneous =
        traits.is_some_and(|t| t.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS));
    let common = is_simultaneous.then_some(Layout::Common);
    let mut fields = vec![
        common
            .map(Field::LayoutAfter)
            .into_iter()
            .chain(fitting)
            .collect(),
        common.map(Field::LayoutBefore).into_iter().collect(),
    ];
    if entry.discard && entry.layout_before != Layout::Undefined {
        fields.push(vec![
            Field::LayoutBefore(Layout::Undefined),
            Field::KeepContents,
        ]);
    }
    fields
}

/// The layout that allows the accesses and the fewest others; `None` without accesses.
pub(super) fn narrowest_layout(
    access: BarrierAccess,
    queue: QueueType,
    traits: Option<ResourceTraits>,
) -> Option<Layout> {
    let flags = traits?.flags;
    if access.is_empty() {
        return None;
    }
    Layout::ALL
        .iter()
        .filter(|l| {
            compat::queue_allows_layout(queue, **l) && compat::creation_allows_layout(**l, flags)
        })
        .filter(|l| compat::texture_accesses(**l, flags).contains(access))
        .min_by_key(|l| {
            let others = compat::texture_accesses(**l, flags).difference(access);
            // Of equals the one that every queue knows.
            (others.bits().count_ones(), l.is_queue_specific())
        })
        .copied()
}

fn set(barrier: &mut Barrier, field: &Field) {
    match *field {
        Field::Target(ref to) => barrier.target = to.clone(),
        Field::Range(ref to) => {
            if let Some(entry) = barrier.as_texture_mut() {
                entry.range.clone_from(to);
            }
        }
        Field::SyncBefore(sync) => barrier.sync_before = sync,
        Field::SyncAfter(sync) => barrier.sync_after = sync,
        Field::AccessBefore(access) => barrier.access_before = access,
        Field::AccessAfter(access) => barrier.access_after = access,
        Field::LayoutBefore(layout) => set_layout_before(barrier, layout),
        Field::LayoutAfter(layout) => set_layout_after(barrier, layout),
        Field::KeepContents => {
            if let Some(entry) = barrier.as_texture_mut() {
                entry.discard = false;
            }
        }
    }
}
