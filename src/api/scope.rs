//! What barrier bits mean: leaf stages and accesses.

use super::{BarrierAccess, BarrierSync, Layout, LeafSet, QueueType, ResourceTraits, compat};

/// Leaf stages × accesses: the only form in which two sides of barriers and uses are compared.
///
/// `accesses` holds plain access bits: `COMMON` is expanded, `NO_ACCESS` is the empty set.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scope {
    /// Stages whose work it covers.
    pub stages: LeafSet,
    /// Accesses that it covers.
    pub accesses: BarrierAccess,
}

impl Scope {
    /// No work.
    pub const EMPTY: Self = Self {
        stages: LeafSet::EMPTY,
        accesses: BarrierAccess::empty(),
    };

    /// The meaning of one side of a barrier.
    ///
    /// `layout` is the side's layout for a texture barrier whose layout is known, `None` for buffers, global barriers
    /// and memory-only texture barriers. `resource` is `None` for global barriers.
    /// `COMMON` means every access that the layout, the resource and the queue allow (reading R16).
    pub fn new(
        sync: BarrierSync,
        access: BarrierAccess,
        layout: Option<Layout>,
        queue: QueueType,
        resource: Option<ResourceTraits>,
    ) -> Self {
        let accesses = if access.is_no_access() {
            BarrierAccess::empty()
        } else if access == BarrierAccess::COMMON {
            compat::common_accesses(layout, queue, resource)
        } else {
            access.intersection(BarrierAccess::EVERY)
        };
        Self {
            stages: sync.leaves(),
            accesses,
        }
    }
}
