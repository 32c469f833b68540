//! `VkAccessFlags2`: the ways in which Vulkan's stages touch memory.

use super::flags::masks;

masks! {
    /// Bits of `VkAccessFlags2`; the lower half is that of `VkAccessFlags`. No bit means no access: a dependency that
    /// orders and makes nothing visible.
    AccessFlags: u64, "VK_ACCESS_2_" or "VK_ACCESS_";
    {
        INDIRECT_COMMAND_READ = 0x1;
        INDEX_READ = 0x2;
        VERTEX_ATTRIBUTE_READ = 0x4;
        UNIFORM_READ = 0x8;
        INPUT_ATTACHMENT_READ = 0x10;
        /// `SHADER_SAMPLED_READ`, `SHADER_STORAGE_READ` and, in ray tracing, the shader binding table.
        SHADER_READ = 0x20;
        /// `SHADER_STORAGE_WRITE`.
        SHADER_WRITE = 0x40;
        COLOR_ATTACHMENT_READ = 0x80;
        COLOR_ATTACHMENT_WRITE = 0x100;
        DEPTH_STENCIL_ATTACHMENT_READ = 0x200;
        DEPTH_STENCIL_ATTACHMENT_WRITE = 0x400;
        TRANSFER_READ = 0x800;
        TRANSFER_WRITE = 0x1000;
        HOST_READ = 0x2000;
        HOST_WRITE = 0x4000;
        /// Every read.
        MEMORY_READ = 0x8000;
        /// Every write.
        MEMORY_WRITE = 0x1_0000;
        COMMAND_PREPROCESS_READ_EXT = 0x2_0000;
        COMMAND_PREPROCESS_WRITE_EXT = 0x4_0000;
        COLOR_ATTACHMENT_READ_NONCOHERENT_EXT = 0x8_0000;
        CONDITIONAL_RENDERING_READ_EXT = 0x10_0000;
        ACCELERATION_STRUCTURE_READ_KHR = 0x20_0000;
        ACCELERATION_STRUCTURE_WRITE_KHR = 0x40_0000;
        FRAGMENT_SHADING_RATE_ATTACHMENT_READ_KHR = 0x80_0000;
        FRAGMENT_DENSITY_MAP_READ_EXT = 0x100_0000;
        TRANSFORM_FEEDBACK_WRITE_EXT = 0x200_0000;
        TRANSFORM_FEEDBACK_COUNTER_READ_EXT = 0x400_0000;
        TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT = 0x800_0000;
        SHADER_SAMPLED_READ = 0x1_0000_0000;
        SHADER_STORAGE_READ = 0x2_0000_0000;
        SHADER_STORAGE_WRITE = 0x4_0000_0000;
        VIDEO_DECODE_READ_KHR = 0x8_0000_0000;
        VIDEO_DECODE_WRITE_KHR = 0x10_0000_0000;
        VIDEO_ENCODE_READ_KHR = 0x20_0000_0000;
        VIDEO_ENCODE_WRITE_KHR = 0x40_0000_0000;
        INVOCATION_MASK_READ_HUAWEI = 0x80_0000_0000;
        SHADER_BINDING_TABLE_READ_KHR = 0x100_0000_0000;
        DESCRIPTOR_BUFFER_READ_EXT = 0x200_0000_0000;
        OPTICAL_FLOW_READ_NV = 0x400_0000_0000;
        OPTICAL_FLOW_WRITE_NV = 0x800_0000_0000;
        MICROMAP_READ_EXT = 0x1000_0000_0000;
        MICROMAP_WRITE_EXT = 0x2000_0000_0000;
        DATA_GRAPH_READ_ARM = 0x8000_0000_0000;
        DATA_GRAPH_WRITE_ARM = 0x1_0000_0000_0000;
        SHADER_TILE_ATTACHMENT_READ_QCOM = 0x8_0000_0000_0000;
        SHADER_TILE_ATTACHMENT_WRITE_QCOM = 0x10_0000_0000_0000;
        MEMORY_DECOMPRESSION_READ_EXT = 0x80_0000_0000_0000;
        MEMORY_DECOMPRESSION_WRITE_EXT = 0x100_0000_0000_0000;
        SAMPLER_HEAP_READ_EXT = 0x200_0000_0000_0000;
        RESOURCE_HEAP_READ_EXT = 0x400_0000_0000_0000;
    }
    aliases {
        "SHADING_RATE_IMAGE_READ_NV" = 0x80_0000;
    }
}

impl AccessFlags {
    /// The accesses that write.
    pub const WRITES: Self = Self::SHADER_WRITE
        .union(Self::COLOR_ATTACHMENT_WRITE)
        .union(Self::DEPTH_STENCIL_ATTACHMENT_WRITE)
        .union(Self::TRANSFER_WRITE)
        .union(Self::HOST_WRITE)
        .union(Self::MEMORY_WRITE)
        .union(Self::COMMAND_PREPROCESS_WRITE_EXT)
        .union(Self::ACCELERATION_STRUCTURE_WRITE_KHR)
        .union(Self::TRANSFORM_FEEDBACK_WRITE_EXT)
        .union(Self::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT)
        .union(Self::SHADER_STORAGE_WRITE)
        .union(Self::VIDEO_DECODE_WRITE_KHR)
        .union(Self::VIDEO_ENCODE_WRITE_KHR)
        .union(Self::OPTICAL_FLOW_WRITE_NV)
        .union(Self::MICROMAP_WRITE_EXT)
        .union(Self::DATA_GRAPH_WRITE_ARM)
        .union(Self::SHADER_TILE_ATTACHMENT_WRITE_QCOM)
        .union(Self::MEMORY_DECOMPRESSION_WRITE_EXT);

    /// Whether any of the bits writes.
    pub const fn writes(self) -> bool {
        self.intersects(Self::WRITES)
    }
}
