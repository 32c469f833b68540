//! Commands of lists: work, and the state that decides what it touches.

use super::descriptors::Descriptor;
use super::{Call, D3d12, Recording, words};
use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::capture::Fields;
use crate::import::draft::Recorded;
use crate::import::report::Notes;
use crate::scenario::{
    CommandKind, DrawOptions, IndirectTarget, Range, Rect, ResourceKind, SubresourceRange, Trivia,
    Use, UseFields, UseMode,
};
use std::collections::BTreeMap;

/// What the next draw or dispatch depends on.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    targets: Vec<Descriptor>,
    depth: Option<Descriptor>,
    vertices: BTreeMap<u64, (u64, u64)>,
    index: Option<(u64, u64)>,
    streams: Vec<(u64, u64)>,
    /// Root parameters of graphics and compute, by number.
    roots: [BTreeMap<u64, Root>; 2],
    groups: u32,
}

#[derive(Copy, Clone, Debug)]
enum Root {
    Table(u64),
    Buffer(BarrierAccess, u64),
}

const GROUPS_MAX: u32 = 65_535;

pub(super) fn handler(name: &str) -> Option<super::Handler> {
    Some(match name {
        "DrawInstanced" => |d, n, c| {
            let vertices =
                c.a.u64("VertexCountPerInstance")
                    .saturating_mul(c.a.u64("InstanceCount"));
            d.recorded(n, c, |d, n, r| draw(d, n, r, false, vertices));
        },
        "DrawIndexedInstanced" => |d, n, c| {
            let vertices =
                c.a.u64("IndexCountPerInstance")
                    .saturating_mul(c.a.u64("InstanceCount"));
            d.recorded(n, c, |d, n, r| draw(d, n, r, true, vertices));
        },
        "DispatchMesh" => |d, n, c| d.recorded(n, c, |d, n, r| draw(d, n, r, false, 0)),
        "Dispatch" => |d, n, c| d.recorded(n, c, |d, n, r| dispatch(d, n, r, c.a)),
        "DispatchRays" => |d, n, c| d.recorded(n, c, |d, n, r| rays(d, n, r, c.a)),
        "ExecuteIndirect" => |d, n, c| d.recorded(n, c, |d, n, r| indirect(d, n, r, c.a)),
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
            })
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
            })
        },
        "ClearRenderTargetView" => |d, n, c| {
            d.recorded(n, c, |d, n, r| {
                clear(d, n, r, c.a.get("RenderTargetView"), CommandKind::ClearRtv);
            })
        },
        "ClearDepthStencilView" => |d, n, c| {
            d.recorded(n, c, |d, n, r| {
                clear(d, n, r, c.a.get("DepthStencilView"), CommandKind::ClearDsv);
            })
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
            })
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
            })
        },
        "SetPredication" => |d, n, c| d.recorded(n, c, |d, n, r| predicate(d, n, r, c.a)),
        "ExecuteBundle" => bundle,
        "OMSetRenderTargets" => |d, n, c| d.recorded(n, c, |d, _, r| targets(d, r, c.a)),
        "BeginRenderPass" => |d, n, c| d.recorded(n, c, |d, n, r| begin_pass(d, n, r, c.a)),
        "EndRenderPass" => |d, n, c| {
            d.recorded(n, c, |_, _, r| {
                r.state.targets.clear();
                r.state.depth = None;
            })
        },
        "IASetVertexBuffers" => |d, n, c| {
            d.recorded(n, c, |_, _, r| {
                let first = c.a.u64("StartSlot");
                for (slot, view) in (first..).zip(c.a.list("pViews")) {
                    r.state
                        .vertices
                        .insert(slot, (view.u64("BufferLocation"), view.u64("SizeInBytes")));
                }
            })
        },
        "IASetIndexBuffer" => |d, n, c| {
            d.recorded(n, c, |_, _, r| {
                let view = c.a.get("pView");
                r.state.index = view
                    .is_some()
                    .then(|| (view.u64("BufferLocation"), view.u64("SizeInBytes")));
            })
        },
        "SOSetTargets" => |d, n, c| {
            d.recorded(n, c, |_, _, r| {
                let views =
                    c.a.list("pViews")
                        .map(|view| (view.u64("BufferLocation"), view.u64("SizeInBytes")));
                r.state.streams = views.collect();
            })
        },
        "SetGraphicsRootDescriptorTable" => |d, n, c| root(d, n, c, 0, None),
        "SetComputeRootDescriptorTable" => |d, n, c| root(d, n, c, 1, None),
        "SetGraphicsRootConstantBufferView" => {
            |d, n, c| root(d, n, c, 0, Some(BarrierAccess::CONSTANT_BUFFER))
        }
        "SetComputeRootConstantBufferView" => {
            |d, n, c| root(d, n, c, 1, Some(BarrierAccess::CONSTANT_BUFFER))
        }
        "SetGraphicsRootShaderResourceView" => {
            |d, n, c| root(d, n, c, 0, Some(BarrierAccess::SHADER_RESOURCE))
        }
        "SetComputeRootShaderResourceView" => {
            |d, n, c| root(d, n, c, 1, Some(BarrierAccess::SHADER_RESOURCE))
        }
        "SetGraphicsRootUnorderedAccessView" => {
            |d, n, c| root(d, n, c, 0, Some(BarrierAccess::UNORDERED_ACCESS))
        }
        "SetComputeRootUnorderedAccessView" => {
            |d, n, c| root(d, n, c, 1, Some(BarrierAccess::UNORDERED_ACCESS))
        }
        "Reset" => |d, _, c| {
            // Allocators are reset too, which says nothing.
            if let Some(recording) = d.lists.get_mut(&c.object) {
                recording.commands.clear();
                recording.state = State::default();
            }
        },
        "ClearState" => |d, n, c| {
            d.recorded(n, c, |_, _, r| {
                r.state = State {
                    groups: r.state.groups,
                    ..State::default()
                }
            })
        },
        "Close" => |d, n, c| {
            d.recorded(n, c, |_, _, r| {
                while r.state.groups > 0 {
                    close(r);
                }
            })
        },
        "BeginEvent" => |d, n, c| {
            d.recorded(n, c, |d, _, r| {
                let label = c.a.str("pData");
                let label = if label.is_empty() { "event" } else { label };
                r.state.groups += 1;
                r.push(
                    d.call,
                    CommandKind::MarkerBegin {
                        label: label.into(),
                    },
                    Vec::new(),
                );
            })
        },
        "EndEvent" => |d, n, c| {
            d.recorded(n, c, |_, _, r| {
                if r.state.groups > 0 {
                    close(r);
                }
            })
        },
        "ResolveQueryData" => |d, n, c| {
            d.recorded(n, c, |_, n, _| {
                n.dropped("resolves of queries: the language has none")
            })
        },
        "SetMarker" => |_, _, _| {},
        _ => return None,
    })
}

