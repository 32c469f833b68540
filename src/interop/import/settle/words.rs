//! Vulkan's stages and accesses as D3D12's leaves and accesses.
//!
//! Every transfer command is work of the copy stage here, so all transfer stages are `COPY`. Reads of storage buffers and
//! images are `UNORDERED_ACCESS` that only reads, so `SHADER_STORAGE_READ` and `SHADER_SAMPLED_READ` stay apart.

use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::interop::vulkan::{AccessFlags, DependencySide, StageFlags};

use AccessFlags as V;
use BarrierAccess as A;
use StageFlags as P;

/// The leaf of each stage that has one.
const STAGES: [(StageFlags, Leaf); 13] = [
    (
        P::DRAW_INDIRECT
            .union(P::CONDITIONAL_RENDERING_EXT)
            .union(P::COMMAND_PREPROCESS_EXT),
        Leaf::ExecuteIndirect,
    ),
    (P::INDEX_INPUT, Leaf::IndexInput),
    (
        P::VERTEX_ATTRIBUTE_INPUT
            .union(P::VERTEX_SHADER)
            .union(P::TESSELLATION_CONTROL_SHADER)
            .union(P::TESSELLATION_EVALUATION_SHADER)
            .union(P::GEOMETRY_SHADER)
            .union(P::TASK_SHADER_EXT)
            .union(P::MESH_SHADER_EXT)
            .union(P::CLUSTER_CULLING_SHADER_HUAWEI)
            .union(P::TRANSFORM_FEEDBACK_EXT),
        Leaf::VertexShading,
    ),
    (
        P::EARLY_FRAGMENT_TESTS.union(P::LATE_FRAGMENT_TESTS),
        Leaf::DepthStencil,
    ),
    (
        P::FRAGMENT_SHADER
            .union(P::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR)
            .union(P::FRAGMENT_DENSITY_PROCESS_EXT)
            .union(P::SUBPASS_SHADER_HUAWEI)
            .union(P::INVOCATION_MASK_HUAWEI),
        Leaf::PixelShading,
    ),
    (P::COLOR_ATTACHMENT_OUTPUT, Leaf::RenderTarget),
    (P::COMPUTE_SHADER, Leaf::ComputeShading),
    (P::RAY_TRACING_SHADER_KHR, Leaf::Raytracing),
    (
        P::COPY
            .union(P::BLIT)
            .union(P::RESOLVE)
            .union(P::CLEAR)
            .union(P::MEMORY_DECOMPRESSION_EXT)
            .union(P::COPY_INDIRECT_KHR),
        Leaf::Copy,
    ),
    (
        P::ACCELERATION_STRUCTURE_BUILD_KHR.union(P::MICROMAP_BUILD_EXT),
        Leaf::BuildAs,
    ),
    (P::ACCELERATION_STRUCTURE_COPY_KHR, Leaf::CopyAs),
    (P::VIDEO_DECODE_KHR, Leaf::VideoDecode),
    (P::VIDEO_ENCODE_KHR, Leaf::VideoEncode),
];

/// The leaves of a mask on one side of a dependency.
pub(super) fn leaves(stages: StageFlags, side: DependencySide) -> LeafSet {
    let named = stages.resolved(side);
    let copies_structures = named.intersects(P::ACCELERATION_STRUCTURE_COPY_KHR);
    let mut stages = named.expanded();
    if !copies_structures {
        // `ALL_TRANSFER` has it too; no imported command is of that stage.
        stages.remove(P::ACCELERATION_STRUCTURE_COPY_KHR);
    }
    if stages.contains(P::ALL_COMMANDS) {
        return LeafSet::ALL;
    }
    let found = STAGES.iter().filter(|(bits, _)| stages.intersects(*bits));
    found.fold(LeafSet::EMPTY, |set, (_, leaf)| {
        set.union(LeafSet::one(*leaf))
    })
}

