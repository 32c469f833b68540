//! The specification's compatibility tables as data, and the questions that the rules ask of them.
//!
//! A row keeps what the table says to the letter (`table`) apart from what a reading adds (`added`, with `reading`),
//! so that the book can print both and [`RuleSet`] can choose. Whoever asks without naming a rule set gets the
//! specification as read.

use super::{
    BarrierAccess, BarrierSync, Layout, LeafSet, QueueType, ResourceFlags, ResourceTraits,
};
use super::{HeapType, leaf::Leaf};

/// Whose word counts where the sources disagree (readings R10, R31).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum RuleSet {
    /// Tables and prose of the specification, with the readings R01 to R10 and R36.
    #[default]
    Specification,
    /// The tables to the letter, leaves of umbrellas not considered.
    Tables,
    /// What is known of the shipped debug layer (reading R31); the specification elsewhere.
    DebugLayer,
}

impl RuleSet {
    /// Every rule set, the default first.
    pub const ALL: [Self; 3] = [Self::Specification, Self::Tables, Self::DebugLayer];

    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Specification => "specification",
            Self::Tables => "tables",
            Self::DebugLayer => "debug-layer",
        }
    }
}

/// Layouts of a queue type. Spec: "Command Queue Layout Compatibility".
#[derive(Copy, Clone, Debug)]
pub struct QueueLayouts {
    /// The queue type.
    pub queue: QueueType,
    /// The specification's list.
    pub table: &'static [Layout],
    /// What readings add.
    pub added: &'static [Layout],
    /// The reading.
    pub reading: Option<&'static str>,
}

/// Accesses of a queue type. Spec: "Command Queue Access Compatibility". `COMMON` and `NO_ACCESS` are legal on every
/// queue and not listed (reading R08).
#[derive(Copy, Clone, Debug)]
pub struct QueueAccesses {
    /// The queue type.
    pub queue: QueueType,
    /// The specification's list.
    pub table: BarrierAccess,
    /// A reading that confirms an odd row.
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
    /// What readings add.
    pub added: BarrierSync,
    /// The readings.
    pub reading: Option<&'static str>,
}

use Layout as L;

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

