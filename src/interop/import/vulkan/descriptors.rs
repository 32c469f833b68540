//! Descriptor sets: what is bound where, and what a draw or dispatch therefore touches.

use super::super::story::{ItemId, Part};
use super::Vulkan;
use super::commands::point;
use super::pipelines::{stage, stage_bits};
use super::templates::{TemplateEntry, from_template};
use crate::api::BarrierAccess;
use crate::interop::capture::Fields;
use crate::interop::vulkan::ImageLayout;
use crate::lookup::LookupMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a descriptor is, as far as its type decides what it touches.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Nothing,
    Sampler,
    Sampled,
    StorageImage,
    UniformTexels,
    StorageTexels,
    Uniform { dynamic: bool },
    Storage { dynamic: bool },
    Input,
    Structure,
}

/// One descriptor.
#[derive(Clone, Debug)]
pub(super) struct Descriptor {
    pub(super) kind: Type,
    pub(super) item: ItemId,
    pub(super) part: Part,
    /// Of a buffer: offset and range, to be moved by a dynamic offset.
    pub(super) bytes: (u64, u64),
    pub(super) layout: Option<ImageLayout>,
    /// Set by a template whose data the capture may not have.
    pub(super) may: bool,
}

/// Descriptors of a set by binding and element.
pub(super) type Contents = BTreeMap<(u32, u32), Descriptor>;

impl Descriptor {
    /// One whose image or buffer the capture does not have.
    pub(super) fn lost(kind: Type, layout: Option<ImageLayout>) -> Self {
        Self {
            kind,
            item: ItemId::MAX,
            part: Part::All,
            bytes: (0, 0),
            layout,
            may: true,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) number: u32,
    pub(super) kind: Type,
    pub(super) count: u32,
    pub(super) stages: u32,
}

/// Bindings of a set, in order of their numbers.
pub(super) type SetLayout = Rc<[Binding]>;

/// A set bound to a place.
#[derive(Clone, Debug)]
pub(super) enum SetRef {
    Handle(u64),
    Pushed(Rc<Contents>),
}

#[derive(Clone, Debug)]
pub(super) struct BoundSet {
    pub(super) set: SetRef,
    pub(super) layout: SetLayout,
    pub(super) offsets: Vec<u64>,
}

/// Sets bound to a bind point, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct BoundSets(pub(super) Vec<Option<BoundSet>>);

#[derive(Debug)]
pub(super) struct Set {
    layout: SetLayout,
    pub(super) contents: Rc<Contents>,
    pool: u64,
}

/// Live descriptor objects.
#[derive(Default)]
pub(super) struct Descriptors {
    layouts: LookupMap<u64, SetLayout>,
    pipeline_layouts: LookupMap<u64, Rc<[SetLayout]>>,
    pub(super) sets: LookupMap<u64, Set>,
    pools: LookupMap<u64, Vec<u64>>,
    pub(super) templates: LookupMap<u64, Rc<[TemplateEntry]>>,
}

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkCreateDescriptorSetLayout" => create_layout,
        "vkDestroyDescriptorSetLayout" => {
            |v, a| drop(v.descriptors.layouts.remove(&a.u64("descriptorSetLayout")))
        }
        "vkCreatePipelineLayout" => create_pipeline_layout,
        "vkDestroyPipelineLayout" => |v, a| {
            drop(
                v.descriptors
                    .pipeline_layouts
                    .remove(&a.u64("pipelineLayout")),
            );
        },
        "vkCreateDescriptorPool" => |_, _| {},
        "vkDestroyDescriptorPool" | "vkResetDescriptorPool" => |v, a| {
            for set in v
                .descriptors
                .pools
                .remove(&a.u64("descriptorPool"))
                .unwrap_or_default()
            {
                v.descriptors.sets.remove(&set);
            }
        },
        "vkAllocateDescriptorSets" => allocate,
        "vkFreeDescriptorSets" => |v, a| {
            for set in a.numbers("pDescriptorSets") {
                let freed = v.descriptors.sets.remove(&set);
                if let Some(pool) = freed.and_then(|it| v.descriptors.pools.get_mut(&it.pool)) {
                    pool.retain(|other| *other != set);
                }
            }
        },
        "vkUpdateDescriptorSets" => update,
        "vkCmdBindDescriptorSets" | "vkCmdBindDescriptorSets2" => bind,
        "vkCmdPushDescriptorSet" | "vkCmdPushDescriptorSet2" => push,
        "vkCmdPushDescriptorSetWithTemplate" | "vkCmdPushDescriptorSetWithTemplate2" => {
            push_template
        }
        _ => return None,
    })
}

