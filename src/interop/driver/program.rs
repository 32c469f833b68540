//! A program as a driver is told it: one line.

use super::survey::{Meaning, Survey, survey};
use super::{VERSION, json};
use crate::api::{BarrierAccess, BarrierSync, LeafSet};
use crate::hardware::Profile;
use crate::id::{BarrierRef, ListId, NodeId, ResourceId, SubmissionId, narrow};
use crate::interop::exchange::{self, CallKind, Form, Masks};
use crate::interop::vulkan::Table;
use crate::order::{SubmissionKind, Timeline};
use crate::scenario::{
    Barrier, BarrierTarget, Command, Placement, Range, ResourceKind, Use, UseMode, geometry,
};
use crate::schema::{Schema, schema};
use serde::Serialize;
use std::collections::BTreeMap;

/// What describes the line.
pub(super) const SCHEMA: Schema = schema!(
    written ProgramLine<'static>, "driver-program", "The line about a program that a driver in another process reads and answers"
);

/// A program. Programs have nothing to do with each other: what a driver remembers of one is not asked for in another.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverProgram"))]
struct ProgramLine<'a> {
    /// Version of this contract: 1.
    schema: u32,
    /// `program`.
    line: &'static str,
    /// The machine: the name of a profile line that came before.
    profile: &'a str,
    /// Resources; others name them by their index here.
    resources: Vec<ResourceRow<'a>>,
    /// `ExecuteCommandLists` scopes, in an order in which they may be carried out.
    scopes: Vec<ScopeRow<'a>>,
}

/// A resource.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverResource"))]
struct ResourceRow<'a> {
    /// Declared name.
    name: &'a str,
    /// Bits of `D3D12_RESOURCE_FLAGS`.
    flags: u32,
    /// The size of a buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// The shape of a texture.
    #[serde(skip_serializing_if = "Option::is_none")]
    texture: Option<TextureRow>,
    /// Its heap, by index, and the bytes from the heap's start; absent: it has memory of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    placed: Option<(usize, u64)>,
}

/// A texture.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverTexture"))]
struct TextureRow {
    /// DXGI's name of its format.
    format: &'static str,
    /// Width, height and depth in texels.
    size: (u32, u32, u32),
    /// Mip levels.
    mips: u32,
    /// Array slices.
    layers: u32,
    /// Samples of a texel.
    samples: u32,
}

/// An `ExecuteCommandLists` scope.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverScope"))]
struct ScopeRow<'a> {
    /// The queue.
    queue: &'a str,
    /// Its type.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What the queue carries out, in order.
    events: Vec<Event<'a>>,
}

/// Something of the stream of a queue.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverEvent"))]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event<'a> {
    /// A command that works.
    Work {
        /// Its id, for `command` of a packet.
        id: String,
        /// What it is: `draw`, `dispatch`, `copy`.
        command: &'static str,
        /// Its label.
        #[serde(skip_serializing_if = "Option::is_none")]
        label: Option<&'a str>,
        /// Stages that it runs at, as bits of `D3D12_BARRIER_SYNC`.
        stages: u32,
        /// What it uses.
        uses: Vec<UseRow>,
    },
    /// A barrier call.
    Barrier {
        /// Its id, for `barrier` of a packet.
        id: String,
        /// Its entries.
        entries: Vec<EntryRow<'a>>,
    },
    /// The end of a command list.
    End {
        /// Its name, for `command` of a packet; null if it has none.
        list: Option<&'a str>,
    },
}

/// A use of a resource.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverUse"))]
struct UseRow {
    /// The resource, by index.
    resource: usize,
    /// One bit of `D3D12_BARRIER_ACCESS`.
    access: u32,
    /// Stages at which it happens, as bits of `D3D12_BARRIER_SYNC`.
    stages: u32,
    /// It reads.
    reads: bool,
    /// It writes.
    writes: bool,
    /// The part of the resource; absent: all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<PartRow>,
}

/// A part of a resource. Pairs are half-open: the first, and one past the last.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverPart"))]
struct PartRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<(u64, u64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mips: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    planes: Option<(u32, u32)>,
}

/// An entry of a barrier call, as D3D12 says it, as Vulkan says it, and what it means.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverEntry"))]
struct EntryRow<'a> {
    /// Its index, for `entries` of a packet.
    entry: u32,
    /// The resource, by index; null: all memory of the queue.
    resource: Option<usize>,
    /// What the application said.
    d3d12: D3d12Row,
    /// The same as `syncscope export --table minimal` writes it; null: Vulkan has nothing for it.
    vulkan: Option<VulkanRow>,
    /// What it means on this machine.
    means: MeaningRow<'a>,
}

