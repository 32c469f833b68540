//! Commands that change what the next draw or dispatch runs with: pipelines, buffers, state, groups, secondary buffers.

use super::super::story::{Touch, What, Work};
use super::Vulkan;
use super::drawing::{COMPUTE, GRAPHICS, RAYS, attachment_touches};
use super::pipelines::bindings;
use super::record::{BoundBuffer, Recording};
use crate::api::{BarrierAccess, Leaf};
use crate::interop::capture::Fields;
use std::rc::Rc;

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkCmdBindPipeline" => |v, a| v.recorded(a, |v, r| bind_pipeline(v, r, a)),
        "vkCmdBindVertexBuffers" | "vkCmdBindVertexBuffers2" => {
            |v, a| v.recorded(a, |v, r| bind_vertices(v, r, a))
        }
        "vkCmdBindIndexBuffer" | "vkCmdBindIndexBuffer2" => {
            |v, a| v.recorded(a, |v, r| bind_index(v, r, a))
        }
        "vkCmdBindTransformFeedbackBuffers" => |v, a| v.recorded(a, |v, r| bind_feedback(v, r, a)),
        "vkCmdBeginTransformFeedback" => |v, a| v.recorded(a, |_, r| r.state.feedback_on = true),
        "vkCmdEndTransformFeedback" => |v, a| v.recorded(a, |_, r| r.state.feedback_on = false),
        "vkCmdSetDepthTestEnable" => {
            |v, a| v.recorded(a, |_, r| r.state.depth[0] = a.u64("depthTestEnable") != 0)
        }
        "vkCmdSetDepthWriteEnable" => {
            |v, a| v.recorded(a, |_, r| r.state.depth[1] = a.u64("depthWriteEnable") != 0)
        }
        "vkCmdSetStencilTestEnable" => {
            |v, a| v.recorded(a, |_, r| r.state.depth[2] = a.u64("stencilTestEnable") != 0)
        }
        "vkCmdSetVertexInput" => |v, a| {
            v.recorded(a, |_, r| {
                r.state.dynamic_bindings = bindings(a.list("pVertexBindingDescriptions"));
            });
        },
        "vkCmdSetRasterizerDiscardEnable" => |_, _| {},
        "vkCmdExecuteCommands" => |v, a| v.recorded(a, |v, r| execute(v, r, a)),
        "vkCmdBeginDebugUtilsLabel" => {
            |v, a| v.recorded(a, |v, r| open(v, r, a.get("pLabelInfo").str("pLabelName")))
        }
        "vkCmdDebugMarkerBegin" => |v, a| {
            v.recorded(a, |v, r| {
                open(v, r, a.get("pMarkerInfo").str("pMarkerName"));
            });
        },
        "vkCmdEndDebugUtilsLabel" | "vkCmdDebugMarkerEnd" => |v, a| v.recorded(a, close),
        "vkCmdInsertDebugUtilsLabel" | "vkCmdDebugMarkerInsert" => |_, _| {},
        "vkCmdBeginConditionalRendering" => |v, a| v.recorded(a, |v, r| condition(v, r, a)),
        "vkCmdEndConditionalRendering" => |_, _| {},
        "vkCmdBeginQuery"
        | "vkCmdEndQuery"
        | "vkCmdResetQueryPool"
        | "vkCmdWriteTimestamp"
        | "vkCmdWriteTimestamp2"
        | "vkCmdBeginQueryIndexed"
        | "vkCmdEndQueryIndexed" => |v, _| {
            v.notes.dropped("queries: the pools are no resources here");
        },
        _ => return None,
    })
}

/// The place of a bind point.
pub(super) fn point(field: Fields<'_>) -> usize {
    match field.0.as_u64() {
        Some(0) => GRAPHICS,
        Some(1) => COMPUTE,
        None if field.text().ends_with("GRAPHICS") => GRAPHICS,
        None if field.text().ends_with("COMPUTE") => COMPUTE,
        _ => RAYS,
    }
}

fn bind_pipeline(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let point = point(a.get("pipelineBindPoint"));
    let pipeline = v.pipelines.all.get(&a.u64("pipeline")).cloned();
    if pipeline.is_none() {
        v.stranger("pipeline");
    }
    recording.state.pipelines[point] = pipeline;
}

