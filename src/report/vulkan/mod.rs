//! Barriers in Vulkan's words: as JSON here, as C text in `c_text`, and there and back in `roundtrip`.

pub mod c_text;
pub mod roundtrip;

use crate::finding::Source;
use crate::id::ListId;
use crate::interop::exchange::{Call, CallKind, Entry, Exported, Form, Masks};
use crate::report::format::Output;
use crate::report::{Style, json};
use crate::scenario::{Barrier, BarrierRange, BarrierTarget, Scenario, range_text};
use crate::schema::schema;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Version of the JSON forms.
const SCHEMA: u32 = 1;

/// Writes barriers in Vulkan's words.
pub type WriteVulkan = fn(&Exported, &Source, &Style, &mut dyn Write) -> io::Result<()>;

/// Barriers in Vulkan's words: `export --to vulkan`.
pub const VULKAN: Output<WriteVulkan> = Output {
    name: "vulkan",
    noun: "barriers of Vulkan",
    writers: &[("json", |exported, source, _, out| {
        json::line(&document(exported, source), out)
    })],
    schema: Some(schema!(
        written VulkanDocument<'static>, "vulkan", "The output of `export --to vulkan --format json`"
    )),
};

/// The output of `export --to vulkan --format json`: the barriers of a scenario in Vulkan's words.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "VulkanExport"))]
struct VulkanDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// The scenario's file.
    file: &'a str,
    /// The table of words.
    table: &'static str,
    /// Where the table is from.
    source: &'static str,
    /// Whether submissions follow each other: D3D12 finishes and flushes everything between those of one queue, and
    /// Vulkan needs a barrier of `ALL_COMMANDS` and all of memory there.
    between_submissions: bool,
    /// Lists that record barriers, in the order of the text.
    lists: Vec<ListRow>,
}

/// A list.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "VulkanList"))]
struct ListRow {
    /// Its name, or where it is.
    list: String,
    /// The type of its queue.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Events that it needs.
    events: u32,
    /// What is called, in order.
    calls: Vec<CallRow>,
}

/// A call.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "VulkanCall"))]
struct CallRow {
    /// Line of the D3D12 call.
    line: u32,
    /// The function; null if nothing is called.
    call: Option<&'static str>,
    /// The event that it sets or waits for.
    event: Option<String>,
    /// Barriers that the call gets.
    barriers: Vec<BarrierRow>,
}

/// A barrier.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "VulkanBarrier"))]
struct BarrierRow {
    /// Line of the D3D12 entry.
    line: u32,
    /// The entry in one line.
    asked: String,
    /// The structure; null if nothing is left of it.
    structure: Option<&'static str>,
    /// Buffer or image.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
    /// The masks.
    #[serde(flatten)]
    masks: Option<MaskRow>,
    /// Layouts and range of an image.
    #[serde(flatten)]
    image: Option<ImageRow>,
    /// Where Vulkan has no word, or means something else.
    notes: Vec<String>,
}

/// Masks: numbers, and names joined by `|`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "VulkanMasks"))]
#[allow(clippy::struct_field_names, reason = "Vulkan's names")]
struct MaskRow {
    src_stage_mask: MaskValue,
    src_access_mask: MaskValue,
    dst_stage_mask: MaskValue,
    dst_access_mask: MaskValue,
}

/// A mask.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "VulkanMask"))]
struct MaskValue {
    /// The number.
    value: u64,
    /// Names without prefix and `_BIT`, joined by `|`.
    names: String,
}

/// What an image barrier has besides masks.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "VulkanImage"))]
struct ImageRow {
    old_layout: String,
    new_layout: String,
    /// As C writes it.
    aspect_mask: String,
    base_mip_level: u32,
    level_count: u32,
    base_array_layer: u32,
    layer_count: u32,
}

fn document<'a>(exported: &Exported, source: &'a Source) -> VulkanDocument<'a> {
    let scenario = &exported.scenario;
    VulkanDocument {
        schema: SCHEMA,
        file: &source.name,
        table: exported.table.name(),
        source: exported.table.source(),
        between_submissions: exported.boundaries,
        lists: exported
            .lists
            .iter()
            .map(|list| ListRow {
                list: list_name(scenario, list.list, source),
                kind: scenario.lists[list.list].queue_type.word(),
                events: list.events,
                calls: list
                    .calls
                    .iter()
                    .map(|call| call_row(scenario, call, source))
                    .collect(),
            })
            .collect(),
    }
}

