//! The narrowest masks that contain what D3D12's words mean.
//!
//! A stage mask has every stage of a leaf, whatever the access: D3D12's sync waits for all work of its leaves. Stages of
//! extensions are named where the access or the program asks for them.

use super::{Ask, Image, VulkanSide, with_capable_stages};
use crate::api::{BarrierAccess as A, BarrierSync, Layout, Leaf, LeafSet, ResourceFlags};
use crate::interop::vulkan::{AccessFlags as V, Aspects, ImageLayout as I, StageFlags as S};

const SHADERS: LeafSet = LeafSet::of(&[
    Leaf::VertexShading,
    Leaf::PixelShading,
    Leaf::ComputeShading,
    Leaf::Raytracing,
]);

pub(super) fn side(ask: &Ask) -> VulkanSide {
    let mut notes = Vec::new();
    let stages = stages(ask, &mut notes);
    let access = access(ask, &mut notes);
    let able = with_capable_stages(stages, access);
    if able != stages {
        notes.push("Vulkan wants a stage that can do the access: those that can are added");
    }
    let stages = able;
    VulkanSide {
        stages,
        access,
        notes,
    }
}

fn stages(ask: &Ask, notes: &mut Vec<&'static str>) -> S {
    if ask.sync.contains(BarrierSync::ALL) {
        return S::ALL_COMMANDS;
    }
    let all = ask.access == A::COMMON;
    let mut mask = S::NONE;
    // A leaf that the queue has none of orders nothing; Vulkan refuses its stage.
    for leaf in ask.sync.leaves().intersection(ask.queue.leaves()).iter() {
        mask |= match leaf {
            Leaf::ExecuteIndirect if ask.features.predication => {
                S::DRAW_INDIRECT | S::CONDITIONAL_RENDERING_EXT
            }
            Leaf::ExecuteIndirect => S::DRAW_INDIRECT,
            Leaf::IndexInput => S::INDEX_INPUT,
            Leaf::VertexShading => {
                let written = ask.access.contains(A::STREAM_OUTPUT);
                let core = S::VERTEX_ATTRIBUTE_INPUT | S::PRE_RASTERIZATION_SHADERS;
                if written || ask.features.stream_output {
                    core | S::TRANSFORM_FEEDBACK_EXT
                } else {
                    core
                }
            }
            Leaf::PixelShading => {
                let rate = ask.access.contains(A::SHADING_RATE_SOURCE);
                if rate || all && ask.features.shading_rate {
                    S::FRAGMENT_SHADER | S::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR
                } else {
                    S::FRAGMENT_SHADER
                }
            }
            Leaf::DepthStencil => S::EARLY_FRAGMENT_TESTS | S::LATE_FRAGMENT_TESTS,
            Leaf::RenderTarget => S::COLOR_ATTACHMENT_OUTPUT,
            Leaf::ComputeShading => S::COMPUTE_SHADER,
            Leaf::Raytracing => {
                // The shading umbrellas contain it, and a device may not have it.
                let named = ask.sync.contains(BarrierSync::RAYTRACING);
                if named || ask.features.raytracing {
                    S::RAY_TRACING_SHADER_KHR
                } else {
                    S::NONE
                }
            }
            Leaf::Copy => S::COPY,
            Leaf::Resolve => S::RESOLVE,
            Leaf::ClearUav => S::CLEAR,
            Leaf::BuildAs => S::ACCELERATION_STRUCTURE_BUILD_KHR,
            Leaf::CopyAs => S::ACCELERATION_STRUCTURE_COPY_KHR,
            // Properties go to a query pool, and from there to memory.
            Leaf::EmitAs => S::ACCELERATION_STRUCTURE_COPY_KHR | S::COPY,
            Leaf::VideoDecode => S::VIDEO_DECODE_KHR,
            Leaf::VideoEncode => S::VIDEO_ENCODE_KHR,
            Leaf::VideoProcess => {
                notes.push("Vulkan has no video processing: all commands");
                S::ALL_COMMANDS
            }
        };
    }
    mask
}