/// Buffers of a bind call, by slot.
fn buffers(v: &mut Vulkan, slots: &mut Vec<Option<BoundBuffer>>, a: Fields<'_>, first: &str) {
    let first = a.u64(first).min(256) as usize;
    let offsets: Vec<u64> = a.numbers("pOffsets").collect();
    let sizes: Vec<u64> = a.numbers("pSizes").collect();
    let strides: Vec<u64> = a.numbers("pStrides").collect();
    for (place, handle) in a.numbers("pBuffers").enumerate().take(256) {
        let slot = first + place;
        if slots.len() <= slot {
            slots.resize(slot + 1, None);
        }
        slots[slot] = v.objects.buffers.get(&handle).copied().map(|item| {
            let bytes = v.story.items[item as usize].bytes();
            let offset = offsets.get(place).copied().unwrap_or(0);
            let rest = bytes.saturating_sub(offset);
            BoundBuffer {
                item,
                offset,
                size: sizes.get(place).copied().unwrap_or(u64::MAX).min(rest),
                stride: strides.get(place).copied(),
            }
        });
    }
}

fn bind_vertices(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let mut slots = std::mem::take(&mut recording.state.vertices);
    buffers(v, &mut slots, a, "firstBinding");
    recording.state.vertices = slots;
}

fn bind_feedback(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let mut slots = std::mem::take(&mut recording.state.feedback);
    buffers(v, &mut slots, a, "firstBinding");
    recording.state.feedback = slots;
}

fn bind_index(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let kind = a.get("indexType");
    let size = match (kind.0.as_u64(), kind.text()) {
        (Some(1), _) => 4,
        (Some(1_000_265_000), _) => 1,
        (_, text) if text.contains("UINT32") => 4,
        (_, text) if text.contains("UINT8") => 1,
        _ => 2,
    };
    let found = v.objects.buffers.get(&a.u64("buffer")).copied();
    recording.state.index = found.map(|item| {
        let offset = a.u64("offset");
        let rest = v.story.items[item as usize].bytes().saturating_sub(offset);
        let given = if a.get("size").is_some() {
            a.u64("size")
        } else {
            u64::MAX
        };
        let size_bytes = given.min(rest);
        (
            BoundBuffer {
                item,
                offset,
                size: size_bytes,
                stride: None,
            },
            size,
        )
    });
}

fn condition(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let info = a.get("pConditionalRenderingBegin");
    if let Some((item, part)) = v.bytes_of(info.u64("buffer"), info.u64("offset"), 4) {
        v.notes
            .read("conditional rendering: the predicate is read once, where it begins");
        let used = Touch::new(
            item,
            part,
            BarrierAccess::INDIRECT_ARGUMENT,
            Leaf::ExecuteIndirect,
        );
        recording.work(v.call, Work::Predicate, vec![used]);
    }
}

fn open(v: &mut Vulkan, recording: &mut Recording, label: &str) {
    recording.state.open += 1;
    recording.push(v.call, What::Open(label.into()));
}

fn close(v: &mut Vulkan, recording: &mut Recording) {
    // A group that another command buffer opened is closed there.
    if recording.state.open > 0 {
        recording.state.open -= 1;
        recording.push(v.call, What::Close);
    }
}

/// Secondary command buffers, in place. Their draws touch the attachments of the pass.
fn execute(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    for handle in a.numbers("pCommandBuffers") {
        let Some(secondary) = v.recordings.all.get(&handle) else {
            v.stranger("secondary command buffer");
            continue;
        };
        let acts = Rc::clone(&secondary.acts);
        for one in acts.iter() {
            let mut one = one.clone();
            if one.inherits
                && let (Some(bound), What::Work { touches, .. }) = (&one.bound, &mut one.act.what)
            {
                attachment_touches(recording, &bound.pipeline, touches);
                recording.state.draws(touches);
            }
            one.inherits = recording.secondary && one.inherits;
            Rc::make_mut(&mut recording.acts).push(one);
        }
    }
    // Spec: "vkCmdExecuteCommands": the state of the primary is undefined afterwards.
    recording.state.pipelines = Default::default();
    recording.state.sets = Default::default();
}
