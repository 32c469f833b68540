//! What exists: buffers, images, memory, views, queues, swapchains. Handles may be used again after a destroy.

use super::super::story::{Item, ItemId, Part};
use super::Vulkan;
use super::lost::Usable;
use crate::api::ResourceFlags;
use crate::id::narrow;
use crate::interop::capture::Fields;
use crate::interop::import::sample_count;
use crate::interop::vulkan::{BufferUsage, FormatFit, ImageLayout, ImageUsage, VkFormat};
use crate::lookup::LookupMap;
use crate::scenario::parser::{SIZE_BYTES_MAX, TEXTURE_DIMENSION_MAX, TEXTURE_LAYERS_MAX};
use crate::scenario::{ResourceKind, TextureShape};
use std::collections::BTreeMap;

/// An image view: what of which image.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) item: ItemId,
    pub(super) part: Part,
    pub(super) is_depth: bool,
}

/// A view of a buffer's texels.
#[derive(Clone, Debug)]
pub(super) struct BufferView {
    pub(super) item: ItemId,
    pub(super) part: Part,
}

/// Live objects by handle.
#[derive(Default)]
pub(super) struct Objects {
    pub(super) buffers: LookupMap<u64, ItemId>,
    pub(super) images: LookupMap<u64, ItemId>,
    pub(super) views: LookupMap<u64, View>,
    pub(super) buffer_views: LookupMap<u64, BufferView>,
    /// What each live resource can be bound as.
    pub(super) usable: BTreeMap<ItemId, Usable>,
    pub(super) swapchains: LookupMap<u64, Vec<u64>>,
    /// What a swapchain's images are like.
    chain_shapes: LookupMap<u64, (TextureShape, ResourceFlags)>,
    /// Bytes that an image needs, as the driver said.
    needs: LookupMap<u64, u64>,
    /// Handles of the resources that are bound to a memory and alive, in order of binding.
    pub(super) bound: LookupMap<u64, Vec<ItemId>>,
}

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkCreateBuffer" => create_buffer,
        "vkCreateImage" => create_image,
        "vkDestroyBuffer" => |v, a| destroy(v, a.u64("buffer"), true),
        "vkDestroyImage" => |v, a| destroy(v, a.u64("image"), false),
        "vkCreateImageView" => create_view,
        "vkDestroyImageView" => |v, a| v.objects.destroy_view(a.u64("imageView")),
        "vkCreateBufferView" => create_buffer_view,
        "vkDestroyBufferView" => |v, a| drop(v.objects.buffer_views.remove(&a.u64("bufferView"))),
        "vkGetImageMemoryRequirements" => |v, a| {
            needs(v, a.u64("image"), a.get("pMemoryRequirements"));
        },
        "vkGetImageMemoryRequirements2" => |v, a| {
            let handle = a.get("pInfo").u64("image");
            needs(
                v,
                handle,
                a.get("pMemoryRequirements").get("memoryRequirements"),
            );
        },
        "vkBindBufferMemory" => |v, a| bind(v, a.u64("buffer"), a, true),
        "vkBindImageMemory" => |v, a| bind(v, a.u64("image"), a, false),
        "vkBindBufferMemory2" => |v, a| {
            for info in a.list("pBindInfos") {
                bind(v, info.u64("buffer"), info, true);
            }
        },
        "vkBindImageMemory2" => |v, a| {
            for info in a.list("pBindInfos") {
                bind(v, info.u64("image"), info, false);
            }
        },
        "vkAllocateMemory" => allocate,
        "vkFlushMappedMemoryRanges" | "vkUnmapMemory" | "vkUnmapMemory2" => {
            |v, _| v.notes.dropped(WRITTEN)
        }
        "vkFreeMemory" => |v, a| drop(v.objects.bound.remove(&a.u64("memory"))),
        "vkCreateSwapchain" => create_swapchain,
        "vkGetSwapchainImages" => swapchain_images,
        "vkDestroySwapchain" => destroy_swapchain,
        "vkSetDebugUtilsObjectName" => |v, a| {
            let info = a.get("pNameInfo");
            v.rename(
                info.str("objectType"),
                info.u64("objectHandle"),
                info.str("pObjectName"),
            );
        },
        "vkDebugMarkerSetObjectName" => |v, a| {
            let info = a.get("pNameInfo");
            v.rename(
                info.str("objectType"),
                info.u64("object"),
                info.str("pObjectName"),
            );
        },
        _ => return None,
    })
}

