//! What Vulkan's stages and accesses mean in D3D12's words, one row a stage.
//!
//! A row says at which leaf the stage's work runs, and what each access of that stage is called there. Facts of the Vulkan
//! specification: "Pipeline Stages", "Access Types" with its table of the stages that support an access.

use super::{AccessFlags, StageFlags};
use crate::api::{BarrierAccess, Leaf, LeafSet};

use AccessFlags as V;
use BarrierAccess as A;
use StageFlags as S;

/// What one stage is in D3D12.
pub struct StageMeaning {
    /// One stage bit; never a collective one.
    pub stage: StageFlags,
    /// The leaves at which its work runs.
    pub leaves: LeafSet,
    /// What it can do: Vulkan's access bits, and the D3D12 accesses that each means here.
    pub accesses: &'static [(AccessFlags, BarrierAccess)],
    /// What D3D12 lacks a word for, if the leaf does not mean the stage exactly.
    pub note: Option<&'static str>,
}

/// What any shader can do.
const SHADER: &[(AccessFlags, BarrierAccess)] = &[
    (V::UNIFORM_READ, A::CONSTANT_BUFFER),
    (V::SHADER_SAMPLED_READ, A::SHADER_RESOURCE),
    (V::SHADER_STORAGE_READ, A::UNORDERED_ACCESS),
    (V::SHADER_STORAGE_WRITE, A::UNORDERED_ACCESS),
    (
        V::SHADER_READ,
        A::SHADER_RESOURCE.union(A::UNORDERED_ACCESS),
    ),
    (V::SHADER_WRITE, A::UNORDERED_ACCESS),
    (
        V::ACCELERATION_STRUCTURE_READ_KHR,
        A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
    ),
];

const FRAGMENT: &[(AccessFlags, BarrierAccess)] = &[
    (V::UNIFORM_READ, A::CONSTANT_BUFFER),
    (V::SHADER_SAMPLED_READ, A::SHADER_RESOURCE),
    (V::SHADER_STORAGE_READ, A::UNORDERED_ACCESS),
    (V::SHADER_STORAGE_WRITE, A::UNORDERED_ACCESS),
    (
        V::SHADER_READ,
        A::SHADER_RESOURCE.union(A::UNORDERED_ACCESS),
    ),
    (V::SHADER_WRITE, A::UNORDERED_ACCESS),
    (
        V::ACCELERATION_STRUCTURE_READ_KHR,
        A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
    ),
    (V::INPUT_ATTACHMENT_READ, A::SHADER_RESOURCE),
    (V::SHADER_TILE_ATTACHMENT_READ_QCOM, A::SHADER_RESOURCE),
    (V::SHADER_TILE_ATTACHMENT_WRITE_QCOM, A::UNORDERED_ACCESS),
];

const RAY_TRACING: &[(AccessFlags, BarrierAccess)] = &[
    (V::UNIFORM_READ, A::CONSTANT_BUFFER),
    (V::SHADER_SAMPLED_READ, A::SHADER_RESOURCE),
    (V::SHADER_STORAGE_READ, A::UNORDERED_ACCESS),
    (V::SHADER_STORAGE_WRITE, A::UNORDERED_ACCESS),
    (
        V::SHADER_READ,
        A::SHADER_RESOURCE.union(A::UNORDERED_ACCESS),
    ),
    (V::SHADER_WRITE, A::UNORDERED_ACCESS),
    (
        V::ACCELERATION_STRUCTURE_READ_KHR,
        A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
    ),
    (V::SHADER_BINDING_TABLE_READ_KHR, A::SHADER_RESOURCE),
];

const ARGUMENTS: &[(AccessFlags, BarrierAccess)] = &[
    (V::INDIRECT_COMMAND_READ, A::INDIRECT_ARGUMENT),
    (V::TRANSFORM_FEEDBACK_COUNTER_READ_EXT, A::INDIRECT_ARGUMENT),
];

