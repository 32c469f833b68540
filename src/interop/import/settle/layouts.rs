//! Vulkan's image layouts as D3D12's.
//!
//! All but `GENERAL` and its like have one that allows the same accesses. `GENERAL` allows everything; which D3D12 layout
//! that is depends on what the image is used for while it is in it, so each image is looked at as a whole first.

use crate::api::{BarrierAccess, Layout, QueueType, ResourceFlags};
use crate::interop::vulkan::ImageLayout;

use BarrierAccess as A;
use ImageLayout as I;

/// What an image is in Vulkan's `GENERAL`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum General {
    /// One layout serves every use.
    Layout(Layout),
    /// None does: the texture has simultaneous access and is in `COMMON` always.
    Simultaneous,
}

/// What an image was used for in `GENERAL`.
#[derive(Copy, Clone, Default, Debug)]
pub(super) struct GeneralUse {
    pub(super) accesses: BarrierAccess,
    pub(super) on_direct: bool,
    pub(super) on_others: bool,
}

/// Layouts that allow whatever an image is used for.
pub(super) fn is_general(layout: ImageLayout) -> bool {
    matches!(
        layout,
        I::GENERAL
            | I::SHARED_PRESENT_KHR
            | I::RENDERING_LOCAL_READ
            | I::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT
            | I::TENSOR_ALIASING_ARM
            | I::ZERO_INITIALIZED_EXT
    ) || !layout.is_known()
}

const COPIES: BarrierAccess = A::COPY_SOURCE.union(A::COPY_DEST);
const SHARED: BarrierAccess = COPIES.union(A::SHADER_RESOURCE);

/// Decides `GENERAL` for one image.
pub(super) fn general(used: GeneralUse, flags: ResourceFlags) -> General {
    let only = |set: BarrierAccess| set.contains(used.accesses);
    let layout = if only(SHARED) {
        Layout::Common
    } else if only(A::UNORDERED_ACCESS) {
        Layout::UnorderedAccess
    } else if only(A::RENDER_TARGET) {
        Layout::RenderTarget
    } else if only(A::DEPTH_STENCIL_READ | SHARED.difference(A::COPY_DEST)) && !used.on_others {
        Layout::DirectQueueGenericRead
    } else if flags.contains(ResourceFlags::DEPTH_STENCIL) {
        // Depth cannot have simultaneous access.
        Layout::DepthStencilWrite
    } else if only(SHARED | A::UNORDERED_ACCESS) && !used.on_others {
        Layout::DirectQueueCommon
    } else if only(SHARED | A::UNORDERED_ACCESS) && !used.on_direct {
        Layout::ComputeQueueCommon
    } else {
        return General::Simultaneous;
    };
    General::Layout(layout)
}

/// The D3D12 layout of one plane of an image in a layout. `plane` 1 is stencil.
pub(super) fn layout(layout: ImageLayout, general: General, is_depth: bool, plane: u32) -> Layout {
    if general == General::Simultaneous {
        return if layout == I::UNDEFINED {
            Layout::Undefined
        } else {
            Layout::Common
        };
    }
    let attachment = if is_depth {
        Layout::DepthStencilWrite
    } else {
        Layout::RenderTarget
    };
    let read_only = if is_depth {
        Layout::DirectQueueGenericRead
    } else {
        Layout::ShaderResource
    };
    match layout {
        I::UNDEFINED => Layout::Undefined,
        I::PRESENT_SRC_KHR => Layout::Common,
        I::COLOR_ATTACHMENT_OPTIMAL => Layout::RenderTarget,
        I::ATTACHMENT_OPTIMAL => attachment,
        I::DEPTH_STENCIL_ATTACHMENT_OPTIMAL
        | I::DEPTH_ATTACHMENT_OPTIMAL
        | I::STENCIL_ATTACHMENT_OPTIMAL => Layout::DepthStencilWrite,
        I::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL if plane == 1 => Layout::DepthStencilWrite,
        I::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL if plane == 0 => Layout::DepthStencilWrite,
        I::DEPTH_STENCIL_READ_ONLY_OPTIMAL
        | I::DEPTH_READ_ONLY_OPTIMAL
        | I::STENCIL_READ_ONLY_OPTIMAL
        | I::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL
        | I::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL
        | I::READ_ONLY_OPTIMAL
        | I::SHADER_READ_ONLY_OPTIMAL => read_only,
        I::TRANSFER_SRC_OPTIMAL => Layout::CopySource,
        // PREINITIALIZED is filled by the CPU, and for nothing but that: COMMON would allow reads.
        I::PREINITIALIZED | I::TRANSFER_DST_OPTIMAL => Layout::CopyDest,
        I::FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR => Layout::ShadingRateSource,
        _ => match general {
            General::Layout(layout) => layout,
            General::Simultaneous => Layout::Common,
        },
    }
}

/// Whether a layout has different D3D12 layouts for depth and stencil.
pub(super) fn differs_by_plane(layout: ImageLayout) -> bool {
    matches!(
        layout,
        I::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL
            | I::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL
    )
}

/// Whether a queue may transition to or from a layout at all; a copy queue none but `COMMON`.
pub(super) fn is_for(queue: QueueType, layout: Layout) -> bool {
    crate::api::compat::queue_allows_layout(queue, layout)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn direct(accesses: BarrierAccess) -> GeneralUse {
        GeneralUse {
            accesses,
            on_direct: true,
            on_others: false,
        }
    }

    #[test]
    fn general_is_the_narrowest_that_allows_every_use() {
        let none = ResourceFlags::empty();
        let of = |accesses| general(direct(accesses), none);
        assert_eq!(
            of(A::SHADER_RESOURCE | A::COPY_DEST),
            General::Layout(Layout::Common)
        );
        assert_eq!(
            of(A::UNORDERED_ACCESS),
            General::Layout(Layout::UnorderedAccess)
        );
        assert_eq!(
            of(A::UNORDERED_ACCESS | A::SHADER_RESOURCE),
            General::Layout(Layout::DirectQueueCommon)
        );
        assert_eq!(
            of(A::RENDER_TARGET | A::SHADER_RESOURCE),
            General::Simultaneous
        );
        let both = GeneralUse {
            on_others: true,
            ..direct(A::UNORDERED_ACCESS | A::SHADER_RESOURCE)
        };
        assert_eq!(general(both, none), General::Simultaneous);
    }

    #[test]
    fn planes_may_differ() {
        let of = |plane| {
            layout(
                I::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL,
                General::Layout(Layout::Common),
                true,
                plane,
            )
        };
        assert_eq!(
            (of(0), of(1)),
            (Layout::DirectQueueGenericRead, Layout::DepthStencilWrite)
        );
        let allowed = crate::api::compat::layout_accesses(of(0));
        assert!(
            allowed.contains(A::SHADER_RESOURCE | A::DEPTH_STENCIL_READ)
                && !allowed.intersects(A::DEPTH_STENCIL_WRITE)
        );
    }
}
