//! What Vulkan's image layouts mean in D3D12's words.

use super::to_d3d12::{ChangeKind, Context, WordChange};
use super::{DependencySide, ImageLayout};
use crate::api::{BarrierAccess, Layout, QueueType, ResourceFlags, compat};

use BarrierAccess as A;
use ImageLayout as I;

/// Which aspects of an image an entry names.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Aspects {
    /// Colour, or the planes of a colour format.
    #[default]
    Color,
    /// Depth only.
    Depth,
    /// Stencil only.
    Stencil,
    /// Depth and stencil together.
    DepthStencil,
}

const READ_DEPTH: BarrierAccess = A::SHADER_RESOURCE.union(A::DEPTH_STENCIL_READ);
const WRITE_DEPTH: BarrierAccess = A::DEPTH_STENCIL_READ.union(A::DEPTH_STENCIL_WRITE);

impl ImageLayout {
    /// What an image in this layout allows, in D3D12's accesses. `GENERAL` and its kin allow everything; a layout that is
    /// not known, and `UNDEFINED`, allow nothing.
    pub fn allows(self, aspects: Aspects) -> BarrierAccess {
        match self {
            I::GENERAL | I::TENSOR_ALIASING_ARM | I::SHARED_PRESENT_KHR => A::EVERY,
            I::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT | I::RENDERING_LOCAL_READ => {
                A::SHADER_RESOURCE | A::UNORDERED_ACCESS | A::RENDER_TARGET | WRITE_DEPTH
            }
            I::COLOR_ATTACHMENT_OPTIMAL => A::RENDER_TARGET,
            I::ATTACHMENT_OPTIMAL if aspects == Aspects::Color => A::RENDER_TARGET,
            I::DEPTH_STENCIL_ATTACHMENT_OPTIMAL
            | I::DEPTH_ATTACHMENT_OPTIMAL
            | I::STENCIL_ATTACHMENT_OPTIMAL
            | I::ATTACHMENT_OPTIMAL => WRITE_DEPTH,
            I::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL if aspects == Aspects::Stencil => {
                WRITE_DEPTH
            }
            I::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL if aspects == Aspects::Depth => {
                WRITE_DEPTH
            }
            I::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL
            | I::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL
                if aspects == Aspects::DepthStencil =>
            {
                READ_DEPTH | WRITE_DEPTH
            }
            I::READ_ONLY_OPTIMAL | I::SHADER_READ_ONLY_OPTIMAL if aspects == Aspects::Color => {
                A::SHADER_RESOURCE
            }
            I::READ_ONLY_OPTIMAL
            | I::SHADER_READ_ONLY_OPTIMAL
            | I::DEPTH_STENCIL_READ_ONLY_OPTIMAL
            | I::DEPTH_READ_ONLY_OPTIMAL
            | I::STENCIL_READ_ONLY_OPTIMAL
            | I::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL
            | I::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL => READ_DEPTH,
            I::TRANSFER_SRC_OPTIMAL => A::COPY_SOURCE | A::RESOLVE_SOURCE,
            I::TRANSFER_DST_OPTIMAL => A::COPY_DEST | A::RESOLVE_DEST,
            I::FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR
            | I::FRAGMENT_DENSITY_MAP_OPTIMAL_EXT => A::SHADING_RATE_SOURCE,
            I::VIDEO_DECODE_SRC_KHR => A::VIDEO_DECODE_READ,
            I::VIDEO_DECODE_DST_KHR => A::VIDEO_DECODE_WRITE,
            I::VIDEO_DECODE_DPB_KHR => A::VIDEO_DECODE_READ | A::VIDEO_DECODE_WRITE,
            I::VIDEO_ENCODE_SRC_KHR | I::VIDEO_ENCODE_QUANTIZATION_MAP_KHR => A::VIDEO_ENCODE_READ,
            I::VIDEO_ENCODE_DST_KHR => A::VIDEO_ENCODE_WRITE,
            I::VIDEO_ENCODE_DPB_KHR => A::VIDEO_ENCODE_READ | A::VIDEO_ENCODE_WRITE,
            _ => A::empty(),
        }
    }
}

/// The D3D12 layout that stands for a Vulkan one, and what differs. It depends on nothing that changes from barrier to
/// barrier, so that what one barrier calls its layout after, the next calls its layout before: the kind of queue, the
/// image's flags and aspects only.
pub(super) fn layout(of: ImageLayout, context: &Context, changes: &mut Vec<WordChange>) -> Layout {
    let flags = context.resource.map_or(ResourceFlags::empty(), |r| r.flags);
    let (kind, to, why) = image(of, context, flags);
    if kind != ChangeKind::Exact {
        changes.push(WordChange::new(kind, &of.name(), &to.to_string(), why));
    }
    to
}

