//! What vkd3d-proton makes of D3D12's words, read from its source and not run.
//!
//! Where a choice depends on the device: no unified image layouts, no device-generated commands, resolves as transfers,
//! drivers that do not prefer `GENERAL` for depth.

use super::{Ask, Image, VulkanSide, with_capable_stages};
use crate::api::{BarrierAccess as A, BarrierSync as B, Layout, QueueType, ResourceFlags};
use crate::interop::vulkan::{AccessFlags as V, ImageLayout as I, StageFlags as S};

/// Where the facts are from.
pub(super) const SOURCE: &str =
    "HansKristian-Work/vkd3d-proton d01924b6, libs/vkd3d/command.c and resource.c";

/// Clears of unordered access views are compute shaders; post-build information waits for everything.
pub(super) const DONE_ELSEWHERE: &[(B, S)] = &[
    (B::CLEAR_UNORDERED_ACCESS_VIEW, S::COMPUTE_SHADER),
    (
        B::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO,
        S::ALL_COMMANDS,
    ),
];

/// On what a part of a row depends.
#[derive(Copy, Clone)]
enum When {
    /// The access is `COMMON` or has `STREAM_OUTPUT`.
    StreamOutput,
    /// The access is `COMMON` or has `SHADING_RATE_SOURCE`, and the device has such attachments.
    ShadingRate,
    /// The queue computes and the device traces rays.
    Raytracing,
}

/// A D3D12 bit, its stages, and those that it has on a condition.
struct Row {
    sync: B,
    stages: S,
    also: &'static [(When, S)],
}

const STREAM: (When, S) = (
    When::StreamOutput,
    S::TRANSFORM_FEEDBACK_EXT.union(S::DRAW_INDIRECT),
);
const RATE: (When, S) = (When::ShadingRate, S::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR);
const RAYS: (When, S) = (When::Raytracing, S::RAY_TRACING_SHADER_KHR);
const VERTEX: S = S::VERTEX_ATTRIBUTE_INPUT.union(S::PRE_RASTERIZATION_SHADERS);
const TESTS: S = S::EARLY_FRAGMENT_TESTS.union(S::LATE_FRAGMENT_TESTS);

const fn row(sync: B, stages: S, also: &'static [(When, S)]) -> Row {
    Row { sync, stages, also }
}

static STAGES: [Row; 18] = [
    row(
        B::DRAW,
        S::INDEX_INPUT
            .union(VERTEX)
            .union(S::FRAGMENT_SHADER)
            .union(TESTS)
            .union(S::COLOR_ATTACHMENT_OUTPUT),
        &[STREAM, RATE],
    ),
    row(B::INDEX_INPUT, S::INDEX_INPUT, &[]),
    row(B::VERTEX_SHADING, VERTEX, &[STREAM]),
    row(B::PIXEL_SHADING, S::FRAGMENT_SHADER, &[RATE]),
    row(B::DEPTH_STENCIL, TESTS, &[]),
    row(B::RENDER_TARGET, S::COLOR_ATTACHMENT_OUTPUT, &[]),
    row(B::COMPUTE_SHADING, S::COMPUTE_SHADER, &[]),
    row(B::RAYTRACING, S::RAY_TRACING_SHADER_KHR, &[]),
    row(B::COPY, S::COPY, &[]),
    row(B::RESOLVE, S::RESOLVE, &[]),
    // Arguments may be patched by a compute pass of its own. Predicates have the same bit.
    row(
        B::EXECUTE_INDIRECT,
        S::DRAW_INDIRECT.union(S::COMPUTE_SHADER),
        &[],
    ),
    row(
        B::ALL_SHADING,
        VERTEX.union(S::FRAGMENT_SHADER).union(S::COMPUTE_SHADER),
        &[STREAM, RATE, RAYS],
    ),
    row(
        B::NON_PIXEL_SHADING,
        VERTEX.union(S::COMPUTE_SHADER),
        &[STREAM, RAYS],
    ),
    row(
        B::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO,
        S::ALL_COMMANDS,
        &[],
    ),
    row(B::CLEAR_UNORDERED_ACCESS_VIEW, S::COMPUTE_SHADER, &[]),
    row(
        B::BUILD_RAYTRACING_ACCELERATION_STRUCTURE,
        S::ACCELERATION_STRUCTURE_BUILD_KHR,
        &[],
    ),
    row(
        B::COPY_RAYTRACING_ACCELERATION_STRUCTURE,
        S::ACCELERATION_STRUCTURE_COPY_KHR,
        &[],
    ),
    row(B::SPLIT, S::ALL_COMMANDS, &[]),
];

/// Bits that it has no words for.
const UNMAPPED: B = B::VIDEO_DECODE
    .union(B::VIDEO_PROCESS)
    .union(B::VIDEO_ENCODE);