/// The stages of a mask that have accesses on this side: `BOTTOM_OF_PIPE` in a first scope and `TOP_OF_PIPE` in a second one
/// are all commands and no access (Vulkan: "Access Scopes").
pub(super) fn accessing(stages: StageFlags, side: DependencySide) -> StageFlags {
    match side {
        DependencySide::Source => stages.difference(P::BOTTOM_OF_PIPE),
        DependencySide::Destination => stages.difference(P::TOP_OF_PIPE),
    }
}

/// Leaves of the stages before these in the graphics pipeline: what a first scope contains without naming it. The tests
/// before the fragment shader are not among those of a fragment shader, because their leaf has the later tests as well.
///
/// What reads arguments is left out if nothing of the story does: `reads_arguments`.
pub(super) fn with_earlier(leaves: LeafSet, reads_arguments: bool) -> LeafSet {
    const ORDER: [Leaf; 6] = [
        Leaf::ExecuteIndirect,
        Leaf::IndexInput,
        Leaf::VertexShading,
        Leaf::PixelShading,
        Leaf::DepthStencil,
        Leaf::RenderTarget,
    ];
    let last = ORDER.iter().rposition(|leaf| leaves.has(*leaf));
    let mut all = leaves;
    if let Some(last) = last {
        let before_tests = ORDER[last] == Leaf::DepthStencil;
        for leaf in &ORDER[..last] {
            // Early tests come before the fragment shader, late ones after it: only what comes before both is certain.
            if !(before_tests && *leaf == Leaf::PixelShading) {
                all = all.union(LeafSet::one(*leaf));
            }
        }
    }
    if !reads_arguments && !leaves.has(Leaf::ExecuteIndirect) {
        return all.minus(LeafSet::one(Leaf::ExecuteIndirect));
    }
    // A dispatch reads its arguments first.
    if leaves.has(Leaf::ComputeShading) || leaves.has(Leaf::Raytracing) {
        all = all.union(LeafSet::one(Leaf::ExecuteIndirect));
    }
    all
}

/// Each access of Vulkan, and what it is.
const ACCESSES: [(AccessFlags, BarrierAccess); 20] = [
    (V::INDIRECT_COMMAND_READ, A::INDIRECT_ARGUMENT),
    (V::CONDITIONAL_RENDERING_READ_EXT, A::INDIRECT_ARGUMENT),
    (V::INDEX_READ, A::INDEX_BUFFER),
    (V::VERTEX_ATTRIBUTE_READ, A::VERTEX_BUFFER),
    (V::UNIFORM_READ, A::CONSTANT_BUFFER),
    (V::INPUT_ATTACHMENT_READ, A::SHADER_RESOURCE),
    (
        V::SHADER_READ,
        A::SHADER_RESOURCE.union(A::UNORDERED_ACCESS),
    ),
    (V::SHADER_SAMPLED_READ, A::SHADER_RESOURCE),
    (V::SHADER_STORAGE_READ, A::UNORDERED_ACCESS),
    (V::SHADER_BINDING_TABLE_READ_KHR, A::SHADER_RESOURCE),
    (V::SHADER_WRITE, A::UNORDERED_ACCESS),
    (V::SHADER_STORAGE_WRITE, A::UNORDERED_ACCESS),
    (
        V::COLOR_ATTACHMENT_READ
            .union(V::COLOR_ATTACHMENT_WRITE)
            .union(V::COLOR_ATTACHMENT_READ_NONCOHERENT_EXT),
        A::RENDER_TARGET,
    ),
    (V::DEPTH_STENCIL_ATTACHMENT_READ, A::DEPTH_STENCIL_READ),
    (V::DEPTH_STENCIL_ATTACHMENT_WRITE, A::DEPTH_STENCIL_WRITE),
    (V::TRANSFER_READ, A::COPY_SOURCE),
    (V::TRANSFER_WRITE, A::COPY_DEST),
    (
        V::ACCELERATION_STRUCTURE_READ_KHR,
        A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
    ),
    (
        V::ACCELERATION_STRUCTURE_WRITE_KHR,
        A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
    ),
    (
        V::TRANSFORM_FEEDBACK_WRITE_EXT.union(V::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT),
        A::STREAM_OUTPUT,
    ),
];

