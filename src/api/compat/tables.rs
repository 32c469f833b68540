//! The specification's compatibility tables as data, and what readings add to them.
//!
//! A row keeps what the table says to the letter (`table`) apart from what a reading adds (`added`, with `reading`),
//! so that the book can print both.

use crate::api::{BarrierAccess, BarrierSync, Layout, QueueType, ResourceFlags};

use BarrierAccess as A;
use BarrierSync as S;
use Layout as L;

/// Layouts of a queue type. Spec: "Command Queue Layout Compatibility".
#[derive(Copy, Clone, Debug)]
pub struct QueueLayouts {
    /// The queue type.
    pub queue: QueueType,
    /// The specification's list.
    pub table: &'static [Layout],
    /// Layouts that readings add to the list.
    pub added: &'static [Layout],
    /// The reading.
    pub reading: Option<&'static str>,
}

/// Synchronization scopes of a queue type. Spec: "Command Queue Sync Compatibility". `NONE` is legal on every queue
/// and not listed (reading R08).
#[derive(Copy, Clone, Debug)]
pub struct QueueSyncs {
    /// The queue type.
    pub queue: QueueType,
    /// The specification's list.
    pub table: BarrierSync,
}

/// Accesses of a layout. Spec: "Layout Access Compatibility".
#[derive(Copy, Clone, Debug)]
pub struct LayoutAccesses {
    /// The layout.
    pub layout: Layout,
    /// The specification's list.
    pub table: BarrierAccess,
    /// What a reading adds.
    pub added: BarrierAccess,
    /// The reading.
    pub reading: Option<&'static str>,
}

/// Synchronization scopes that an access needs one of. Spec: "Access Bits Barrier Sync Compatibility".
#[derive(Copy, Clone, Debug)]
pub struct AccessSyncs {
    /// One access bit.
    pub access: BarrierAccess,
    /// The specification's list.
    pub table: BarrierSync,
    /// Synchronization scopes that readings add to the list.
    pub added: BarrierSync,
    /// The readings.
    pub reading: Option<&'static str>,
}

/// Layouts that each queue type may name in a barrier.
pub static QUEUE_LAYOUTS: [QueueLayouts; 6] = [
    QueueLayouts {
        queue: QueueType::Direct,
        table: &[
            L::Common,
            L::GenericRead,
            L::RenderTarget,
            L::UnorderedAccess,
            L::DepthStencilWrite,
            L::DepthStencilRead,
            L::ShaderResource,
            L::CopySource,
            L::CopyDest,
            L::ResolveSource,
            L::ResolveDest,
            L::ShadingRateSource,
            L::DirectQueueGenericRead,
            L::DirectQueueUnorderedAccess,
            L::DirectQueueShaderResource,
            L::DirectQueueCopySource,
            L::DirectQueueCopyDest,
        ],
        added: &[L::Undefined, L::DirectQueueCommon],
        reading: Some("R08"),
    },
    QueueLayouts {
        queue: QueueType::Compute,
        table: &[
            L::Common,
            L::GenericRead,
            L::UnorderedAccess,
            L::ShaderResource,
            L::CopySource,
            L::CopyDest,
        ],
        added: &[
            L::Undefined,
            L::ComputeQueueCommon,
            L::ComputeQueueGenericRead,
            L::ComputeQueueUnorderedAccess,
            L::ComputeQueueShaderResource,
            L::ComputeQueueCopySource,
            L::ComputeQueueCopyDest,
        ],
        reading: Some("R08"),
    },
    QueueLayouts {
        queue: QueueType::Copy,
        table: &[L::Common],
        added: &[L::Undefined],
        reading: Some("R08"),
    },
    QueueLayouts {
        queue: QueueType::VideoDecode,
        table: &[L::Common, L::VideoDecodeRead, L::VideoDecodeWrite],
        added: &[L::Undefined, L::VideoQueueCommon],
        reading: Some("R08"),
    },
    QueueLayouts {
        queue: QueueType::VideoProcess,
        table: &[L::Common, L::VideoProcessRead, L::VideoProcessWrite],
        added: &[L::Undefined, L::VideoQueueCommon],
        reading: Some("R08"),
    },
    QueueLayouts {
        queue: QueueType::VideoEncode,
        table: &[L::Common, L::VideoEncodeRead, L::VideoEncodeWrite],
        added: &[L::Undefined, L::VideoQueueCommon],
        reading: Some("R08"),
    },
];

