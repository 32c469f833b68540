//! What each bit of a legacy state is in the words of enhanced barriers, as a table.
//!
//! Spec: "Equivalent `D3D12_BARRIER_LAYOUT` / `_ACCESS` / `_SYNC` for each `D3D12_RESOURCE_STATES` bit".

use crate::api::{BarrierAccess, BarrierSync, Layout, QueueType, ResourceState, compat};

/// One bit of a legacy state.
#[derive(Copy, Clone, Debug)]
pub struct StateRow {
    /// The bit.
    pub state: ResourceState,
    /// Scopes of the specification's table.
    pub sync: BarrierSync,
    /// Scopes that the table leaves out although legacy D3D12 has the work run in this state.
    pub also: BarrierSync,
    /// Accesses.
    pub access: BarrierAccess,
    /// Layout; `None` where only buffers have the state. The specification's `LEGACY_*` layouts are here as the
    /// concrete layouts that they turn out to be once promotion is resolved.
    pub layout: Option<Layout>,
}

const fn row(
    state: ResourceState,
    sync: BarrierSync,
    access: BarrierAccess,
    layout: Option<Layout>,
) -> StateRow {
    StateRow {
        state,
        sync,
        also: BarrierSync::NONE,
        access,
        layout,
    }
}

impl StateRow {
    const fn also(mut self, also: BarrierSync) -> Self {
        self.also = also;
        self
    }
}

use BarrierAccess as A;
use BarrierSync as S;
use Layout as L;
use ResourceState as R;

/// Every bit, in the header's order. `COMMON` is no bit: it is `ALL`, every access, and the layout `COMMON`.
///
/// `also`: a legacy state covers every command that requires it. Clears of unordered access views, scratch memory and
/// post-build information of acceleration structures need `UNORDERED_ACCESS`; build inputs need
/// `NON_PIXEL_SHADER_RESOURCE`. Without these scopes a correct legacy program would look racy.
pub static STATES: [StateRow; 22] = [
    row(
        R::VERTEX_AND_CONSTANT_BUFFER,
        S::ALL_SHADING,
        A::VERTEX_BUFFER.union(A::CONSTANT_BUFFER),
        None,
    ),
    row(R::INDEX_BUFFER, S::INDEX_INPUT, A::INDEX_BUFFER, None),
    row(
        R::RENDER_TARGET,
        S::RENDER_TARGET,
        A::RENDER_TARGET,
        Some(L::RenderTarget),
    ),
    row(
        R::UNORDERED_ACCESS,
        S::ALL_SHADING,
        A::UNORDERED_ACCESS,
        Some(L::UnorderedAccess),
    )
    .also(
        S::CLEAR_UNORDERED_ACCESS_VIEW
            .union(S::BUILD_RAYTRACING_ACCELERATION_STRUCTURE)
            .union(S::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO),
    ),
    row(
        R::DEPTH_WRITE,
        S::DEPTH_STENCIL,
        A::DEPTH_STENCIL_WRITE,
        Some(L::DepthStencilWrite),
    ),
    row(
        R::DEPTH_READ,
        S::DEPTH_STENCIL,
        A::DEPTH_STENCIL_READ,
        Some(L::DepthStencilRead),
    ),
    row(
        R::NON_PIXEL_SHADER_RESOURCE,
        S::NON_PIXEL_SHADING,
        A::SHADER_RESOURCE,
        Some(L::ShaderResource),
    )
    .also(S::BUILD_RAYTRACING_ACCELERATION_STRUCTURE),
    row(
        R::PIXEL_SHADER_RESOURCE,
        S::PIXEL_SHADING,
        A::SHADER_RESOURCE,
        Some(L::ShaderResource),
    ),
    row(R::STREAM_OUT, S::VERTEX_SHADING, A::STREAM_OUTPUT, None),
    row(
        R::INDIRECT_ARGUMENT,
        S::EXECUTE_INDIRECT,
        A::INDIRECT_ARGUMENT,
        None,
    ),
    row(R::COPY_DEST, S::COPY, A::COPY_DEST, Some(L::CopyDest)),
    row(R::COPY_SOURCE, S::COPY, A::COPY_SOURCE, Some(L::CopySource)),
    row(
        R::RESOLVE_DEST,
        S::RESOLVE,
        A::RESOLVE_DEST,
        Some(L::ResolveDest),
    ),
    row(
        R::RESOLVE_SOURCE,
        S::RESOLVE,
        A::RESOLVE_SOURCE,
        Some(L::ResolveSource),
    ),
    row(
        R::VIDEO_DECODE_READ,
        S::VIDEO_DECODE,
        A::VIDEO_DECODE_READ,
        Some(L::VideoDecodeRead),
    ),
    row(
        R::VIDEO_DECODE_WRITE,
        S::VIDEO_DECODE,
        A::VIDEO_DECODE_WRITE,
        Some(L::VideoDecodeWrite),
    ),
    row(
        R::VIDEO_PROCESS_READ,
        S::VIDEO_PROCESS,
        A::VIDEO_PROCESS_READ,
        Some(L::VideoProcessRead),
    ),
    row(
        R::VIDEO_PROCESS_WRITE,
        S::VIDEO_PROCESS,
        A::VIDEO_PROCESS_WRITE,
        Some(L::VideoProcessWrite),
    ),
    row(
        R::VIDEO_ENCODE_READ,
        S::VIDEO_ENCODE,
        A::VIDEO_ENCODE_READ,
        Some(L::VideoEncodeRead),
    ),
    row(
        R::RAYTRACING_ACCELERATION_STRUCTURE,
        S::RAYTRACING,
        A::RAYTRACING_ACCELERATION_STRUCTURE_READ.union(A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE),
        None,
    )
    .also(
        S::BUILD_RAYTRACING_ACCELERATION_STRUCTURE
            .union(S::COPY_RAYTRACING_ACCELERATION_STRUCTURE)
            .union(S::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO),
    ),
    row(
        R::VIDEO_ENCODE_WRITE,
        S::VIDEO_ENCODE,
        A::VIDEO_ENCODE_WRITE,
        Some(L::VideoEncodeWrite),
    ),
    row(
        R::SHADING_RATE_SOURCE,
        S::PIXEL_SHADING,
        A::SHADING_RATE_SOURCE,
        Some(L::ShadingRateSource),
    ),
];