const PREPROCESS: &[(AccessFlags, BarrierAccess)] = &[
    (V::COMMAND_PREPROCESS_READ_EXT, A::INDIRECT_ARGUMENT),
    (V::INDIRECT_COMMAND_READ, A::INDIRECT_ARGUMENT),
];

const DEPTH: &[(AccessFlags, BarrierAccess)] = &[
    (V::DEPTH_STENCIL_ATTACHMENT_READ, A::DEPTH_STENCIL_READ),
    (V::DEPTH_STENCIL_ATTACHMENT_WRITE, A::DEPTH_STENCIL_WRITE),
];

const COLOR: &[(AccessFlags, BarrierAccess)] = &[
    (V::COLOR_ATTACHMENT_READ, A::RENDER_TARGET),
    (V::COLOR_ATTACHMENT_WRITE, A::RENDER_TARGET),
    (V::COLOR_ATTACHMENT_READ_NONCOHERENT_EXT, A::RENDER_TARGET),
];

const TRANSFER: &[(AccessFlags, BarrierAccess)] = &[
    (V::TRANSFER_READ, A::COPY_SOURCE),
    (V::TRANSFER_WRITE, A::COPY_DEST),
];

const RESOLVE: &[(AccessFlags, BarrierAccess)] = &[
    (V::TRANSFER_READ, A::RESOLVE_SOURCE.union(A::COPY_SOURCE)),
    (V::TRANSFER_WRITE, A::RESOLVE_DEST.union(A::COPY_DEST)),
];

const CLEAR: &[(AccessFlags, BarrierAccess)] =
    &[(V::TRANSFER_WRITE, A::COPY_DEST.union(A::UNORDERED_ACCESS))];

/// Scratch memory is read and written as structures are; D3D12 calls that unordered access.
const BUILD: &[(AccessFlags, BarrierAccess)] = &[
    (
        V::ACCELERATION_STRUCTURE_READ_KHR,
        A::RAYTRACING_ACCELERATION_STRUCTURE_READ.union(A::UNORDERED_ACCESS),
    ),
    (
        V::ACCELERATION_STRUCTURE_WRITE_KHR,
        A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE.union(A::UNORDERED_ACCESS),
    ),
    (V::SHADER_READ, A::SHADER_RESOURCE),
    (V::SHADER_STORAGE_READ, A::SHADER_RESOURCE),
    (V::INDIRECT_COMMAND_READ, A::SHADER_RESOURCE),
    (V::TRANSFER_READ, A::RAYTRACING_ACCELERATION_STRUCTURE_READ),
    (
        V::TRANSFER_WRITE,
        A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
    ),
    (V::MICROMAP_READ_EXT, A::SHADER_RESOURCE),
];

const COPY_AS: &[(AccessFlags, BarrierAccess)] = &[
    (
        V::ACCELERATION_STRUCTURE_READ_KHR,
        A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
    ),
    (
        V::ACCELERATION_STRUCTURE_WRITE_KHR,
        A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
    ),
    (V::TRANSFER_READ, A::RAYTRACING_ACCELERATION_STRUCTURE_READ),
    (
        V::TRANSFER_WRITE,
        A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE.union(A::UNORDERED_ACCESS),
    ),
];

const FEEDBACK: &[(AccessFlags, BarrierAccess)] = &[
    (V::TRANSFORM_FEEDBACK_WRITE_EXT, A::STREAM_OUTPUT),
    (V::TRANSFORM_FEEDBACK_COUNTER_READ_EXT, A::STREAM_OUTPUT),
    (V::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT, A::STREAM_OUTPUT),
];

const SHARED_LEAF: &str =
    "VERTEX_SHADING is every shader stage before rasterisation, vertex buffers and stream output";

const fn stage(
    stage: StageFlags,
    leaves: &[Leaf],
    accesses: &'static [(AccessFlags, BarrierAccess)],
) -> StageMeaning {
    StageMeaning {
        stage,
        leaves: LeafSet::of(leaves),
        accesses,
        note: None,
    }
}

