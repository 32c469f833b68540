//! The words of Vulkan synchronisation: stages, accesses, image layouts, and what an import or an export needs of queues,
//! usages and formats.
//!
//! Masks are those of `VK_KHR_synchronization2` (Vulkan 1.3), 64 bits wide. The masks of Vulkan 1.0 have the same bits in
//! their lower half; what `TOP_OF_PIPE` and `BOTTOM_OF_PIPE` mean depends on the side of a dependency, which
//! [`StageFlags::resolved`] knows. A bit that no table here names is kept, and [`StageFlags::unknown`] says it.

mod access;
mod flags;
mod format;
pub mod from_d3d12;
mod layout;
mod layouts;
mod meaning;
mod queue;
mod stage;
mod to_d3d12;
mod usage;

pub use access::AccessFlags;
pub use flags::Parsed;
pub use format::{FormatFit, VkFormat};
pub use from_d3d12::{Ask, Features, Image, Table, VulkanSide};
pub use layout::ImageLayout;
pub use layouts::Aspects;
pub use meaning::{STAGES, StageMeaning};
pub use queue::QueueFlags;
pub use stage::StageFlags;
pub use to_d3d12::{ChangeKind, Context, D3d12Side, WordChange, to_d3d12, to_d3d12_as};
pub use usage::{BufferUsage, ImageUsage};

/// One side of a dependency: what comes before a barrier, or what comes after it.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DependencySide {
    /// The first scope: `srcStageMask`, `srcAccessMask`, `oldLayout`.
    Source,
    /// The second scope: `dstStageMask`, `dstAccessMask`, `newLayout`.
    Destination,
}
