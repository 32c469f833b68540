//! Loads of attachments that were made visible to writes only. Vulkan has an access for each, D3D12's `RENDER_TARGET` is
//! both; what does not let a load come is written without it.

use super::super::report::Fate;
use super::super::story::{Dependency, ImageTarget, ItemId, Part, Touch};
use super::Settler;
use super::barrier::Sides;
use super::broken::{Broken, note};
use crate::api::{BarrierAccess, ResourceFlags, compat};
use crate::interop::vulkan::ImageLayout;
use crate::scenario::Barrier;

/// The access of a second scope that lets an attachment be written and not loaded: D3D12's `RENDER_TARGET` cannot say that,
/// so none of the accesses of its layout is named.
const UNREAD: BarrierAccess = BarrierAccess::RESOLVE_SOURCE;

/// What is said of passes that nothing orders.
const UNORDERED_PASSES: &str = "attachments that a pass loads or clears after another pass wrote them, with nothing in between that makes the write available: taken as ordered, as D3D12 does with all work on a render target; Vulkan promises that order within a pass only";

/// Whether a second scope lets an attachment be written and not read.
fn lacks_read(dependency: &Dependency) -> bool {
    use crate::interop::vulkan::AccessFlags as V;
    let access = dependency.scopes.dst_access;
    let color = access.intersects(V::COLOR_ATTACHMENT_WRITE)
        && !access.intersects(V::COLOR_ATTACHMENT_READ);
    color && !access.intersects(V::MEMORY_READ | V::MEMORY_WRITE)
}

/// Whether of the reads of shaders a second scope sees those of input attachments only.
pub(super) fn sees_inputs_only(dependency: &Dependency) -> bool {
    use crate::interop::vulkan::AccessFlags as V;
    let access = dependency.scopes.dst_access;
    let others = V::SHADER_READ | V::SHADER_SAMPLED_READ | V::MEMORY_READ;
    access.intersects(V::INPUT_ATTACHMENT_READ) && !access.intersects(others)
}

/// What a colour attachment is written as; nothing else is narrowed.
fn written_as(item: &super::Decided) -> BarrierAccess {
    if item.flags.contains(ResourceFlags::DEPTH_STENCIL) {
        BarrierAccess::NO_ACCESS
    } else {
        BarrierAccess::RENDER_TARGET
    }
}

impl Settler<'_> {
    /// Whether this uses what the last barrier did not name: it was made visible to nothing that the layout has, or to writes
    /// only, which the entry could not say, or an earlier barrier named it.
    pub(super) fn is_hidden_from(&mut self, touch: &Touch) -> bool {
        let place = self.place(touch.item, &touch.part);
        let seen = self.seen(&place);
        // Vulkan's barriers add up: an access that an earlier one named is still served.
        seen.unseen || !seen.known.is_empty() && !seen.known.contains(touch.access)
    }

    /// Says where a pass loads or clears what another one wrote, and nothing made that available in between: D3D12 keeps the work
    /// on a render target in order (reading R18), and the language cannot say otherwise.
    pub(super) fn see_passes(&mut self, touches: &[Touch]) {
        let written = BarrierAccess::RENDER_TARGET.union(BarrierAccess::DEPTH_STENCIL_WRITE);
        for touch in touches.iter().filter(|touch| touch.begins) {
            let place = self.place(touch.item, &touch.part);
            if self.seen(&place).pending.intersects(written) {
                self.notes
                    .note_at(Fate::Widened, UNORDERED_PASSES, self.call);
            }
        }
    }

    /// The second access of an entry that is visible to none of those of its layout: one that the resource and the queue have, a
    /// read before a write. `None` if the layout has them all.
    pub(super) fn hides_all(
        &self,
        item: ItemId,
        queue: usize,
        layout: BarrierAccess,
    ) -> Option<(BarrierAccess, Broken)> {
        let others = self.allowed(item, None, queue).difference(layout);
        let reads = others.difference(BarrierAccess::WRITES).iter().next();
        let instead = reads.or_else(|| others.iter().next())?;
        Some((instead, Broken::Unseen))
    }

    /// The second access of an entry that lets an attachment be written and not loaded, before a load.
    pub(super) fn hides_loads(
        &self,
        item: ItemId,
        dependency: &Dependency,
        second: BarrierAccess,
    ) -> Option<(BarrierAccess, Broken)> {
        let hides = self.next.loads
            && lacks_read(dependency)
            && second == written_as(&self.items[item as usize]);
        hides.then_some((UNREAD, Broken::Unread))
    }

    /// A memory dependency. One that lets attachments be written and not loaded says nothing to the loads of attachments
    /// that still wait to be made visible: it is written as what it is to all else, and to each other attachment.
    pub(super) fn memory(
        &mut self,
        dependency: &Dependency,
        sides: Sides,
        queue: usize,
        broken: &mut Vec<Broken>,
        out: &mut Vec<Barrier>,
    ) {
        let target = BarrierAccess::RENDER_TARGET;
        let narrows = lacks_read(dependency) && sides.reached.contains(target);
        let loads = if narrows { self.unread() } else { Vec::new() };
        if loads.is_empty() || sides.before.is_empty() {
            return self.global(sides, queue, broken, out);
        }
        let mut reached = sides.reached.difference(target);
        if reached.is_empty() {
            reached = UNREAD;
            note(broken, Broken::UnreadMemory);
        }
        let mut others = sides;
        others.reached = reached;
        self.global(others, queue, broken, out);
        for item in self.other_targets(&loads) {
            let kept = self.layouts[item as usize][0];
            let image = ImageTarget {
                item,
                part: Part::All,
                old: kept,
                new: kept,
            };
            self.image(&image, dependency, sides, queue, broken, out);
        }
    }

    /// Images that the scope touched, with a load of which no dependency says that it may come.
    fn unread(&self) -> Vec<ItemId> {
        let touched = self.touched.iter().copied();
        touched.filter(|item| self.is_unread(*item)).collect()
    }

    /// Other images that the scope touched and that are in a layout for attachments as a whole.
    fn other_targets(&self, loads: &[ItemId]) -> Vec<ItemId> {
        let is_one = |item: &ItemId| {
            let (at, all) = (*item as usize, &self.layouts[*item as usize]);
            let is_target = self.items[at].flags.contains(ResourceFlags::RENDER_TARGET);
            let same = all.windows(2).all(|two| two[0] == two[1]);
            is_target
                && same
                && all
                    .first()
                    .is_some_and(|one| *one != ImageLayout::UNDEFINED)
        };
        let touched = self.touched.iter().copied();
        let others = touched.filter(|item| !loads.contains(item) && is_one(item));
        others
            .filter(|item| {
                let layout = self.layout(*item, self.layouts[*item as usize][0], 0);
                let flags = self.items[*item as usize].flags;
                compat::texture_accesses(layout, flags).contains(BarrierAccess::RENDER_TARGET)
            })
            .collect()
    }
}
