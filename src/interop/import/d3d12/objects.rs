//! Resources, heaps, queues, lists, fences, swapchains.

use super::{Call, D3d12, Recording, stranger, words};
use crate::api::format::Format;
use crate::api::{HeapType, QueueType, ResourceFlags};
use crate::finding::Span;
use crate::id::{HeapId, ResourceId};
use crate::interop::capture::Fields;
use crate::interop::import::report::Notes;
use crate::interop::import::sample_count;
use crate::lookup::LookupMap;
use crate::scenario::parser::{SIZE_BYTES_MAX, TEXTURE_DIMENSION_MAX, TEXTURE_LAYERS_MAX};
use crate::scenario::{Initial, Placement, Resource, ResourceKind, TextureShape, Trivia};

/// Where a resource's memory is.
#[derive(Copy, Clone, Debug)]
enum Memory {
    Committed,
    Placed { heap: u64, offset: u64 },
    Reserved,
}

/// A resource. It is declared when something uses it.
#[derive(Clone, Debug)]
pub(super) struct Item {
    name: String,
    pub(super) kind: ResourceKind,
    flags: ResourceFlags,
    pub(super) initial: Initial,
    memory: Memory,
    heap_type: HeapType,
    declared: Option<ResourceId>,
}

#[derive(Clone, Debug)]
struct HeapItem {
    name: String,
    size: u64,
    declared: Option<HeapId>,
}

/// A swapchain.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    /// Resources by place.
    pub(super) buffers: Vec<u64>,
    pub(super) current: usize,
    pub(super) queue: u64,
}

/// Live objects by handle.
#[derive(Default)]
pub(super) struct Objects {
    pub(super) items: LookupMap<u64, Item>,
    heaps: LookupMap<u64, HeapItem>,
    pub(super) chains: LookupMap<u64, Chain>,
    /// What a command signature executes: draw, dispatch or rays.
    pub(super) signatures: LookupMap<u64, crate::scenario::IndirectTarget>,
    /// Start, bytes and handle of each buffer with an address.
    addresses: Vec<(u64, u64, u64)>,
}

pub(super) fn handler(name: &str) -> Option<super::Handler> {
    Some(match name {
        "CreateCommittedResource"
        | "CreateCommittedResource1"
        | "CreateCommittedResource2"
        | "CreateCommittedResource3" => |d, n, c| {
            let heap = heap_type(c.a.get("pHeapProperties").get("Type"));
            create(d, n, c, Memory::Committed, heap);
        },
        "CreatePlacedResource" | "CreatePlacedResource1" | "CreatePlacedResource2" => |d, n, c| {
            let memory = Memory::Placed {
                heap: c.a.u64("pHeap"),
                offset: c.a.u64("HeapOffset"),
            };
            create(d, n, c, memory, HeapType::Default);
        },
        "CreateReservedResource" | "CreateReservedResource1" | "CreateReservedResource2" => {
            |d, n, c| create(d, n, c, Memory::Reserved, HeapType::Default)
        }
        "CreateHeap" | "CreateHeap1" => create_heap,
        "CreateCommandQueue" | "CreateCommandQueue1" => create_queue,
        "CreateCommandList" | "CreateCommandList1" => create_list,
        "CreateFence" => |d, _, c| {
            let handle = handle(c.a, &["ppFence"]);
            let fence = d.submits.fence(handle, c.a.u64("InitialValue"));
            d.draft
                .fence(&format!("fence_{handle}"), c.a.u64("InitialValue"));
            debug_assert_eq!(fence + 1, d.submits.fence_count());
        },
        "CreateCommandSignature" => create_signature,
        "CreateSwapChain"
        | "CreateSwapChainForHwnd"
        | "CreateSwapChainForCoreWindow"
        | "CreateSwapChainForComposition" => |d, _, c| {
            let chain = Chain {
                queue: c.a.u64("pDevice"),
                ..Chain::default()
            };
            d.objects
                .chains
                .insert(handle(c.a, &["ppSwapChain"]), chain);
        },
        "GetBuffer" => get_buffer,
        "GetCurrentBackBufferIndex" => |d, _, c| {
            let index = d.returned.trim_matches('"').parse().unwrap_or(0);
            if let Some(chain) = d.objects.chains.get_mut(&c.object) {
                chain.current = index;
            }
        },
        "ResizeBuffers" | "ResizeBuffers1" => |d, _, c| {
            if let Some(chain) = d.objects.chains.get_mut(&c.object) {
                chain.buffers.clear();
                chain.current = 0;
            }
        },
        "GetGPUVirtualAddress" => address,
        "SetName" => |d, _, c| d.rename(c.object, c.a.str("Name")),
        _ => return None,
    })
}