/// Synchronization scopes that each queue type may name.
pub static QUEUE_SYNCS: [QueueSyncs; 6] = [
    QueueSyncs {
        queue: QueueType::Direct,
        table: syncs(&[
            S::ALL,
            S::DRAW,
            S::INDEX_INPUT,
            S::VERTEX_SHADING,
            S::PIXEL_SHADING,
            S::DEPTH_STENCIL,
            S::RENDER_TARGET,
            S::COMPUTE_SHADING,
            S::RAYTRACING,
            S::COPY,
            S::RESOLVE,
            S::EXECUTE_INDIRECT,
            S::ALL_SHADING,
            S::NON_PIXEL_SHADING,
            S::BUILD_RAYTRACING_ACCELERATION_STRUCTURE,
            S::COPY_RAYTRACING_ACCELERATION_STRUCTURE,
            S::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO,
            S::CLEAR_UNORDERED_ACCESS_VIEW,
            S::SPLIT,
        ]),
    },
    QueueSyncs {
        queue: QueueType::Compute,
        table: syncs(&[
            S::ALL,
            S::COMPUTE_SHADING,
            S::RAYTRACING,
            S::COPY,
            S::EXECUTE_INDIRECT,
            S::ALL_SHADING,
            S::NON_PIXEL_SHADING,
            S::BUILD_RAYTRACING_ACCELERATION_STRUCTURE,
            S::COPY_RAYTRACING_ACCELERATION_STRUCTURE,
            S::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO,
            S::CLEAR_UNORDERED_ACCESS_VIEW,
            S::SPLIT,
        ]),
    },
    QueueSyncs {
        queue: QueueType::Copy,
        table: syncs(&[S::ALL, S::COPY, S::SPLIT]),
    },
    QueueSyncs {
        queue: QueueType::VideoDecode,
        table: syncs(&[S::ALL, S::VIDEO_DECODE, S::SPLIT]),
    },
    QueueSyncs {
        queue: QueueType::VideoProcess,
        table: syncs(&[S::ALL, S::VIDEO_PROCESS, S::SPLIT]),
    },
    QueueSyncs {
        queue: QueueType::VideoEncode,
        table: syncs(&[S::ALL, S::VIDEO_ENCODE, S::SPLIT]),
    },
];