/// The type of `VK_DESCRIPTOR_TYPE_…`.
pub(super) fn kind(field: Fields<'_>) -> Type {
    let by_number = |number: u64| match number {
        0 => Type::Sampler,
        1..=2 => Type::Sampled,
        3 => Type::StorageImage,
        4 => Type::UniformTexels,
        5 => Type::StorageTexels,
        6 => Type::Uniform { dynamic: false },
        7 => Type::Storage { dynamic: false },
        8 => Type::Uniform { dynamic: true },
        9 => Type::Storage { dynamic: true },
        10 => Type::Input,
        1_000_150_000 => Type::Structure,
        _ => Type::Nothing,
    };
    if let Some(number) = field.0.as_u64() {
        return by_number(number);
    }
    match field.text().trim_start_matches("VK_DESCRIPTOR_TYPE_") {
        "SAMPLER" => Type::Sampler,
        "COMBINED_IMAGE_SAMPLER" | "SAMPLED_IMAGE" => Type::Sampled,
        "STORAGE_IMAGE" => Type::StorageImage,
        "UNIFORM_TEXEL_BUFFER" => Type::UniformTexels,
        "STORAGE_TEXEL_BUFFER" => Type::StorageTexels,
        "UNIFORM_BUFFER" => Type::Uniform { dynamic: false },
        "STORAGE_BUFFER" => Type::Storage { dynamic: false },
        "UNIFORM_BUFFER_DYNAMIC" => Type::Uniform { dynamic: true },
        "STORAGE_BUFFER_DYNAMIC" => Type::Storage { dynamic: true },
        "INPUT_ATTACHMENT" => Type::Input,
        "ACCELERATION_STRUCTURE_KHR" => Type::Structure,
        _ => Type::Nothing,
    }
}

impl Type {
    pub(super) fn access(self) -> Option<BarrierAccess> {
        Some(match self {
            Self::Nothing | Self::Sampler => return None,
            Self::Sampled | Self::UniformTexels | Self::Input => BarrierAccess::SHADER_RESOURCE,
            Self::StorageImage | Self::StorageTexels | Self::Storage { .. } => {
                BarrierAccess::UNORDERED_ACCESS
            }
            Self::Uniform { .. } => BarrierAccess::CONSTANT_BUFFER,
            Self::Structure => BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ,
        })
    }

    pub(super) fn is_dynamic(self) -> bool {
        matches!(
            self,
            Self::Uniform { dynamic: true } | Self::Storage { dynamic: true }
        )
    }
}

fn create_layout(v: &mut Vulkan, a: Fields<'_>) {
    let mut bindings: Vec<Binding> = a
        .get("pCreateInfo")
        .list("pBindings")
        .map(|each| Binding {
            number: each.u32("binding"),
            kind: kind(each.get("descriptorType")),
            count: each.u32("descriptorCount"),
            stages: stage_bits(each.get("stageFlags")),
        })
        .collect();
    bindings.sort_by_key(|binding| binding.number);
    v.descriptors
        .layouts
        .insert(a.u64("pSetLayout"), bindings.into());
}

fn create_pipeline_layout(v: &mut Vulkan, a: Fields<'_>) {
    let layouts: Vec<SetLayout> = a
        .get("pCreateInfo")
        .numbers("pSetLayouts")
        .map(|handle| {
            v.descriptors
                .layouts
                .get(&handle)
                .cloned()
                .unwrap_or_default()
        })
        .collect();
    v.descriptors
        .pipeline_layouts
        .insert(a.u64("pPipelineLayout"), layouts.into());
}