fn close(recording: &mut Recording) {
    recording.state.groups -= 1;
    recording.push(0, CommandKind::MarkerEnd, Vec::new());
    if let Some(last) = recording.commands.last_mut() {
        last.trivia = Trivia(None);
    }
}

fn root(
    d: &mut D3d12,
    notes: &mut Notes,
    c: Call<'_>,
    point: usize,
    access: Option<BarrierAccess>,
) {
    let number = c.a.u64("RootParameterIndex");
    let root = match access {
        Some(access) => Root::Buffer(access, c.a.u64("BufferLocation")),
        None => {
            let base = c.a.get("BaseDescriptor");
            let pointer = base.get("ptr");
            Root::Table(if pointer.is_some() {
                pointer.number()
            } else {
                base.number()
            })
        }
    };
    d.recorded(notes, c, |_, _, recording| {
        recording.state.roots[point].insert(number, root);
    });
}

/// Stages at which shaders of a draw run.
const DRAWS: LeafSet = LeafSet::DRAW_SHADING;

impl D3d12 {
    fn used(
        &mut self,
        notes: &mut Notes,
        handle: u64,
        range: Range,
        access: BarrierAccess,
        stages: LeafSet,
        implied: bool,
    ) -> Option<Use> {
        let resource = self.resource(notes, handle)?;
        let fields = UseFields {
            access,
            resource,
            range,
            stages,
            explicit_stages: false,
            mode: UseMode::Default,
            may: false,
            independent: false,
            implied,
            trivia: Trivia(None),
        };
        Some(fields.into())
    }

