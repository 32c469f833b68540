//! Small parts that entries are made of.

use super::states;
use crate::api::{
    BarrierAccess, BarrierSync, Layout, QueueType, ResourceFlags, ResourceState, compat,
};
use crate::finding::Span;
use crate::id::ResourceId;
use crate::scenario::{Barrier, BarrierTarget, LegacySplit, Part, Resource};

/// One legacy transition.
pub(super) struct Transition {
    pub(super) queue: QueueType,
    pub(super) resource: ResourceId,
    pub(super) before: ResourceState,
    pub(super) after: ResourceState,
    pub(super) split: Option<LegacySplit>,
    pub(super) span: Span,
}

impl Transition {
    /// Whether a texture that really has the layout `actual` came to `StateBefore` by promotion.
    /// Spec: "Legacy layouts": it is still in `COMMON`.
    pub(super) fn is_promoted(&self, actual: Layout) -> bool {
        let meant = self.before - states::ONLY_ON_BUFFERS;
        actual == Layout::Common && states::PROMOTABLE.contains(meant)
    }
}

/// The scopes that the queue has. If it has none of them the state is not the queue's to name, which a rule reports;
/// everything is then meant.
pub(super) fn on_queue_sync(queue: QueueType, sync: BarrierSync) -> BarrierSync {
    let kept = sync & compat::queue_syncs(queue);
    if kept.is_empty() {
        BarrierSync::ALL
    } else {
        kept
    }
}

/// The accesses that the queue has; all of them if it has none, because no bit would mean `COMMON`.
pub(super) fn on_queue_access(queue: QueueType, access: BarrierAccess) -> BarrierAccess {
    let kept = access & compat::queue_accesses(queue);
    if kept.is_empty() { access } else { kept }
}

pub(super) fn barrier(
    target: BarrierTarget,
    sync: (BarrierSync, BarrierSync),
    access: (BarrierAccess, BarrierAccess),
    span: Span,
) -> Barrier {
    let mut barrier = Barrier::of(target)
        .sync(sync.0, sync.1)
        .access(access.0, access.1);
    barrier.span = span;
    barrier
}

/// A texture that stays in `COMMON`.
pub(super) fn in_common(part: impl Into<Part>) -> BarrierTarget {
    BarrierTarget::texture(part, (Layout::Common, Layout::Common))
}

/// All of a texture with these layouts, or a buffer.
pub(super) fn whole(
    id: ResourceId,
    resource: &Resource,
    before: Layout,
    after: Layout,
) -> BarrierTarget {
    if resource.is_buffer() {
        BarrierTarget::buffer(id)
    } else if resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS) {
        in_common(id)
    } else {
        BarrierTarget::texture(id, (before, after))
    }
}