/// States that a texture in `COMMON` is promoted to by use. Spec: "Legacy layouts".
pub const PROMOTABLE: ResourceState = R::COPY_DEST
    .union(R::COPY_SOURCE)
    .union(R::PIXEL_SHADER_RESOURCE)
    .union(R::NON_PIXEL_SHADER_RESOURCE);

/// Both shader resource states: `ALL_SHADER_RESOURCE`.
pub const SHADER_RESOURCE: ResourceState =
    R::PIXEL_SHADER_RESOURCE.union(R::NON_PIXEL_SHADER_RESOURCE);

/// `GENERIC_READ`: the reads of an upload heap.
pub const GENERIC_READ: ResourceState = R::VERTEX_AND_CONSTANT_BUFFER
    .union(R::INDEX_BUFFER)
    .union(SHADER_RESOURCE)
    .union(R::INDIRECT_ARGUMENT)
    .union(R::COPY_SOURCE);

/// States that only buffers have. Spec: "N/A" in the layout table.
pub const ONLY_ON_BUFFERS: ResourceState = R::VERTEX_AND_CONSTANT_BUFFER
    .union(R::INDEX_BUFFER)
    .union(R::STREAM_OUT)
    .union(R::INDIRECT_ARGUMENT)
    .union(R::RAYTRACING_ACCELERATION_STRUCTURE);

/// The states that an access needs; for `SHADER_RESOURCE` both, because the stage decides.
pub fn of_access(access: BarrierAccess) -> ResourceState {
    STATES
        .iter()
        .filter(|row| row.access.intersects(access))
        .fold(R::empty(), |set, row| set | row.state)
}

/// States of the video engines.
pub const VIDEO: ResourceState = R::VIDEO_DECODE_READ
    .union(R::VIDEO_DECODE_WRITE)
    .union(R::VIDEO_PROCESS_READ)
    .union(R::VIDEO_PROCESS_WRITE)
    .union(R::VIDEO_ENCODE_READ)
    .union(R::VIDEO_ENCODE_WRITE);

/// The bits of a state that make any of the accesses.
pub fn of_any(state: ResourceState, accesses: BarrierAccess) -> ResourceState {
    state & of_access(accesses)
}

/// The bits of a state that write.
pub fn writes(state: ResourceState) -> ResourceState {
    of_any(state, BarrierAccess::WRITES)
}

/// States that a queue type can name: it has their accesses and a stage of them.
/// Spec: "Command Queue Access Compatibility", "Command Queue Sync Compatibility".
pub fn of_queue(queue: QueueType) -> ResourceState {
    STATES
        .iter()
        .filter(|row| {
            compat::queue_accesses(queue).contains(row.access)
                && compat::queue_syncs(queue).intersects(row.sync)
        })
        .fold(R::empty(), |set, row| set | row.state)
}