fn allocate(v: &mut Vulkan, a: Fields<'_>) {
    let info = a.get("pAllocateInfo");
    let pool = info.u64("descriptorPool");
    for (layout, set) in info
        .numbers("pSetLayouts")
        .zip(a.numbers("pDescriptorSets"))
    {
        let layout = v
            .descriptors
            .layouts
            .get(&layout)
            .cloned()
            .unwrap_or_default();
        let made = Set {
            layout,
            contents: Rc::default(),
            pool,
        };
        v.descriptors.sets.insert(set, made);
        v.descriptors.pools.entry(pool).or_default().push(set);
    }
}

/// The descriptors of one `VkWriteDescriptorSet`.
fn written(v: &mut Vulkan, write: Fields<'_>, into: &mut Contents) {
    let kind = kind(write.get("descriptorType"));
    if kind == Type::Structure {
        v.notes.dropped("acceleration structures in descriptors");
    }
    let (binding, first) = (write.u32("dstBinding"), write.u32("dstArrayElement"));
    let infos = ["pImageInfo", "pBufferInfo", "pTexelBufferView"]
        .into_iter()
        .find_map(|key| write.get(key).0.as_array())
        .map_or(&[] as &[_], Vec::as_slice);
    for (at, info) in (0u32..).zip(infos) {
        let place = (binding, first.saturating_add(at));
        match descriptor(v, kind, Fields(info)) {
            Some(descriptor) => into.insert(place, descriptor),
            None => into.remove(&place),
        };
    }
}

pub(super) fn descriptor(v: &mut Vulkan, kind: Type, info: Fields<'_>) -> Option<Descriptor> {
    match kind {
        Type::Nothing | Type::Sampler | Type::Structure => None,
        Type::Sampled | Type::StorageImage | Type::Input => {
            let view = v.objects.views.get(&info.u64("imageView"))?;
            Some(Descriptor {
                kind,
                item: view.item,
                part: view.part.clone(),
                bytes: (0, 0),
                layout: Some(info.layout("imageLayout")),
                may: false,
            })
        }
        Type::UniformTexels | Type::StorageTexels => {
            let view = v.objects.buffer_views.get(&info.number())?;
            Some(Descriptor {
                kind,
                item: view.item,
                part: view.part.clone(),
                bytes: (0, 0),
                layout: None,
                may: false,
            })
        }
        Type::Uniform { .. } | Type::Storage { .. } => {
            let (offset, range) = (info.u64("offset"), info.u64("range"));
            let (item, part) = v.bytes_of(info.u64("buffer"), offset, range)?;
            Some(Descriptor {
                kind,
                item,
                part,
                bytes: (offset, range),
                layout: None,
                may: false,
            })
        }
    }
}

fn update(v: &mut Vulkan, a: Fields<'_>) {
    for write in a.list("pDescriptorWrites") {
        let Some(mut set) = v.descriptors.sets.remove(&write.u64("dstSet")) else {
            v.stranger("descriptor set");
            continue;
        };
        written(v, write, Rc::make_mut(&mut set.contents));
        v.descriptors.sets.insert(write.u64("dstSet"), set);
    }
    for copy in a.list("pDescriptorCopies") {
        let (from, element) = (copy.u32("srcBinding"), copy.u32("srcArrayElement"));
        let Some(source) = v.descriptors.sets.get(&copy.u64("srcSet")) else {
            continue;
        };
        let count = copy.u32("descriptorCount").min(1 << 20);
        let found: Vec<(u32, Descriptor)> = (0..count)
            .filter_map(|at| Some((at, source.contents.get(&(from, element + at))?.clone())))
            .collect();
        if let Some(target) = v.descriptors.sets.get_mut(&copy.u64("dstSet")) {
            let (to, start) = (copy.u32("dstBinding"), copy.u32("dstArrayElement"));
            let placed = found.into_iter().map(|(at, one)| ((to, start + at), one));
            Rc::make_mut(&mut target.contents).extend(placed);
        }
    }
}

/// The arguments of a command of the second form are in one structure.
fn inner<'a>(a: Fields<'a>, key: &str) -> Fields<'a> {
    let info = a.get(key);
    if info.is_some() { info } else { a }
}