const fn noted(
    stage: StageFlags,
    leaves: &[Leaf],
    accesses: &'static [(AccessFlags, BarrierAccess)],
    note: &'static str,
) -> StageMeaning {
    StageMeaning {
        stage,
        leaves: LeafSet::of(leaves),
        accesses,
        note: Some(note),
    }
}

/// A stage that is part of `VERTEX_SHADING`.
const fn before_raster(
    stage: StageFlags,
    accesses: &'static [(AccessFlags, BarrierAccess)],
) -> StageMeaning {
    noted(stage, &[Leaf::VertexShading], accesses, SHARED_LEAF)
}

/// Every single stage but `HOST`, which is no work of a queue.
pub static STAGES: &[StageMeaning] = &[
    stage(S::DRAW_INDIRECT, &[Leaf::ExecuteIndirect], ARGUMENTS),
    stage(
        S::CONDITIONAL_RENDERING_EXT,
        &[Leaf::ExecuteIndirect],
        &[(V::CONDITIONAL_RENDERING_READ_EXT, A::INDIRECT_ARGUMENT)],
    ),
    noted(
        S::COMMAND_PREPROCESS_EXT,
        &[Leaf::ExecuteIndirect],
        PREPROCESS,
        "D3D12 has no stage that preprocesses commands",
    ),
    noted(
        S::COPY_INDIRECT_KHR,
        &[Leaf::ExecuteIndirect],
        ARGUMENTS,
        "D3D12 has no copies with arguments in memory",
    ),
    stage(
        S::INDEX_INPUT,
        &[Leaf::IndexInput],
        &[(V::INDEX_READ, A::INDEX_BUFFER)],
    ),
    noted(
        S::VERTEX_ATTRIBUTE_INPUT,
        &[Leaf::VertexShading],
        &[(V::VERTEX_ATTRIBUTE_READ, A::VERTEX_BUFFER)],
        SHARED_LEAF,
    ),
    before_raster(S::VERTEX_SHADER, SHADER),
    before_raster(S::TESSELLATION_CONTROL_SHADER, SHADER),
    before_raster(S::TESSELLATION_EVALUATION_SHADER, SHADER),
    before_raster(S::GEOMETRY_SHADER, SHADER),
    before_raster(S::TASK_SHADER_EXT, SHADER),
    before_raster(S::MESH_SHADER_EXT, SHADER),
    before_raster(S::CLUSTER_CULLING_SHADER_HUAWEI, SHADER),
    before_raster(S::TRANSFORM_FEEDBACK_EXT, FEEDBACK),
    stage(S::FRAGMENT_SHADER, &[Leaf::PixelShading], FRAGMENT),
    noted(
        S::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR,
        &[Leaf::PixelShading],
        &[(
            V::FRAGMENT_SHADING_RATE_ATTACHMENT_READ_KHR,
            A::SHADING_RATE_SOURCE,
        )],
        "D3D12 reads the shading rate in PIXEL_SHADING",
    ),
    noted(
        S::FRAGMENT_DENSITY_PROCESS_EXT,
        &[Leaf::PixelShading],
        &[(V::FRAGMENT_DENSITY_MAP_READ_EXT, A::SHADING_RATE_SOURCE)],
        "D3D12 has no density maps; the shading rate is the nearest",
    ),
    noted(
        S::INVOCATION_MASK_HUAWEI,
        &[Leaf::PixelShading],
        &[(V::INVOCATION_MASK_READ_HUAWEI, A::SHADER_RESOURCE)],
        "D3D12 has no invocation masks; a texture that pixel shaders read is the nearest",
    ),
    noted(
        S::EARLY_FRAGMENT_TESTS,
        &[Leaf::DepthStencil],
        DEPTH,
        "DEPTH_STENCIL is early and late tests",
    ),
    noted(
        S::LATE_FRAGMENT_TESTS,
        &[Leaf::DepthStencil],
        DEPTH,
        "DEPTH_STENCIL is early and late tests",
    ),
    stage(S::COLOR_ATTACHMENT_OUTPUT, &[Leaf::RenderTarget], COLOR),
    stage(S::COMPUTE_SHADER, &[Leaf::ComputeShading], SHADER),
    noted(
        S::SUBPASS_SHADER_HUAWEI,
        &[Leaf::ComputeShading],
        FRAGMENT,
        "D3D12 has no subpass shading; compute is the nearest",
    ),
    noted(
        S::DATA_GRAPH_ARM,
        &[Leaf::ComputeShading],
        &[
            (
                V::DATA_GRAPH_READ_ARM,
                A::SHADER_RESOURCE.union(A::UNORDERED_ACCESS),
            ),
            (V::DATA_GRAPH_WRITE_ARM, A::UNORDERED_ACCESS),
        ],
        "D3D12 has no data graphs; compute is the nearest",
    ),
    stage(S::RAY_TRACING_SHADER_KHR, &[Leaf::Raytracing], RAY_TRACING),
    stage(S::COPY, &[Leaf::Copy], TRANSFER),
    noted(
        S::BLIT,
        &[Leaf::Copy],
        TRANSFER,
        "D3D12 has no blits; a copy is the nearest",
    ),
    noted(
        S::RESOLVE,
        &[Leaf::Resolve, Leaf::Copy],
        RESOLVE,
        "Vulkan's layouts and accesses of resolves are those of copies",
    ),
    noted(
        S::CLEAR,
        &[Leaf::ClearUav, Leaf::Copy],
        CLEAR,
        "D3D12 clears through a view; a copy is the nearest for other clears and fills",
    ),
    noted(
        S::CONVERT_COOPERATIVE_VECTOR_MATRIX_NV,
        &[Leaf::Copy],
        TRANSFER,
        "D3D12 has no stage that converts matrices; a copy is the nearest",
    ),
    noted(
        S::MEMORY_DECOMPRESSION_EXT,
        &[Leaf::Copy],
        &[
            (V::MEMORY_DECOMPRESSION_READ_EXT, A::COPY_SOURCE),
            (V::MEMORY_DECOMPRESSION_WRITE_EXT, A::COPY_DEST),
        ],
        "D3D12 has no stage that decompresses memory; a copy is the nearest",
    ),
    stage(S::ACCELERATION_STRUCTURE_BUILD_KHR, &[Leaf::BuildAs], BUILD),
    noted(
        S::MICROMAP_BUILD_EXT,
        &[Leaf::BuildAs],
        &[
            (
                V::MICROMAP_READ_EXT,
                A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
            ),
            (
                V::MICROMAP_WRITE_EXT,
                A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
            ),
            (V::SHADER_READ, A::SHADER_RESOURCE),
        ],
        "D3D12 builds micromaps as it builds acceleration structures",
    ),
    noted(
        S::ACCELERATION_STRUCTURE_COPY_KHR,
        &[Leaf::CopyAs, Leaf::EmitAs],
        COPY_AS,
        "D3D12 writes properties of structures in a stage of its own",
    ),
    stage(
        S::VIDEO_DECODE_KHR,
        &[Leaf::VideoDecode],
        &[
            (V::VIDEO_DECODE_READ_KHR, A::VIDEO_DECODE_READ),
            (V::VIDEO_DECODE_WRITE_KHR, A::VIDEO_DECODE_WRITE),
        ],
    ),
    stage(
        S::VIDEO_ENCODE_KHR,
        &[Leaf::VideoEncode],
        &[
            (V::VIDEO_ENCODE_READ_KHR, A::VIDEO_ENCODE_READ),
            (V::VIDEO_ENCODE_WRITE_KHR, A::VIDEO_ENCODE_WRITE),
        ],
    ),
    noted(
        S::OPTICAL_FLOW_NV,
        &[Leaf::VideoProcess],
        &[
            (V::OPTICAL_FLOW_READ_NV, A::VIDEO_PROCESS_READ),
            (V::OPTICAL_FLOW_WRITE_NV, A::VIDEO_PROCESS_WRITE),
        ],
        "D3D12 has no optical flow; video processing is the nearest",
    ),
];