fn rows(state: ResourceState) -> impl Iterator<Item = &'static StateRow> {
    STATES.iter().filter(move |row| state.contains(row.state))
}

/// Scopes of a state.
pub fn sync(state: ResourceState) -> BarrierSync {
    if state.is_empty() {
        return BarrierSync::ALL;
    }
    rows(state).fold(BarrierSync::NONE, |set, row| set | row.sync | row.also)
}

/// Scopes of acceleration structures.
pub const RAYTRACING_SYNC: BarrierSync = S::RAYTRACING
    .union(S::BUILD_RAYTRACING_ACCELERATION_STRUCTURE)
    .union(S::COPY_RAYTRACING_ACCELERATION_STRUCTURE)
    .union(S::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO);

/// Scopes of a state for a buffer or a texture: builds and post-build queries only read and write buffers.
pub fn sync_of(state: ResourceState, buffer: bool) -> BarrierSync {
    if buffer || state.is_empty() {
        sync(state)
    } else {
        sync(state) - RAYTRACING_SYNC
    }
}

/// Accesses of a state.
pub fn access(state: ResourceState) -> BarrierAccess {
    rows(state).fold(BarrierAccess::COMMON, |set, row| set | row.access)
}

/// The layout of a texture in a state. States that only buffers have add nothing.
///
/// Several read states at once have no layout of their own in the table. Reads that `GENERIC_READ` allows take it;
/// others take the direct queue's generic layout, or the one that compute queues can also read if
/// `NON_PIXEL_SHADER_RESOURCE` is among them (Spec: "Legacy layouts").
pub fn layout(state: ResourceState) -> Layout {
    let mut found = None;
    let mut several = false;
    for row in rows(state).filter(|row| row.layout.is_some()) {
        if row.access.writes() {
            // A write state is combined with none (reading R37).
            return row.layout.unwrap_or(Layout::Common);
        }
        several |= found.is_some_and(|known| Some(known) != row.layout);
        found = row.layout;
    }
    let textures = access(state);
    match found {
        None => Layout::Common,
        Some(layout) if !several => layout,
        Some(_)
            if !textures.intersects(
                A::DEPTH_STENCIL_READ
                    .union(A::RESOLVE_SOURCE)
                    .union(A::SHADING_RATE_SOURCE),
            ) =>
        {
            Layout::GenericRead
        }
        Some(_) if state.contains(R::NON_PIXEL_SHADER_RESOURCE) => {
            Layout::DirectQueueGenericReadComputeQueueAccessible
        }
        Some(_) => Layout::DirectQueueGenericRead,
    }
}

/// The state that stands for a layout; `None` where no state does.
pub fn of_layout(wanted: Layout) -> Option<ResourceState> {
    match wanted {
        L::Common => Some(R::empty()),
        L::ShaderResource => Some(SHADER_RESOURCE),
        L::GenericRead => Some(GENERIC_READ),
        _ => STATES
            .iter()
            .find(|row| row.layout == Some(wanted))
            .map(|row| row.state),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_the_header_has_a_row() {
        let covered = STATES
            .iter()
            .fold(ResourceState::empty(), |set, row| set | row.state);
        assert_eq!(covered, ResourceState::all());
    }

    #[test]
    fn layouts_allow_the_accesses_of_their_state() {
        for row in &STATES {
            if let Some(layout) = row.layout {
                assert!(
                    compat::layout_accesses(layout).contains(row.access),
                    "{}",
                    row.state
                );
            }
            assert!(
                compat::access_sync_ok(row.access, row.sync | row.also),
                "{}",
                row.state
            );
        }
    }

    #[test]
    fn read_states_combine() {
        let shader = R::PIXEL_SHADER_RESOURCE | R::NON_PIXEL_SHADER_RESOURCE;
        assert_eq!(layout(shader), L::ShaderResource);
        assert_eq!(layout(shader | R::COPY_SOURCE), L::GenericRead);
        assert_eq!(
            layout(shader | R::DEPTH_READ),
            L::DirectQueueGenericReadComputeQueueAccessible
        );
        assert_eq!(
            layout(R::PIXEL_SHADER_RESOURCE | R::DEPTH_READ),
            L::DirectQueueGenericRead
        );
        assert_eq!(layout(R::empty()), L::Common);
        assert_eq!(sync(R::empty()), S::ALL);
        assert_eq!(access(R::empty()), A::COMMON);
        // GENERIC_READ: the buffers' bits add nothing to a texture.
        assert_eq!(layout(R::from_bits_retain(0xac3)), L::GenericRead);
    }
}
