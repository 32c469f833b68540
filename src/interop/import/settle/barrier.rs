//! One dependency of Vulkan as an entry of a `Barrier()` call.
//!
//! What it orders and makes visible stays exact. Where D3D12 refuses a form that Vulkan has (the second barrier of a
//! sequence waiting for less than the first let start), the form is kept and the rule that refuses it is allowed on this
//! statement: widening it would hide hazards.

use super::super::story::{Dependency, ImageTarget, ItemId, Part, Target};
use super::accesses::{OnPart, able_writes, first, served, unseen};
use super::broken::{Broken, note};
use super::state::Sub;
use super::{Settler, draft, layouts, loads, words};
use crate::api::{BarrierAccess, BarrierSync, Layout, LeafSet, QueueType, compat};
use crate::interop::vulkan::{DependencySide, ImageLayout};
use crate::scenario::{Barrier, BarrierTarget, TextureBarrier};

/// Both sides of an entry.
#[derive(Copy, Clone)]
pub(super) struct Sides {
    pub(super) before: LeafSet,
    pub(super) after: LeafSet,
    /// Sync masks.
    pub(super) sync: (BarrierSync, BarrierSync),
    pub(super) written: BarrierAccess,
    pub(super) reached: BarrierAccess,
}

impl Sides {
    /// Whether the second scope sees what comes before by one of these accesses, or has no stage.
    pub(super) fn sees(&self, allowed: BarrierAccess) -> bool {
        self.after.is_empty() || self.reached.intersects(allowed)
    }
}

/// The mask of a set of leaves.
fn mask(leaves: LeafSet, queue: QueueType) -> BarrierSync {
    if leaves.contains(queue.leaves()) {
        BarrierSync::ALL
    } else {
        BarrierSync::named(leaves)
    }
}

