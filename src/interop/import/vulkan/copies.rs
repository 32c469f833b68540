//! Transfer commands. Every one of them is work of the copy stage with exact operands: blits, resolves and clears too,
//! because their D3D12 stages and layouts differ from those of Vulkan's one transfer stage.

use super::super::story::{ItemId, Part, Touch, Work};
use super::Vulkan;
use super::objects::{aspects, planes};
use super::record::Recording;
use crate::api::{BarrierAccess, Leaf, LeafSet, format::Format};
use crate::interop::capture::Fields;
use crate::scenario::{Rect, ResourceKind};

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkCmdCopyBuffer" => |v, a| v.recorded(a, |v, r| copy_buffer(v, r, a)),
        "vkCmdCopyBuffer2" => {
            |v, a| v.recorded(a, |v, r| copy_buffer(v, r, a.get("pCopyBufferInfo")))
        }
        "vkCmdCopyImage" => |v, a| v.recorded(a, |v, r| copy_image(v, r, a)),
        "vkCmdCopyImage2" => |v, a| v.recorded(a, |v, r| copy_image(v, r, a.get("pCopyImageInfo"))),
        "vkCmdBlitImage" => |v, a| v.recorded(a, |v, r| blit(v, r, a)),
        "vkCmdBlitImage2" => |v, a| v.recorded(a, |v, r| blit(v, r, a.get("pBlitImageInfo"))),
        "vkCmdResolveImage" => |v, a| v.recorded(a, |v, r| copy_image(v, r, a)),
        "vkCmdResolveImage2" => {
            |v, a| v.recorded(a, |v, r| copy_image(v, r, a.get("pResolveImageInfo")))
        }
        "vkCmdCopyBufferToImage" => |v, a| v.recorded(a, |v, r| buffer_image(v, r, a, true)),
        "vkCmdCopyBufferToImage2" => |v, a| {
            v.recorded(a, |v, r| {
                buffer_image(v, r, a.get("pCopyBufferToImageInfo"), true);
            });
        },
        "vkCmdCopyImageToBuffer" => |v, a| v.recorded(a, |v, r| buffer_image(v, r, a, false)),
        "vkCmdCopyImageToBuffer2" => |v, a| {
            v.recorded(a, |v, r| {
                buffer_image(v, r, a.get("pCopyImageToBufferInfo"), false);
            });
        },
        "vkCmdFillBuffer" => |v, a| v.recorded(a, |v, r| fill(v, r, a, a.u64("size"))),
        "vkCmdUpdateBuffer" => |v, a| v.recorded(a, |v, r| fill(v, r, a, a.u64("dataSize"))),
        "vkCmdCopyQueryPoolResults" => |v, a| v.recorded(a, |v, r| query_results(v, r, a)),
        "vkCmdClearColorImage" | "vkCmdClearDepthStencilImage" => {
            |v, a| v.recorded(a, |v, r| clear_image(v, r, a))
        }
        "vkCmdClearAttachments" => |v, a| v.recorded(a, |v, r| clear_attachments(v, r, a)),
        _ => return None,
    })
}

fn source(item: ItemId, part: Part) -> Touch {
    Touch::new(item, part, BarrierAccess::COPY_SOURCE, Leaf::Copy)
}

fn destination(item: ItemId, part: Part) -> Touch {
    Touch::new(item, part, BarrierAccess::COPY_DEST, Leaf::Copy)
}

fn copy_buffer(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    for region in a.list("pRegions") {
        let size = region.u64("size");
        let from = v.bytes_of(a.u64("srcBuffer"), region.u64("srcOffset"), size);
        let to = v.bytes_of(a.u64("dstBuffer"), region.u64("dstOffset"), size);
        if let (Some(from), Some(to)) = (from, to) {
            let touches = vec![source(from.0, from.1), destination(to.0, to.1)];
            recording.work(v.call, Work::Copy, touches);
        }
    }
}

/// Corners of a box in one dimension, in either order: first and length.
fn side(a: i64, b: i64) -> (u32, u32) {
    let (low, high) = (a.min(b).max(0), a.max(b).max(0));
    let clip = |value: i64| u32::try_from(value).unwrap_or(u32::MAX);
    (clip(low), clip(high) - clip(low))
}