/// The values of D3D12's headers.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverD3d12Barrier"))]
struct D3d12Row {
    /// `global`, `texture`, `buffer` or `ranged`.
    #[serde(rename = "type")]
    kind: &'static str,
    sync_before: u32,
    sync_after: u32,
    access_before: u32,
    access_after: u32,
    /// Of a texture barrier.
    #[serde(skip_serializing_if = "Option::is_none")]
    layout_before: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    layout_after: Option<u32>,
    /// `D3D12_TEXTURE_BARRIER_FLAGS`: 1 is `DISCARD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    flags: Option<u32>,
    /// The subresources of a texture barrier.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<PartRow>,
}

/// The values of Vulkan's structure.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverVulkanBarrier"))]
struct VulkanRow {
    /// `memory`, `buffer` or `image`.
    structure: &'static str,
    /// `vkCmdPipelineBarrier2`; of a half of a split barrier `vkCmdSetEvent2` or `vkCmdWaitEvents2`.
    call: &'static str,
    src_stage_mask: u64,
    src_access_mask: u64,
    dst_stage_mask: u64,
    dst_access_mask: u64,
    /// Of an image barrier.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<ImageRow>,
}

/// What an image barrier has besides masks.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverVulkanImage"))]
struct ImageRow {
    old_layout: u32,
    new_layout: u32,
    aspect_mask: u32,
    base_mip_level: u32,
    level_count: u32,
    base_array_layer: u32,
    layer_count: u32,
}

/// What an entry means on the machine. Stages are bits of `D3D12_BARRIER_SYNC` without umbrellas, accesses bits of
/// `D3D12_BARRIER_ACCESS` without `COMMON` and `NO_ACCESS`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverMeaning"))]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a fact about the entry by itself"
)]
struct MeaningRow<'a> {
    /// Stages whose earlier work must end first.
    wait: u32,
    /// Stages whose later work must not start before its end.
    hold: u32,
    /// Accesses before it. Of the second half of a split barrier: those before the first half.
    before: u32,
    /// Accesses after it.
    after: u32,
    /// Accesses whose writes are given up: nobody reads them, and they must not be written back over later ones.
    given_up: u32,
    /// The accesses before it touch metadata of compressed texels.
    metadata_before: bool,
    /// The accesses after it do.
    metadata_after: bool,
    /// Which kinds of surfaces of the machine its bytes are, by index.
    surfaces: Vec<usize>,
    /// The layout operation that it needs, by name.
    layout: Option<&'a str>,
    /// That operation gives new metadata to discarded contents.
    initialises: bool,
    /// Caches in which lines of an earlier alias may be left: they are written back and dropped.
    leftovers: Vec<&'a str>,
    /// `begin` and `end` of a split barrier: `begin` waits and acts, `end` holds.
    split: Option<&'static str>,
    /// It is inside of a render pass in tile memory: no packet is used for it, unless the answer says `"keeps_passes":false`.
    by_region: bool,
}

/// The line about a program, without a line end.
pub fn describe(timeline: &Timeline<'_>, profile: &Profile) -> String {
    let describing = Describing {
        timeline,
        profile,
        survey: survey(timeline, profile),
        vulkan: vulkan(timeline),
    };
    let line = ProgramLine {
        schema: VERSION,
        line: "program",
        profile: &profile.name,
        resources: describing.resources(),
        scopes: describing.scopes(),
    };
    json(&line)
}

/// Vulkan's form of each entry, by list, command and index.
type Forms = BTreeMap<(ListId, usize, usize), (CallKind, Form)>;

fn vulkan(timeline: &Timeline<'_>) -> Forms {
    let mut forms = Forms::new();
    for list in exchange::calls(timeline.scenario, Table::Minimal) {
        for call in list.calls {
            for entry in call.entries {
                let (command, index) = entry.place;
                forms.insert((list.list, command, index), (call.kind, entry.form));
            }
        }
    }
    forms
}

/// What a description is made of.
struct Describing<'a, 's> {
    timeline: &'a Timeline<'s>,
    profile: &'a Profile,
    survey: Survey,
    vulkan: Forms,
}

