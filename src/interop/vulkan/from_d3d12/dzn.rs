//! What dzn (Vulkan on D3D12) makes of Vulkan's words, read from its source and not run.

use crate::api::{
    BarrierAccess as A, BarrierSync as B, Layout as L, QueueType, ResourceFlags, compat,
};
use crate::interop::vulkan::{
    AccessFlags as V, Aspects, Context, DependencySide, ImageLayout as I, StageFlags as S,
};

/// Where the facts are from.
pub const SOURCE: &str = "Mesa 25.0.7, src/microsoft/vulkan/dzn_cmd_buffer.c and dzn_image.c";

/// Stages; `ALL` for the ends of the pipe on the side where they mean everything.
static STAGES: [(S, B); 33] = [
    (S::ALL_COMMANDS, B::ALL),
    (S::ALL_TRANSFER, B::ALL),
    (S::BLIT, B::ALL),
    (S::VERTEX_INPUT, B::INDEX_INPUT),
    (S::INDEX_INPUT, B::INDEX_INPUT),
    (S::VERTEX_ATTRIBUTE_INPUT, B::INDEX_INPUT),
    (S::VERTEX_SHADER, B::VERTEX_SHADING),
    (S::TESSELLATION_CONTROL_SHADER, B::NON_PIXEL_SHADING),
    (S::TESSELLATION_EVALUATION_SHADER, B::NON_PIXEL_SHADING),
    (S::GEOMETRY_SHADER, B::NON_PIXEL_SHADING),
    (S::PRE_RASTERIZATION_SHADERS, B::NON_PIXEL_SHADING),
    (S::TRANSFORM_FEEDBACK_EXT, B::NON_PIXEL_SHADING),
    (S::TASK_SHADER_EXT, B::NON_PIXEL_SHADING),
    (S::MESH_SHADER_EXT, B::NON_PIXEL_SHADING),
    (S::FRAGMENT_SHADER, B::PIXEL_SHADING),
    (S::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR, B::PIXEL_SHADING),
    (S::EARLY_FRAGMENT_TESTS, B::DEPTH_STENCIL),
    (S::LATE_FRAGMENT_TESTS, B::DEPTH_STENCIL),
    (S::COLOR_ATTACHMENT_OUTPUT, B::RENDER_TARGET),
    (S::COMPUTE_SHADER, B::COMPUTE_SHADING),
    (S::ALL_GRAPHICS, B::DRAW),
    (S::COPY, B::COPY),
    (S::RESOLVE, B::RESOLVE),
    (S::CLEAR, B::RENDER_TARGET),
    (S::CLEAR, B::DEPTH_STENCIL),
    (S::CLEAR, B::CLEAR_UNORDERED_ACCESS_VIEW),
    (S::CONDITIONAL_RENDERING_EXT, B::EXECUTE_INDIRECT),
    (S::DRAW_INDIRECT, B::EXECUTE_INDIRECT),
    (S::COMMAND_PREPROCESS_EXT, B::EXECUTE_INDIRECT),
    (
        S::ACCELERATION_STRUCTURE_BUILD_KHR,
        B::BUILD_RAYTRACING_ACCELERATION_STRUCTURE,
    ),
    (S::RAY_TRACING_SHADER_KHR, B::RAYTRACING),
    (
        S::ACCELERATION_STRUCTURE_COPY_KHR,
        B::COPY_RAYTRACING_ACCELERATION_STRUCTURE,
    ),
    (S::HOST, B::NONE),
];

const READS: A = A::INDIRECT_ARGUMENT
    .union(A::INDEX_BUFFER)
    .union(A::VERTEX_BUFFER)
    .union(A::CONSTANT_BUFFER)
    .union(A::SHADER_RESOURCE)
    .union(A::UNORDERED_ACCESS)
    .union(A::RENDER_TARGET)
    .union(A::DEPTH_STENCIL_READ)
    .union(A::COPY_SOURCE)
    .union(A::RESOLVE_SOURCE);
const WRITES: A = A::UNORDERED_ACCESS
    .union(A::RENDER_TARGET)
    .union(A::DEPTH_STENCIL_WRITE)
    .union(A::COPY_DEST)
    .union(A::RESOLVE_DEST);

