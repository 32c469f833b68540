//! Commands of lists: work, and the state that decides what it touches.

use super::descriptors::Descriptor;
use super::{Call, D3d12, Recording};
use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::interop::capture::Fields;
use crate::interop::import::draft::Recorded;
use crate::interop::import::report::Notes;
use crate::scenario::parser::{GROUPS_MAX, WORK_MAX};
use crate::scenario::{
    CommandKind, DrawOptions, IndirectTarget, Range, ResourceKind, SubresourceRange, Use, UseFields,
};
use std::collections::BTreeMap;

/// What the next draw or dispatch depends on.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) targets: Vec<Descriptor>,
    pub(super) depth: Option<Descriptor>,
    pub(super) vertices: BTreeMap<u64, (u64, u64)>,
    pub(super) index: Option<(u64, u64)>,
    pub(super) streams: Vec<(u64, u64)>,
    /// Root parameters of graphics and compute, by number.
    pub(super) roots: [BTreeMap<u64, Root>; 2],
    pub(super) groups: u32,
}

#[derive(Copy, Clone, Debug)]
pub(super) enum Root {
    Table(u64),
    Buffer(BarrierAccess, u64),
}

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
        "SetPredication" => |d, n, c| d.recorded(n, c, |d, n, r| predicate(d, n, r, c.a)),
        "ExecuteBundle" => bundle,
        "ResolveQueryData" => |d, n, c| {
            d.recorded(n, c, |_, n, _| {
                n.dropped("resolves of queries: the language has none");
            });
        },
        "SetMarker" => |_, _, _| {},
        _ => return None,
    })
}

/// Stages at which shaders of a draw run.
const DRAWS: LeafSet = LeafSet::DRAW_SHADING;

impl D3d12 {
    pub(super) fn used(
        &mut self,
        notes: &mut Notes,
        handle: u64,
        range: Range,
        access: BarrierAccess,
        stages: LeafSet,
        implied: bool,
    ) -> Option<Use> {
        let resource = self.resource(notes, handle)?;
        let fields = UseFields::of_command(access, resource, range, stages);
        Some(UseFields { implied, ..fields }.into())
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
    pub(super) fn viewed(
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

    pub(super) fn clipped(&self, handle: u64, start: u64, size: u64) -> Option<Range> {
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
                    let bound = self.bytes(notes, address, u64::MAX, access, stages);
                    uses.extend(bound.map(|mut each| {
                        each.may = true;
                        each
                    }));
                }
                Root::Table(address) => {
                    notes.widened("descriptor tables, whose length the capture does not have: all that is set from their start on, at most 64; every use of them is `may`");
                    for view in self.descriptors.table(address) {
                        let Some(mut each) = self.viewed(notes, view, stages, false) else {
                            continue;
                        };
                        each.may = true;
                        if !uses.contains(&each) {
                            uses.push(each);
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
        vertices: (vertices > 0).then_some(vertices.min(WORK_MAX)),
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
    let length = |key: &str| desc.u32(key).clamp(1, 1 << 15);
    let mut uses = Vec::new();
    d.roots(notes, recording, true, Leaf::Raytracing.into(), &mut uses);
    let size = [length("Width"), length("Height")];
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
