//! Copies, resolves, clears and discards.

use super::descriptors::Descriptor;
use super::{D3d12, Recording};
use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::interop::capture::Fields;
use crate::interop::import::report::Notes;
use crate::scenario::{CommandKind, Range, Rect, ResourceKind, SubresourceRange, UseMode};

pub(super) fn handler(name: &str) -> Option<super::Handler> {
    Some(match name {
        "CopyBufferRegion" => |d, n, c| d.recorded(n, c, |d, n, r| copy_buffer(d, n, r, c.a)),
        "CopyTextureRegion" => |d, n, c| d.recorded(n, c, |d, n, r| copy_texture(d, n, r, c.a)),
        "CopyResource" => |d, n, c| {
            d.recorded(n, c, |d, n, r| {
                let part = (
                    c.a.u64("pSrcResource"),
                    Range::All,
                    c.a.u64("pDstResource"),
                    Range::All,
                );
                transfer(d, n, r, CommandKind::Copy, part);
            });
        },
        "ResolveSubresource" | "ResolveSubresourceRegion" => |d, n, c| {
            d.recorded(n, c, |d, n, r| {
                let sub = |key: &str| Range::Subresource(c.a.u32(key));
                let part = (
                    c.a.u64("pSrcResource"),
                    sub("SrcSubresource"),
                    c.a.u64("pDstResource"),
                    sub("DstSubresource"),
                );
                transfer(d, n, r, CommandKind::Resolve, part);
            });
        },
        "ClearRenderTargetView" => |d, n, c| {
            d.recorded(n, c, |d, n, r| {
                clear(d, n, r, c.a.get("RenderTargetView"), CommandKind::ClearRtv);
            });
        },
        "ClearDepthStencilView" => |d, n, c| {
            d.recorded(n, c, |d, n, r| {
                clear(d, n, r, c.a.get("DepthStencilView"), CommandKind::ClearDsv);
            });
        },
        "ClearUnorderedAccessViewUint" | "ClearUnorderedAccessViewFloat" => |d, n, c| {
            d.recorded(n, c, |d, n, r| {
                let used = d.used(
                    n,
                    c.a.u64("pResource"),
                    Range::All,
                    BarrierAccess::UNORDERED_ACCESS,
                    Leaf::ClearUav.into(),
                    true,
                );
                if let Some(mut used) = used {
                    used.mode = UseMode::Writes;
                    r.push(d.call, CommandKind::ClearUav, vec![used]);
                }
            });
        },
        "DiscardResource" => |d, n, c| {
            d.recorded(n, c, |d, n, r| {
                let used = d.used(
                    n,
                    c.a.u64("pResource"),
                    Range::All,
                    BarrierAccess::NO_ACCESS,
                    LeafSet::EMPTY,
                    true,
                );
                if let Some(used) = used {
                    r.push(d.call, CommandKind::Discard, vec![used]);
                }
            });
        },
        _ => return None,
    })
}

/// Source, its range, destination, its range.
fn transfer(
    d: &mut D3d12,
    notes: &mut Notes,
    recording: &mut Recording,
    kind: CommandKind,
    part: (u64, Range, u64, Range),
) {
    let (read, written, leaf) = if kind == CommandKind::Copy {
        (
            BarrierAccess::COPY_SOURCE,
            BarrierAccess::COPY_DEST,
            Leaf::Copy,
        )
    } else {
        (
            BarrierAccess::RESOLVE_SOURCE,
            BarrierAccess::RESOLVE_DEST,
            Leaf::Resolve,
        )
    };
    let from = d.used(notes, part.0, part.1, read, leaf.into(), true);
    let to = d.used(notes, part.2, part.3, written, leaf.into(), true);
    if let (Some(from), Some(to)) = (from, to) {
        recording.push(d.call, kind, vec![from, to]);
    }
}

fn copy_buffer(d: &mut D3d12, notes: &mut Notes, recording: &mut Recording, a: Fields<'_>) {
    let size = a.u64("NumBytes");
    let (from, to) = (a.u64("pSrcBuffer"), a.u64("pDstBuffer"));
    let ranges = (
        d.clipped(from, a.u64("SrcOffset"), size),
        d.clipped(to, a.u64("DstOffset"), size),
    );
    if let (Some(read), Some(written)) = ranges {
        transfer(
            d,
            notes,
            recording,
            CommandKind::Copy,
            (from, read, to, written),
        );
    }
}

