//! Draws, dispatches and traces: what they touch by fixed function. Descriptors are added at the submission.

use super::super::story::{Part, Touch, What, Work};
use super::Vulkan;
use super::objects::View;
use super::passes::attachment_touch;
use super::pipelines::{Pipeline, VertexBinding};
use super::record::{Bound, BoundBuffer, Recording};
use crate::api::{BarrierAccess, Leaf};
use crate::interop::capture::Fields;
use crate::interop::vulkan::ImageLayout;
use crate::scenario::IndirectTarget;

/// Bind points, as the state keeps them.
pub(super) const GRAPHICS: usize = 0;
pub(super) const COMPUTE: usize = 1;
pub(super) const RAYS: usize = 2;

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkCmdDraw" => |v, a| v.recorded(a, |v, r| draw(v, r, a)),
        "vkCmdDrawIndexed" => |v, a| v.recorded(a, |v, r| draw_indexed(v, r, a)),
        "vkCmdDrawMulti" => |v, a| {
            v.recorded(a, |v, r| {
                for each in a.list("pVertexInfo") {
                    draw(v, r, each);
                }
            });
        },
        "vkCmdDrawMultiIndexed" => |v, a| {
            v.recorded(a, |v, r| {
                for each in a.list("pIndexInfo") {
                    draw_indexed(v, r, each);
                }
            });
        },
        "vkCmdDrawIndirect" => |v, a| v.recorded(a, |v, r| indirect(v, r, a, 16, false)),
        "vkCmdDrawIndexedIndirect" => |v, a| v.recorded(a, |v, r| indirect(v, r, a, 20, true)),
        "vkCmdDrawIndirectCount" => |v, a| v.recorded(a, |v, r| indirect(v, r, a, 16, false)),
        "vkCmdDrawIndexedIndirectCount" => |v, a| v.recorded(a, |v, r| indirect(v, r, a, 20, true)),
        "vkCmdDrawMeshTasks" => |v, a| {
            v.recorded(a, |v, r| {
                let touches = fixed(r, &[]);
                let work = draw_of(v, r, false, 0);
                submit_draw(v, r, work, touches);
            });
        },
        "vkCmdDrawMeshTasksIndirect" | "vkCmdDrawMeshTasksIndirectCount" => {
            |v, a| v.recorded(a, |v, r| indirect(v, r, a, 12, false))
        }
        "vkCmdDispatch" | "vkCmdDispatchBase" => |v, a| v.recorded(a, |v, r| dispatch(v, r, a)),
        "vkCmdDispatchIndirect" => |v, a| v.recorded(a, |v, r| dispatch_indirect(v, r, a)),
        "vkCmdTraceRays" => |v, a| v.recorded(a, |v, r| trace(v, r, a)),
        _ => return None,
    })
}

/// First element and count.
type Elements = (u64, u64);

fn draw(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let vertices: Elements = (a.u64("firstVertex"), a.u64("vertexCount"));
    let instances: Elements = (a.u64("firstInstance"), a.u64("instanceCount").max(1));
    let mut touches = vertex_touches(v, recording, Some(vertices), Some(instances));
    touches = fixed(recording, &touches);
    let vertices = vertices.1.saturating_mul(instances.1);
    let work = draw_of(v, recording, false, vertices);
    submit_draw(v, recording, work, touches);
}

fn draw_indexed(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let instances: Elements = (a.u64("firstInstance"), a.u64("instanceCount").max(1));
    let mut touches = vertex_touches(v, recording, None, Some(instances));
    let count = a.u64("indexCount");
    index_touch(
        v,
        recording,
        Some((a.u64("firstIndex"), count)),
        &mut touches,
    );
    touches = fixed(recording, &touches);
    let vertices = count.saturating_mul(instances.1);
    let work = draw_of(v, recording, true, vertices);
    submit_draw(v, recording, work, touches);
}

fn indirect(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>, bytes: u64, indexed: bool) {
    let mut touches = Vec::new();
    let draws = a.u64("drawCount").max(a.u64("maxDrawCount")).max(1);
    let length = (draws - 1)
        .saturating_mul(a.u64("stride"))
        .saturating_add(bytes);
    let arguments = v.bytes_of(a.u64("buffer"), a.u64("offset"), length);
    let count = v.bytes_of(a.u64("countBuffer"), a.u64("countBufferOffset"), 4);
    for (item, part) in arguments.into_iter().chain(count) {
        touches.push(Touch::new(
            item,
            part,
            BarrierAccess::INDIRECT_ARGUMENT,
            Leaf::ExecuteIndirect,
        ));
    }
    touches.extend(vertex_touches(v, recording, None, None));
    if indexed {
        index_touch(v, recording, None, &mut touches);
    }
    touches = fixed(recording, &touches);
    submit_draw(v, recording, Work::Indirect(IndirectTarget::Draw), touches);
}