fn access(ask: &Ask, notes: &mut Vec<&'static str>) -> V {
    if ask.access.is_no_access() {
        return V::NONE;
    }
    if ask.access == A::COMMON {
        return V::MEMORY_READ | V::MEMORY_WRITE;
    }
    if ask.access.contains(A::GLOBAL) {
        notes.push("GLOBAL: Vulkan makes memory available to other queues with a semaphore");
    }
    let leaves = ask.sync.leaves();
    let mut mask = V::NONE;
    for bit in ask.access.intersection(A::EVERY).iter() {
        mask |= match bit {
            A::VERTEX_BUFFER => V::VERTEX_ATTRIBUTE_READ,
            A::CONSTANT_BUFFER => V::UNIFORM_READ,
            A::INDEX_BUFFER => V::INDEX_READ,
            A::RENDER_TARGET => V::COLOR_ATTACHMENT_READ | V::COLOR_ATTACHMENT_WRITE,
            A::UNORDERED_ACCESS => unordered(leaves),
            A::DEPTH_STENCIL_WRITE => {
                V::DEPTH_STENCIL_ATTACHMENT_READ | V::DEPTH_STENCIL_ATTACHMENT_WRITE
            }
            A::DEPTH_STENCIL_READ => V::DEPTH_STENCIL_ATTACHMENT_READ,
            A::SHADER_RESOURCE => shader_resource(ask, leaves),
            A::STREAM_OUTPUT => {
                V::TRANSFORM_FEEDBACK_WRITE_EXT
                    | V::TRANSFORM_FEEDBACK_COUNTER_READ_EXT
                    | V::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT
            }
            A::INDIRECT_ARGUMENT if ask.features.predication => {
                V::INDIRECT_COMMAND_READ | V::CONDITIONAL_RENDERING_READ_EXT
            }
            A::INDIRECT_ARGUMENT => V::INDIRECT_COMMAND_READ,
            A::COPY_DEST | A::RESOLVE_DEST => V::TRANSFER_WRITE,
            A::COPY_SOURCE | A::RESOLVE_SOURCE => V::TRANSFER_READ,
            A::RAYTRACING_ACCELERATION_STRUCTURE_READ => V::ACCELERATION_STRUCTURE_READ_KHR,
            A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE => {
                V::ACCELERATION_STRUCTURE_READ_KHR | V::ACCELERATION_STRUCTURE_WRITE_KHR
            }
            A::SHADING_RATE_SOURCE => V::FRAGMENT_SHADING_RATE_ATTACHMENT_READ_KHR,
            A::VIDEO_DECODE_READ => V::VIDEO_DECODE_READ_KHR,
            A::VIDEO_DECODE_WRITE => V::VIDEO_DECODE_WRITE_KHR,
            A::VIDEO_ENCODE_READ => V::VIDEO_ENCODE_READ_KHR,
            A::VIDEO_ENCODE_WRITE => V::VIDEO_ENCODE_WRITE_KHR,
            A::VIDEO_PROCESS_READ => V::MEMORY_READ,
            A::VIDEO_PROCESS_WRITE => V::MEMORY_WRITE,
            _ => V::NONE,
        };
    }
    mask
}

/// Shaders write storage; clears and properties of structures are transfers in Vulkan.
fn unordered(leaves: LeafSet) -> V {
    let transfers = LeafSet::of(&[Leaf::ClearUav, Leaf::EmitAs]);
    let mut mask = V::NONE;
    if leaves.meets(transfers) {
        mask |= V::TRANSFER_WRITE;
    }
    // Scratch memory of builds.
    if leaves.has(Leaf::BuildAs) {
        mask |= V::ACCELERATION_STRUCTURE_READ_KHR | V::ACCELERATION_STRUCTURE_WRITE_KHR;
    }
    if leaves.meets(SHADERS) || mask.is_empty() {
        mask |= V::SHADER_STORAGE_READ | V::SHADER_STORAGE_WRITE;
    }
    mask
}

