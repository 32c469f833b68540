//! The accesses of an entry: Vulkan's in D3D12's words, and where D3D12 has none, one that stands for it.

use super::super::story::{Dependency, ImageTarget, ItemId};
use super::barrier::{ItemPart, NO_LAYOUT, Sides};
use super::broken::{Broken, note};
use super::state::Sub;
use super::{Settler, words};
use crate::api::{BarrierAccess, BarrierSync, HeapType, Layout, ResourceTraits, compat};
use crate::interop::vulkan::ImageLayout;

/// Accesses that a resource has on a queue, and of these, those of the layouts of both sides.
#[derive(Copy, Clone)]
struct Allowed {
    resource: BarrierAccess,
    sides: (BarrierAccess, BarrierAccess),
}

/// Part of an image that an entry is about.
pub(super) struct OnPart<'a> {
    pub(super) image: &'a ImageTarget,
    pub(super) place: ItemPart,
    pub(super) layout: (Layout, Layout),
    pub(super) queue: usize,
}

/// The bits that a sync mask serves.
pub(super) fn served(access: BarrierAccess, sync: BarrierSync) -> BarrierAccess {
    access
        .iter()
        .filter(|bit| compat::access_sync_ok(*bit, sync))
        .collect()
}

/// Writes to which a barrier that names no access passes on what is available.
pub(super) fn able_writes(allowed: BarrierAccess, sides: Sides) -> BarrierAccess {
    served(allowed, sides.sync.1) & words::EVERY_WRITE
}

/// The first bit, or nothing.
pub(super) fn first(access: BarrierAccess) -> Option<BarrierAccess> {
    access.iter().next()
}

/// An access of a second scope that sees nothing of a buffer: of arguments, whether the stages have it or not.
pub(super) fn unseen(able: BarrierAccess, broken: &mut Vec<Broken>) -> Option<BarrierAccess> {
    let arguments = BarrierAccess::INDIRECT_ARGUMENT;
    if !able.contains(arguments) {
        return None;
    }
    note(broken, Broken::UnseenMemory);
    Some(arguments)
}