static ACCESSES: [(V, A); 25] = [
    (V::INDIRECT_COMMAND_READ, A::INDIRECT_ARGUMENT),
    (V::INDEX_READ, A::INDEX_BUFFER),
    (V::VERTEX_ATTRIBUTE_READ, A::VERTEX_BUFFER),
    (V::UNIFORM_READ, A::CONSTANT_BUFFER),
    (V::INPUT_ATTACHMENT_READ, A::SHADER_RESOURCE),
    (V::SHADER_SAMPLED_READ, A::SHADER_RESOURCE),
    (
        V::SHADER_READ,
        A::CONSTANT_BUFFER
            .union(A::SHADER_RESOURCE)
            .union(A::UNORDERED_ACCESS),
    ),
    (V::SHADER_WRITE, A::UNORDERED_ACCESS),
    (V::SHADER_STORAGE_READ, A::UNORDERED_ACCESS),
    (V::SHADER_STORAGE_WRITE, A::UNORDERED_ACCESS),
    (
        V::COLOR_ATTACHMENT_READ,
        A::RENDER_TARGET.union(A::RESOLVE_SOURCE),
    ),
    (
        V::COLOR_ATTACHMENT_WRITE,
        A::RENDER_TARGET.union(A::RESOLVE_DEST),
    ),
    (V::DEPTH_STENCIL_ATTACHMENT_READ, A::DEPTH_STENCIL_READ),
    (V::DEPTH_STENCIL_ATTACHMENT_WRITE, A::DEPTH_STENCIL_WRITE),
    (V::TRANSFER_READ, A::COPY_SOURCE.union(A::RESOLVE_SOURCE)),
    (
        V::TRANSFER_WRITE,
        A::RENDER_TARGET
            .union(A::DEPTH_STENCIL_WRITE)
            .union(A::UNORDERED_ACCESS)
            .union(A::COPY_DEST)
            .union(A::RESOLVE_DEST),
    ),
    (V::MEMORY_READ, READS),
    (V::MEMORY_WRITE, WRITES),
    (V::TRANSFORM_FEEDBACK_WRITE_EXT, A::STREAM_OUTPUT),
    (V::TRANSFORM_FEEDBACK_COUNTER_READ_EXT, A::STREAM_OUTPUT),
    (V::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT, A::STREAM_OUTPUT),
    (V::CONDITIONAL_RENDERING_READ_EXT, A::INDIRECT_ARGUMENT),
    (
        V::FRAGMENT_SHADING_RATE_ATTACHMENT_READ_KHR,
        A::SHADING_RATE_SOURCE,
    ),
    (
        V::ACCELERATION_STRUCTURE_READ_KHR,
        A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
    ),
    (
        V::ACCELERATION_STRUCTURE_WRITE_KHR,
        A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
    ),
];

const SHADING: B = B::VERTEX_SHADING
    .union(B::PIXEL_SHADING)
    .union(B::COMPUTE_SHADING)
    .union(B::DRAW)
    .union(B::ALL_SHADING)
    .union(B::NON_PIXEL_SHADING);
const STRUCTURES: B = B::COMPUTE_SHADING
    .union(B::RAYTRACING)
    .union(B::ALL_SHADING)
    .union(B::NON_PIXEL_SHADING)
    .union(B::BUILD_RAYTRACING_ACCELERATION_STRUCTURE)
    .union(B::COPY_RAYTRACING_ACCELERATION_STRUCTURE);

/// The sync bits that it lets each access have.
static FILTER: [(A, B); 17] = [
    (
        A::VERTEX_BUFFER,
        B::VERTEX_SHADING
            .union(B::DRAW)
            .union(B::ALL_SHADING)
            .union(B::NON_PIXEL_SHADING),
    ),
    (A::CONSTANT_BUFFER, SHADING),
    (A::INDEX_BUFFER, B::INDEX_INPUT),
    (A::RENDER_TARGET, B::RENDER_TARGET),
    (A::UNORDERED_ACCESS, SHADING),
    (A::DEPTH_STENCIL_WRITE, B::DRAW.union(B::DEPTH_STENCIL)),
    (A::DEPTH_STENCIL_READ, B::DRAW.union(B::DEPTH_STENCIL)),
    (A::SHADER_RESOURCE, SHADING),
    (
        A::STREAM_OUTPUT,
        B::VERTEX_SHADING
            .union(B::DRAW)
            .union(B::ALL_SHADING)
            .union(B::NON_PIXEL_SHADING),
    ),
    (A::INDIRECT_ARGUMENT, B::DRAW.union(B::EXECUTE_INDIRECT)),
    (A::COPY_DEST, B::COPY),
    (A::COPY_SOURCE, B::COPY),
    (A::RESOLVE_DEST, B::RESOLVE),
    (A::RESOLVE_SOURCE, B::RESOLVE),
    (
        A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
        STRUCTURES.union(B::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO),
    ),
    (A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE, STRUCTURES),
    (
        A::SHADING_RATE_SOURCE,
        B::PIXEL_SHADING.union(B::ALL_SHADING),
    ),
];

/// A side in D3D12's words as dzn writes it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct DznSide {
    /// The sync.
    pub sync: B,
    /// The access.
    pub access: A,
    /// The layout of a texture.
    pub layout: Option<L>,
}

