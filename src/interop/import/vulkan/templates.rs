//! Update templates of descriptor sets: several descriptors in one call, whose images and buffers some converters lose.

use super::super::report::Fate;
use super::Vulkan;
use super::descriptors::{Contents, Descriptor, Type, descriptor, kind};
use crate::interop::capture::Fields;
use crate::interop::vulkan::ImageLayout;
use serde_json::Value;
use std::rc::Rc;

/// One entry of an update template.
#[derive(Copy, Clone, Debug)]
pub(super) struct TemplateEntry {
    binding: u32,
    element: u32,
    count: u32,
    kind: Type,
}

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkCreateDescriptorUpdateTemplate" => create_template,
        "vkDestroyDescriptorUpdateTemplate" => |v, a| {
            drop(
                v.descriptors
                    .templates
                    .remove(&a.u64("descriptorUpdateTemplate")),
            );
        },
        "vkUpdateDescriptorSetWithTemplate" => update_with_template,
        _ => return None,
    })
}

fn create_template(v: &mut Vulkan, a: Fields<'_>) {
    let entries = a
        .get("pCreateInfo")
        .list("pDescriptorUpdateEntries")
        .map(|each| TemplateEntry {
            binding: each.u32("dstBinding"),
            element: each.u32("dstArrayElement"),
            count: each.u32("descriptorCount"),
            kind: kind(each.get("descriptorType")),
        });
    v.descriptors
        .templates
        .insert(a.u64("pDescriptorUpdateTemplate"), entries.collect());
}

/// What a template update carries: a list for each kind of info, of which the entries take theirs in order.
pub(super) fn from_template(v: &mut Vulkan, a: Fields<'_>, contents: &mut Contents) {
    let Some(entries) = v
        .descriptors
        .templates
        .get(&a.u64("descriptorUpdateTemplate"))
        .cloned()
    else {
        return v.stranger("descriptor update template");
    };
    let data = a.get("pData");
    let list = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| data.get(key).0.as_array());
        found.cloned().unwrap_or_default().into_iter()
    };
    let holds = holds_handles(data);
    let mut images = list(&["pImageInfo", "imageInfos", "image_info"]);
    let mut buffers = list(&["pBufferInfo", "bufferInfos", "buffer_info"]);
    let mut texels = list(&["pTexelBufferView", "texelBufferViews", "texel_buffer_views"]);
    for entry in entries.iter() {
        for at in 0..entry.count.min(1 << 16) {
            let said = match entry.kind {
                Type::Sampler | Type::Sampled | Type::StorageImage | Type::Input => images.next(),
                Type::Uniform { .. } | Type::Storage { .. } => buffers.next(),
                Type::UniformTexels | Type::StorageTexels => texels.next(),
                Type::Nothing | Type::Structure => continue,
            };
            if entry.kind == Type::Sampler {
                continue;
            }
            let place = (entry.binding, entry.element.saturating_add(at));
            let layout = said_layout(entry.kind, said.as_ref());
            let Some(info) = said.filter(|_| holds) else {
                v.notes.note(Fate::Narrowed, entry.kind.lost_as());
                contents.insert(place, Descriptor::lost(entry.kind, layout));
                continue;
            };
            match descriptor(v, entry.kind, Fields(&info)) {
                Some(found) => contents.insert(place, found),
                None => contents.remove(&place),
            };
        }
    }
}
/// Whether a template's data has any handle. Without, its descriptors are not null: the converter lost them.
fn holds_handles(data: Fields<'_>) -> bool {
    let any = |value: &Value| match value {
        Value::Array(all) => all.iter().any(|each| {
            let each = Fields(each);
            let members = ["imageView", "sampler", "buffer"];
            each.number() != 0 || members.iter().any(|key| each.u64(key) != 0)
        }),
        _ => false,
    };
    data.0
        .as_object()
        .is_some_and(|data| data.values().any(any))
}

/// The layout that an image info says, if it is one.
fn said_layout(kind: Type, info: Option<&Value>) -> Option<ImageLayout> {
    let info = Fields(info.filter(|_| kind.is_image())?);
    info.get("imageLayout")
        .is_some()
        .then(|| info.layout("imageLayout"))
}

fn update_with_template(v: &mut Vulkan, a: Fields<'_>) {
    let handle = a.u64("descriptorSet");
    let Some(mut set) = v.descriptors.sets.remove(&handle) else {
        return v.stranger("descriptor set");
    };
    from_template(v, a, Rc::make_mut(&mut set.contents));
    v.descriptors.sets.insert(handle, set);
}