impl Settler<'_> {
    /// Accesses that an item has on a queue; of an image in a layout, those that the layout allows.
    pub(super) fn allowed(
        &self,
        item: ItemId,
        layout: Option<Layout>,
        queue: usize,
    ) -> BarrierAccess {
        let declared = &self.items[item as usize];
        let traits = ResourceTraits {
            is_buffer: self.story.items[item as usize].layouts.is_empty(),
            flags: declared.flags,
            heap: HeapType::Default,
        };
        let of_resource = compat::resource_accesses(traits);
        let mut of_layout = match layout {
            Some(Layout::Undefined) | None => BarrierAccess::EVERY,
            Some(layout) => compat::texture_accesses(layout, declared.flags),
        };
        if declared.stored && of_layout.contains(BarrierAccess::DEPTH_STENCIL_READ) {
            of_layout |= BarrierAccess::DEPTH_STENCIL_WRITE;
        }
        of_resource & of_layout & compat::queue_accesses(self.story.queues[queue].queue_type)
    }

    /// The accesses of an entry on a buffer.
    pub(super) fn buffer_accesses(
        &mut self,
        place: &ItemPart,
        sides: Sides,
        queue: usize,
        broken: &mut Vec<Broken>,
    ) -> (BarrierAccess, BarrierAccess) {
        let resource = self.allowed(place.item, None, queue);
        let allowed = Allowed {
            resource,
            sides: (resource, resource),
        };
        self.accesses(place, sides, allowed, false, broken)
    }

    /// The accesses of an entry on an image, and why the second is another one than Vulkan's, if it is.
    pub(super) fn image_accesses(
        &mut self,
        on: &OnPart<'_>,
        dependency: &Dependency,
        sides: Sides,
        broken: &mut Vec<Broken>,
    ) -> ((BarrierAccess, BarrierAccess), Option<Broken>) {
        let (image, layout) = (on.image, on.layout);
        let is_free = layout == NO_LAYOUT;
        let known = |one| (!is_free).then_some(one);
        let allowed = Allowed {
            resource: self.allowed(image.item, None, on.queue),
            sides: (
                self.allowed(image.item, known(layout.0), on.queue),
                self.allowed(image.item, known(layout.1), on.queue),
            ),
        };
        let undefined = layout.0 == Layout::Undefined && !is_free;
        let mut access = self.accesses(&on.place, sides, allowed, undefined, broken);
        let in_layout = allowed.sides.1;
        let keeps_layout = is_free || image.old == image.new;
        let passes_on =
            keeps_layout && sides.written.is_empty() && !able_writes(in_layout, sides).is_empty();
        let shown = image.new == ImageLayout::PRESENT_SRC_KHR;
        let is_seen = shown || passes_on || sides.sees(in_layout);
        let hides = (!is_seen).then(|| self.hides_all(image.item, on.queue, in_layout));
        let hidden = hides
            .flatten()
            .or_else(|| self.hides_loads(image.item, dependency, access.1));
        if let Some((instead, what)) = hidden {
            access.1 = instead;
            note(broken, what);
        }
        let decided = &self.items[image.item as usize];
        let stores = |access: BarrierAccess, layout| {
            let written = access & BarrierAccess::DEPTH_STENCIL_WRITE;
            !is_free && !compat::texture_accesses(layout, decided.flags).contains(written)
        };
        if decided.stored && (stores(access.0, layout.0) || stores(access.1, layout.1)) {
            note(broken, Broken::Stored);
        }
        (access, hidden.map(|(_, what)| what))
    }

    /// The accesses of both sides.
    fn accesses(
        &mut self,
        place: &ItemPart,
        sides: Sides,
        allowed: Allowed,
        undefined: bool,
        broken: &mut Vec<Broken>,
    ) -> (BarrierAccess, BarrierAccess) {
        let Allowed {
            resource,
            sides: allowed,
        } = allowed;
        let seen = self.seen(place);
        let before = if sides.before.is_empty() {
            BarrierAccess::NO_ACCESS
        } else if undefined {
            let missing = seen.pending.difference(sides.written);
            // Outside `UNDEFINED` the image has these reads.
            let reads = resource.difference(BarrierAccess::WRITES);
            match first(served(reads, sides.sync.0)) {
                // The earlier write is not made available: D3D12 would let its contents be given up.
                Some(read) if !missing.is_empty() => {
                    note(broken, Broken::UndefinedAccess);
                    read
                }
                _ => BarrierAccess::NO_ACCESS,
            }
        } else {
            let able = served(allowed.0, sides.sync.0);
            let found = before(seen, sides.written & able, able, broken);
            let others = [allowed.0, resource].map(|of| of.difference(seen.pending));
            let other = others.into_iter().find_map(first);
            match other {
                // D3D12 would let the contents be given up.
                Some(other) if found == BarrierAccess::NO_ACCESS => {
                    note(broken, Broken::NoneNamed);
                    if !seen.known.is_empty() && !seen.known.contains(other) {
                        note(broken, Broken::AccessBefore);
                    }
                    other
                }
                _ => found,
            }
        };
        let reached = sides.reached & allowed.1;
        let after = if sides.after.is_empty() {
            BarrierAccess::NO_ACCESS
        } else if reached.is_empty() {
            let able = served(allowed.1, sides.sync.1);
            let reads = able.difference(BarrierAccess::WRITES);
            let writes = able_writes(allowed.1, sides);
            // Order alone: see the global barrier without accesses. What this one makes available, nothing sees.
            let passes_on = sides.written.is_empty() && !writes.is_empty();
            let is_buffer = self.story.items[place.item as usize].layouts.is_empty();
            let hides = is_buffer && !sides.written.is_empty();
            let hidden = hides.then(|| unseen(resource, broken)).flatten();
            passes_on
                .then_some(writes)
                .or(hidden)
                .or(first(reads))
                .or(first(able))
                .unwrap_or(BarrierAccess::NO_ACCESS)
        } else {
            reached
        };
        (before, after)
    }
}

/// An `AccessBefore`: the writes that are to be made available; without any, an access that names no write that waits.
fn before(
    seen: Sub,
    written: BarrierAccess,
    able: BarrierAccess,
    broken: &mut Vec<Broken>,
) -> BarrierAccess {
    let known = seen.known;
    let is_free = known.is_empty();
    let waiting = written & seen.pending;
    let harmless = able.difference(seen.pending);
    if !waiting.is_empty() {
        if is_free || known.contains(waiting) {
            return waiting;
        }
        note(broken, Broken::AccessBefore);
        return waiting;
    }
    let reads = harmless.difference(BarrierAccess::WRITES);
    let candidates = if is_free {
        [written, reads, harmless]
    } else {
        [written & known & harmless, reads & known, harmless & known]
    };
    let found = candidates.into_iter().find(|set| !set.is_empty());
    match found {
        Some(set) if set == written => set,
        Some(set) => first(set).unwrap_or(set),
        None if !is_free && !reads.is_empty() => {
            note(broken, Broken::AccessBefore);
            first(reads).unwrap_or(reads)
        }
        None => BarrierAccess::NO_ACCESS,
    }
}
