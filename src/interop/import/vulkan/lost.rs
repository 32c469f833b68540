//! Descriptors whose image or buffer the capture lost: those that update templates set, of which some converters keep the
//! types and layouts only. What such a descriptor may name is guessed from its type, the layout that it says, and what the
//! command buffer does before the draw or dispatch.

use super::super::report::Fate;
use super::super::story::{Act, Dependency, ItemId, Target, What};
use super::Vulkan;
use super::descriptors::Type;
use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::interop::vulkan::{
    AccessFlags, BufferUsage, DependencySide, ImageLayout, ImageUsage, StageFlags,
};
use crate::scenario::UseMode;
use std::rc::Rc;

/// The most images or buffers that one descriptor may name. More would say nothing.
const LIKELY_MAX: usize = 16;

/// Resources of one command buffer that are remembered.
const CONCERNED_MAX: usize = 64;

/// What a resource can be bound as.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Usable {
    /// Bits of `VkImageUsageFlags` or `VkBufferUsageFlags`.
    pub(super) usage: u32,
    /// Live views of it.
    pub(super) views: u32,
}

/// An image, and the stages that its last barrier lets start.
pub(super) type Brought = (ItemId, StageFlags);

/// What a descriptor that the capture lost is known by.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) struct Lost {
    pub(super) kind: Type,
    pub(super) layout: Option<ImageLayout>,
    /// Where the shaders use it.
    pub(super) stages: LeafSet,
}

/// What the command buffer that is being submitted did so far.
#[derive(Default)]
pub(super) struct Concerned {
    /// Images that its barriers name.
    images: Vec<Brought>,
    /// Buffers that its barriers name or its commands write, and what was made to see the write; `None` before a barrier.
    buffers: Vec<(ItemId, Option<AccessFlags>)>,
    /// What was found since the last layout change.
    found: Vec<(Lost, Rc<[ItemId]>)>,
}

/// Remembers that a barrier named an image.
pub(super) fn bring(images: &mut Vec<Brought>, item: ItemId, stages: StageFlags) {
    if let Some(known) = images.iter_mut().find(|(one, _)| *one == item) {
        known.1 = stages;
    } else if images.len() < CONCERNED_MAX {
        images.push((item, stages));
    }
}

/// Whether a second scope lets shaders of these leaves start.
fn starts(scope: StageFlags, leaves: LeafSet) -> bool {
    let scope = scope.resolved(DependencySide::Destination).expanded();
    let shaders = [
        (Leaf::VertexShading, StageFlags::VERTEX_SHADER),
        (Leaf::PixelShading, StageFlags::FRAGMENT_SHADER),
        (Leaf::ComputeShading, StageFlags::COMPUTE_SHADER),
        (Leaf::Raytracing, StageFlags::RAY_TRACING_SHADER_KHR),
    ];
    let mut used = shaders.iter().filter(|(leaf, _)| leaves.has(*leaf));
    scope.contains(StageFlags::ALL_COMMANDS) || used.all(|(_, stage)| scope.intersects(*stage))
}

impl Concerned {
    fn image(&mut self, item: ItemId, stages: StageFlags) {
        self.found.clear();
        bring(&mut self.images, item, stages);
    }

    fn buffer(&mut self, item: ItemId, seen: Option<AccessFlags>) {
        if let Some(known) = self.buffers.iter_mut().find(|(one, _)| *one == item) {
            known.1 = seen.map(|seen| seen | known.1.unwrap_or(AccessFlags::NONE));
        } else if self.buffers.len() < CONCERNED_MAX {
            self.buffers.push((item, seen));
        }
    }

    /// Follows an act.
    pub(super) fn follow(&mut self, act: &Act) {
        match &act.what {
            What::Barrier(dependencies) => dependencies.iter().for_each(|one| self.depend(one)),
            What::Work { touches, .. } => {
                for touch in touches {
                    let writes = touch.mode != UseMode::Reads
                        && BarrierAccess::WRITES.contains(touch.access);
                    if writes && !touch.may {
                        self.buffer(touch.item, None);
                    }
                }
            }
            What::Open(_) | What::Close | What::Lost(_) => {}
        }
    }

    fn depend(&mut self, dependency: &Dependency) {
        let seen = dependency.scopes.dst_access;
        match &dependency.target {
            Target::Image(image) => self.image(image.item, dependency.scopes.dst_stages),
            Target::Buffer(item) => self.buffer(*item, Some(seen)),
            Target::Memory => {
                for (_, known) in &mut self.buffers {
                    *known = Some(known.unwrap_or(AccessFlags::NONE) | seen);
                }
            }
            Target::Acquired(_) => {}
        }
    }
}

impl Type {
    pub(super) fn is_image(self) -> bool {
        matches!(self, Self::Sampled | Self::StorageImage | Self::Input)
    }