/// Stages of the graphics pipeline in logical order; each group comes after those before it. Vulkan specification,
/// "Pipeline Stages": a source mask includes logically earlier stages.
const PIPELINE: &[StageFlags] = &[
    S::DRAW_INDIRECT.union(S::CONDITIONAL_RENDERING_EXT),
    S::INDEX_INPUT,
    S::VERTEX_ATTRIBUTE_INPUT,
    S::VERTEX_SHADER
        .union(S::TESSELLATION_CONTROL_SHADER)
        .union(S::TESSELLATION_EVALUATION_SHADER)
        .union(S::GEOMETRY_SHADER)
        .union(S::TASK_SHADER_EXT)
        .union(S::MESH_SHADER_EXT)
        .union(S::CLUSTER_CULLING_SHADER_HUAWEI)
        .union(S::TRANSFORM_FEEDBACK_EXT),
    S::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR.union(S::FRAGMENT_DENSITY_PROCESS_EXT),
    S::EARLY_FRAGMENT_TESTS,
    S::FRAGMENT_SHADER,
    S::LATE_FRAGMENT_TESTS,
    S::COLOR_ATTACHMENT_OUTPUT,
];

/// Pipelines that only read arguments before they start.
const AFTER_ARGUMENTS: StageFlags = S::COMPUTE_SHADER.union(S::RAY_TRACING_SHADER_KHR);

