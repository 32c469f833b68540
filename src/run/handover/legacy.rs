//! A legacy entry as the runtime hands it to a driver that takes enhanced barriers.
//!
//! Scopes, accesses and layouts are those of the specification's tables to the letter. Unlike the translation that the
//! model runs, nothing is resolved: a texture that may be promoted stays in a `LEGACY_*` layout, whose meaning the
//! driver finds out.
//!
//! Spec: "Legacy layouts", "Equivalent `D3D12_BARRIER_LAYOUT` / `_ACCESS` / `_SYNC` for each `D3D12_RESOURCE_STATES` bit",
//! "UAV Barriers".

use super::calls::subresources;
use crate::api::ddi::{self, BufferBarrier, DdiBarrier, SubresourceRange, TextureBarrier};
use crate::api::{
    BarrierAccess, BarrierFlags, BarrierSync, Layout, QueueType, ResourceState, compat,
};
use crate::id::ResourceId;
use crate::legacy::states::{self, STATES, StateRow};
use crate::scenario::{LegacyKind, LegacySplit, Range, Scenario};

/// The bits of a state that the table has a row for.
fn rows(state: ResourceState) -> impl Iterator<Item = &'static StateRow> {
    STATES.iter().filter(move |row| state.contains(row.state))
}

/// Scopes of a state: the table's, without what the model adds.
pub fn sync(state: ResourceState) -> BarrierSync {
    if state.is_empty() {
        return BarrierSync::ALL;
    }
    rows(state).fold(BarrierSync::NONE, |set, row| set | row.sync)
}

/// Accesses of a state.
pub fn access(state: ResourceState) -> BarrierAccess {
    states::access(state)
}

/// Layout of a state, with the internal layouts that the table has in four rows.
///
/// States whose bits agree have that layout: `PIXEL_SHADER_RESOURCE|NON_PIXEL_SHADER_RESOURCE` is the one of either bit.
/// Of others, those with `NON_PIXEL_SHADER_RESOURCE` have the layout that exists for them. For the rest no sentence
/// says anything: they have the layout that the model gives them.
pub fn layout(state: ResourceState) -> Layout {
    let mut found = None;
    let mut several = false;
    for row in rows(state) {
        let Some(layout) = row.layout else { continue };
        let layout = internal(layout);
        several |= found.is_some_and(|known| known != layout);
        found = Some(layout);
    }
    match found {
        None => Layout::Common,
        Some(layout) if !several => layout,
        Some(_) if state.contains(ResourceState::NON_PIXEL_SHADER_RESOURCE) => {
            Layout::DirectQueueGenericReadComputeQueueAccessible
        }
        Some(_) => states::layout(state),
    }
}

/// The layout of the specification's table where the model has a definite one.
fn internal(layout: Layout) -> Layout {
    match layout {
        Layout::ShaderResource => Layout::LegacyShaderResource,
        Layout::CopySource => Layout::LegacyCopySource,
        Layout::CopyDest => Layout::LegacyCopyDest,
        other => other,
    }
}

/// A transition or a UAV barrier in the driver's form.
///
/// # Errors
/// Why it has none: aliasing entries are not described anywhere.
pub fn entry(
    scenario: &Scenario,
    queue: QueueType,
    kind: &LegacyKind,
) -> Result<DdiBarrier<ResourceId>, &'static str> {
    match kind {
        LegacyKind::Transition(it) => {
            let (before, after) = it.states();
            let mut sides = (
                kept_sync(queue, sync(before)),
                kept_sync(queue, sync(after)),
            );
            match it.split {
                None => {}
                Some(LegacySplit::Begin) => sides.1 = BarrierSync::SPLIT,
                Some(LegacySplit::End) => sides.0 = BarrierSync::SPLIT,
            }
            let accesses = (access_on(queue, before), access_on(queue, after));
            let layouts = (layout(before), layout(after));
            Ok(named(
                scenario,
                it.resource,
                &it.range,
                sides,
                accesses,
                layouts,
            ))
        }
        LegacyKind::Uav(resource) => Ok(uav(scenario, queue, *resource)),
        LegacyKind::Alias(..) => Err("no source describes aliasing barriers"),
    }
}

/// Spec: "UAV Barriers".
fn uav(
    scenario: &Scenario,
    queue: QueueType,
    resource: Option<ResourceId>,
) -> DdiBarrier<ResourceId> {
    const ACCESSES: BarrierAccess = BarrierAccess::UNORDERED_ACCESS
        .union(BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE)
        .union(BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ);
    let scopes = kept_sync(
        queue,
        BarrierSync::ALL_SHADING
            | BarrierSync::BUILD_RAYTRACING_ACCELERATION_STRUCTURE
            | BarrierSync::COPY_RAYTRACING_ACCELERATION_STRUCTURE
            | BarrierSync::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO,
    );
    let Some(id) = resource else {
        return DdiBarrier::Global(ddi::scopes(scopes, scopes, ACCESSES, ACCESSES));
    };
    // The block names all three for whatever resource; a texture is never an acceleration structure.
    let possible = ACCESSES & compat::resource_accesses(scenario.traits(id));
    let access = if scenario.resource(id).is_buffer() || possible.is_empty() {
        ACCESSES
    } else {
        possible
    };
    let layout = Layout::UnorderedAccess;
    named(
        scenario,
        id,
        &Range::All,
        (scopes, scopes),
        (access, access),
        (layout, layout),
    )
}

/// A barrier on a resource: a buffer has no layout, and a simultaneous-access texture never leaves `COMMON`
/// (Spec: "Interop with legacy `ResourceBarrier`").
fn named(
    scenario: &Scenario,
    id: ResourceId,
    range: &Range,
    sync: (BarrierSync, BarrierSync),
    access: (BarrierAccess, BarrierAccess),
    layouts: (Layout, Layout),
) -> DdiBarrier<ResourceId> {
    let resource = scenario.resource(id);
    let scopes = ddi::scopes(sync.0, sync.1, access.0, access.1);
    let Some(shape) = resource.texture() else {
        return DdiBarrier::Buffer(BufferBarrier {
            scopes,
            resource: id,
        });
    };
    let (before, after) = if resource.is_simultaneous() {
        (Layout::Common, Layout::Common)
    } else {
        layouts
    };
    DdiBarrier::Texture(TextureBarrier {
        scopes,
        layout_before: ddi::layout(before),
        layout_after: ddi::layout(after),
        resource: id,
        subresources: match range {
            Range::All => SubresourceRange::ALL,
            range => subresources(Some(shape), range),
        },
        flags: BarrierFlags::empty(),
    })
}

/// The scopes that the queue has; everything if it has none of them, which is a rule's business.
fn kept_sync(queue: QueueType, scopes: BarrierSync) -> BarrierSync {
    let kept = scopes & compat::queue_syncs(queue);
    if kept.is_empty() {
        BarrierSync::ALL
    } else {
        kept
    }
}

/// Accesses of a state that the queue has; all of them if it has none, because no bit would mean `COMMON`.
fn access_on(queue: QueueType, state: ResourceState) -> BarrierAccess {
    let all = access(state);
    let kept = all & compat::queue_accesses(queue);
    if kept.is_empty() { all } else { kept }
}