/// Accesses that each layout allows, in the order of [`Layout::ALL`]. `UNDEFINED` allows none here: with both
/// layouts `UNDEFINED` a barrier has no layout, and any access is legal.
pub static LAYOUT_ACCESSES: [LayoutAccesses; 37] = [
    layout(L::Undefined, &[]),
    layout(
        L::Common,
        &[A::SHADER_RESOURCE, A::COPY_DEST, A::COPY_SOURCE],
    ),
    layout(L::GenericRead, &[A::SHADER_RESOURCE, A::COPY_SOURCE]),
    layout(L::RenderTarget, &[A::RENDER_TARGET]),
    layout(L::UnorderedAccess, &[A::UNORDERED_ACCESS]),
    layout(
        L::DepthStencilWrite,
        &[A::DEPTH_STENCIL_READ, A::DEPTH_STENCIL_WRITE],
    ),
    layout(L::DepthStencilRead, &[A::DEPTH_STENCIL_READ]),
    layout(L::ShaderResource, &[A::SHADER_RESOURCE]),
    layout(L::CopySource, &[A::COPY_SOURCE]),
    layout(L::CopyDest, &[A::COPY_DEST]),
    layout(L::ResolveSource, &[A::RESOLVE_SOURCE]),
    layout(L::ResolveDest, &[A::RESOLVE_DEST]),
    layout(L::ShadingRateSource, &[A::SHADING_RATE_SOURCE]),
    layout(L::VideoDecodeRead, &[A::VIDEO_DECODE_READ]),
    layout(L::VideoDecodeWrite, &[A::VIDEO_DECODE_WRITE]),
    layout(L::VideoProcessRead, &[A::VIDEO_PROCESS_READ]),
    layout(L::VideoProcessWrite, &[A::VIDEO_PROCESS_WRITE]),
    layout(L::VideoEncodeRead, &[A::VIDEO_ENCODE_READ]),
    layout(L::VideoEncodeWrite, &[A::VIDEO_ENCODE_WRITE]),
    layout(
        L::DirectQueueCommon,
        &[
            A::COPY_SOURCE,
            A::COPY_DEST,
            A::SHADER_RESOURCE,
            A::UNORDERED_ACCESS,
        ],
    ),
    layout(
        L::DirectQueueGenericRead,
        &[
            A::SHADER_RESOURCE,
            A::COPY_SOURCE,
            A::DEPTH_STENCIL_READ,
            A::SHADING_RATE_SOURCE,
            A::RESOLVE_SOURCE,
        ],
    ),
    layout(L::DirectQueueUnorderedAccess, &[A::UNORDERED_ACCESS]),
    layout(L::DirectQueueShaderResource, &[A::SHADER_RESOURCE]),
    layout(L::DirectQueueCopySource, &[A::COPY_SOURCE]),
    layout(L::DirectQueueCopyDest, &[A::COPY_DEST]),
    layout(
        L::ComputeQueueCommon,
        &[
            A::COPY_SOURCE,
            A::COPY_DEST,
            A::SHADER_RESOURCE,
            A::UNORDERED_ACCESS,
        ],
    ),
    layout(
        L::ComputeQueueGenericRead,
        &[A::SHADER_RESOURCE, A::COPY_SOURCE],
    ),
    layout(L::ComputeQueueUnorderedAccess, &[A::UNORDERED_ACCESS]),
    layout(L::ComputeQueueShaderResource, &[A::SHADER_RESOURCE]),
    layout(L::ComputeQueueCopySource, &[A::COPY_SOURCE]),
    layout(L::ComputeQueueCopyDest, &[A::COPY_DEST]),
    layout(L::VideoQueueCommon, &[A::COPY_SOURCE, A::COPY_DEST]),
    // The tables have no row for the layouts that only the DDI or a newer header knows; their names say what they
    // allow.
    legacy_layout(
        L::DirectQueueGenericReadComputeQueueAccessible,
        &[
            A::SHADER_RESOURCE,
            A::COPY_SOURCE,
            A::DEPTH_STENCIL_READ,
            A::SHADING_RATE_SOURCE,
            A::RESOLVE_SOURCE,
        ],
    ),
    legacy_layout(L::LegacyCopySource, &[A::COPY_SOURCE]),
    legacy_layout(L::LegacyCopyDest, &[A::COPY_DEST]),
    legacy_layout(L::LegacyShaderResource, &[A::SHADER_RESOURCE]),
    legacy_layout(L::LegacyPixelShaderResource, &[A::SHADER_RESOURCE]),
];