    /// Bytes at an address.
    fn bytes(
        &mut self,
        notes: &mut Notes,
        address: u64,
        size: u64,
        access: BarrierAccess,
        leaf: LeafSet,
    ) -> Option<Use> {
        if address == 0 {
            return None;
        }
        let Some((handle, offset, rest)) = self.at(address) else {
            notes.dropped("uses of buffers at addresses that the capture does not explain");
            return None;
        };
        let end = offset + size.min(rest);
        let range = if offset == 0 && size >= rest {
            Range::All
        } else if offset >= end {
            return None;
        } else {
            Range::Bytes { start: offset, end }
        };
        self.used(notes, handle, range, access, leaf, false)
    }

    /// A view, as a use.
    fn viewed(
        &mut self,
        notes: &mut Notes,
        view: Descriptor,
        stages: LeafSet,
        implied: bool,
    ) -> Option<Use> {
        let range = match (view.bytes, view.part) {
            (Some((start, size)), _) => self.clipped(view.resource, start, size)?,
            (None, Some(part)) => self.part(view.resource, part),
            (None, None) => Range::All,
        };
        self.used(notes, view.resource, range, view.access, stages, implied)
    }

    fn clipped(&self, handle: u64, start: u64, size: u64) -> Option<Range> {
        let ResourceKind::Buffer { size: bytes } = self.objects.items.get(&handle)?.kind else {
            return Some(Range::All);
        };
        let end = start.saturating_add(size).min(bytes);
        match (start, end) {
            (0, end) if end == bytes => Some(Range::All),
            (start, end) if start < end => Some(Range::Bytes { start, end }),
            _ => None,
        }
    }

    /// Mips and layers of a texture, from and count.
    fn part(&self, handle: u64, [mip, mips, layer, layers]: [u32; 4]) -> Range {
        let Some(ResourceKind::Texture(shape)) =
            self.objects.items.get(&handle).map(|item| &item.kind)
        else {
            return Range::All;
        };
        let clip = |from: u32, count: u32, all: u32| {
            let from = from.min(all - 1);
            let end = from.saturating_add(count).clamp(from + 1, all);
            ((from, end) != (0, all)).then_some((from, end))
        };
        let range = SubresourceRange {
            mips: clip(mip, mips, shape.mips),
            layers: clip(layer, layers, shape.layers),
            ..SubresourceRange::default()
        };
        if range == SubresourceRange::default() {
            Range::All
        } else {
            Range::Subresources(Box::new(range))
        }
    }

    /// What root parameters reach. Tables may be read in part only, and by some stages only.
    fn roots(
        &mut self,
        notes: &mut Notes,
        recording: &Recording,
        compute: bool,
        stages: LeafSet,
        uses: &mut Vec<Use>,
    ) {
        for root in recording.state.roots[usize::from(compute)].values() {
            match *root {
                Root::Buffer(access, address) => {
                    let used = self.bytes(notes, address, u64::MAX, access, stages);
                    uses.extend(used.map(|mut used| {
                        used.may = true;
                        used
                    }));
                }
                Root::Table(address) => {
                    notes.widened("descriptor tables, whose length the capture does not have: all that is set from their start on, at most 64; every use of them is `may`");
                    for view in self.descriptors.table(address) {
                        let Some(mut used) = self.viewed(notes, view, stages, false) else {
                            continue;
                        };
                        used.may = true;
                        if !uses.contains(&used) {
                            uses.push(used);
                        }
                    }
                }
            }
        }
    }