/// The set of several access bits.
const fn accesses(bits: &[BarrierAccess]) -> BarrierAccess {
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

use BarrierAccess as A;
use BarrierSync as S;

/// Accesses that each queue type may name.
pub static QUEUE_ACCESSES: [QueueAccesses; 6] = [
    QueueAccesses {
        queue: QueueType::Direct,
        table: accesses(&[
            A::VERTEX_BUFFER,
            A::CONSTANT_BUFFER,
            A::INDEX_BUFFER,
            A::RENDER_TARGET,
            A::UNORDERED_ACCESS,
            A::DEPTH_STENCIL_WRITE,
            A::DEPTH_STENCIL_READ,
            A::SHADER_RESOURCE,
            A::STREAM_OUTPUT,
            A::INDIRECT_ARGUMENT,
            A::COPY_DEST,
            A::COPY_SOURCE,
            A::RESOLVE_DEST,
            A::RESOLVE_SOURCE,
            A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
            A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
            A::SHADING_RATE_SOURCE,
        ]),
        reading: None,
    },
    QueueAccesses {
        queue: QueueType::Compute,
        table: accesses(&[
            A::VERTEX_BUFFER,
            A::CONSTANT_BUFFER,
            A::UNORDERED_ACCESS,
            A::SHADER_RESOURCE,
            A::INDIRECT_ARGUMENT,
            A::COPY_DEST,
            A::COPY_SOURCE,
            A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
            A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
        ]),
        reading: Some("R09"),
    },
    QueueAccesses {
        queue: QueueType::Copy,
        table: accesses(&[A::COPY_DEST, A::COPY_SOURCE]),
        reading: None,
    },
    QueueAccesses {
        queue: QueueType::VideoDecode,
        table: accesses(&[A::VIDEO_DECODE_READ, A::VIDEO_DECODE_WRITE]),
        reading: None,
    },
    QueueAccesses {
        queue: QueueType::VideoProcess,
        table: accesses(&[A::VIDEO_PROCESS_READ, A::VIDEO_PROCESS_WRITE]),
        reading: None,
    },
    QueueAccesses {
        queue: QueueType::VideoEncode,
        table: accesses(&[A::VIDEO_ENCODE_READ, A::VIDEO_ENCODE_WRITE]),
        reading: None,
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

/// Accesses of a simultaneous-access texture in `COMMON`. Spec: "COMMON Layout".
pub const SIMULTANEOUS_COMMON: BarrierAccess = accesses(&[
    A::SHADER_RESOURCE,
    A::COPY_DEST,
    A::COPY_SOURCE,
    A::RENDER_TARGET,
    A::UNORDERED_ACCESS,
    A::RESOLVE_DEST,
    A::RESOLVE_SOURCE,
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

/// A bundle runs inside a direct list.
fn row_of(queue: QueueType) -> usize {
    match queue {
        QueueType::Direct | QueueType::Bundle => 0,
        QueueType::Compute => 1,
        QueueType::Copy => 2,
        QueueType::VideoDecode => 3,
        QueueType::VideoProcess => 4,
        QueueType::VideoEncode => 5,
    }
}

fn layout_row(layout: Layout) -> Option<&'static LayoutAccesses> {
    let index = match layout {
        Layout::Unknown(_) => return None,
        Layout::Undefined => 0,
        other if other.value() < 0x8000_0000 => other.value() as usize + 1,
        other => (other.value() - 0x8000_0000) as usize + 33,
    };
    Some(&LAYOUT_ACCESSES[index])
}

/// Whether a barrier on this queue type may name the layout. Spec: "Command Queue Layout Compatibility"; R08, R10.
pub fn queue_allows_layout(queue: QueueType, layout: Layout) -> bool {
    queue_allows_layout_under(RuleSet::Specification, queue, layout)
}

/// [`queue_allows_layout`] under a rule set.
pub fn queue_allows_layout_under(rules: RuleSet, queue: QueueType, layout: Layout) -> bool {
    let row = &QUEUE_LAYOUTS[row_of(queue)];
    row.table.contains(&layout)
        || rules != RuleSet::Tables && row.added.contains(&layout)
        // Reading R10: a newer header than the seed's has 31 for direct and compute queues.
        || rules == RuleSet::DebugLayer
            && layout == Layout::DirectQueueGenericReadComputeQueueAccessible
            && matches!(queue, QueueType::Direct | QueueType::Bundle | QueueType::Compute)
}

/// Whether work of a queue type can use a texture in a layout. Spec: "Queue type specific layouts", "Copy Queues". The
/// layouts that legacy barriers translate to are those of the queues that have them.
pub fn queue_uses_layout(queue: QueueType, layout: Layout) -> bool {
    layout == Layout::DirectQueueGenericReadComputeQueueAccessible
        && matches!(
            queue,
            QueueType::Direct | QueueType::Bundle | QueueType::Compute
        )
        || queue_allows_layout(queue, layout)
}

/// Accesses that a queue type allows, apart from `COMMON` and `NO_ACCESS`, which all allow.
/// Spec: "Command Queue Access Compatibility"; readings R08, R09.
pub fn queue_accesses(queue: QueueType) -> BarrierAccess {
    QUEUE_ACCESSES[row_of(queue)].table
}

/// Synchronization scopes that a queue type allows, apart from `NONE`, which all allow.
/// Spec: "Command Queue Sync Compatibility".
pub fn queue_syncs(queue: QueueType) -> BarrierSync {
    QUEUE_SYNCS[row_of(queue)].table
}

/// Accesses that a layout allows. Spec: "Layout Access Compatibility". `UNDEFINED`, and numbers that no header knows,
/// allow none.
pub fn layout_accesses(layout: Layout) -> BarrierAccess {
    layout_row(layout).map_or(BarrierAccess::empty(), |row| row.table | row.added)
}

/// Accesses that a layout allows on a texture with these flags: a simultaneous-access texture in `COMMON` has the
/// wide list. Spec: "COMMON Layout".
pub fn texture_accesses(layout: Layout, flags: ResourceFlags) -> BarrierAccess {
    if layout == Layout::Common && flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS) {
        SIMULTANEOUS_COMMON
    } else {
        layout_accesses(layout)
    }
}

/// Whether a sync mask has one of the scopes that an access needs: a listed leaf among its leaves, or a listed
/// umbrella among its bits (reading R36). `COMMON` and `NO_ACCESS` need none; neither does a bit without a row.
/// Several access bits must each be satisfied.
pub fn access_sync_ok(access: BarrierAccess, sync: BarrierSync) -> bool {
    access_sync_ok_under(RuleSet::Specification, access, sync)
}

/// [`access_sync_ok`] under a rule set.
pub fn access_sync_ok_under(rules: RuleSet, access: BarrierAccess, sync: BarrierSync) -> bool {
    // Reading R31: the debug layer is known to refuse this pair, which has no row.
    if rules == RuleSet::DebugLayer && access == A::COMMON && sync == S::CLEAR_UNORDERED_ACCESS_VIEW
    {
        return false;
    }
    ACCESS_SYNCS
        .iter()
        .filter(|row| access.contains(row.access))
        .all(|row| row_satisfied(rules, row, sync))
}

/// Umbrellas: the bits that supersede others.
const UMBRELLAS: BarrierSync = syncs(&[S::ALL, S::DRAW, S::ALL_SHADING, S::NON_PIXEL_SHADING]);

fn row_satisfied(rules: RuleSet, row: &AccessSyncs, sync: BarrierSync) -> bool {
    match rules {
        RuleSet::Tables => return row.table.intersects(sync),
        RuleSet::DebugLayer if debug_layer_refuses(row.access, sync) => return false,
        RuleSet::DebugLayer | RuleSet::Specification => {}
    }
    let listed = row.table | row.added;
    if listed.intersects(sync & UMBRELLAS) {
        return true;
    }
    // Reading R06: of the acceleration structure accesses, `NON_PIXEL_SHADING` serves only the read, although its
    // leaves would serve the write too.
    let counted = if row.access == A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE {
        sync.difference(S::NON_PIXEL_SHADING)
    } else {
        sync
    };
    counted
        .leaves()
        .meets(listed.difference(UMBRELLAS).leaves())
}

/// Combinations that the shipped debug layer is known to refuse although the tables allow them (reading R31).
fn debug_layer_refuses(access: BarrierAccess, sync: BarrierSync) -> bool {
    access == A::RENDER_TARGET && sync == S::DRAW
}

/// Stages at which an access can happen: the leaves of its row. Front end, fixed-function and shader stages alike.
pub fn access_leaves(access: BarrierAccess) -> LeafSet {
    let mut set = LeafSet::EMPTY;
    for row in &ACCESS_SYNCS {
        if access.contains(row.access) {
            set = set.union((row.table | row.added).difference(UMBRELLAS).leaves());
        }
    }
    set
}

/// The accesses that a leaf stage can make: the columns of the access × sync table.
pub fn leaf_accesses(leaf: Leaf) -> BarrierAccess {
    ACCESS_SYNCS
        .iter()
        .filter(|row| access_leaves(row.access).has(leaf))
        .fold(BarrierAccess::empty(), |set, row| set | row.access)
}

/// Accesses that a resource's creation refuses: a flag is missing, `DENY_SHADER_RESOURCE` is set, or no buffer has
/// them (reading R35).
pub fn refused_by_creation(resource: ResourceTraits) -> BarrierAccess {
    let mut refused = BarrierAccess::empty();
    for (access, flag) in ACCESS_FLAGS {
        if !resource.flags.contains(flag) {
            refused |= access;
        }
    }
    if resource.flags.contains(ResourceFlags::DENY_SHADER_RESOURCE) {
        refused |= A::SHADER_RESOURCE;
    }
    if resource.is_buffer {
        refused |= NEVER_ON_BUFFERS;
    }
    refused
}

/// Accesses that a heap type allows. Spec: "Upload Heap Resources", "Readback Heap Resources".
pub fn heap_accesses(heap: HeapType) -> BarrierAccess {
    match heap {
        HeapType::Default => BarrierAccess::EVERY,
        HeapType::Upload => UPLOAD_ACCESSES,
        HeapType::Readback => READBACK_ACCESSES,
    }
}

/// Accesses that a resource's kind, flags and heap allow. Reading R35.
pub fn resource_accesses(resource: ResourceTraits) -> BarrierAccess {
    let mut set = heap_accesses(resource.heap).difference(refused_by_creation(resource));
    if !resource.is_buffer {
        set -= ONLY_ON_BUFFERS;
    }
    set
}

/// The creation flag that a layout needs, if it needs one (reading R35).
pub fn layout_needs(layout: Layout) -> ResourceFlags {
    match layout {
        L::RenderTarget => ResourceFlags::RENDER_TARGET,
        L::DepthStencilWrite | L::DepthStencilRead => ResourceFlags::DEPTH_STENCIL,
        L::UnorderedAccess | L::DirectQueueUnorderedAccess | L::ComputeQueueUnorderedAccess => {
            ResourceFlags::UNORDERED_ACCESS
        }
        _ => ResourceFlags::empty(),
    }
}

/// Whether a texture with these flags may be in the layout (reading R35).
pub fn creation_allows_layout(layout: Layout, flags: ResourceFlags) -> bool {
    let denied = matches!(
        layout,
        L::ShaderResource | L::DirectQueueShaderResource | L::ComputeQueueShaderResource
    ) && flags.contains(ResourceFlags::DENY_SHADER_RESOURCE);
    flags.contains(layout_needs(layout)) && !denied
}

/// What `COMMON` stands for: every access that the layout, the resource and the queue allow (reading R16).
/// An unknown layout or resource restricts nothing.
pub fn common_accesses(
    layout: Option<Layout>,
    queue: QueueType,
    resource: Option<ResourceTraits>,
) -> BarrierAccess {
    let mut set = queue_accesses(queue);
    if let Some(layout) = layout {
        let flags = resource.map_or(ResourceFlags::empty(), |resource| resource.flags);
        set &= texture_accesses(layout, flags);
    }
    if let Some(resource) = resource {
        set &= resource_accesses(resource);
    }
    set
}

/// Whether a layout allows an access to a texture.
pub fn layout_allows(layout: Layout, access: BarrierAccess, resource: ResourceTraits) -> bool {
    texture_accesses(layout, resource.flags).contains(access)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_where_they_are_looked_for() {
        for (row, layout) in LAYOUT_ACCESSES.iter().zip(Layout::ALL) {
            assert_eq!(row.layout, layout);
            assert_eq!(layout_row(layout).map(|row| row.layout), Some(layout));
        }
        for (i, row) in ACCESS_SYNCS.iter().enumerate() {
            assert_eq!(row.access.bits(), 1 << i);
        }
        for queue in QueueType::ALL {
            let expected = if queue == QueueType::Bundle {
                QueueType::Direct
            } else {
                queue
            };
            assert_eq!(QUEUE_LAYOUTS[row_of(queue)].queue, expected);
            assert_eq!(QUEUE_ACCESSES[row_of(queue)].queue, expected);
            assert_eq!(QUEUE_SYNCS[row_of(queue)].queue, expected);
        }
    }

    #[test]
    fn leaves_decide_access_and_sync() {
        // Reading R36: a draw contains pixel shading, which reads the shading rate.
        assert!(access_sync_ok(A::SHADING_RATE_SOURCE, S::DRAW));
        assert!(!access_sync_ok_under(
            RuleSet::Tables,
            A::SHADING_RATE_SOURCE,
            S::DRAW
        ));
        assert!(access_sync_ok(A::SHADER_RESOURCE, S::NON_PIXEL_SHADING));
        assert!(!access_sync_ok(
            A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
            S::NON_PIXEL_SHADING
        ));
        assert!(!access_sync_ok(
            A::SHADER_RESOURCE | A::COPY_DEST,
            S::PIXEL_SHADING
        ));
        assert!(access_sync_ok(A::NO_ACCESS, S::NONE));
        assert!(access_sync_ok(A::COMMON, S::CLEAR_UNORDERED_ACCESS_VIEW));
    }

    #[test]
    fn common_is_what_everything_allows() {
        let texture = ResourceTraits {
            is_buffer: false,
            flags: ResourceFlags::RENDER_TARGET | ResourceFlags::SIMULTANEOUS_ACCESS,
            heap: HeapType::Default,
        };
        let set = common_accesses(Some(L::Common), QueueType::Direct, Some(texture));
        assert!(set.contains(A::RENDER_TARGET | A::COPY_DEST | A::RESOLVE_SOURCE));
        assert!(!set.intersects(A::UNORDERED_ACCESS), "no creation flag");
        let set = common_accesses(Some(L::Common), QueueType::Copy, Some(texture));
        assert_eq!(set, A::COPY_DEST | A::COPY_SOURCE);
    }
}
