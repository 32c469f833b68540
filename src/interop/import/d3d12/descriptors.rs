//! Descriptor heaps: what is where, and what a table may therefore reach.

use super::{D3d12, objects};
use crate::api::BarrierAccess;
use crate::interop::capture::Fields;
use crate::interop::import::report::Notes;
use crate::lookup::LookupMap;

/// What a descriptor is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Descriptor {
    pub(super) resource: u64,
    pub(super) access: BarrierAccess,
    /// Bytes of a constant buffer: from and count.
    pub(super) bytes: Option<(u64, u64)>,
    /// A depth view that only reads depth.
    pub(super) read_only: bool,
    /// Mips and layers of the view, from and count; `None` is everything.
    pub(super) part: Option<[u32; 4]>,
}

/// Descriptors by heap and index.
#[derive(Default)]
pub(super) struct Descriptors {
    all: LookupMap<(u64, u64), Descriptor>,
    /// Start of each heap that shaders see, sorted, with its heap.
    starts: Vec<(u64, u64)>,
    /// Bytes from a descriptor to the next.
    increment: u64,
    sizes: LookupMap<u64, u64>,
}

/// Descriptors that are looked at from the start of a table on.
const TABLE_MAX: u64 = 64;

pub(super) fn handler(name: &str) -> Option<super::Handler> {
    Some(match name {
        "CreateDescriptorHeap" => |d, _, c| {
            let desc = c.a.get("pDescriptorHeapDesc");
            d.descriptors
                .sizes
                .insert(c.a.u64("ppvHeap"), desc.u64("NumDescriptors"));
        },
        "GetGPUDescriptorHandleForHeapStart" => |d, _, c| {
            let value: serde_json::Value = serde_json::from_str(&d.returned).unwrap_or_default();
            let inner = Fields(&value).get("ptr");
            let start = if inner.is_some() {
                inner.number()
            } else {
                Fields(&value).number()
            };
            d.descriptors.starts.retain(|(_, heap)| *heap != c.object);
            d.descriptors.starts.push((start, c.object));
            d.descriptors.starts.sort_unstable();
        },
        "GetDescriptorHandleIncrementSize" => |d, _, c| {
            if super::words::is(c.a.get("DescriptorHeapType"), 0, "TYPE_CBV_SRV_UAV") {
                d.descriptors.increment = objects::number(d.returned.trim_matches('"'));
            }
        },
        "CreateShaderResourceView" => |d, _, c| view(d, c.a, BarrierAccess::SHADER_RESOURCE),
        "CreateUnorderedAccessView" => |d, _, c| view(d, c.a, BarrierAccess::UNORDERED_ACCESS),
        "CreateRenderTargetView" => |d, _, c| view(d, c.a, BarrierAccess::RENDER_TARGET),
        "CreateDepthStencilView" => |d, _, c| view(d, c.a, BarrierAccess::DEPTH_STENCIL_WRITE),
        "CreateConstantBufferView" => |d, _, c| {
            let desc = c.a.get("pDesc");
            let found = d.at(desc.u64("BufferLocation"));
            let descriptor = found.map(|(resource, offset, _)| Descriptor {
                resource,
                access: BarrierAccess::CONSTANT_BUFFER,
                bytes: Some((offset, desc.u64("SizeInBytes"))),
                read_only: false,
                part: None,
            });
            d.descriptors.put(c.a.get("DestDescriptor"), descriptor);
        },
        "CopyDescriptors" => |d, n, c| copy(d, n, c.a),
        "CopyDescriptorsSimple" => |d, _, c| {
            let count = c.a.u64("NumDescriptors").min(1 << 20);
            let (to, from) = (
                c.a.get("DestDescriptorRangeStart"),
                c.a.get("SrcDescriptorRangeStart"),
            );
            d.descriptors.move_range(from, to, count);
        },
        _ => return None,
    })
}

/// Heap and index of a CPU handle.
fn place(field: Fields<'_>) -> (u64, u64) {
    (field.u64("heap_id"), field.u64("index"))
}