impl StageFlags {
    /// The rows of the mask's stages; collective bits stand for their stages, `ALL_COMMANDS` for every one.
    pub fn meanings(self) -> impl Iterator<Item = &'static StageMeaning> {
        let mask = self.expanded();
        let all = mask.contains(Self::ALL_COMMANDS);
        STAGES
            .iter()
            .filter(move |row| all || mask.intersects(row.stage))
    }

    /// The leaves at which work of the mask's stages runs.
    pub fn leaves(self) -> LeafSet {
        if self.contains(Self::ALL_COMMANDS) {
            return LeafSet::ALL;
        }
        self.meanings()
            .fold(LeafSet::EMPTY, |set, row| set.union(row.leaves))
    }

    /// The mask with the stages that are logically earlier in their pipelines: a source scope waits for these too,
    /// although it makes nothing of theirs available.
    #[must_use]
    pub fn with_earlier(self) -> Self {
        let mut mask = self.expanded();
        if let Some(last) = PIPELINE.iter().rposition(|group| mask.intersects(*group)) {
            for group in &PIPELINE[..last] {
                mask |= *group;
            }
        }
        if mask.intersects(AFTER_ARGUMENTS) {
            mask |= Self::DRAW_INDIRECT;
        }
        mask
    }
}

impl StageMeaning {
    /// What an access mask means at this stage. `MEMORY_READ` and `MEMORY_WRITE` are every read and write.
    pub fn accesses_of(&self, mask: AccessFlags) -> BarrierAccess {
        self.accesses
            .iter()
            .filter(|(bit, _)| {
                mask.contains(*bit)
                    || mask.contains(V::MEMORY_WRITE) && bit.writes()
                    || mask.contains(V::MEMORY_READ) && !bit.writes()
            })
            .fold(BarrierAccess::empty(), |set, (_, meant)| set | *meant)
    }

    /// The access bits that the stage can do.
    pub fn supports(&self) -> AccessFlags {
        self.accesses
            .iter()
            .fold(V::MEMORY_READ | V::MEMORY_WRITE, |set, (bit, _)| set | *bit)
    }
}