static ACCESSES: [(A, V); 17] = [
    (A::VERTEX_BUFFER, V::VERTEX_ATTRIBUTE_READ),
    (A::CONSTANT_BUFFER, V::UNIFORM_READ),
    (A::INDEX_BUFFER, V::INDEX_READ),
    (
        A::RENDER_TARGET,
        V::COLOR_ATTACHMENT_READ.union(V::COLOR_ATTACHMENT_WRITE),
    ),
    (A::UNORDERED_ACCESS, V::SHADER_READ.union(V::SHADER_WRITE)),
    (A::DEPTH_STENCIL_WRITE, V::DEPTH_STENCIL_ATTACHMENT_WRITE),
    (A::DEPTH_STENCIL_READ, V::DEPTH_STENCIL_ATTACHMENT_READ),
    (A::SHADER_RESOURCE, V::SHADER_READ),
    (
        A::STREAM_OUTPUT,
        V::TRANSFORM_FEEDBACK_WRITE_EXT
            .union(V::TRANSFORM_FEEDBACK_COUNTER_READ_EXT)
            .union(V::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT),
    ),
    (
        A::INDIRECT_ARGUMENT,
        V::INDIRECT_COMMAND_READ.union(V::SHADER_READ),
    ),
    (A::COPY_DEST, V::TRANSFER_WRITE),
    (A::COPY_SOURCE, V::TRANSFER_READ),
    (A::RESOLVE_DEST, V::TRANSFER_WRITE),
    (A::RESOLVE_SOURCE, V::TRANSFER_READ),
    (
        A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
        V::ACCELERATION_STRUCTURE_READ_KHR,
    ),
    (
        A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
        V::ACCELERATION_STRUCTURE_WRITE_KHR,
    ),
    (
        A::SHADING_RATE_SOURCE,
        V::FRAGMENT_SHADING_RATE_ATTACHMENT_READ_KHR,
    ),
];

impl When {
    fn holds(self, ask: &Ask) -> bool {
        let asks = |access| ask.access == A::COMMON || ask.access.contains(access);
        match self {
            Self::StreamOutput => asks(A::STREAM_OUTPUT),
            Self::ShadingRate => asks(A::SHADING_RATE_SOURCE) && ask.features.shading_rate,
            Self::Raytracing => {
                let computes = !matches!(
                    ask.queue,
                    QueueType::Copy
                        | QueueType::VideoDecode
                        | QueueType::VideoProcess
                        | QueueType::VideoEncode
                );
                computes && ask.features.raytracing
            }
        }
    }
}

pub(super) fn side(ask: &Ask) -> VulkanSide {
    let mut notes = Vec::new();
    let access = access(ask, &mut notes);
    let mut stages = S::NONE;
    if ask.sync.contains(B::ALL) {
        stages = S::ALL_COMMANDS;
    } else {
        for row in STAGES.iter().filter(|row| ask.sync.contains(row.sync)) {
            stages |= row.stages;
            for (when, added) in row.also {
                if when.holds(ask) {
                    stages |= *added;
                }
            }
        }
    }
    if ask.sync.intersects(UNMAPPED) {
        notes.push("video stages are not mapped");
    }
    let sane = with_capable_stages(stages, access);
    if sane != stages {
        notes.push("every stage that can do the access is added");
    }
    VulkanSide {
        stages: sane,
        access,
        notes,
    }
}

fn access(ask: &Ask, notes: &mut Vec<&'static str>) -> V {
    if ask.access == A::COMMON {
        return V::MEMORY_READ | V::MEMORY_WRITE;
    }
    if ask.access == A::NO_ACCESS {
        return V::NONE;
    }
    let mut mask = V::NONE;
    for (_, to) in ACCESSES.iter().filter(|(bit, _)| ask.access.contains(*bit)) {
        mask |= *to;
    }
    let texture = ask.resource.is_some_and(|resource| !resource.is_buffer);
    if texture && ask.access.intersects(A::COPY_SOURCE | A::COPY_DEST) {
        mask -= V::TRANSFER_READ | V::TRANSFER_WRITE;
        notes.push("copies of images have barriers of their own: no transfer access");
    }
    mask
}

/// The layout of everything that has none of its own.
fn common(image: &Image) -> I {
    let flags = image.traits.flags;
    if flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS) {
        I::GENERAL
    } else if flags.contains(ResourceFlags::DENY_SHADER_RESOURCE) {
        I::DEPTH_STENCIL_ATTACHMENT_OPTIMAL
    } else if flags.contains(ResourceFlags::DEPTH_STENCIL) {
        I::DEPTH_STENCIL_READ_ONLY_OPTIMAL
    } else {
        I::SHADER_READ_ONLY_OPTIMAL
    }
}

/// A layout that is known, of an image that one queue uses at a time.
pub(super) fn layout(layout: Layout, image: &Image) -> (I, Option<&'static str>) {
    use Layout as L;
    match layout {
        L::RenderTarget => (I::COLOR_ATTACHMENT_OPTIMAL, None),
        L::UnorderedAccess => (I::GENERAL, None),
        L::DepthStencilWrite | L::DepthStencilRead => (
            I::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            Some("the layout of each plane is tracked: read and write alike"),
        ),
        L::ResolveSource => (I::TRANSFER_SRC_OPTIMAL, None),
        L::ResolveDest => (I::TRANSFER_DST_OPTIMAL, None),
        L::ShadingRateSource => (I::FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR, None),
        L::DirectQueueUnorderedAccess | L::ComputeQueueUnorderedAccess => (
            common(image),
            Some("created in GENERAL, but in a barrier the common layout"),
        ),
        _ => (common(image), None),
    }
}