impl Settler<'_> {
    fn sides(&self, dependency: &Dependency, queue: usize) -> Sides {
        let queue = &self.story.queues[queue];
        let own = queue.queue_type.leaves();
        let scopes = &dependency.scopes;
        let of = |stages, side| words::leaves(stages, side).intersection(own);
        let with_access = |stages, side| {
            let leaves = of(words::accessing(stages, side), side);
            mask(leaves, queue.queue_type)
        };
        let (first, second) = (DependencySide::Source, DependencySide::Destination);
        let named = of(scopes.src_stages, first);
        let mut before = words::with_earlier(named, self.reads_arguments).intersection(own);
        let mut after = of(scopes.dst_stages, second);
        let mut written = served(
            words::written(scopes.src_access),
            with_access(scopes.src_stages, first),
        );
        let mut reached = served(
            words::reached(scopes.dst_access),
            with_access(scopes.dst_stages, second),
        );
        if let Some((from, to)) = dependency.transfer {
            if queue.family == to && from != to {
                before = LeafSet::EMPTY;
                written = BarrierAccess::empty();
            } else {
                after = LeafSet::EMPTY;
                reached = BarrierAccess::empty();
            }
        }
        let sync = (
            mask(before, queue.queue_type),
            mask(after, queue.queue_type),
        );
        written &= compat::queue_accesses(queue.queue_type);
        reached &= compat::queue_accesses(queue.queue_type);
        Sides {
            before,
            after,
            sync,
            written,
            reached,
        }
    }

    /// The leaves that a dependency waits for.
    pub(super) fn waited(&self, dependency: &Dependency, queue: usize) -> LeafSet {
        self.sides(dependency, queue).before
    }

    /// The leaves that a dependency lets start.
    pub(super) fn started(&self, dependency: &Dependency, queue: usize) -> LeafSet {
        self.sides(dependency, queue).after
    }

    /// The entries of a dependency. None if it does nothing.
    pub(super) fn entries(
        &mut self,
        dependency: &Dependency,
        queue: usize,
        broken: &mut Vec<Broken>,
        out: &mut Vec<Barrier>,
    ) {
        let sides = self.sides(dependency, queue);
        match &dependency.target {
            target if is_one_sided(target, dependency, sides) => {
                let what = "dependencies without a first or a second scope, and without a layout change: nothing";
                self.notes
                    .note_at(super::super::report::Fate::Read, what, self.call);
            }
            Target::Memory => self.memory(dependency, sides, queue, broken, out),
            Target::Buffer(item) => self.buffer(*item, sides, queue, broken, out),
            Target::Acquired(item) => self.acquired(*item, sides.after, broken, out),
            Target::Image(image) => self.image(image, dependency, sides, queue, broken, out),
        }
    }

    pub(super) fn global(
        &mut self,
        sides: Sides,
        queue: usize,
        broken: &mut Vec<Broken>,
        out: &mut Vec<Barrier>,
    ) {
        let mut stands_in = None;
        let reads = BarrierAccess::EVERY.difference(BarrierAccess::WRITES);
        let any_read = |sync| first(served(reads, sync)).unwrap_or(BarrierAccess::NO_ACCESS);
        let access = if sides.written.is_empty() {
            stands_in = Some("order only: AccessBefore stands for none");
            note(broken, Broken::OrderOnly);
            // Nothing is made available. What an earlier barrier made available is passed on: to what is named, and if
            // nothing is named, to writes, which need no more than order then.
            let writes = able_writes(BarrierAccess::EVERY, sides);
            let after = [sides.reached, writes]
                .into_iter()
                .find(|set| !set.is_empty());
            let after = after.unwrap_or_else(|| any_read(sides.sync.1));
            (any_read(sides.sync.0), after)
        } else if sides.reached.is_empty() {
            // Made available, and visible to nothing that matters.
            stands_in = Some("visible to nothing: AccessAfter stands for none");
            let of_queue = compat::queue_accesses(self.story.queues[queue].queue_type);
            let hidden = unseen(of_queue, broken);
            (
                sides.written,
                hidden.unwrap_or_else(|| any_read(sides.sync.1)),
            )
        } else {
            (sides.written, sides.reached)
        };
        self.make_available(sides.written);
        let mut entry = entry(BarrierTarget::Global, sides.sync, access);
        if let Some(what) = stands_in {
            entry.trivia = draft::comment(what);
        }
        out.push(entry);
    }

    fn buffer(
        &mut self,
        item: ItemId,
        sides: Sides,
        queue: usize,
        broken: &mut Vec<Broken>,
        out: &mut Vec<Barrier>,
    ) {
        if sides.before.is_empty() && sides.after.is_empty() {
            return;
        }
        let Some(resource) = self.resource(item) else {
            return;
        };
        let place = self.place(item, &Part::All);
        let access = self.buffer_accesses(&place, sides, queue, broken);
        self.follow(&place, sides, access, None, broken);
        let target = BarrierTarget::buffer(resource);
        out.push(entry(target, sides.sync, access));
    }

    pub(super) fn image(
        &mut self,
        image: &ImageTarget,
        dependency: &Dependency,
        mut sides: Sides,
        queue: usize,
        broken: &mut Vec<Broken>,
        out: &mut Vec<Barrier>,
    ) {
        let Some(resource) = self.resource(image.item) else {
            return;
        };
        let (old, new) = self.transferred(image, dependency, queue);
        if self.next.samples && loads::sees_inputs_only(dependency) {
            sides.reached -= BarrierAccess::SHADER_RESOURCE;
        }
        for (plane, part) in self.planes(image) {
            let layout = self.layouts_of(image.item, (old, new), plane);
            let is_free = layout == NO_LAYOUT;
            if is_free && sides.before.is_empty() && sides.after.is_empty() {
                continue;
            }
            let queue_type = self.story.queues[queue].queue_type;
            let is_refused = |one| !layouts::is_for(queue_type, one);
            if !is_free && (is_refused(layout.0) || is_refused(layout.1)) {
                note(broken, Broken::QueueLayout);
            }
            let undefined = layout.0 == Layout::Undefined && !is_free;
            if undefined && dependency.transfer.is_some() {
                sides.written = BarrierAccess::empty();
            }
            let on_part = OnPart {
                image,
                place: self.place(image.item, &part),
                layout,
                queue,
            };
            let (access, hidden) = self.image_accesses(&on_part, dependency, sides, broken);
            self.follow(&on_part.place, sides, access, hidden, broken);
            let item = &self.story.items[image.item as usize];
            let discard = undefined
                && self.items[image.item as usize].placed
                && !compat::layout_needs(layout.1).is_empty();
            let range = super::ranges::subresources(item, &part);
            let target = BarrierTarget::Texture(TextureBarrier {
                discard,
                ..TextureBarrier::new((resource, range), layout)
            });
            let mut entry = entry(target, sides.sync, access);
            if hidden.is_some() {
                entry.trivia = draft::comment(STANDS_IN);
            }
            out.push(entry);
        }
        self.back.remove(&image.item);
        self.set_layouts(image.item, &image.part, image.old, image.new);
    }

    /// The parts of an image barrier that have layouts of their own: one, or one a plane.
    fn planes(&self, image: &ImageTarget) -> Vec<(u32, Part)> {
        let item = &self.story.items[image.item as usize];
        let planes = item.counts().2;
        let differ = [image.old, image.new]
            .into_iter()
            .any(layouts::differs_by_plane);
        if planes > 1 && differ {
            let on = |plane| Some((plane, item.on_plane(&image.part, plane)?));
            return (0..planes).filter_map(on).collect();
        }
        vec![(image.part.first_plane(), image.part.clone())]
    }

    /// Both layouts of an entry; both `UNDEFINED` if it has none.
    fn layouts_of(
        &self,
        item: ItemId,
        (old, new): (ImageLayout, ImageLayout),
        plane: u32,
    ) -> (Layout, Layout) {
        if self.is_simultaneous(item) {
            return NO_LAYOUT;
        }
        let mut layout = (self.layout(item, old, plane), self.layout(item, new, plane));
        if let Some(back) = self.back.get(&item)
            && layout.0 != Layout::Undefined
        {
            layout.0 = *back;
        }
        if layout.1 == Layout::Undefined {
            layout.1 = layout.0;
        }
        layout
    }

    /// Whether a layout change of Vulkan changes no layout of D3D12.
    pub(super) fn is_one_layout(&self, image: &ImageTarget) -> bool {
        self.planes(image).iter().all(|(plane, _)| {
            let (before, after) = self.layouts_of(image.item, (image.old, image.new), *plane);
            before == after
        })
    }

    /// The layouts of one half of an ownership transfer: the direct queue makes the change, or else the releasing one.
    fn transferred(
        &self,
        image: &ImageTarget,
        dependency: &Dependency,
        queue: usize,
    ) -> (ImageLayout, ImageLayout) {
        let Some((from, to)) = dependency.transfer else {
            return (image.old, image.new);
        };
        let family = |index: u32| {
            let found = self.story.families.get(index as usize);
            found.copied().unwrap_or(QueueType::Direct)
        };
        let here = self.story.queues[queue].family;
        let is_acquire = here == to;
        let acquire_changes = family(to) == QueueType::Direct && family(from) != QueueType::Direct;
        match (is_acquire, acquire_changes) {
            (true, true) | (false, false) => (image.old, image.new),
            (true, false) => (image.new, image.new),
            (false, true) => (image.old, image.old),
        }
    }

    /// Notes what a barrier breaks, and what it leaves; `hidden`: why its second access is another one than Vulkan's.
    fn follow(
        &mut self,
        place: &ItemPart,
        sides: Sides,
        access: (BarrierAccess, BarrierAccess),
        hidden: Option<Broken>,
        broken: &mut Vec<Broken>,
    ) {
        let seen = self.seen(place);
        if seen.ends {
            note(broken, Broken::AfterNone);
        } else if sides.sync.0 == BarrierSync::NONE {
            if seen.touched {
                note(broken, Broken::NoneBefore);
            }
        } else if !sides.sync.0.leaves().contains(seen.after) {
            note(broken, Broken::Sequence);
        }
        let left = Sub {
            touched: true,
            after: sides.after,
            ends: sides.sync.1 == BarrierSync::NONE,
            known: access.1,
            unread: hidden == Some(Broken::Unread),
            unseen: hidden == Some(Broken::Unseen),
            pending: BarrierAccess::empty(),
        };
        let written = sides.written;
        self.leave(place, |sub| Sub {
            pending: sub.pending.difference(written),
            ..left
        });
    }
}