/// One side of a `CopyTextureRegion`: a subresource with a region, or bytes of a buffer.
fn side(
    d: &D3d12,
    location: Fields<'_>,
    corner: (u32, u32),
    extent: Option<(u32, u32)>,
) -> (u64, Range) {
    let handle = location.u64("pResource");
    let placed = location.get("PlacedFootprint");
    if placed.is_some() {
        let start = placed.u64("Offset");
        let footprint = placed.get("Footprint");
        let length = footprint
            .u64("RowPitch")
            .saturating_mul(footprint.u64("Height").max(1))
            .saturating_mul(footprint.u64("Depth").max(1));
        let length = if length == 0 { u64::MAX } else { length };
        return (
            handle,
            d.clipped(handle, start, length).unwrap_or(Range::All),
        );
    }
    let index = location.u32("SubresourceIndex");
    let Some(ResourceKind::Texture(shape)) = d.objects.items.get(&handle).map(|item| &item.kind)
    else {
        return (handle, Range::Subresource(index));
    };
    let (mip, slice) = (index % shape.mips, index / shape.mips);
    let (layer, plane) = (slice % shape.layers, slice / shape.layers);
    let level = |size: u32| (size >> mip.min(31)).max(1);
    let (width, height) = (level(shape.width), level(shape.height));
    let rect = extent.map(|(w, h)| {
        let (x, y) = (corner.0.min(width - 1), corner.1.min(height - 1));
        Rect {
            x,
            y,
            width: w.clamp(1, width - x),
            height: h.clamp(1, height - y),
        }
    });
    let rect = rect.filter(|rect| {
        *rect
            != Rect {
                x: 0,
                y: 0,
                width,
                height,
            }
    });
    if rect.is_none() {
        return (
            handle,
            if index == 0 && shape.mips * shape.layers * shape.format.planes() == 1 {
                Range::All
            } else {
                Range::Subresource(index)
            },
        );
    }
    let range = SubresourceRange {
        mips: Some((mip, mip + 1)),
        layers: Some((layer, layer + 1)),
        planes: Some((plane, plane + 1)),
        rect,
    };
    (handle, Range::Subresources(Box::new(range)))
}

/// Width and height of what a side holds.
fn extent_of(d: &D3d12, location: Fields<'_>) -> Option<(u32, u32)> {
    let footprint = location.get("PlacedFootprint").get("Footprint");
    if footprint.get("Width").is_some() {
        return Some((footprint.u32("Width"), footprint.u32("Height")));
    }
    match d
        .objects
        .items
        .get(&location.u64("pResource"))
        .map(|item| &item.kind)
    {
        Some(ResourceKind::Texture(shape)) => {
            let mip = (location.u32("SubresourceIndex") % shape.mips).min(31);
            Some(((shape.width >> mip).max(1), (shape.height >> mip).max(1)))
        }
        _ => None,
    }
}

fn copy_texture(d: &mut D3d12, notes: &mut Notes, recording: &mut Recording, a: Fields<'_>) {
    let (from, to) = (a.get("pSrc"), a.get("pDst"));
    let region = a.get("pSrcBox");
    let (corner, extent) = if region.is_some() {
        let length = |low: &str, high: &str| region.u32(high).saturating_sub(region.u32(low));
        (
            (region.u32("left"), region.u32("top")),
            Some((length("left", "right"), length("top", "bottom"))),
        )
    } else {
        ((0, 0), extent_of(d, from))
    };
    let (source, read) = side(d, from, corner, extent.filter(|_| region.is_some()));
    let (target, written) = side(d, to, (a.u32("DstX"), a.u32("DstY")), extent);
    transfer(
        d,
        notes,
        recording,
        CommandKind::Copy,
        (source, read, target, written),
    );
}

pub(super) fn clear(
    d: &mut D3d12,
    notes: &mut Notes,
    recording: &mut Recording,
    view: Fields<'_>,
    kind: CommandKind,
) {
    let Some(view) = d.descriptors.of(view) else {
        return notes.dropped("clears of views whose creation is not in the capture");
    };
    let (access, leaf) = if kind == CommandKind::ClearRtv {
        (BarrierAccess::RENDER_TARGET, Leaf::RenderTarget)
    } else {
        (BarrierAccess::DEPTH_STENCIL_WRITE, Leaf::DepthStencil)
    };
    let used = d.viewed(notes, Descriptor { access, ..view }, leaf.into(), true);
    if let Some(used) = used {
        recording.push(d.call, kind, vec![used]);
    }
}