/// What each access needs one of, in the order of the bits.
pub static ACCESS_SYNCS: [AccessSyncs; 23] = [
    needs_also(
        A::VERTEX_BUFFER,
        &[S::ALL, S::VERTEX_SHADING, S::DRAW, S::ALL_SHADING],
        &[S::NON_PIXEL_SHADING],
        Some("R06"),
    ),
    needs_also(
        A::CONSTANT_BUFFER,
        &[
            S::ALL,
            S::VERTEX_SHADING,
            S::PIXEL_SHADING,
            S::COMPUTE_SHADING,
            S::DRAW,
            S::ALL_SHADING,
        ],
        &[S::NON_PIXEL_SHADING, S::RAYTRACING],
        Some("R04, R06"),
    ),
    needs(A::INDEX_BUFFER, &[S::ALL, S::INDEX_INPUT, S::DRAW]),
    needs(A::RENDER_TARGET, &[S::ALL, S::DRAW, S::RENDER_TARGET]),
    needs_also(
        A::UNORDERED_ACCESS,
        &[
            S::ALL,
            S::VERTEX_SHADING,
            S::PIXEL_SHADING,
            S::COMPUTE_SHADING,
            S::DRAW,
            S::ALL_SHADING,
            S::CLEAR_UNORDERED_ACCESS_VIEW,
        ],
        &[
            S::NON_PIXEL_SHADING,
            S::RAYTRACING,
            S::BUILD_RAYTRACING_ACCELERATION_STRUCTURE,
            S::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO,
        ],
        Some("R04, R05, R06"),
    ),
    needs(A::DEPTH_STENCIL_WRITE, &[S::ALL, S::DRAW, S::DEPTH_STENCIL]),
    needs(A::DEPTH_STENCIL_READ, &[S::ALL, S::DRAW, S::DEPTH_STENCIL]),
    needs_also(
        A::SHADER_RESOURCE,
        &[
            S::ALL,
            S::VERTEX_SHADING,
            S::PIXEL_SHADING,
            S::COMPUTE_SHADING,
            S::DRAW,
            S::ALL_SHADING,
        ],
        &[
            S::NON_PIXEL_SHADING,
            S::RAYTRACING,
            S::BUILD_RAYTRACING_ACCELERATION_STRUCTURE,
        ],
        Some("R04, R06"),
    ),
    needs_also(
        A::STREAM_OUTPUT,
        &[S::ALL, S::VERTEX_SHADING, S::DRAW, S::ALL_SHADING],
        &[S::NON_PIXEL_SHADING],
        Some("R06"),
    ),
    needs(A::INDIRECT_ARGUMENT, &[S::ALL, S::EXECUTE_INDIRECT]),
    needs(A::COPY_DEST, &[S::ALL, S::COPY]),
    needs(A::COPY_SOURCE, &[S::ALL, S::COPY]),
    needs(A::RESOLVE_DEST, &[S::ALL, S::RESOLVE]),
    needs(A::RESOLVE_SOURCE, &[S::ALL, S::RESOLVE]),
    needs_also(
        A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
        &[
            S::ALL,
            S::COMPUTE_SHADING,
            S::RAYTRACING,
            S::ALL_SHADING,
            S::BUILD_RAYTRACING_ACCELERATION_STRUCTURE,
            S::COPY_RAYTRACING_ACCELERATION_STRUCTURE,
            S::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO,
        ],
        &[S::NON_PIXEL_SHADING],
        Some("R06"),
    ),
    needs(
        A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
        &[
            S::ALL,
            S::COMPUTE_SHADING,
            S::RAYTRACING,
            S::ALL_SHADING,
            S::BUILD_RAYTRACING_ACCELERATION_STRUCTURE,
            S::COPY_RAYTRACING_ACCELERATION_STRUCTURE,
        ],
    ),
    needs(
        A::SHADING_RATE_SOURCE,
        &[S::ALL, S::PIXEL_SHADING, S::ALL_SHADING],
    ),
    needs(A::VIDEO_DECODE_READ, &[S::ALL, S::VIDEO_DECODE]),
    needs(A::VIDEO_DECODE_WRITE, &[S::ALL, S::VIDEO_DECODE]),
    needs(A::VIDEO_PROCESS_READ, &[S::ALL, S::VIDEO_PROCESS]),
    needs(A::VIDEO_PROCESS_WRITE, &[S::ALL, S::VIDEO_PROCESS]),
    needs(A::VIDEO_ENCODE_READ, &[S::ALL, S::VIDEO_ENCODE]),
    needs(A::VIDEO_ENCODE_WRITE, &[S::ALL, S::VIDEO_ENCODE]),
];

/// Umbrellas: the bits that supersede others.
pub(super) const UMBRELLAS: BarrierSync =
    syncs(&[S::ALL, S::DRAW, S::ALL_SHADING, S::NON_PIXEL_SHADING]);