impl<'a> Describing<'a, '_> {
    fn resources(&self) -> Vec<ResourceRow<'a>> {
        let scenario = self.timeline.scenario;
        let all = scenario.resources.values().enumerate();
        all.map(|(at, resource)| ResourceRow {
            name: scenario.resource_name(ResourceId::new(at)),
            flags: resource.flags.bits(),
            bytes: match resource.kind {
                ResourceKind::Buffer { size } => Some(size),
                ResourceKind::Texture(_) => None,
            },
            texture: resource.texture().map(|shape| TextureRow {
                format: shape.format.name(),
                size: (shape.width, shape.height, shape.depth),
                mips: shape.mips,
                layers: shape.layers,
                samples: shape.samples,
            }),
            placed: match resource.placement {
                Placement::Placed { heap, offset } => Some((heap.index(), offset)),
                _ => None,
            },
        })
        .collect()
    }

    fn scopes(&self) -> Vec<ScopeRow<'_>> {
        let timeline = self.timeline;
        let ids = timeline.evaluation.iter();
        let is_scope = |id: &SubmissionId| timeline.submission(*id).kind == SubmissionKind::Execute;
        ids.filter(is_scope).map(|id| self.scope(id)).collect()
    }

    fn scope(&self, id: SubmissionId) -> ScopeRow<'_> {
        let timeline = self.timeline;
        let submission = timeline.submission(id);
        let mut ends = timeline.list_starts(id).skip(1).map(|start| start.0);
        let last = submission.first_node.0 + submission.nodes;
        let mut lists = timeline.lists(submission).iter();
        let mut end = ends.next().unwrap_or(last);
        let mut events = Vec::new();
        let list_end = |list: Option<&ListId>| Event::End {
            list: list.and_then(|list| timeline.scenario.lists[*list].name.as_deref()),
        };
        for (node, _, command) in timeline.commands(id) {
            while node.0 >= end && end < last {
                events.push(list_end(lists.next()));
                end = ends.next().unwrap_or(last);
            }
            events.extend(self.event(node, command));
        }
        events.extend(lists.map(|list| list_end(Some(list))));
        ScopeRow {
            queue: timeline.actor_name(submission.actor),
            kind: timeline
                .queue_type(submission)
                .map_or("", |queue| queue.word()),
            events,
        }
    }

    fn event<'b>(&'b self, node: NodeId, command: &'b Command) -> Option<Event<'b>> {
        let id = || self.timeline.node_name(node);
        let kind = &command.kind;
        let entries = self.entries(node, kind.barriers());
        if !entries.is_empty() {
            return Some(Event::Barrier { id: id(), entries });
        }
        let stages = self.survey.stages.get(&node)?;
        kind.works().then(|| Event::Work {
            id: id(),
            command: kind.work().map_or("", |work| work.words()),
            label: kind.label(),
            stages: bits(*stages),
            uses: command.uses.iter().map(|it| self.usage(node, it)).collect(),
        })
    }

    fn usage(&self, node: NodeId, usage: &Use) -> UseRow {
        let (access, stages) = self.timeline.effect(node, usage);
        let (reads, writes) = match usage.mode {
            UseMode::Default => (access.reads(), access.writes()),
            UseMode::Reads => (true, false),
            UseMode::Writes => (false, true),
            UseMode::Atomics => (true, true),
        };
        UseRow {
            resource: usage.resource.index(),
            access: access.bits(),
            stages: bits(stages),
            reads,
            writes,
            part: self.part(usage.resource, &usage.range),
        }
    }

    fn part(&self, resource: ResourceId, range: &Range) -> Option<PartRow> {
        let nothing = PartRow {
            bytes: None,
            mips: None,
            layers: None,
            planes: None,
        };
        match (range, self.timeline.scenario.resource(resource).texture()) {
            (Range::All, _) => None,
            (Range::Bytes { start, end }, _) => Some(PartRow {
                bytes: Some((*start, *end)),
                ..nothing
            }),
            (_, shape) => {
                let sub = geometry::subresource_box(shape?, range).ok()?;
                Some(PartRow {
                    mips: Some(sub.mips),
                    layers: Some(sub.layers),
                    planes: Some(sub.planes),
                    ..nothing
                })
            }
        }
    }

    fn entries(&self, node: NodeId, barriers: &[Barrier]) -> Vec<EntryRow<'_>> {
        let rows = barriers.iter().enumerate().filter_map(|(at, barrier)| {
            let entry = narrow(at);
            let meaning = self.survey.entries.get(&BarrierRef { node, entry })?;
            Some(EntryRow {
                entry,
                resource: barrier.resource().map(ResourceId::index),
                d3d12: self.d3d12(barrier),
                vulkan: self.vulkan_row(node, at),
                means: self.meaning(meaning),
            })
        });
        rows.collect()
    }

    fn d3d12(&self, barrier: &Barrier) -> D3d12Row {
        let layouts = barrier.layouts();
        let (kind, flags, part) = match &barrier.target {
            BarrierTarget::Global | BarrierTarget::EmptyGroup(_) => ("global", None, None),
            BarrierTarget::Buffer { .. } => ("buffer", None, None),
            BarrierTarget::Ranged { .. } => ("ranged", None, None),
            BarrierTarget::Texture(entry) => {
                let sub = geometry::part_of_barrier(self.timeline.scenario, barrier);
                let part = sub.map(|sub| PartRow {
                    bytes: None,
                    mips: Some(sub.mips),
                    layers: Some(sub.layers),
                    planes: Some(sub.planes),
                });
                ("texture", Some(u32::from(entry.discard)), part)
            }
        };
        D3d12Row {
            kind,
            sync_before: barrier.sync_before.bits(),
            sync_after: barrier.sync_after.bits(),
            access_before: barrier.access_before.bits(),
            access_after: barrier.access_after.bits(),
            layout_before: layouts.map(|(before, _)| before.value()),
            layout_after: layouts.map(|(_, after)| after.value()),
            flags,
            part,
        }
    }

    fn vulkan_row(&self, node: NodeId, entry: usize) -> Option<VulkanRow> {
        let (list, command) = self.timeline.place(node).command?;
        let (kind, form) = self.vulkan.get(&(list, command as usize, entry))?;
        let call = match kind {
            CallKind::Barrier => "vkCmdPipelineBarrier2",
            CallKind::SetEvent(_) | CallKind::SignalFence(..) => "vkCmdSetEvent2",
            CallKind::WaitEvent(_) | CallKind::WaitFence(..) => "vkCmdWaitEvents2",
            CallKind::Nothing => return None,
        };
        let row = |structure, masks: &Masks, image| VulkanRow {
            structure,
            call,
            src_stage_mask: masks.src_stages.bits(),
            src_access_mask: masks.src_access.bits(),
            dst_stage_mask: masks.dst_stages.bits(),
            dst_access_mask: masks.dst_access.bits(),
            image,
        };
        Some(match form {
            Form::Nothing => return None,
            Form::Memory(masks) => row("memory", masks, None),
            Form::Buffer(_, masks) => row("buffer", masks, None),
            Form::Image {
                masks,
                old,
                new,
                range,
                ..
            } => {
                let image = ImageRow {
                    old_layout: old.0,
                    new_layout: new.0,
                    aspect_mask: aspects(&range.aspect_mask),
                    base_mip_level: range.mips.0,
                    level_count: range.mips.1,
                    base_array_layer: range.layers.0,
                    layer_count: range.layers.1,
                };
                row("image", masks, Some(image))
            }
        })
    }

    fn meaning(&self, meaning: &Meaning) -> MeaningRow<'_> {
        let profile = self.profile;
        let (wait, hold) = meaning.asked;
        let kinds = crate::hardware::Variant::all(profile.exceptions.len()).enumerate();
        let own: Vec<_> = meaning.surfaces.iter().collect();
        let leftovers = meaning.leftovers.iter();
        MeaningRow {
            wait: bits(wait),
            hold: bits(hold),
            before: accesses(meaning.before.accesses),
            after: accesses(meaning.after.accesses),
            given_up: accesses(meaning.given_up),
            metadata_before: meaning.metadata.before,
            metadata_after: meaning.metadata.after,
            surfaces: kinds
                .filter(|(_, kind)| own.contains(kind))
                .map(|(at, _)| at)
                .collect(),
            layout: meaning
                .layout
                .map(|it| profile.layout_op(it.op()).name.as_str()),
            initialises: meaning.layout.is_some_and(|it| it.initialises()),
            leftovers: leftovers
                .map(|id| profile.cache(*id).name.as_str())
                .collect(),
            split: match (meaning.is_split_begin, meaning.is_split_end) {
                (true, _) => Some("begin"),
                (_, true) => Some("end"),
                _ => None,
            },
            by_region: meaning.is_by_region,
        }
    }
}

fn bits(stages: LeafSet) -> u32 {
    BarrierSync::of_leaves(stages).bits()
}

fn accesses(accesses: BarrierAccess) -> u32 {
    accesses.bits()
}

/// The value of `VkImageAspectFlags` that C's names stand for.
fn aspects(names: &str) -> u32 {
    let value = |name: &str| match name {
        "VK_IMAGE_ASPECT_COLOR_BIT" => 0x1,
        "VK_IMAGE_ASPECT_DEPTH_BIT" => 0x2,
        "VK_IMAGE_ASPECT_STENCIL_BIT" => 0x4,
        "VK_IMAGE_ASPECT_PLANE_0_BIT" => 0x10,
        "VK_IMAGE_ASPECT_PLANE_1_BIT" => 0x20,
        "VK_IMAGE_ASPECT_PLANE_2_BIT" => 0x40,
        _ => 0,
    };
    names.split(" | ").map(value).fold(0, |all, bit| all | bit)
}
