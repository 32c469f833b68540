//! `VkQueueFlags`: what the queues of a family can do, and the type of D3D12 queue that this is.

use super::flags::masks;
use crate::api::QueueType;

masks! {
    /// Bits of `VkQueueFlags`.
    QueueFlags: u32, "VK_QUEUE_" or "VK_QUEUE_";
    {
        GRAPHICS = 0x1;
        COMPUTE = 0x2;
        TRANSFER = 0x4;
        SPARSE_BINDING = 0x8;
        PROTECTED = 0x10;
        VIDEO_DECODE_KHR = 0x20;
        VIDEO_ENCODE_KHR = 0x40;
        OPTICAL_FLOW_NV = 0x100;
        DATA_GRAPH_ARM = 0x400;
    }
    aliases {}
}

impl QueueFlags {
    /// The narrowest D3D12 queue type that does what the family can do. A family of none of these kinds (sparse binding
    /// only, optical flow) has none.
    pub fn queue_type(self) -> Option<QueueType> {
        if self.contains(Self::GRAPHICS) {
            Some(QueueType::Direct)
        } else if self.contains(Self::COMPUTE) {
            Some(QueueType::Compute)
        } else if self.contains(Self::VIDEO_DECODE_KHR) {
            Some(QueueType::VideoDecode)
        } else if self.contains(Self::VIDEO_ENCODE_KHR) {
            Some(QueueType::VideoEncode)
        } else if self.contains(Self::TRANSFER) {
            Some(QueueType::Copy)
        } else {
            None
        }
    }
}
