//! `VkPipelineStageFlags2`: the stages of Vulkan's pipelines.

use super::DependencySide;
use super::flags::masks;

masks! {
    /// Bits of `VkPipelineStageFlags2`; the lower half is that of `VkPipelineStageFlags`.
    StageFlags: u64, "VK_PIPELINE_STAGE_2_" or "VK_PIPELINE_STAGE_";
    {
        /// Nothing as a source, all commands as a destination: [`StageFlags::resolved`].
        TOP_OF_PIPE = 0x1;
        DRAW_INDIRECT = 0x2;
        /// `INDEX_INPUT` and `VERTEX_ATTRIBUTE_INPUT`.
        VERTEX_INPUT = 0x4;
        VERTEX_SHADER = 0x8;
        TESSELLATION_CONTROL_SHADER = 0x10;
        TESSELLATION_EVALUATION_SHADER = 0x20;
        GEOMETRY_SHADER = 0x40;
        FRAGMENT_SHADER = 0x80;
        EARLY_FRAGMENT_TESTS = 0x100;
        LATE_FRAGMENT_TESTS = 0x200;
        COLOR_ATTACHMENT_OUTPUT = 0x400;
        COMPUTE_SHADER = 0x800;
        /// `COPY`, `BLIT`, `RESOLVE`, `CLEAR` and `ACCELERATION_STRUCTURE_COPY_KHR`.
        ALL_TRANSFER = 0x1000;
        /// All commands as a source, nothing as a destination: [`StageFlags::resolved`].
        BOTTOM_OF_PIPE = 0x2000;
        HOST = 0x4000;
        ALL_GRAPHICS = 0x8000;
        ALL_COMMANDS = 0x1_0000;
        COMMAND_PREPROCESS_EXT = 0x2_0000;
        CONDITIONAL_RENDERING_EXT = 0x4_0000;
        TASK_SHADER_EXT = 0x8_0000;
        MESH_SHADER_EXT = 0x10_0000;
        RAY_TRACING_SHADER_KHR = 0x20_0000;
        FRAGMENT_SHADING_RATE_ATTACHMENT_KHR = 0x40_0000;
        FRAGMENT_DENSITY_PROCESS_EXT = 0x80_0000;
        TRANSFORM_FEEDBACK_EXT = 0x100_0000;
        ACCELERATION_STRUCTURE_BUILD_KHR = 0x200_0000;
        VIDEO_DECODE_KHR = 0x400_0000;
        VIDEO_ENCODE_KHR = 0x800_0000;
        ACCELERATION_STRUCTURE_COPY_KHR = 0x1000_0000;
        OPTICAL_FLOW_NV = 0x2000_0000;
        MICROMAP_BUILD_EXT = 0x4000_0000;
        COPY = 0x1_0000_0000;
        RESOLVE = 0x2_0000_0000;
        BLIT = 0x4_0000_0000;
        CLEAR = 0x8_0000_0000;
        INDEX_INPUT = 0x10_0000_0000;
        VERTEX_ATTRIBUTE_INPUT = 0x20_0000_0000;
        /// Every shader stage before rasterisation.
        PRE_RASTERIZATION_SHADERS = 0x40_0000_0000;
        SUBPASS_SHADER_HUAWEI = 0x80_0000_0000;
        INVOCATION_MASK_HUAWEI = 0x100_0000_0000;
        CLUSTER_CULLING_SHADER_HUAWEI = 0x200_0000_0000;
        DATA_GRAPH_ARM = 0x400_0000_0000;
        CONVERT_COOPERATIVE_VECTOR_MATRIX_NV = 0x1000_0000_0000;
        MEMORY_DECOMPRESSION_EXT = 0x2000_0000_0000;
        COPY_INDIRECT_KHR = 0x4000_0000_0000;
    }
    aliases {
        "TRANSFER" = 0x1000;
        "SHADING_RATE_IMAGE_NV" = 0x40_0000;
        "SUBPASS_SHADING_HUAWEI" = 0x80_0000_0000;
    }
}

impl StageFlags {
    /// The mask without `TOP_OF_PIPE` and `BOTTOM_OF_PIPE`: each is nothing on one side and all commands on the other.
    /// Bits of `VkPipelineStageFlags` go through here too: `StageFlags::from_bits_retain(u64::from(bits))`.
    #[must_use]
    pub fn resolved(self, side: DependencySide) -> Self {
        let (nothing, everything) = match side {
            DependencySide::Source => (Self::TOP_OF_PIPE, Self::BOTTOM_OF_PIPE),
            DependencySide::Destination => (Self::BOTTOM_OF_PIPE, Self::TOP_OF_PIPE),
        };
        let mut mask = self.difference(nothing);
        if mask.intersects(everything) {
            mask = mask.difference(everything) | Self::ALL_COMMANDS;
        }
        mask
    }

    /// The mask with every stage that its collective bits contain, those bits left out: `ALL_TRANSFER` is its five
    /// stages, `VERTEX_INPUT` its two. `ALL_COMMANDS` stays: it also means stages that have no name here.
    #[must_use]
    pub fn expanded(self) -> Self {
        let mut mask = self;
        for (collective, parts) in COLLECTIVE {
            if mask.intersects(*collective) {
                mask = mask.difference(*collective) | *parts;
            }
        }
        mask
    }
}

/// Stages before rasterisation, those of extensions included.
const PRE_RASTERIZATION: StageFlags = StageFlags::VERTEX_SHADER
    .union(StageFlags::TESSELLATION_CONTROL_SHADER)
    .union(StageFlags::TESSELLATION_EVALUATION_SHADER)
    .union(StageFlags::GEOMETRY_SHADER)
    .union(StageFlags::TASK_SHADER_EXT)
    .union(StageFlags::MESH_SHADER_EXT)
    .union(StageFlags::CLUSTER_CULLING_SHADER_HUAWEI);

const VERTEX_INPUT: StageFlags = StageFlags::INDEX_INPUT.union(StageFlags::VERTEX_ATTRIBUTE_INPUT);

/// Bits that mean several stages, with these.
const COLLECTIVE: &[(StageFlags, StageFlags)] = &[
    (StageFlags::VERTEX_INPUT, VERTEX_INPUT),
    (
        StageFlags::ALL_TRANSFER,
        StageFlags::COPY
            .union(StageFlags::BLIT)
            .union(StageFlags::RESOLVE)
            .union(StageFlags::CLEAR)
            .union(StageFlags::ACCELERATION_STRUCTURE_COPY_KHR),
    ),
    (StageFlags::PRE_RASTERIZATION_SHADERS, PRE_RASTERIZATION),
    (
        StageFlags::ALL_GRAPHICS,
        StageFlags::DRAW_INDIRECT
            .union(VERTEX_INPUT)
            .union(PRE_RASTERIZATION)
            .union(StageFlags::FRAGMENT_SHADER)
            .union(StageFlags::EARLY_FRAGMENT_TESTS)
            .union(StageFlags::LATE_FRAGMENT_TESTS)
            .union(StageFlags::COLOR_ATTACHMENT_OUTPUT)
            .union(StageFlags::CONDITIONAL_RENDERING_EXT)
            .union(StageFlags::TRANSFORM_FEEDBACK_EXT)
            .union(StageFlags::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR)
            .union(StageFlags::FRAGMENT_DENSITY_PROCESS_EXT)
            .union(StageFlags::INVOCATION_MASK_HUAWEI)
            .union(StageFlags::SUBPASS_SHADER_HUAWEI),
    ),
];