/// The region of one mip, if it is not all of it.
fn region(v: &Vulkan, item: ItemId, mip: u32, x: (u32, u32), y: (u32, u32)) -> Option<Rect> {
    let ResourceKind::Texture(shape) = &v.story.items[item as usize].kind else {
        return None;
    };
    let level = |size: u32| (size >> mip.min(31)).max(1);
    let (width, height) = (level(shape.width), level(shape.height));
    let clip = |(from, length): (u32, u32), all: u32| {
        let from = from.min(all - 1);
        (from, length.clamp(1, all - from))
    };
    let (x, y) = (clip(x, width), clip(y, height));
    let rect = Rect {
        x: x.0,
        y: y.0,
        width: x.1,
        height: y.1,
    };
    (rect
        != Rect {
            x: 0,
            y: 0,
            width,
            height,
        })
    .then_some(rect)
}

/// What is said of slices.
const SLICES: &str = "copies of some slices of a volume: of the whole mip, and hazards of such a copy with what comes before it are allowed, because the slices may be others; one that is real is not found";

/// The part of an image that `VkImageSubresourceLayers` and two corners name, and whether it is certain: the language has no
/// slices of a volume, so that a copy of some of them may touch what another one touches.
fn image_part(
    v: &mut Vulkan,
    item: ItemId,
    layers: Fields<'_>,
    [x, y, z]: [(u32, u32); 3],
) -> (Part, bool) {
    let (mip, layer) = (layers.u32("mipLevel"), layers.u32("baseArrayLayer"));
    let rect = region(v, item, mip, x, y);
    let of = &v.story.items[item as usize];
    let part = of.image_part(
        (mip, 1),
        (layer, layers.u32("layerCount").max(1)),
        planes(aspects(layers.get("aspectMask"))),
        rect,
    );
    let counts = of.counts();
    let is_whole = match &of.kind {
        ResourceKind::Texture(shape) => {
            z.0 == 0 && z.1.max(1) >= (shape.depth >> mip.min(31)).max(1)
        }
        ResourceKind::Buffer { .. } => true,
    };
    if !is_whole {
        v.notes.widened(SLICES);
    }
    if mip >= counts.0 || layer >= counts.1 {
        v.notes
            .read("subresources that an image does not have: as its last ones");
    }
    (part, is_whole)
}

/// The image of a handle.
fn image(v: &mut Vulkan, handle: u64) -> Option<ItemId> {
    let found = v.objects.images.get(&handle).copied();
    if found.is_none() {
        v.stranger("image");
    }
    found
}

/// A region of `extent` at the offset of a key.
fn at(
    v: &mut Vulkan,
    item: ItemId,
    each: Fields<'_>,
    layers: &str,
    offset: &str,
    extent: &str,
) -> (Part, bool) {
    let (offset, extent) = (each.get(offset), each.get(extent));
    let corner = |start: &str, length: &str| {
        let from = offset.i64(start);
        side(from, from.saturating_add(extent.i64(length)))
    };
    let corners = [
        corner("x", "width"),
        corner("y", "height"),
        corner("z", "depth"),
    ];
    image_part(v, item, each.get(layers), corners)
}

/// What a copy reads of an image: `may` if the part is not certain.
fn read_of(item: ItemId, (part, is_certain): (Part, bool)) -> Touch {
    Touch {
        may: !is_certain,
        ..source(item, part)
    }
}

/// The write of a copy to its destination.
fn written_of(item: ItemId, (part, is_certain): (Part, bool)) -> Touch {
    Touch {
        may: !is_certain,
        ..destination(item, part)
    }
}

/// Copies between images, and resolves.
fn copy_image(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let (from, to) = (image(v, a.u64("srcImage")), image(v, a.u64("dstImage")));
    let (Some(from), Some(to)) = (from, to) else {
        return;
    };
    for each in a.list("pRegions") {
        let read = at(v, from, each, "srcSubresource", "srcOffset", "extent");
        let written = at(v, to, each, "dstSubresource", "dstOffset", "extent");
        let touches = vec![read_of(from, read), written_of(to, written)];
        recording.work(v.call, Work::Copy, touches);
    }
}

fn blit(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let (from, to) = (image(v, a.u64("srcImage")), image(v, a.u64("dstImage")));
    let (Some(from), Some(to)) = (from, to) else {
        return;
    };
    for each in a.list("pRegions") {
        let corners = |key: &str| {
            let mut both = each.list(key);
            let none = Fields(&serde_json::Value::Null);
            let (p, q) = (both.next().unwrap_or(none), both.next().unwrap_or(none));
            ["x", "y", "z"].map(|axis| side(p.i64(axis), q.i64(axis)))
        };
        let read = image_part(v, from, each.get("srcSubresource"), corners("srcOffsets"));
        let written = image_part(v, to, each.get("dstSubresource"), corners("dstOffsets"));
        let touches = vec![read_of(from, read), written_of(to, written)];
        recording.work(v.call, Work::Copy, touches);
    }
}