/// One side of a dependency. `layout` is `None` for buffers and memory barriers.
pub fn side(stages: S, access: V, layout: Option<I>, context: &Context) -> DznSide {
    let mut sync = sync(stages, context.side) & valid_sync(context.queue);
    let d3d12_layout = layout.map(|layout| self::layout(layout, context));
    if layout == Some(I::UNDEFINED) && context.side == DependencySide::Source {
        return DznSide {
            sync: B::NONE,
            access: A::NO_ACCESS,
            layout: d3d12_layout,
        };
    }
    // No access in Vulkan is zero, and zero in D3D12 is every access.
    let mut wanted = ACCESSES
        .iter()
        .filter(|(bit, _)| access.contains(*bit))
        .fold(A::COMMON, |set, (_, to)| set | *to);
    if sync == B::NONE {
        let (sync, access) = if wanted == A::COMMON {
            (B::NONE, A::NO_ACCESS)
        } else {
            (B::ALL, wanted)
        };
        return DznSide {
            sync,
            access,
            layout: d3d12_layout,
        };
    }
    wanted &= compat::queue_accesses(context.queue);
    if let (Some(resource), Some(layout)) = (context.resource, d3d12_layout) {
        wanted &= compat::resource_accesses(resource) & granted(layout, resource.flags);
    }
    if wanted != A::COMMON {
        let served = FILTER
            .iter()
            .filter(|(bit, _)| wanted.contains(*bit))
            .fold(B::ALL, |set, (_, bits)| set | *bits);
        sync &= served;
        if sync == B::NONE {
            sync = B::ALL;
        }
    }
    DznSide {
        sync,
        access: wanted,
        layout: d3d12_layout,
    }
}

fn sync(stages: S, side: DependencySide) -> B {
    let everything = match side {
        DependencySide::Source => S::BOTTOM_OF_PIPE,
        DependencySide::Destination => S::TOP_OF_PIPE,
    };
    if stages.intersects(everything) {
        return B::ALL;
    }
    let mask = STAGES
        .iter()
        .filter(|(stage, _)| stages.contains(*stage))
        .fold(B::NONE, |set, (_, to)| set | *to);
    if mask.contains(B::ALL) { B::ALL } else { mask }
}

/// Sync bits that it lets a type of queue have.
fn valid_sync(queue: QueueType) -> B {
    match queue {
        QueueType::Direct | QueueType::Bundle => {
            B::all() - B::VIDEO_DECODE - B::VIDEO_PROCESS - B::VIDEO_ENCODE
        }
        QueueType::Compute => {
            B::ALL
                | B::COMPUTE_SHADING
                | B::RAYTRACING
                | B::COPY
                | B::EXECUTE_INDIRECT
                | B::ALL_SHADING
                | B::NON_PIXEL_SHADING
                | B::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO
                | B::CLEAR_UNORDERED_ACCESS_VIEW
                | B::BUILD_RAYTRACING_ACCELERATION_STRUCTURE
                | B::COPY_RAYTRACING_ACCELERATION_STRUCTURE
        }
        _ => B::ALL | B::COPY,
    }
}

/// Accesses that it grants in a layout: older tables than today's in two rows.
fn granted(layout: L, flags: ResourceFlags) -> A {
    match layout {
        L::DepthStencilWrite => A::DEPTH_STENCIL_WRITE,
        L::Undefined => A::EVERY,
        other => compat::texture_accesses(other, flags),
    }
}

/// A layout. Images are created in `COMMON`; those of simultaneous access stay there.
pub fn layout(layout: I, context: &Context) -> L {
    let simultaneous = context
        .resource
        .is_some_and(|r| r.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS));
    if simultaneous {
        return L::Undefined;
    }
    let by_queue = |direct, compute| match context.queue {
        QueueType::Direct | QueueType::Bundle => direct,
        QueueType::Compute => compute,
        _ => L::Common,
    };
    let everything = by_queue(L::DirectQueueCommon, L::ComputeQueueCommon);
    let reads = by_queue(L::DirectQueueGenericRead, L::ComputeQueueGenericRead);
    match layout {
        I::UNDEFINED => by_queue(L::Undefined, L::Undefined),
        I::GENERAL | I::TRANSFER_DST_OPTIMAL | I::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT => {
            everything
        }
        I::READ_ONLY_OPTIMAL
        | I::DEPTH_STENCIL_READ_ONLY_OPTIMAL
        | I::DEPTH_READ_ONLY_OPTIMAL
        | I::STENCIL_READ_ONLY_OPTIMAL
        | I::TRANSFER_SRC_OPTIMAL
        | I::SHADER_READ_ONLY_OPTIMAL => reads,
        I::COLOR_ATTACHMENT_OPTIMAL => by_queue(L::RenderTarget, L::RenderTarget),
        I::ATTACHMENT_OPTIMAL if context.aspects == Aspects::Color => {
            by_queue(L::RenderTarget, L::RenderTarget)
        }
        I::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL if context.aspects == Aspects::Depth => reads,
        I::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL if context.aspects == Aspects::Stencil => {
            reads
        }
        I::DEPTH_STENCIL_ATTACHMENT_OPTIMAL
        | I::DEPTH_ATTACHMENT_OPTIMAL
        | I::STENCIL_ATTACHMENT_OPTIMAL
        | I::ATTACHMENT_OPTIMAL
        | I::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL
        | I::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL => {
            by_queue(L::DepthStencilWrite, L::DepthStencilWrite)
        }
        I::FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR => {
            by_queue(L::ShadingRateSource, L::ShadingRateSource)
        }
        // Preinitialised and presented images, and what it has no word for.
        _ => L::Common,
    }
}