/// The accesses that imported commands make: those that `MEMORY_READ` and `MEMORY_WRITE` mean.
pub(super) const EVERY_WRITE: BarrierAccess = A::RENDER_TARGET
    .union(A::UNORDERED_ACCESS)
    .union(A::DEPTH_STENCIL_WRITE)
    .union(A::STREAM_OUTPUT)
    .union(A::COPY_DEST)
    .union(A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE);
const EVERY_READ: BarrierAccess = A::VERTEX_BUFFER
    .union(A::CONSTANT_BUFFER)
    .union(A::INDEX_BUFFER)
    .union(A::RENDER_TARGET)
    .union(A::UNORDERED_ACCESS)
    .union(A::DEPTH_STENCIL_READ)
    .union(A::SHADER_RESOURCE)
    .union(A::INDIRECT_ARGUMENT)
    .union(A::COPY_SOURCE)
    .union(A::RAYTRACING_ACCELERATION_STRUCTURE_READ);

/// What a first scope makes available: writes only.
pub(super) fn written(access: AccessFlags) -> BarrierAccess {
    let writes = access & V::WRITES;
    let mut found = mapped(writes) & EVERY_WRITE;
    if access.intersects(V::MEMORY_WRITE) {
        found |= EVERY_WRITE;
    }
    found
}

/// What a second scope makes visible to.
pub(super) fn reached(access: AccessFlags) -> BarrierAccess {
    let mut found = mapped(access);
    if access.intersects(V::MEMORY_WRITE) {
        found |= EVERY_WRITE;
    }
    if access.intersects(V::MEMORY_READ) {
        found |= EVERY_READ;
    }
    found
}

fn mapped(access: AccessFlags) -> BarrierAccess {
    let found = ACCESSES.iter().filter(|(bits, _)| access.intersects(*bits));
    found.fold(BarrierAccess::empty(), |set, (_, to)| set | *to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_differ() {
        assert_eq!(
            leaves(P::TOP_OF_PIPE, DependencySide::Source),
            LeafSet::EMPTY
        );
        assert_eq!(
            leaves(P::TOP_OF_PIPE, DependencySide::Destination),
            LeafSet::ALL
        );
        assert_eq!(
            leaves(P::BOTTOM_OF_PIPE, DependencySide::Source),
            LeafSet::ALL
        );
        assert_eq!(leaves(P::HOST, DependencySide::Source), LeafSet::EMPTY);
        assert_eq!(
            leaves(P::ALL_TRANSFER, DependencySide::Source),
            LeafSet::one(Leaf::Copy)
        );
    }

    #[test]
    fn a_first_scope_has_the_earlier_stages() {
        let all = with_earlier(LeafSet::one(Leaf::RenderTarget), true);
        assert!(all.contains(LeafSet::DRAW));
        let shader = with_earlier(LeafSet::one(Leaf::PixelShading), true);
        assert!(shader.has(Leaf::VertexShading) && !shader.has(Leaf::DepthStencil));
        assert_eq!(
            with_earlier(LeafSet::one(Leaf::Copy), true),
            LeafSet::one(Leaf::Copy)
        );
    }

    #[test]
    fn only_writes_are_made_available() {
        assert_eq!(written(V::SHADER_READ | V::TRANSFER_READ), A::empty());
        assert_eq!(
            written(V::SHADER_WRITE | V::SHADER_READ),
            A::UNORDERED_ACCESS
        );
        assert!(written(V::MEMORY_WRITE).contains(A::COPY_DEST | A::RENDER_TARGET));
        assert_eq!(written(V::COLOR_ATTACHMENT_READ), A::empty());
        assert_eq!(reached(V::COLOR_ATTACHMENT_READ), A::RENDER_TARGET);
    }
}