/// Textures are sampled; buffers may also be storage that is only read. Builds read their inputs with `SHADER_READ`.
fn shader_resource(ask: &Ask, leaves: LeafSet) -> V {
    let mut mask = V::NONE;
    if leaves.has(Leaf::BuildAs) {
        mask |= V::SHADER_READ;
    }
    if leaves.meets(SHADERS) || mask.is_empty() {
        mask |= V::SHADER_SAMPLED_READ;
        if ask.resource.is_none_or(|resource| resource.is_buffer) {
            mask |= V::SHADER_STORAGE_READ;
        }
    }
    mask
}

/// A layout that is known, of an image that one queue uses at a time.
pub(super) fn layout(layout: Layout, image: &Image) -> (I, Option<&'static str>) {
    use Layout as L;
    let depth = image.traits.flags.contains(ResourceFlags::DEPTH_STENCIL);
    match layout {
        L::Common if image.presented => (I::PRESENT_SRC_KHR, None),
        L::RenderTarget => (I::COLOR_ATTACHMENT_OPTIMAL, None),
        L::DepthStencilWrite => (
            match image.aspects {
                Aspects::Depth => I::DEPTH_ATTACHMENT_OPTIMAL,
                Aspects::Stencil => I::STENCIL_ATTACHMENT_OPTIMAL,
                _ => I::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            },
            None,
        ),
        L::DepthStencilRead => (read_only(image.aspects), None),
        L::ShaderResource
        | L::DirectQueueShaderResource
        | L::ComputeQueueShaderResource
        | L::LegacyShaderResource
        | L::LegacyPixelShaderResource => {
            let to = if depth {
                read_only(image.aspects)
            } else {
                I::SHADER_READ_ONLY_OPTIMAL
            };
            (to, None)
        }
        L::CopySource
        | L::DirectQueueCopySource
        | L::ComputeQueueCopySource
        | L::LegacyCopySource
        | L::ResolveSource => (I::TRANSFER_SRC_OPTIMAL, None),
        L::CopyDest
        | L::DirectQueueCopyDest
        | L::ComputeQueueCopyDest
        | L::LegacyCopyDest
        | L::ResolveDest => (I::TRANSFER_DST_OPTIMAL, None),
        L::ShadingRateSource => (I::FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR, None),
        // References of a decoder, and pictures that an encoder reconstructs, are decoded picture buffers.
        L::VideoDecodeRead => (I::VIDEO_DECODE_DPB_KHR, None),
        L::VideoDecodeWrite => (I::VIDEO_DECODE_DST_KHR, None),
        L::VideoEncodeRead => (I::VIDEO_ENCODE_SRC_KHR, None),
        L::VideoEncodeWrite => (I::VIDEO_ENCODE_DPB_KHR, None),
        other => (I::GENERAL, why_general(other)),
    }
}

/// Why a layout has no narrower word than `GENERAL`.
fn why_general(layout: Layout) -> Option<&'static str> {
    use Layout as L;
    match layout {
        L::GenericRead
        | L::DirectQueueGenericRead
        | L::ComputeQueueGenericRead
        | L::DirectQueueGenericReadComputeQueueAccessible => {
            Some("no read-only layout of Vulkan also allows copies")
        }
        L::VideoProcessRead | L::VideoProcessWrite => {
            Some("Vulkan has no layout for video processing")
        }
        L::DirectQueueCommon
        | L::ComputeQueueCommon
        | L::DirectQueueUnorderedAccess
        | L::ComputeQueueUnorderedAccess
        | L::VideoQueueCommon => Some("Vulkan's layouts do not depend on the queue"),
        L::Unknown(_) => Some("a layout that no header knows"),
        _ => None,
    }
}

fn read_only(aspects: Aspects) -> I {
    match aspects {
        Aspects::Depth => I::DEPTH_READ_ONLY_OPTIMAL,
        Aspects::Stencil => I::STENCIL_READ_ONLY_OPTIMAL,
        _ => I::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
    }
}