/// What is said of memory that the CPU wrote through a mapping.
const WRITTEN: &str = "memory that the CPU may have written through a mapping, as calls that flush or end one say: the JSON lines do not say what, and mappings that stay open have no call";

fn create_buffer(v: &mut Vulkan, a: Fields<'_>) {
    let info = a.get("pCreateInfo");
    let handle = a.u64("pBuffer");
    let usage = info.get("usage");
    let usage = match usage.0.as_str() {
        Some(text) => BufferUsage::parse(text).value,
        None => BufferUsage::from_bits_retain(usage.bits()),
    };
    let size = info.u64("size").clamp(1, SIZE_BYTES_MAX);
    let id = v.item(Item {
        name: format!("buffer_{handle}"),
        kind: ResourceKind::Buffer { size },
        flags: usage.resource_flags(),
        layouts: Vec::new(),
        initial: Vec::new(),
        memory: None,
        alive: (v.call, u64::MAX),
        shared: info.chained("EXTERNAL_MEMORY_BUFFER_CREATE_INFO").is_some(),
    });
    if info.u64("flags") & 3 != 0 {
        v.notes
            .dropped("sparse buffers: which memory is bound where");
    }
    v.objects.can_be(id, usage.bits());
    v.objects.buffers.insert(handle, id);
}

/// 4 of `VK_SAMPLE_COUNT_4_BIT`.
fn samples(field: Fields<'_>) -> u32 {
    let digits: String = field.text().chars().filter(char::is_ascii_digit).collect();
    let count = digits.parse().unwrap_or_else(|_| field.number());
    sample_count(count)
}

fn format(v: &mut Vulkan, field: Fields<'_>) -> VkFormat {
    let found = match field.0.as_str() {
        Some(text) => VkFormat::parse(text),
        None => VkFormat::from_value(field.bits()),
    };
    let Some(format) = found else {
        v.notes
            .widened("a format that is not known: read as R8G8B8A8_UNORM");
        return VkFormat::parse("R8G8B8A8_UNORM").expect("listed");
    };
    if format.fit() == FormatFit::OtherSize {
        v.notes
            .widened("a format that DXGI does not have: read as the nearest, whose bytes differ");
    }
    format
}

fn image_usage(field: Fields<'_>) -> ImageUsage {
    match field.0.as_str() {
        Some(text) => ImageUsage::parse(text).value,
        None => ImageUsage::from_bits_retain(field.bits()),
    }
}

fn create_image(v: &mut Vulkan, a: Fields<'_>) {
    let info = a.get("pCreateInfo");
    let handle = a.u64("pImage");
    let extent = info.get("extent");
    let side = |key| extent.u32(key).clamp(1, TEXTURE_DIMENSION_MAX);
    let (width, height) = (side("width"), side("height"));
    let depth = extent.u32("depth").clamp(1, TEXTURE_LAYERS_MAX);
    let most = 32 - width.max(height).max(depth).leading_zeros();
    let shape = TextureShape {
        format: format(v, info.get("format")).twin(),
        width,
        height,
        depth,
        mips: info.u32("mipLevels").clamp(1, most),
        layers: info.u32("arrayLayers").clamp(1, TEXTURE_LAYERS_MAX),
        samples: samples(info.get("samples")),
    };
    let usage = image_usage(info.get("usage"));
    let flags = usage.resource_flags();
    let shared = info.chained("EXTERNAL_MEMORY_IMAGE_CREATE_INFO").is_some();
    if info.u64("flags") & 3 != 0 {
        v.notes
            .dropped("sparse images: which memory is bound where");
    }
    let id = image_item(
        v,
        format!("image_{handle}"),
        shape,
        flags,
        info.layout("initialLayout"),
    );
    v.story.items[id as usize].shared = shared;
    v.objects.can_be(id, usage.bits());
    v.objects.images.insert(handle, id);
    if info.chained("IMAGE_SWAPCHAIN_CREATE_INFO").is_some() {
        v.notes.dropped("an image of a swapchain bound by `VkImageSwapchainCreateInfoKHR`: read as an image of its own");
    }
}

fn image_item(
    v: &mut Vulkan,
    name: String,
    shape: TextureShape,
    flags: ResourceFlags,
    layout: ImageLayout,
) -> ItemId {
    let count = (shape.mips * shape.layers * shape.format.planes()) as usize;
    let layouts = vec![layout; count];
    v.item(Item {
        name,
        kind: ResourceKind::Texture(shape),
        flags,
        initial: layouts.clone(),
        layouts,
        memory: None,
        alive: (v.call, u64::MAX),
        shared: false,
    })
}