/// Remembers the address that a call returned.
fn address(d: &mut D3d12, _: &mut Notes, c: Call<'_>) {
    let start = number(d.returned.trim_matches('"'));
    let kind = d.objects.items.get(&c.object).map(|item| &item.kind);
    if let Some(ResourceKind::Buffer { size }) = kind
        && start != 0
    {
        let entry = (start, *size, c.object);
        if let Err(place) = d.objects.addresses.binary_search(&entry) {
            d.objects.addresses.insert(place, entry);
        }
    }
}

pub(super) fn number(text: &str) -> u64 {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).unwrap_or(0),
        None => text.parse().unwrap_or(0),
    }
}

/// The handle of what a call made: the named argument, or whichever begins with `ppv` or `pp`.
fn handle(a: Fields<'_>, names: &[&str]) -> u64 {
    let by_name = names
        .iter()
        .map(|name| a.u64(name))
        .find(|handle| *handle != 0);
    by_name.unwrap_or_else(|| {
        let all = a.0.as_object().into_iter().flatten();
        let made = all.filter(|(key, _)| key.starts_with("ppv") || key.starts_with("pp"));
        made.map(|(_, value)| Fields(value).number())
            .find(|handle| *handle != 0)
            .unwrap_or(0)
    })
}

fn heap_type(field: Fields<'_>) -> HeapType {
    if words::is(field, 2, "HEAP_TYPE_UPLOAD") {
        HeapType::Upload
    } else if words::is(field, 3, "HEAP_TYPE_READBACK") {
        HeapType::Readback
    } else {
        HeapType::Default
    }
}

fn queue_type(field: Fields<'_>) -> QueueType {
    const TYPES: [(u32, &str, QueueType); 6] = [
        (1, "TYPE_BUNDLE", QueueType::Bundle),
        (2, "TYPE_COMPUTE", QueueType::Compute),
        (3, "TYPE_COPY", QueueType::Copy),
        (4, "TYPE_VIDEO_DECODE", QueueType::VideoDecode),
        (5, "TYPE_VIDEO_PROCESS", QueueType::VideoProcess),
        (6, "TYPE_VIDEO_ENCODE", QueueType::VideoEncode),
    ];
    let found = TYPES
        .iter()
        .find(|(value, name, _)| words::is(field, *value, name));
    found.map_or(QueueType::Direct, |(.., queue_type)| *queue_type)
}

fn create_queue(d: &mut D3d12, _: &mut Notes, c: Call<'_>) {
    let queue_type = queue_type(c.a.get("pDesc").get("Type"));
    let name = match queue_type {
        QueueType::Direct => "direct",
        QueueType::Compute => "compute",
        QueueType::Copy => "copy",
        other => other.word(),
    };
    let name = format!("{name}_queue");
    d.submits.add_queue(handle(c.a, &["ppCommandQueue"]));
    d.draft.queue(&name, queue_type);
}