/// A draw, with the pixels that scissor, viewport and render area leave of its attachments.
fn draw_of(v: &Vulkan, recording: &Recording, indexed: bool, vertices: u64) -> Work {
    let state = &recording.state;
    let fixed = state.pipelines[GRAPHICS].as_ref().map(|one| one.bounds);
    let bounds = fixed.unwrap_or_default().or(state.bounds);
    let colors = state.attachments.colors.iter().flatten();
    let mut targets = colors.chain(&state.attachments.depth);
    let left = targets
        .next()
        .and_then(|(view, _)| bounds.pixels(v.size_of(view)));
    Work::Draw {
        indexed,
        vertices,
        // A draw that covers nothing still takes the time of a pixel.
        pixels: left.map_or(0, |pixels| pixels.max(1)),
    }
}

fn submit_draw(v: &mut Vulkan, recording: &mut Recording, work: Work, touches: Vec<Touch>) {
    recording.state.draws(&touches);
    let inherits = recording.secondary;
    record(v, recording, GRAPHICS, work, touches).inherits = inherits;
}

/// Records work that runs shaders.
fn record<'r>(
    v: &mut Vulkan,
    recording: &'r mut Recording,
    point: usize,
    work: Work,
    touches: Vec<Touch>,
) -> &'r mut super::record::Recorded {
    let pipeline = recording.state.pipelines[point].clone();
    let sets = recording.state.sets[point].clone();
    let label = pipeline.as_ref().and_then(|pipeline| pipeline.name.clone());
    let recorded = recording.push(
        v.call,
        What::Work {
            work,
            label,
            touches,
        },
    );
    if let Some(pipeline) = pipeline {
        recorded.bound = Some(Bound { pipeline, sets });
    }
    recorded
}

/// Bytes of a vertex buffer that a draw reads: those of its vertices where the capture says which.
fn vertex_bytes(
    buffer: BoundBuffer,
    binding: VertexBinding,
    vertices: Option<Elements>,
    instances: Option<Elements>,
) -> (u64, u64) {
    let stride = buffer.stride.unwrap_or(binding.stride);
    let elements = if binding.per_instance {
        instances
    } else {
        vertices
    };
    match elements {
        // Attributes of the last element may reach past its stride; what a stride of zero reads is not known.
        Some((first, count)) if stride > 0 && count > 0 => {
            let start = first.saturating_mul(stride);
            let length = count
                .saturating_mul(stride)
                .min(buffer.size.saturating_sub(start));
            (buffer.offset.saturating_add(start), length)
        }
        Some((_, 0)) => (buffer.offset, 0),
        _ => (buffer.offset, buffer.size),
    }
}

fn vertex_touches(
    v: &mut Vulkan,
    recording: &Recording,
    vertices: Option<Elements>,
    instances: Option<Elements>,
) -> Vec<Touch> {
    let state = &recording.state;
    let Some(pipeline) = &state.pipelines[GRAPHICS] else {
        return Vec::new();
    };
    let bindings = if pipeline.dynamic_vertices && !state.dynamic_bindings.is_empty() {
        &state.dynamic_bindings
    } else {
        &pipeline.vertices
    };
    let mut touches: Vec<Touch> = Vec::new();
    for binding in bindings {
        let Some(Some(buffer)) = state.vertices.get(binding.binding as usize) else {
            continue;
        };
        let (start, length) = vertex_bytes(*buffer, *binding, vertices, instances);
        if let Some(part) = v.story.items[buffer.item as usize].byte_part(start, length) {
            let used = Touch::new(
                buffer.item,
                part,
                BarrierAccess::VERTEX_BUFFER,
                Leaf::VertexShading,
            );
            if !touches.contains(&used) {
                touches.push(used);
            }
        }
    }
    if state.feedback_on {
        for buffer in state.feedback.iter().flatten() {
            let part = v.story.items[buffer.item as usize].byte_part(buffer.offset, buffer.size);
            touches.extend(part.map(|part| {
                Touch::new(
                    buffer.item,
                    part,
                    BarrierAccess::STREAM_OUTPUT,
                    Leaf::VertexShading,
                )
            }));
        }
    }
    touches
}

fn index_touch(
    v: &mut Vulkan,
    recording: &Recording,
    indices: Option<Elements>,
    to: &mut Vec<Touch>,
) {
    let Some((buffer, size)) = recording.state.index else {
        return;
    };
    let (start, length) = match indices {
        Some((first, count)) => {
            let start = first.saturating_mul(size);
            (
                start,
                count
                    .saturating_mul(size)
                    .min(buffer.size.saturating_sub(start)),
            )
        }
        None => (0, buffer.size),
    };
    let part =
        v.story.items[buffer.item as usize].byte_part(buffer.offset.saturating_add(start), length);
    to.extend(part.map(|part| {
        Touch::new(
            buffer.item,
            part,
            BarrierAccess::INDEX_BUFFER,
            Leaf::IndexInput,
        )
    }));
}