fn destroy(v: &mut Vulkan, handle: u64, is_buffer: bool) {
    let map = if is_buffer {
        &mut v.objects.buffers
    } else {
        &mut v.objects.images
    };
    let Some(id) = map.remove(&handle) else {
        return;
    };
    v.end_item(id);
}

/// Planes of an image that an aspect mask names: first and one past the last.
pub(super) fn planes(aspects: u64) -> (u32, u32) {
    match aspects {
        2 | 0x10 => (0, 1),
        4 | 0x20 => (1, 2),
        0x40 => (2, 3),
        _ => (0, u32::MAX),
    }
}

/// Names of aspects, and their bits.
const ASPECTS: [(&str, u64); 6] = [
    ("ASPECT_COLOR", 1),
    ("ASPECT_DEPTH", 2),
    ("ASPECT_STENCIL", 4),
    ("ASPECT_PLANE_0", 0x10),
    ("ASPECT_PLANE_1", 0x20),
    ("ASPECT_PLANE_2", 0x40),
];

/// An aspect mask, a number or names.
pub(super) fn aspects(field: Fields<'_>) -> u64 {
    let text = field.text();
    if text.is_empty() || text.starts_with("0x") {
        return field.number();
    }
    let found = ASPECTS.iter().filter(|(name, _)| text.contains(name));
    found.map(|(_, bit)| bit).sum()
}

impl Objects {
    fn can_be(&mut self, item: ItemId, usage: u32) {
        self.usable.insert(item, Usable { usage, views: 0 });
    }

    fn destroy_view(&mut self, handle: u64) {
        let view = self.views.remove(&handle);
        if let Some(usable) = view.and_then(|view| self.usable.get_mut(&view.item)) {
            usable.views = usable.views.saturating_sub(1);
        }
    }
}

impl Vulkan {
    /// The part of an image that a `VkImageSubresourceRange` names.
    pub(super) fn range(&self, item: ItemId, range: Fields<'_>) -> Part {
        self.story.items[item as usize].image_part(
            (range.u32("baseMipLevel"), range.u32("levelCount")),
            (range.u32("baseArrayLayer"), range.u32("layerCount")),
            planes(aspects(range.get("aspectMask"))),
            None,
        )
    }

    /// A new resource.
    pub(super) fn item(&mut self, item: Item) -> ItemId {
        let id = narrow(self.story.items.len());
        self.story.items.push(item);
        id
    }

    /// A resource is no more.
    fn end_item(&mut self, id: ItemId) {
        let call = self.call;
        let item = &mut self.story.items[id as usize];
        item.alive.1 = call;
        self.objects.usable.remove(&id);
        if let Some((memory, ..)) = item.memory
            && let Some(bound) = self.objects.bound.get_mut(&memory)
        {
            bound.retain(|other| *other != id);
        }
    }

    fn rename(&mut self, kind: &str, handle: u64, name: &str) {
        if name.is_empty() {
            return;
        }
        let id = match kind.trim_start_matches("VK_OBJECT_TYPE_") {
            "BUFFER" => self.objects.buffers.get(&handle),
            "IMAGE" => self.objects.images.get(&handle),
            "COMMAND_BUFFER" => {
                self.name_buffer(handle, name);
                None
            }
            "PIPELINE" => {
                self.name_pipeline(handle, name);
                None
            }
            "QUEUE" => {
                if let Some(queue) = self.submits.queues.get(&handle) {
                    name.clone_into(&mut self.story.queues[*queue].name);
                }
                None
            }
            "SEMAPHORE" | "FENCE" => {
                if let Some(fence) = self.submits.fence_of(handle) {
                    name.clone_into(&mut self.story.fences[fence].0);
                }
                None
            }
            _ => None,
        };
        if let Some(id) = id {
            name.clone_into(&mut self.story.items[*id as usize].name);
        }
    }
}

fn create_view(v: &mut Vulkan, a: Fields<'_>) {
    let info = a.get("pCreateInfo");
    let Some(item) = v.objects.images.get(&info.u64("image")).copied() else {
        return v.stranger("image");
    };
    let part = v.range(item, info.get("subresourceRange"));
    let is_depth = v.story.items[item as usize]
        .flags
        .contains(ResourceFlags::DEPTH_STENCIL);
    if let Some(usable) = v.objects.usable.get_mut(&item) {
        usable.views += 1;
    }
    v.objects.views.insert(
        a.u64("pView"),
        View {
            item,
            part,
            is_depth,
        },
    );
}