/// Accesses of a simultaneous-access texture in `COMMON`. Spec: "COMMON Layout", "Resource State Promotion and Decay": all
/// but depth stencil and acceleration structures (reading R66).
pub const SIMULTANEOUS_COMMON: BarrierAccess = accesses(&[
    A::SHADER_RESOURCE,
    A::COPY_DEST,
    A::COPY_SOURCE,
    A::RENDER_TARGET,
    A::UNORDERED_ACCESS,
    A::RESOLVE_DEST,
    A::RESOLVE_SOURCE,
    A::SHADING_RATE_SOURCE,
    A::VIDEO_DECODE_READ,
    A::VIDEO_DECODE_WRITE,
    A::VIDEO_PROCESS_READ,
    A::VIDEO_PROCESS_WRITE,
    A::VIDEO_ENCODE_READ,
    A::VIDEO_ENCODE_WRITE,
]);

/// Accesses of buffers in an upload heap. Spec: "Upload Heap Resources".
pub const UPLOAD_ACCESSES: BarrierAccess = accesses(&[
    A::VERTEX_BUFFER,
    A::CONSTANT_BUFFER,
    A::INDEX_BUFFER,
    A::SHADER_RESOURCE,
    A::INDIRECT_ARGUMENT,
    A::COPY_SOURCE,
    A::RESOLVE_SOURCE,
]);

/// Accesses of buffers in a readback heap. Spec: "Readback Heap Resources".
pub const READBACK_ACCESSES: BarrierAccess = accesses(&[A::COPY_DEST, A::RESOLVE_DEST]);

/// Accesses that no buffer allows (reading R35).
pub const NEVER_ON_BUFFERS: BarrierAccess = accesses(&[
    A::RENDER_TARGET,
    A::DEPTH_STENCIL_WRITE,
    A::DEPTH_STENCIL_READ,
    A::SHADING_RATE_SOURCE,
]);

/// Accesses that only a buffer has.
pub const ONLY_ON_BUFFERS: BarrierAccess = accesses(&[
    A::VERTEX_BUFFER,
    A::CONSTANT_BUFFER,
    A::INDEX_BUFFER,
    A::STREAM_OUTPUT,
    A::INDIRECT_ARGUMENT,
    A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
    A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
]);

/// The creation flag that an access needs (reading R35).
pub static ACCESS_FLAGS: [(BarrierAccess, ResourceFlags); 4] = [
    (A::RENDER_TARGET, ResourceFlags::RENDER_TARGET),
    (
        A::DEPTH_STENCIL_WRITE.union(A::DEPTH_STENCIL_READ),
        ResourceFlags::DEPTH_STENCIL,
    ),
    (A::UNORDERED_ACCESS, ResourceFlags::UNORDERED_ACCESS),
    (
        A::RAYTRACING_ACCELERATION_STRUCTURE_READ.union(A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE),
        ResourceFlags::RAYTRACING_ACCELERATION_STRUCTURE,
    ),
];

const fn layout(layout: Layout, table: &[BarrierAccess]) -> LayoutAccesses {
    LayoutAccesses {
        layout,
        table: accesses(table),
        added: BarrierAccess::empty(),
        reading: None,
    }
}

const fn legacy_layout(layout: Layout, added: &[BarrierAccess]) -> LayoutAccesses {
    LayoutAccesses {
        layout,
        table: BarrierAccess::empty(),
        added: accesses(added),
        reading: Some("R10"),
    }
}

const fn needs(access: BarrierAccess, table: &[BarrierSync]) -> AccessSyncs {
    needs_also(access, table, &[], None)
}

const fn needs_also(
    access: BarrierAccess,
    table: &[BarrierSync],
    added: &[BarrierSync],
    reading: Option<&'static str>,
) -> AccessSyncs {
    AccessSyncs {
        access,
        table: syncs(table),
        added: syncs(added),
        reading,
    }
}

/// The set of several access bits.
pub(super) const fn accesses(bits: &[BarrierAccess]) -> BarrierAccess {
    let mut set = BarrierAccess::empty();
    let mut i = 0;
    while i < bits.len() {
        set = set.union(bits[i]);
        i += 1;
    }
    set
}

/// The set of several sync bits.
const fn syncs(bits: &[BarrierSync]) -> BarrierSync {
    let mut set = BarrierSync::empty();
    let mut i = 0;
    while i < bits.len() {
        set = set.union(bits[i]);
        i += 1;
    }
    set
}
