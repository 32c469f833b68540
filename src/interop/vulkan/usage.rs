//! `VkImageUsageFlags` and `VkBufferUsageFlags`, and the D3D12 creation flags that they ask for.

use super::flags::masks;
use crate::api::ResourceFlags;

masks! {
    /// Bits of `VkImageUsageFlags`.
    ImageUsage: u32, "VK_IMAGE_USAGE_" or "VK_IMAGE_USAGE_";
    {
        TRANSFER_SRC = 0x1;
        TRANSFER_DST = 0x2;
        SAMPLED = 0x4;
        STORAGE = 0x8;
        COLOR_ATTACHMENT = 0x10;
        DEPTH_STENCIL_ATTACHMENT = 0x20;
        TRANSIENT_ATTACHMENT = 0x40;
        INPUT_ATTACHMENT = 0x80;
        FRAGMENT_SHADING_RATE_ATTACHMENT_KHR = 0x100;
        FRAGMENT_DENSITY_MAP_EXT = 0x200;
        VIDEO_DECODE_DST_KHR = 0x400;
        VIDEO_DECODE_SRC_KHR = 0x800;
        VIDEO_DECODE_DPB_KHR = 0x1000;
        VIDEO_ENCODE_DST_KHR = 0x2000;
        VIDEO_ENCODE_SRC_KHR = 0x4000;
        VIDEO_ENCODE_DPB_KHR = 0x8000;
        INVOCATION_MASK_HUAWEI = 0x4_0000;
        ATTACHMENT_FEEDBACK_LOOP_EXT = 0x8_0000;
        SAMPLE_WEIGHT_QCOM = 0x10_0000;
        SAMPLE_BLOCK_MATCH_QCOM = 0x20_0000;
        HOST_TRANSFER = 0x40_0000;
    }
    aliases {
        "SHADING_RATE_IMAGE_NV" = 0x100;
    }
}

masks! {
    /// Bits of `VkBufferUsageFlags` and the lower half of `VkBufferUsageFlags2`.
    BufferUsage: u32, "VK_BUFFER_USAGE_" or "VK_BUFFER_USAGE_2_";
    {
        TRANSFER_SRC = 0x1;
        TRANSFER_DST = 0x2;
        UNIFORM_TEXEL_BUFFER = 0x4;
        STORAGE_TEXEL_BUFFER = 0x8;
        UNIFORM_BUFFER = 0x10;
        STORAGE_BUFFER = 0x20;
        INDEX_BUFFER = 0x40;
        VERTEX_BUFFER = 0x80;
        INDIRECT_BUFFER = 0x100;
        CONDITIONAL_RENDERING_EXT = 0x200;
        SHADER_BINDING_TABLE_KHR = 0x400;
        TRANSFORM_FEEDBACK_BUFFER_EXT = 0x800;
        TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT = 0x1000;
        VIDEO_DECODE_SRC_KHR = 0x2000;
        VIDEO_DECODE_DST_KHR = 0x4000;
        VIDEO_ENCODE_DST_KHR = 0x8000;
        VIDEO_ENCODE_SRC_KHR = 0x1_0000;
        SHADER_DEVICE_ADDRESS = 0x2_0000;
        ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR = 0x8_0000;
        ACCELERATION_STRUCTURE_STORAGE_KHR = 0x10_0000;
        SAMPLER_DESCRIPTOR_BUFFER_EXT = 0x20_0000;
        RESOURCE_DESCRIPTOR_BUFFER_EXT = 0x40_0000;
        MICROMAP_BUILD_INPUT_READ_ONLY_EXT = 0x80_0000;
        MICROMAP_STORAGE_EXT = 0x100_0000;
        PUSH_DESCRIPTORS_DESCRIPTOR_BUFFER_EXT = 0x400_0000;
    }
    aliases {
        "RAY_TRACING_NV" = 0x400;
    }
}

impl ImageUsage {
    /// The D3D12 creation flags of a texture that is used so. A concurrent or shared image may also be
    /// `SIMULTANEOUS_ACCESS`, which no usage says.
    pub fn resource_flags(self) -> ResourceFlags {
        let mut flags = ResourceFlags::empty();
        if self.intersects(Self::COLOR_ATTACHMENT) {
            flags |= ResourceFlags::RENDER_TARGET;
        }
        if self.intersects(Self::DEPTH_STENCIL_ATTACHMENT) {
            flags |= ResourceFlags::DEPTH_STENCIL;
        }
        if self.intersects(Self::STORAGE) {
            flags |= ResourceFlags::UNORDERED_ACCESS;
        }
        flags
    }
}

impl BufferUsage {
    /// The D3D12 creation flags of a buffer that is used so.
    pub fn resource_flags(self) -> ResourceFlags {
        let mut flags = ResourceFlags::empty();
        if self.intersects(Self::STORAGE_BUFFER | Self::STORAGE_TEXEL_BUFFER) {
            flags |= ResourceFlags::UNORDERED_ACCESS;
        }
        if self.intersects(Self::ACCELERATION_STRUCTURE_STORAGE_KHR) {
            flags |= ResourceFlags::RAYTRACING_ACCELERATION_STRUCTURE;
        }
        flags
    }
}