fn create_buffer_view(v: &mut Vulkan, a: Fields<'_>) {
    let info = a.get("pCreateInfo");
    let Some(item) = v.objects.buffers.get(&info.u64("buffer")).copied() else {
        return v.stranger("buffer");
    };
    let part = v.story.items[item as usize].byte_part(info.u64("offset"), info.u64("range"));
    let view = BufferView {
        item,
        part: part.unwrap_or(Part::All),
    };
    v.objects.buffer_views.insert(a.u64("pView"), view);
}

fn needs(v: &mut Vulkan, handle: u64, requirements: Fields<'_>) {
    if let Some(id) = v.objects.images.get(&handle) {
        v.objects
            .needs
            .insert(u64::from(*id), requirements.u64("size"));
    }
}

fn allocate(v: &mut Vulkan, a: Fields<'_>) {
    let info = a.get("pAllocateInfo");
    let imported = [
        "IMPORT_MEMORY_FD_INFO",
        "IMPORT_MEMORY_WIN32_HANDLE_INFO",
        "IMPORT_MEMORY_HOST_POINTER_INFO",
    ];
    if imported.iter().any(|name| info.chained(name).is_some()) {
        v.notes
            .dropped("memory from outside the capture: what others do with it is not known");
    }
}

fn bind(v: &mut Vulkan, handle: u64, info: Fields<'_>, is_buffer: bool) {
    let map = if is_buffer {
        &v.objects.buffers
    } else {
        &v.objects.images
    };
    let Some(id) = map.get(&handle).copied() else {
        return v.stranger(if is_buffer { "buffer" } else { "image" });
    };
    let memory = info.u64("memory");
    let needed = v.objects.needs.get(&u64::from(id)).copied();
    let item = &mut v.story.items[id as usize];
    let size = if is_buffer {
        item.bytes()
    } else {
        needed.unwrap_or(0)
    };
    item.memory = Some((memory, info.u64("memoryOffset"), size));
    v.objects.bound.entry(memory).or_default().push(id);
}

fn create_swapchain(v: &mut Vulkan, a: Fields<'_>) {
    let info = a.get("pCreateInfo");
    let extent = info.get("imageExtent");
    let shape = TextureShape {
        format: format(v, info.get("imageFormat")).twin(),
        width: extent.u32("width").clamp(1, TEXTURE_DIMENSION_MAX),
        height: extent.u32("height").clamp(1, TEXTURE_DIMENSION_MAX),
        depth: 1,
        mips: 1,
        layers: info.u32("imageArrayLayers").clamp(1, TEXTURE_LAYERS_MAX),
        samples: 1,
    };
    let flags = image_usage(info.get("imageUsage")).resource_flags();
    let handle = a.u64("pSwapchain");
    v.objects.chain_shapes.insert(handle, (shape, flags));
    v.objects.swapchains.insert(handle, Vec::new());
}

fn swapchain_images(v: &mut Vulkan, a: Fields<'_>) {
    let chain = a.u64("swapchain");
    let handles: Vec<u64> = a
        .get("pSwapchainImages")
        .0
        .as_array()
        .map_or_else(Vec::new, |all| {
            all.iter().map(|one| Fields(one).number()).collect()
        });
    let Some((shape, flags)) = v.objects.chain_shapes.get(&chain).cloned() else {
        return v.stranger("swapchain");
    };
    if handles.is_empty() {
        return;
    }
    for (place, handle) in handles.iter().enumerate() {
        if v.objects.swapchains[&chain].contains(handle) {
            continue;
        }
        let name = format!("backbuffer_{place}");
        let id = image_item(v, name, shape.clone(), flags, ImageLayout::UNDEFINED);
        v.objects.images.insert(*handle, id);
        v.submits.images.add(id);
    }
    v.objects.swapchains.insert(chain, handles);
}

fn destroy_swapchain(v: &mut Vulkan, a: Fields<'_>) {
    let chain = a.u64("swapchain");
    for handle in v.objects.swapchains.remove(&chain).unwrap_or_default() {
        if let Some(id) = v.objects.images.remove(&handle) {
            v.end_item(id);
        }
    }
    v.objects.chain_shapes.remove(&chain);
}