/// Bind points that a command names, by a point or by stages.
fn points(a: Fields<'_>) -> Vec<usize> {
    if a.get("pipelineBindPoint").is_some() {
        return vec![point(a.get("pipelineBindPoint"))];
    }
    let stages = stage_bits(a.get("stageFlags"));
    let all = [0x1f | 0xc0, stage::COMPUTE, stage::RAYS];
    (0..3).filter(|at| stages & all[*at] != 0).collect()
}

/// The layouts of the sets of the pipeline layout that a command names.
fn set_layouts(v: &Vulkan, a: Fields<'_>) -> Rc<[SetLayout]> {
    let layouts = v.descriptors.pipeline_layouts.get(&a.u64("layout"));
    layouts.cloned().unwrap_or_default()
}

fn bind(v: &mut Vulkan, call: Fields<'_>) {
    let a = inner(call, "pBindDescriptorSetsInfo");
    let layouts = set_layouts(v, a);
    let first = a.u64("firstSet").min(64) as usize;
    let mut offsets = a.numbers("pDynamicOffsets");
    let mut bound = Vec::new();
    for (at, handle) in a.numbers("pDescriptorSets").enumerate().take(64) {
        let own = v
            .descriptors
            .sets
            .get(&handle)
            .map(|set| set.layout.clone());
        let Some(layout) = layouts.get(first + at).cloned().or(own) else {
            continue;
        };
        let dynamic = layout
            .iter()
            .filter(|b| b.kind.is_dynamic())
            .map(|b| b.count as usize)
            .sum();
        let offsets = offsets.by_ref().take(dynamic).collect();
        bound.push((
            first + at,
            BoundSet {
                set: SetRef::Handle(handle),
                layout,
                offsets,
            },
        ));
    }
    let points = points(a);
    v.recorded(call, |_, recording| {
        for point in points {
            let sets = Rc::make_mut(&mut recording.state.sets[point]);
            for (number, set) in &bound {
                sets.put(*number, set.clone());
            }
        }
    });
}

impl Vulkan {
    /// What is in a bound set now.
    pub(super) fn contents(&self, set: &SetRef) -> Option<Rc<Contents>> {
        match set {
            SetRef::Pushed(contents) => Some(Rc::clone(contents)),
            SetRef::Handle(handle) => {
                let set = self.descriptors.sets.get(handle)?;
                Some(Rc::clone(&set.contents))
            }
        }
    }
}

impl BoundSets {
    fn put(&mut self, number: usize, set: BoundSet) {
        if self.0.len() <= number {
            self.0.resize(number + 1, None);
        }
        self.0[number] = Some(set);
    }
}

fn push(v: &mut Vulkan, call: Fields<'_>) {
    let a = inner(call, "pPushDescriptorSetInfo");
    push_with(v, call, a, |v, contents| {
        for write in a.list("pDescriptorWrites") {
            written(v, write, contents);
        }
    });
}

fn push_template(v: &mut Vulkan, call: Fields<'_>) {
    let a = inner(call, "pPushDescriptorSetWithTemplateInfo");
    push_with(v, call, a, |v, contents| from_template(v, a, contents));
}

fn push_with(
    v: &mut Vulkan,
    call: Fields<'_>,
    a: Fields<'_>,
    fill: impl FnOnce(&mut Vulkan, &mut Contents),
) {
    let layouts = set_layouts(v, a);
    let number = a.u64("set").min(64) as usize;
    let Some(layout) = layouts.get(number).cloned() else {
        return v.stranger("pipeline layout");
    };
    // A template knows its own bind point; what is pushed for another is never used.
    let named = points(a);
    let points = if named.is_empty() {
        vec![0, 1, 2]
    } else {
        named
    };
    v.recorded(call, |v, recording| {
        let before =
            points
                .first()
                .and_then(|point| match recording.state.sets[*point].0.get(number) {
                    Some(Some(BoundSet {
                        set: SetRef::Pushed(contents),
                        ..
                    })) => Some(Contents::clone(contents)),
                    _ => None,
                });
        let mut contents = before.unwrap_or_default();
        fill(v, &mut contents);
        let set = BoundSet {
            set: SetRef::Pushed(Rc::new(contents)),
            layout,
            offsets: Vec::new(),
        };
        for point in points {
            Rc::make_mut(&mut recording.state.sets[point]).put(number, set.clone());
        }
    });
}