    /// What is said of a descriptor of this type that the capture lost.
    pub(super) fn lost_as(self) -> &'static str {
        if self.is_image() {
            "image descriptors set by templates whose images the capture lost: `may` name images in the layout that the descriptor says, those that the command buffer's barriers name before others"
        } else {
            "buffer descriptors set by templates whose buffers the capture lost: `may` name buffers of that usage that the command buffer writes or names in a barrier; no others"
        }
    }

    /// Bits of an image's or buffer's usage without which it is no such descriptor.
    fn usage(self) -> u32 {
        match self {
            Self::Sampled => ImageUsage::SAMPLED.bits(),
            Self::StorageImage => ImageUsage::STORAGE.bits(),
            Self::Input => ImageUsage::INPUT_ATTACHMENT.bits(),
            Self::UniformTexels => BufferUsage::UNIFORM_TEXEL_BUFFER.bits(),
            Self::StorageTexels => BufferUsage::STORAGE_TEXEL_BUFFER.bits(),
            Self::Uniform { .. } => BufferUsage::UNIFORM_BUFFER.bits(),
            Self::Storage { .. } => BufferUsage::STORAGE_BUFFER.bits(),
            Self::Nothing | Self::Sampler | Self::Structure => 0,
        }
    }

    /// Accesses by which a buffer descriptor is reached.
    fn accesses(self) -> AccessFlags {
        let all = AccessFlags::MEMORY_READ | AccessFlags::MEMORY_WRITE;
        all | match self {
            Self::Uniform { .. } => AccessFlags::UNIFORM_READ,
            Self::UniformTexels => AccessFlags::SHADER_READ | AccessFlags::SHADER_SAMPLED_READ,
            _ => {
                AccessFlags::SHADER_READ
                    | AccessFlags::SHADER_WRITE
                    | AccessFlags::SHADER_STORAGE_READ
                    | AccessFlags::SHADER_STORAGE_WRITE
            }
        }
    }

    /// Whether an image in this layout can be reached, if the descriptor does not say in which it is.
    fn allows(self, layout: ImageLayout) -> bool {
        let storage = layout == ImageLayout::GENERAL;
        let sampled = matches!(
            layout,
            ImageLayout::SHADER_READ_ONLY_OPTIMAL
                | ImageLayout::READ_ONLY_OPTIMAL
                | ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL
                | ImageLayout::DEPTH_READ_ONLY_OPTIMAL
        );
        storage || (self != Self::StorageImage && sampled)
    }
}

impl Vulkan {
    /// What a descriptor that the capture lost may name.
    pub(super) fn likely(&mut self, queue: usize, lost: Lost) -> Rc<[ItemId]> {
        let found = if lost.kind.is_image() {
            self.likely_images(queue, lost)
        } else {
            self.likely_buffers(lost.kind)
        };
        if found.is_empty() {
            let words = "uses by a descriptor that the capture lost, for which no image or buffer is likely";
            self.notes.note(Fate::Dropped, words);
        }
        found
    }

    fn usable(&self, item: ItemId, kind: Type) -> bool {
        let known = self.objects.usable.get(&item);
        known
            .is_some_and(|one| one.usage & kind.usage() != 0 && (one.views > 0 || !kind.is_image()))
    }

    /// Images in the layout that the descriptor says: those that the command buffer's barriers name, else those that
    /// barriers of the scope name, else all, if they are few. Of the former, those that were made visible to the stages of
    /// the descriptor, if there are any.
    fn likely_images(&mut self, queue: usize, lost: Lost) -> Rc<[ItemId]> {
        let known = &self.submits.concerned.found;
        if let Some((_, found)) = known.iter().find(|one| one.0 == lost) {
            return Rc::clone(found);
        }
        let allows = |now: ImageLayout| lost.layout.map_or(lost.kind.allows(now), |it| it == now);
        let fits = |item: ItemId| {
            let layouts = &self.story.items[item as usize].layouts;
            let is_image = !layouts.is_empty();
            is_image && self.usable(item, lost.kind) && layouts.iter().all(|now| allows(*now))
        };
        let of = |all: &[Brought]| -> Vec<ItemId> {
            let fitting = all.iter().filter(|one| fits(one.0));
            let (started, others): (Vec<&Brought>, Vec<&Brought>) =
                fitting.partition(|one| starts(one.1, lost.stages));
            let chosen = if started.is_empty() { others } else { started };
            chosen.into_iter().map(|one| one.0).collect()
        };
        let mut found = of(&self.submits.concerned.images);
        if found.is_empty() {
            found = of(&self.submits.scopes[queue].recent);
        }
        if found.is_empty() {
            let live = self.objects.usable.keys().copied();
            found = live.filter(|item| fits(*item)).collect();
        }
        let found: Rc<[ItemId]> = self.few(found).into();
        let remembered = (lost, Rc::clone(&found));
        self.submits.concerned.found.push(remembered);
        found
    }

    /// Buffers of a usage that the command buffer writes or names in a barrier, and did not make visible to others only.
    fn likely_buffers(&mut self, kind: Type) -> Rc<[ItemId]> {
        let fits = |(item, seen): &(ItemId, Option<AccessFlags>)| {
            let is_buffer = self.story.items[*item as usize].layouts.is_empty();
            let visible = seen.is_none_or(|seen| seen.intersects(kind.accesses()));
            is_buffer && visible && self.usable(*item, kind)
        };
        let concerned = self.submits.concerned.buffers.iter();
        let found = concerned.copied().filter(fits).map(|(item, _)| item);
        let found = found.collect();
        self.few(found).into()
    }

    fn few(&mut self, found: Vec<ItemId>) -> Vec<ItemId> {
        if found.len() <= LIKELY_MAX {
            return found;
        }
        self.notes.note(
            Fate::Dropped,
            "descriptors that the capture lost and that more than 16 images or buffers fit: none of them",
        );
        Vec::new()
    }
}