    fn draw_uses(&mut self, notes: &mut Notes, recording: &Recording, indexed: bool) -> Vec<Use> {
        let state = &recording.state;
        let mut uses = Vec::new();
        for view in &state.targets {
            uses.extend(self.viewed(notes, *view, Leaf::RenderTarget.into(), false));
        }
        if let Some(view) = state.depth {
            uses.extend(self.viewed(notes, view, Leaf::DepthStencil.into(), false));
        }
        for (address, size) in state.vertices.values() {
            let leaf = Leaf::VertexShading.into();
            uses.extend(self.bytes(notes, *address, *size, BarrierAccess::VERTEX_BUFFER, leaf));
        }
        if let Some((address, size)) = state.index.filter(|_| indexed) {
            uses.extend(self.bytes(
                notes,
                address,
                size,
                BarrierAccess::INDEX_BUFFER,
                Leaf::IndexInput.into(),
            ));
        }
        for (address, size) in &state.streams {
            uses.extend(self.bytes(
                notes,
                *address,
                *size,
                BarrierAccess::STREAM_OUTPUT,
                Leaf::VertexShading.into(),
            ));
        }
        self.roots(notes, recording, false, DRAWS, &mut uses);
        uses
    }
}

fn draw(d: &mut D3d12, notes: &mut Notes, recording: &mut Recording, indexed: bool, vertices: u64) {
    let uses = d.draw_uses(notes, recording, indexed);
    let options = DrawOptions {
        vertices: (vertices > 0).then_some(vertices.min(1 << 40)),
        ..DrawOptions::default()
    };
    let kind = CommandKind::Draw {
        label: None,
        indexed,
        options: options.kept(),
    };
    recording.push(d.call, kind, uses);
}

fn dispatch(d: &mut D3d12, notes: &mut Notes, recording: &mut Recording, a: Fields<'_>) {
    let groups = [
        "ThreadGroupCountX",
        "ThreadGroupCountY",
        "ThreadGroupCountZ",
    ]
    .map(|key| a.u32(key).clamp(1, GROUPS_MAX));
    let mut uses = Vec::new();
    d.roots(
        notes,
        recording,
        true,
        Leaf::ComputeShading.into(),
        &mut uses,
    );
    recording.push(
        d.call,
        CommandKind::Dispatch {
            label: None,
            groups,
            options: None,
        },
        uses,
    );
}

fn rays(d: &mut D3d12, notes: &mut Notes, recording: &mut Recording, a: Fields<'_>) {
    let desc = a.get("pDesc");
    let side = |key: &str| desc.u32(key).clamp(1, 1 << 15);
    let mut uses = Vec::new();
    d.roots(notes, recording, true, Leaf::Raytracing.into(), &mut uses);
    let size = [side("Width"), side("Height")];
    recording.push(
        d.call,
        CommandKind::DispatchRays { label: None, size },
        uses,
    );
}