fn create_list(d: &mut D3d12, _: &mut Notes, c: Call<'_>) {
    let handle = handle(c.a, &["ppCommandList"]);
    let recording = Recording {
        queue_type: queue_type(c.a.get("type")),
        name: format!("list_{handle}"),
        commands: Vec::new(),
        state: super::commands::State::default(),
    };
    d.lists.insert(handle, recording);
}

fn create_heap(d: &mut D3d12, _: &mut Notes, c: Call<'_>) {
    let handle = handle(c.a, &["ppvHeap"]);
    let size = c.a.get("pDesc").u64("SizeInBytes").clamp(1, SIZE_BYTES_MAX);
    let heap = HeapItem {
        name: format!("heap_{handle}"),
        size,
        declared: None,
    };
    d.objects.heaps.insert(handle, heap);
}

fn create_signature(d: &mut D3d12, _: &mut Notes, c: Call<'_>) {
    use crate::scenario::IndirectTarget as T;
    let last = c.a.get("pDesc").list("pArgumentDescs").last();
    let kind = last.map_or("", |desc| desc.str("Type"));
    let target = if kind.contains("DISPATCH_RAYS") {
        T::Rays
    } else if kind.ends_with("DISPATCH") {
        T::Dispatch
    } else {
        T::Draw
    };
    d.objects
        .signatures
        .insert(handle(c.a, &["ppvCommandSignature"]), target);
}

/// The shape of a `D3D12_RESOURCE_DESC`.
fn kind(notes: &mut Notes, desc: Fields<'_>) -> ResourceKind {
    let dimension = desc.get("Dimension");
    let width = desc.u64("Width");
    if words::is(dimension, 1, "DIMENSION_BUFFER") {
        return ResourceKind::Buffer {
            size: width.clamp(1, SIZE_BYTES_MAX),
        };
    }
    let named = desc.get("Format");
    let format = match named.0.as_str() {
        Some(text) => Format::from_name(text),
        None => Format::from_value(named.number().try_into().unwrap_or(0)),
    };
    let format = format.unwrap_or_else(|| {
        notes.widened("a format that is not known: read as R8G8B8A8_UNORM");
        Format::from_name("R8G8B8A8_UNORM").expect("listed")
    });
    let side =
        |value: u64| u32::try_from(value.clamp(1, TEXTURE_DIMENSION_MAX.into())).expect("clamped");
    let deep = u32::try_from(
        desc.u64("DepthOrArraySize")
            .clamp(1, TEXTURE_LAYERS_MAX.into()),
    )
    .expect("clamped");
    let is_volume = words::is(dimension, 4, "DIMENSION_TEXTURE3D");
    let (width, height) = (side(width), side(desc.u64("Height")));
    let depth = if is_volume { deep } else { 1 };
    let longest = width.max(height).max(depth);
    let most = 32 - longest.leading_zeros();
    let mips = desc.u32("MipLevels");
    ResourceKind::Texture(TextureShape {
        format,
        width,
        height,
        depth,
        mips: if mips == 0 { most } else { mips.min(most) },
        layers: if is_volume { 1 } else { deep },
        samples: sample_count(desc.get("SampleDesc").u64("Count")),
    })
}

fn create(d: &mut D3d12, notes: &mut Notes, c: Call<'_>, memory: Memory, heap: HeapType) {
    let handle = handle(c.a, &["ppvResource", "ppResource"]);
    if handle == 0 {
        return;
    }
    let desc = c.a.get("pDesc");
    let kind = kind(notes, desc);
    let is_buffer = matches!(kind, ResourceKind::Buffer { .. });
    let initial = if is_buffer {
        Initial::Default
    } else if c.a.get("InitialLayout").is_some() {
        Initial::Layout(words::layout(c.a.get("InitialLayout")))
    } else {
        let state = ["InitialResourceState", "InitialState"].map(|key| c.a.get(key));
        let found = state.into_iter().find(|field| field.is_some());
        Initial::State(found.map(words::state).unwrap_or_default())
    };
    let noun = if is_buffer { "buffer" } else { "texture" };
    let item = Item {
        name: format!("{noun}_{handle}"),
        kind,
        flags: words::resource_flags(desc.get("Flags")),
        initial,
        memory,
        heap_type: if is_buffer { heap } else { HeapType::Default },
        declared: None,
    };
    d.objects.addresses.retain(|(.., other)| *other != handle);
    d.objects.items.insert(handle, item);
}