fn image(
    of: ImageLayout,
    context: &Context,
    flags: ResourceFlags,
) -> (ChangeKind, Layout, &'static str) {
    const EXACT: ChangeKind = ChangeKind::Exact;
    if context.side == DependencySide::Source && of == I::ZERO_INITIALIZED_EXT {
        let why = "D3D12 promises no zeros";
        return (ChangeKind::Narrowed, Layout::Undefined, why);
    }
    if context.side == DependencySide::Source && of == I::UNDEFINED {
        return (EXACT, Layout::Undefined, "");
    }
    if flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS) {
        let exact = matches!(of, I::GENERAL | I::PRESENT_SRC_KHR);
        let kind = if exact { EXACT } else { ChangeKind::Widened };
        let why = "a simultaneous-access texture is always in COMMON";
        return (kind, Layout::Common, why);
    }
    if context.queue == QueueType::Copy {
        let exact = of == I::PRESENT_SRC_KHR;
        let kind = if exact { EXACT } else { ChangeKind::Widened };
        return (kind, Layout::Common, "a copy queue knows no other layout");
    }
    let to = nearest(of, context, flags);
    if of == I::PRESENT_SRC_KHR {
        return (EXACT, to, "");
    }
    let (kind, why) = difference(of, to, context, flags);
    (kind, to, why)
}

/// What differs between what both layouts allow; what the image or the queue cannot do anyway is no loss.
fn difference(
    of: ImageLayout,
    to: Layout,
    context: &Context,
    flags: ResourceFlags,
) -> (ChangeKind, &'static str) {
    let asked = of.allows(context.aspects);
    let given = compat::texture_accesses(to, flags);
    let mut possible = compat::queue_accesses(context.queue);
    if let Some(resource) = context.resource {
        possible &= compat::resource_accesses(resource);
    }
    // No creation flag says that an image is a shading rate source: few are, and these have a layout of their own.
    if asked == A::EVERY {
        possible -= A::SHADING_RATE_SOURCE;
    }
    if asked.is_empty() {
        (ChangeKind::Dropped, "a layout that D3D12 has no word for")
    } else if !given.contains(asked & possible) {
        (
            ChangeKind::Narrowed,
            "no D3D12 layout allows all that this one does",
        )
    } else if !asked.contains(given & possible) {
        (
            ChangeKind::Widened,
            "the narrowest D3D12 layout that allows what this one does",
        )
    } else {
        (ChangeKind::Exact, "")
    }
}

fn nearest(of: ImageLayout, context: &Context, flags: ResourceFlags) -> Layout {
    let direct = matches!(context.queue, QueueType::Direct | QueueType::Bundle);
    match of {
        I::GENERAL
        | I::TENSOR_ALIASING_ARM
        | I::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT
        | I::RENDERING_LOCAL_READ => match context.queue {
            QueueType::Direct | QueueType::Bundle
                if flags.contains(ResourceFlags::UNORDERED_ACCESS) =>
            {
                Layout::DirectQueueCommon
            }
            QueueType::Compute if flags.contains(ResourceFlags::UNORDERED_ACCESS) => {
                Layout::ComputeQueueCommon
            }
            _ => Layout::Common,
        },
        I::TRANSFER_SRC_OPTIMAL => Layout::CopySource,
        I::TRANSFER_DST_OPTIMAL => Layout::CopyDest,
        I::VIDEO_DECODE_SRC_KHR => Layout::VideoDecodeRead,
        I::VIDEO_DECODE_DST_KHR | I::VIDEO_DECODE_DPB_KHR => Layout::VideoDecodeWrite,
        I::VIDEO_ENCODE_SRC_KHR | I::VIDEO_ENCODE_QUANTIZATION_MAP_KHR => Layout::VideoEncodeRead,
        I::VIDEO_ENCODE_DST_KHR | I::VIDEO_ENCODE_DPB_KHR => Layout::VideoEncodeWrite,
        I::FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR | I::FRAGMENT_DENSITY_MAP_OPTIMAL_EXT => {
            Layout::ShadingRateSource
        }
        _ => match of.allows(context.aspects) {
            A::RENDER_TARGET => Layout::RenderTarget,
            A::SHADER_RESOURCE => Layout::ShaderResource,
            allowed if allowed.contains(A::DEPTH_STENCIL_WRITE) => Layout::DepthStencilWrite,
            READ_DEPTH if direct => Layout::DirectQueueGenericRead,
            READ_DEPTH => Layout::ShaderResource,
            _ => Layout::Common,
        },
    }
}