impl Descriptors {
    fn put(&mut self, at: Fields<'_>, descriptor: Option<Descriptor>) {
        let place = place(at);
        match descriptor {
            Some(descriptor) => self.all.insert(place, descriptor),
            None => self.all.remove(&place),
        };
    }

    fn move_range(&mut self, from: Fields<'_>, to: Fields<'_>, count: u64) {
        let (from, to) = (place(from), place(to));
        for at in 0..count {
            match self.all.get(&(from.0, from.1.saturating_add(at))).copied() {
                Some(found) => self.all.insert((to.0, to.1.saturating_add(at)), found),
                None => self.all.remove(&(to.0, to.1.saturating_add(at))),
            };
        }
    }

    /// The descriptor of a CPU handle.
    pub(super) fn of(&self, at: Fields<'_>) -> Option<Descriptor> {
        self.all.get(&place(at)).copied()
    }

    /// What a table at an address may reach: the descriptors from there to the first that is not set.
    pub(super) fn table(&self, address: u64) -> Vec<Descriptor> {
        let place = self.starts.partition_point(|(start, _)| *start <= address);
        let Some((start, heap)) = place.checked_sub(1).and_then(|at| self.starts.get(at)) else {
            return Vec::new();
        };
        let first = (address - start) / self.increment.max(1);
        if self.sizes.get(heap).is_some_and(|count| first >= *count) {
            return Vec::new();
        }
        (first..first.saturating_add(TABLE_MAX))
            .map_while(|index| self.all.get(&(*heap, index)).copied())
            .collect()
    }
}

fn view(d: &mut D3d12, a: Fields<'_>, access: BarrierAccess) {
    let desc = a.get("pDesc");
    let read_only = access == BarrierAccess::DEPTH_STENCIL_WRITE
        && super::words::has(desc.get("Flags"), 1, "READ_ONLY_DEPTH");
    let resource = a.u64("pResource");
    let descriptor = (resource != 0).then(|| Descriptor {
        resource,
        access: if read_only {
            BarrierAccess::DEPTH_STENCIL_READ
        } else {
            access
        },
        bytes: None,
        read_only,
        part: part(desc, access),
    });
    d.descriptors.put(a.get("DestDescriptor"), descriptor);
}

/// Mips and layers that a view's description names.
fn part(desc: Fields<'_>, access: BarrierAccess) -> Option<[u32; 4]> {
    let all = desc.0.as_object()?;
    let (_, inner) = all.iter().find(|(key, _)| key.starts_with("Texture"))?;
    let inner = Fields(inner);
    let shader = access == BarrierAccess::SHADER_RESOURCE;
    let mips = if shader {
        (inner.u32("MostDetailedMip"), inner.u32("MipLevels"))
    } else {
        (inner.u32("MipSlice"), 1)
    };
    let layers = if inner.get("ArraySize").is_some() {
        (inner.u32("FirstArraySlice"), inner.u32("ArraySize"))
    } else {
        (0, u32::MAX)
    };
    Some([
        mips.0,
        if mips.1 == 0 { u32::MAX } else { mips.1 },
        layers.0,
        layers.1,
    ])
}

fn copy(d: &mut D3d12, notes: &mut Notes, a: Fields<'_>) {
    let starts: Vec<Fields<'_>> = a.list("pSrcDescriptorRangeStarts").collect();
    let targets: Vec<Fields<'_>> = a.list("pDestDescriptorRangeStarts").collect();
    let sizes: Vec<u64> = a.numbers("pSrcDescriptorRangeSizes").collect();
    if starts.len() != targets.len() {
        return notes.dropped("copies of descriptors whose ranges differ in number");
    }
    for (at, (from, to)) in starts.into_iter().zip(targets).enumerate() {
        let count = sizes.get(at).copied().unwrap_or(1).min(1 << 20);
        d.descriptors.move_range(from, to, count);
    }
}
