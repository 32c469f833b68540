//! The questions that the rules ask of the specification's compatibility tables.
//!
//! The tables themselves, with what readings add to them, are in `tables`; [`RuleSet`] chooses what of a row counts.
//! Whoever asks without naming a rule set gets the specification as read.

mod lists;
mod tables;

use super::leaf::Leaf;
use super::{
    BarrierAccess, BarrierSync, HeapType, Layout, LeafSet, QueueType, ResourceFlags, ResourceTraits,
};
pub use lists::{LISTS, ListType, Work, list_has, list_type, lists_with, queue_accesses};
use tables::UMBRELLAS;
pub use tables::{
    ACCESS_FLAGS, ACCESS_SYNCS, AccessSyncs, LAYOUT_ACCESSES, LayoutAccesses, NEVER_ON_BUFFERS,
    ONLY_ON_BUFFERS, QUEUE_LAYOUTS, QUEUE_SYNCS, QueueLayouts, QueueSyncs, READBACK_ACCESSES,
    SIMULTANEOUS_COMMON, UPLOAD_ACCESSES,
};

use BarrierAccess as A;
use BarrierSync as S;
use Layout as L;

/// Whose word counts where the sources disagree (readings R10, R31).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum RuleSet {
    /// Tables and prose of the specification, with the readings R01 to R10 and R36.
    #[default]
    Specification,
    /// The tables to the letter where the readings R03, R04, R07 and R39 leave them (reading R58).
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
        || row.added.contains(&layout)
        // Reading R10: a header newer than the specification has 31 for direct and compute queues.
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

/// What the table lists for each umbrella. Spec: "Umbrella Synchronization Scopes". What the prose adds is reading R07.
static SUPERSEDED: [(BarrierSync, BarrierSync); 4] = [
    (
        S::ALL,
        S::INDEX_INPUT
            .union(S::VERTEX_SHADING)
            .union(S::PIXEL_SHADING)
            .union(S::DEPTH_STENCIL)
            .union(S::RENDER_TARGET)
            .union(S::COMPUTE_SHADING)
            .union(S::RAYTRACING)
            .union(S::COPY)
            .union(S::RESOLVE)
            .union(S::EXECUTE_INDIRECT)
            .union(S::VIDEO_DECODE)
            .union(S::VIDEO_PROCESS)
            .union(S::VIDEO_ENCODE)
            .union(S::CLEAR_UNORDERED_ACCESS_VIEW),
    ),
    (
        S::DRAW,
        S::INDEX_INPUT
            .union(S::VERTEX_SHADING)
            .union(S::PIXEL_SHADING)
            .union(S::DEPTH_STENCIL)
            .union(S::RENDER_TARGET),
    ),
    (
        S::ALL_SHADING,
        S::VERTEX_SHADING
            .union(S::PIXEL_SHADING)
            .union(S::COMPUTE_SHADING),
    ),
    (
        S::NON_PIXEL_SHADING,
        S::VERTEX_SHADING.union(S::COMPUTE_SHADING),
    ),
];

/// The leaves that a sync value means under a rule set: by the tables alone, `ALL` supersedes no acceleration structure
/// scope, and the shading umbrellas no ray tracing (readings R07, R58).
pub fn scope_leaves(rules: RuleSet, sync: BarrierSync) -> LeafSet {
    if rules != RuleSet::Tables {
        return sync.leaves();
    }
    SUPERSEDED
        .iter()
        .filter(|(umbrella, _)| sync.contains(*umbrella))
        .fold(sync.difference(UMBRELLAS).leaves(), |set, (_, listed)| {
            set.union(listed.leaves())
        })
}

fn row_satisfied(rules: RuleSet, row: &AccessSyncs, sync: BarrierSync) -> bool {
    if rules == RuleSet::DebugLayer && debug_layer_refuses(row.access, sync) {
        return false;
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
    scope_leaves(rules, counted).meets(listed.difference(UMBRELLAS).leaves())
}

/// Scopes whose own sections demand `RAYTRACING_ACCELERATION_STRUCTURE_WRITE` on the same side (readings R04, R58).
pub fn demands_structure_write(rules: RuleSet, sync: BarrierSync) -> BarrierSync {
    if rules == RuleSet::Tables {
        sync & (S::BUILD_RAYTRACING_ACCELERATION_STRUCTURE
            | S::COPY_RAYTRACING_ACCELERATION_STRUCTURE)
    } else {
        S::NONE
    }
}

/// Combinations that the shipped debug layer is known to refuse although the tables allow them (reading R31).
fn debug_layer_refuses(access: BarrierAccess, sync: BarrierSync) -> bool {
    access == A::RENDER_TARGET && sync == S::DRAW
}

/// Stages at which an access can happen: the leaves of its row. These are front-end, fixed-function and shader stages.
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

/// The accesses that any of the leaves can make.
pub fn leaf_accesses_of(leaves: LeafSet) -> BarrierAccess {
    ACCESS_SYNCS
        .iter()
        .filter(|row| access_leaves(row.access).meets(leaves))
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

/// Accesses that a heap type allows. Spec: "Upload Heap Resources", "Readback Heap Resources"; reading R64.
pub fn heap_accesses(heap: HeapType) -> BarrierAccess {
    heap_accesses_under(RuleSet::Specification, heap)
}

/// [`heap_accesses`] under a rule set: to the letter no decoder reads upload memory (reading R64).
pub fn heap_accesses_under(rules: RuleSet, heap: HeapType) -> BarrierAccess {
    match heap {
        HeapType::Default => BarrierAccess::EVERY,
        HeapType::Upload if rules == RuleSet::Tables => UPLOAD_ACCESSES,
        HeapType::Upload => UPLOAD_ACCESSES.union(BarrierAccess::VIDEO_DECODE_READ),
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

/// What `COMMON` means: every access that the layout, the resource and the queue allow (reading R16).
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
            assert_eq!(list_type(queue).queue, queue);
            assert_eq!(QUEUE_SYNCS[row_of(queue)].queue, expected);
        }
    }

    #[test]
    fn leaves_decide_access_and_sync() {
        // Reading R36: a draw contains pixel shading, which reads the shading rate.
        assert!(access_sync_ok(A::SHADING_RATE_SOURCE, S::DRAW));
        assert!(access_sync_ok_under(
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