/// A list's name, or where it is.
fn list_name(scenario: &Scenario, list: ListId, source: &Source) -> String {
    let list = &scenario.lists[list];
    list.name
        .clone()
        .unwrap_or_else(|| format!("(in place, line {})", source.line(list.span.start)))
}

/// The function that a call is.
fn function(kind: CallKind) -> Option<&'static str> {
    match kind {
        CallKind::Barrier => Some("vkCmdPipelineBarrier2"),
        CallKind::SetEvent(_) | CallKind::SignalFence(..) => Some("vkCmdSetEvent2"),
        CallKind::WaitEvent(_) | CallKind::WaitFence(..) => Some("vkCmdWaitEvents2"),
        CallKind::Nothing => None,
    }
}

/// The event of a call, as a word of C.
fn event(scenario: &Scenario, kind: CallKind) -> Option<String> {
    match kind {
        CallKind::SetEvent(event) | CallKind::WaitEvent(event) => Some(format!("split_{event}")),
        CallKind::SignalFence(fence, value) | CallKind::WaitFence(fence, value) => Some(format!(
            "{}_{value}",
            identifier(scenario.fence_name(fence))
        )),
        CallKind::Barrier | CallKind::Nothing => None,
    }
}

/// A name of the scenario as a word of C.
fn identifier(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

fn call_row(scenario: &Scenario, call: &Call, source: &Source) -> CallRow {
    CallRow {
        line: source.line(call.span.start),
        call: function(call.kind),
        event: event(scenario, call.kind),
        barriers: call
            .entries
            .iter()
            .map(|entry| barrier_row(scenario, entry, source))
            .collect(),
    }
}

fn structure(form: &Form) -> Option<&'static str> {
    match form {
        Form::Memory(_) => Some("VkMemoryBarrier2"),
        Form::Buffer(..) => Some("VkBufferMemoryBarrier2"),
        Form::Image { .. } => Some("VkImageMemoryBarrier2"),
        Form::Nothing => None,
    }
}

fn barrier_row(scenario: &Scenario, entry: &Entry, source: &Source) -> BarrierRow {
    let (resource, image) = match &entry.form {
        Form::Buffer(resource, _) => (Some(*resource), None),
        Form::Image {
            resource,
            old,
            new,
            range,
            ..
        } => {
            let image = ImageRow {
                old_layout: old.name().into_owned(),
                new_layout: new.name().into_owned(),
                aspect_mask: range.aspect_mask.clone(),
                base_mip_level: range.mips.0,
                level_count: range.mips.1,
                base_array_layer: range.layers.0,
                layer_count: range.layers.1,
            };
            (Some(*resource), Some(image))
        }
        Form::Memory(_) | Form::Nothing => (None, None),
    };
    BarrierRow {
        line: source.line(entry.span.start),
        asked: asked_text(scenario, &entry.asked),
        structure: structure(&entry.form),
        resource: resource.map(|id| scenario.resource_name(id).to_owned()),
        masks: entry.form.masks().map(mask_row),
        image,
        notes: entry.notes.clone(),
    }
}

fn mask_row(masks: &Masks) -> MaskRow {
    let stages = |mask: crate::interop::vulkan::StageFlags| MaskValue {
        value: mask.bits(),
        names: mask.to_string(),
    };
    let access = |mask: crate::interop::vulkan::AccessFlags| MaskValue {
        value: mask.bits(),
        names: mask.to_string(),
    };
    MaskRow {
        src_stage_mask: stages(masks.src_stages),
        src_access_mask: access(masks.src_access),
        dst_stage_mask: stages(masks.dst_stages),
        dst_access_mask: access(masks.dst_access),
    }
}

/// A barrier in one line, with everything that it says.
fn asked_text(scenario: &Scenario, barrier: &Barrier) -> String {
    let name = barrier.resource().map(|id| scenario.resource_name(id));
    let mut words = match (&barrier.target, name) {
        (BarrierTarget::Global, _) => "global".to_owned(),
        (BarrierTarget::EmptyGroup(_), _) => return "a group of no barriers".to_owned(),
        (_, name) => name.unwrap_or("null").to_owned(),
    };
    let texture = barrier.as_texture();
    if let Some(BarrierRange::Range(range)) = texture.map(|it| &it.range) {
        words.push_str(&range_text(range));
    }
    let _ = write!(
        words,
        " sync {} -> {}; access {} -> {}",
        barrier.sync_before, barrier.sync_after, barrier.access_before, barrier.access_after
    );
    if let Some(it) = texture {
        let _ = write!(
            words,
            "; layout {} -> {}",
            it.layout_before, it.layout_after
        );
        if it.discard {
            words.push_str("; discard");
        }
    }
    words
}