/// Whether a plane of depth and stencil is read only in a layout.
pub(super) fn is_read_only(layout: ImageLayout, plane: u32) -> bool {
    match layout {
        ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL
        | ImageLayout::DEPTH_READ_ONLY_OPTIMAL
        | ImageLayout::STENCIL_READ_ONLY_OPTIMAL
        | ImageLayout::READ_ONLY_OPTIMAL
        | ImageLayout::SHADER_READ_ONLY_OPTIMAL => true,
        ImageLayout::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL => plane == 0,
        ImageLayout::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL => plane == 1,
        _ => false,
    }
}

/// What the tests of a draw do with depth and with stencil: nothing, or whether they only read.
fn depth_uses(pipeline: &Pipeline, dynamic: [bool; 3], layout: ImageLayout) -> [Option<bool>; 2] {
    let is = |at: usize| {
        if pipeline.dynamic[at] {
            dynamic[at]
        } else {
            pipeline.depth[at]
        }
    };
    let (tests, writes, stencil) = (is(0), is(0) && is(1), is(2));
    [
        tests.then(|| !writes || is_read_only(layout, 0)),
        stencil.then(|| !pipeline.stencil_writes || is_read_only(layout, 1)),
    ]
}

/// The touches of the attachment for depth and stencil: one where both are used alike.
fn depth_touches(
    (view, layout): &(View, ImageLayout),
    planes: Option<&[Part; 2]>,
    pipeline: &Pipeline,
    dynamic: [bool; 3],
) -> Vec<Touch> {
    let uses = depth_uses(pipeline, dynamic, *layout);
    let [depth, stencil] = uses;
    match planes {
        Some(planes) if depth != stencil => uses
            .into_iter()
            .zip(planes)
            .filter_map(|(reads, part)| Some(attachment_touch(view, part.clone(), reads?)))
            .collect(),
        _ => {
            let both = [depth, stencil].into_iter().flatten();
            let reads = both.reduce(|one, other| one && other);
            let whole = reads.map(|reads| attachment_touch(view, view.part.clone(), reads));
            whole.into_iter().collect()
        }
    }
}

/// What a draw touches by fixed function, attachments last.
fn fixed(recording: &Recording, touches: &[Touch]) -> Vec<Touch> {
    let mut all = touches.to_vec();
    if let Some(pipeline) = &recording.state.pipelines[GRAPHICS] {
        attachment_touches(recording, pipeline, &mut all);
    }
    all
}

/// Attachments of the pass that a command buffer is in, as a pipeline touches them.
pub(super) fn attachment_touches(recording: &Recording, pipeline: &Pipeline, all: &mut Vec<Touch>) {
    let attachments = &recording.state.attachments;
    if !pipeline.discards {
        for (at, color) in attachments.colors.iter().enumerate() {
            if let Some((view, _)) = color
                && !pipeline.masked.get(at).copied().unwrap_or(false)
            {
                all.push(attachment_touch(view, view.part.clone(), false));
            }
        }
        if let Some(depth) = &attachments.depth {
            let planes = attachments.planes.as_ref();
            let dynamic = recording.state.depth;
            all.extend(depth_touches(depth, planes, pipeline, dynamic));
        }
    }
    // Shaders that are known name those that they load, as descriptors.
    let inputs = attachments.inputs.iter();
    for (view, _) in inputs.filter(|_| pipeline.uses.is_none()) {
        all.push(Touch {
            may: true,
            is_input: true,
            ..Touch::new(
                view.item,
                view.part.clone(),
                BarrierAccess::SHADER_RESOURCE,
                Leaf::PixelShading,
            )
        });
    }
}

fn dispatch(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let groups = ["groupCountX", "groupCountY", "groupCountZ"].map(|key| a.u32(key));
    record(v, recording, COMPUTE, Work::Dispatch(groups), Vec::new());
}

fn dispatch_indirect(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let arguments = v.bytes_of(a.u64("buffer"), a.u64("offset"), 12);
    let touches = arguments.map(|(item, part)| {
        Touch::new(
            item,
            part,
            BarrierAccess::INDIRECT_ARGUMENT,
            Leaf::ExecuteIndirect,
        )
    });
    let work = Work::Indirect(IndirectTarget::Dispatch);
    record(v, recording, COMPUTE, work, touches.into_iter().collect());
}

fn trace(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    v.notes.dropped(
        "shader binding tables and acceleration structures below device addresses of traces",
    );
    let height = a.u32("height").saturating_mul(a.u32("depth").max(1)).max(1);
    record(
        v,
        recording,
        RAYS,
        Work::Rays([a.u32("width").max(1), height]),
        Vec::new(),
    );
}