fn get_buffer(d: &mut D3d12, _: &mut Notes, c: Call<'_>) {
    let handle = handle(c.a, &["ppSurface"]);
    let place = usize::try_from(c.a.u64("Buffer")).unwrap_or(0).min(64);
    let Some(chain) = d.objects.chains.get_mut(&c.object) else {
        return;
    };
    if chain.buffers.len() <= place {
        chain.buffers.resize(place + 1, 0);
    }
    chain.buffers[place] = handle;
    d.objects.items.entry(handle).or_insert_with(|| Item {
        name: format!("backbuffer_{place}"),
        kind: ResourceKind::Texture(TextureShape {
            format: Format::from_name("R8G8B8A8_UNORM").expect("listed"),
            width: 1280,
            height: 720,
            depth: 1,
            mips: 1,
            layers: 1,
            samples: 1,
        }),
        flags: ResourceFlags::RENDER_TARGET,
        initial: Initial::State(crate::api::ResourceState::empty()),
        memory: Memory::Committed,
        heap_type: HeapType::Default,
        declared: None,
    });
}

impl D3d12 {
    fn rename(&mut self, handle: u64, name: &str) {
        if name.is_empty() {
            return;
        }
        if let Some(item) = self.objects.items.get_mut(&handle) {
            name.clone_into(&mut item.name);
        } else if let Some(heap) = self.objects.heaps.get_mut(&handle) {
            name.clone_into(&mut heap.name);
        } else if let Some(list) = self.lists.get_mut(&handle) {
            name.clone_into(&mut list.name);
        }
    }

    /// The scenario's resource of a handle; `None` of a null handle or an unknown one.
    pub(super) fn resource(&mut self, notes: &mut Notes, handle: u64) -> Option<ResourceId> {
        if handle == 0 {
            return None;
        }
        let Some(item) = self.objects.items.get(&handle) else {
            stranger(notes, "resource");
            return None;
        };
        if let Some(id) = item.declared {
            return Some(id);
        }
        let item = item.clone();
        let placement = match item.memory {
            Memory::Committed => Placement::Committed,
            Memory::Reserved => Placement::Reserved,
            Memory::Placed { heap, offset } => match self.heap(heap) {
                Some(heap) => Placement::Placed { heap, offset },
                None => Placement::Committed,
            },
        };
        let resource = Resource {
            kind: item.kind,
            flags: item.flags,
            placement,
            initial: item.initial,
            heap_type: item.heap_type,
            uncompressed: false,
            keep: false,
            span: Span::default(),
            trivia: Trivia(None),
        };
        let id = self.draft.resource(&item.name, resource);
        self.objects
            .items
            .get_mut(&handle)
            .expect("just found")
            .declared = Some(id);
        Some(id)
    }

    fn heap(&mut self, handle: u64) -> Option<HeapId> {
        let heap = self.objects.heaps.get_mut(&handle)?;
        if heap.declared.is_none() {
            heap.declared = Some(self.draft.heap(&heap.name, heap.size));
        }
        heap.declared
    }

    /// The buffer at an address: its handle, the offset in it, and the bytes from there.
    pub(super) fn at(&self, address: u64) -> Option<(u64, u64, u64)> {
        let place = self
            .objects
            .addresses
            .partition_point(|(start, ..)| *start <= address);
        let (start, size, handle) = *self.objects.addresses.get(place.checked_sub(1)?)?;
        let offset = address - start;
        (offset < size).then(|| (handle, offset, size - offset))
    }
}