/// Bytes of a buffer that hold a region of an image.
fn footprint(format: Format, plane: u32, region: Fields<'_>) -> u64 {
    let extent = region.get("imageExtent");
    let format = format.plane(plane.min(format.planes() - 1));
    let block = u64::from(format.block);
    let or = |value: u64, other: u64| if value == 0 { other } else { value };
    let (width, height) = (extent.u64("width").max(1), extent.u64("height").max(1));
    let row = or(region.u64("bufferRowLength"), width).div_ceil(block);
    let rows = or(region.u64("bufferImageHeight"), height).div_ceil(block);
    let layers = region
        .get("imageSubresource")
        .u64("layerCount")
        .clamp(1, 1 << 16);
    let slices = extent.u64("depth").max(1).saturating_mul(layers);
    let bytes = u64::from(format.block_bytes);
    let pitch = row.saturating_mul(bytes);
    // The last row and the last slice end with their last texel.
    let full = (slices - 1)
        .saturating_mul(rows)
        .saturating_add(height.div_ceil(block) - 1);
    full.saturating_mul(pitch)
        .saturating_add(width.div_ceil(block).saturating_mul(bytes))
}

fn buffer_image(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>, to_image: bool) {
    let (buffer, picture) = if to_image {
        (a.u64("srcBuffer"), a.u64("dstImage"))
    } else {
        (a.u64("dstBuffer"), a.u64("srcImage"))
    };
    let Some(item) = image(v, picture) else {
        return;
    };
    let ResourceKind::Texture(shape) = &v.story.items[item as usize].kind else {
        return;
    };
    let format = shape.format;
    for each in a.list("pRegions") {
        let plane = planes(aspects(each.get("imageSubresource").get("aspectMask"))).0;
        let bytes = footprint(format, plane, each);
        let memory = v.bytes_of(buffer, each.u64("bufferOffset"), bytes);
        let part = at(
            v,
            item,
            each,
            "imageSubresource",
            "imageOffset",
            "imageExtent",
        );
        let Some((memory, range)) = memory else {
            continue;
        };
        let touches = if to_image {
            vec![source(memory, range), written_of(item, part)]
        } else {
            vec![read_of(item, part), destination(memory, range)]
        };
        recording.work(v.call, Work::Copy, touches);
    }
}

fn fill(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>, size: u64) {
    if let Some((item, part)) = v.bytes_of(a.u64("dstBuffer"), a.u64("dstOffset"), size) {
        recording.work(v.call, Work::Fill, vec![destination(item, part)]);
    }
}

fn query_results(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let count = a.u64("queryCount").max(1);
    let length = (count - 1)
        .saturating_mul(a.u64("stride"))
        .saturating_add(8);
    if let Some((item, part)) = v.bytes_of(a.u64("dstBuffer"), a.u64("dstOffset"), length) {
        recording.work(v.call, Work::Fill, vec![destination(item, part)]);
    }
}

fn clear_image(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let Some(item) = image(v, a.u64("image")) else {
        return;
    };
    for range in a.list("pRanges") {
        let part = v.range(item, range);
        recording.work(v.call, Work::Fill, vec![destination(item, part)]);
    }
}

fn clear_attachments(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let attachments = recording.state.attachments.clone();
    if recording.secondary {
        v.notes
            .dropped("clears of attachments in secondary command buffers");
    }
    for each in a.list("pAttachments") {
        let is_color = aspects(each.get("aspectMask")) & 1 != 0;
        let found = if is_color {
            attachments
                .colors
                .get(each.u32("colorAttachment") as usize)
                .cloned()
                .flatten()
        } else {
            attachments.depth.clone()
        };
        let Some((view, _)) = found else {
            continue;
        };
        let work = if is_color {
            Work::ClearRtv
        } else {
            Work::ClearDsv
        };
        let mut used = super::passes::attachment_touch(&view, view.part.clone(), false);
        used.stages = LeafSet::one(if view.is_depth {
            Leaf::DepthStencil
        } else {
            Leaf::RenderTarget
        });
        recording.state.draws(std::slice::from_ref(&used));
        recording.work(v.call, work, vec![used]);
    }
}