/// Whether a dependency changes no layout and has a first scope or a second one, and not both: it orders nothing. Halves of
/// ownership transfers are such.
fn is_one_sided(target: &Target, dependency: &Dependency, sides: Sides) -> bool {
    let changes = match target {
        Target::Image(image) => image.old != image.new,
        Target::Acquired(_) => true,
        Target::Memory | Target::Buffer(_) => false,
    };
    let lacks_one = sides.before.is_empty() || sides.after.is_empty();
    lacks_one && !changes && dependency.transfer.is_none()
}

/// The layouts of an entry that has none: the image has simultaneous access.
pub(super) const NO_LAYOUT: (Layout, Layout) = (Layout::Undefined, Layout::Undefined);

/// What is said of an entry whose `AccessAfter` is one that the image is not used with.
const STANDS_IN: &str = "visible to no access of the layout: AccessAfter stands for none";

/// Subresources of one resource.
pub(super) struct ItemPart {
    pub(super) item: ItemId,
    pub(super) subs: Vec<usize>,
}

pub(super) fn entry(
    target: BarrierTarget,
    sync: (BarrierSync, BarrierSync),
    access: (BarrierAccess, BarrierAccess),
) -> Barrier {
    Barrier::of(target)
        .sync(sync.0, sync.1)
        .access(access.0, access.1)
}