fn indirect(d: &mut D3d12, notes: &mut Notes, recording: &mut Recording, a: Fields<'_>) {
    let target = d
        .objects
        .signatures
        .get(&a.u64("pCommandSignature"))
        .copied()
        .unwrap_or(IndirectTarget::Draw);
    let mut uses = Vec::new();
    for (buffer, offset) in [
        ("pArgumentBuffer", "ArgumentBufferOffset"),
        ("pCountBuffer", "CountBufferOffset"),
    ] {
        let handle = a.u64(buffer);
        let length = if buffer == "pCountBuffer" {
            4
        } else {
            u64::MAX
        };
        if let Some(range) = d
            .clipped(handle, a.u64(offset), length)
            .filter(|_| handle != 0)
        {
            uses.extend(d.used(
                notes,
                handle,
                range,
                BarrierAccess::INDIRECT_ARGUMENT,
                Leaf::ExecuteIndirect.into(),
                false,
            ));
        }
    }
    match target {
        IndirectTarget::Draw => uses.extend(d.draw_uses(notes, recording, true)),
        IndirectTarget::Dispatch => d.roots(
            notes,
            recording,
            true,
            Leaf::ComputeShading.into(),
            &mut uses,
        ),
        IndirectTarget::Rays => d.roots(notes, recording, true, Leaf::Raytracing.into(), &mut uses),
    }
    recording.push(
        d.call,
        CommandKind::ExecuteIndirect {
            label: None,
            target,
        },
        uses,
    );
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
    let (mip, rest) = (index % shape.mips, index / shape.mips);
    let (layer, plane) = (rest % shape.layers, rest / shape.layers);
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

fn clear(
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

fn predicate(d: &mut D3d12, notes: &mut Notes, recording: &mut Recording, a: Fields<'_>) {
    let handle = a.u64("pBuffer");
    let range = d
        .clipped(handle, a.u64("AlignedBufferOffset"), 8)
        .unwrap_or(Range::All);
    let used = d.used(
        notes,
        handle,
        range,
        BarrierAccess::INDIRECT_ARGUMENT,
        Leaf::ExecuteIndirect.into(),
        true,
    );
    recording.push(d.call, CommandKind::Predicate, used.into_iter().collect());
}

fn bundle(d: &mut D3d12, notes: &mut Notes, c: Call<'_>) {
    let Some(list) = d.lists.get(&c.a.u64("pCommandList")) else {
        return super::stranger(notes, "bundle");
    };
    let recorded = Recorded {
        name: list.name.clone(),
        queue_type: list.queue_type,
        commands: list.commands.clone(),
    };
    let list = d.draft.list(recorded);
    d.recorded(notes, c, |d, _, recording| {
        recording.push(d.call, CommandKind::ExecuteBundle { list }, Vec::new());
    });
}

fn targets(d: &mut D3d12, recording: &mut Recording, a: Fields<'_>) {
    let is_range = a.u64("RTsSingleHandleToDescriptorRange") != 0;
    let count = a.u64("NumRenderTargetDescriptors").min(8);
    let handles: Vec<Fields<'_>> = a.list("pRenderTargetDescriptors").collect();
    recording.state.targets = if is_range {
        let first = handles.first().copied();
        let each = |at: u64| {
            let first = first?;
            let place = serde_json::json!({ "heap_id": first.u64("heap_id"), "index": first.u64("index").saturating_add(at) });
            d.descriptors.of(Fields(&place))
        };
        (0..count).filter_map(each).collect()
    } else {
        handles
            .into_iter()
            .filter_map(|handle| d.descriptors.of(handle))
            .collect()
    };
    let depth = a.get("pDepthStencilDescriptor");
    recording.state.depth = d.descriptors.of(depth).filter(|_| depth.is_some());
}

fn begin_pass(d: &mut D3d12, notes: &mut Notes, recording: &mut Recording, a: Fields<'_>) {
    recording.state.targets.clear();
    recording.state.depth = None;
    for each in a.list("pRenderTargets") {
        if words::is(each.get("BeginningAccess").get("Type"), 2, "TYPE_CLEAR") {
            clear(
                d,
                notes,
                recording,
                each.get("cpuDescriptor"),
                CommandKind::ClearRtv,
            );
        }
        recording
            .state
            .targets
            .extend(d.descriptors.of(each.get("cpuDescriptor")));
    }
    let depth = a.get("pDepthStencil");
    if depth.is_some() {
        if words::is(
            depth.get("DepthBeginningAccess").get("Type"),
            2,
            "TYPE_CLEAR",
        ) {
            clear(
                d,
                notes,
                recording,
                depth.get("cpuDescriptor"),
                CommandKind::ClearDsv,
            );
        }
        recording.state.depth = d.descriptors.of(depth.get("cpuDescriptor"));
    }
}
