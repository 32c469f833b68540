//! What outlives a scope: which resource a byte's contents belong to, whose metadata is sound, open split barriers,
//! deactivated subresources, transitions that race.
//!
//! Kept by bytes, and only for memory where there is something to know: aliased resources, placed textures whose
//! metadata nothing has initialised, split barriers, `NO_ACCESS`. Writes of all of a resource make its bytes alike, whoever
//! wrote parts of them before. Parts that thousands of aliases own are one kind to whoever is none of them (`tree.rs`).

use super::alike::{are_in_one_order, is_between};
use super::ranges::RangeMap;
use super::tree::{Attempt, Bound, Lazy, Likeness, Operation, Tree};
use super::{Part, Side};
use crate::api::{Layout, ResourceFlags};
use crate::id::{Extent, MemoryId, ResourceId, SubmissionId, Table};
use crate::order::{LayoutTracker, Timeline};
use crate::scenario::geometry::SubresourceBox;
use crate::scenario::{Placement, Resource, Scenario};
use smallvec::SmallVec;
use std::cell::Cell;
use std::rc::Rc;

/// Who wrote some bytes last.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Owner {
    pub(super) side: Side,
    pub(super) submission: SubmissionId,
    /// The scope, in order of evaluation.
    pub(super) epoch: u32,
    pub(super) position: u32,
    /// Everything later comes after it: it is synchronous, or was told and counts as right from then on.
    pub(super) is_over: bool,
}

impl Owner {
    /// Later writes have a greater one.
    fn mark(&self) -> (u32, u32, Part) {
        (self.epoch, self.position, self.side.part)
    }
}

/// The first half of a split barrier that waits for its second.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Split {
    pub(super) side: Side,
    pub(super) epoch: u32,
    /// A transition or discard: it outlives the scope.
    pub(super) acts: bool,
    /// Another resource's transition or discard in its middle was reported: uses that follow are no second mistake.
    pub(super) told: bool,
}

impl Split {
    /// Whether a resource that acts in the middle of it is a mistake that nothing has told: an alias is neither before nor
    /// after the pair (reading R27).
    pub(super) fn is_disturbed_by(&self, resource: ResourceId) -> bool {
        self.acts && !self.told && self.side.resource != resource
    }
}

/// What is known of some bytes beyond the scope.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Content {
    /// Open split barriers, at most one a resource.
    pub(super) splits: Vec<Split>,
    /// Deactivated in the scope of that epoch: by which barrier, for which resource (reading R24).
    pub(super) inactive: Vec<(u32, Side)>,
    /// The last writer, if anything wrote.
    owner: Option<Owner>,
    /// The last writer before the owner that wrote through another resource. It is kept only until the contents are known
    /// to be the owner's own: then nobody asks whose they were.
    other: Option<Owner>,
    /// Resources that wrote or were activated since another one wrote.
    valid: Vec<ResourceId>,
    /// Resources whose compression metadata is sound (reading R25).
    metadata: Vec<ResourceId>,
}

impl Content {
    /// A write through a resource destroys what its aliases had.
    fn write(&mut self, owner: Owner) {
        let resource = owner.side.resource;
        let mut owner = owner;
        match self.owner {
            Some(old) if old.side.resource != resource => self.other = Some(old),
            // Several uses of one command are one write, at all their stages.
            Some(old) if old.side.node == owner.side.node => {
                owner.side.stages = owner.side.stages.union(old.side.stages);
            }
            _ => {}
        }
        self.owner = Some(owner);
        self.valid.clear();
        self.metadata.retain(|known| *known == resource);
    }

    /// The contents are a resource's own.
    fn validate(&mut self, resource: ResourceId) {
        if !self.valid.contains(&resource) {
            self.valid.push(resource);
        }
        if self
            .owner
            .is_some_and(|owner| owner.side.resource == resource)
        {
            self.other = None;
        }
    }

    /// A barrier entry, whole or second half.
    fn change(&mut self, change: &ContentChange) {
        let resource = change.owner.side.resource;
        self.inactive
            .retain(|(epoch, side)| side.resource != resource && *epoch == change.owner.epoch);
        if change.deactivates {
            self.inactive.push((change.owner.epoch, change.owner.side));
        }
        let known = self.valid.contains(&resource) || self.owner.is_none();
        let valid = known || change.activates || change.drops;
        if change.acts {
            self.write(change.owner);
        }
        if valid && self.owner.is_some() {
            self.validate(resource);
        }
        if change.initialises && !self.metadata.contains(&resource) {
            self.metadata.push(resource);
        }
    }

    /// The second half of a split barrier.
    fn end(&mut self, resource: ResourceId) {
        self.splits.retain(|split| split.side.resource != resource);
    }

    /// Whether contents differ only in marks and names.
    fn is_same_but_for_names(&self, other: &Self) -> bool {
        let owners = |c: &Self| [c.owner, c.other].map(|owner| owner.map(|o| o.side.stages));
        let counts = |c: &Self| (c.valid.len(), c.metadata.len(), c.inactive.len());
        let facts = |half: &Split| (half.acts, half.told);
        let acts = |c: &Self| -> SmallVec<[_; 2]> { c.splits.iter().map(facts).collect() };
        owners(self) == owners(other) && counts(self) == counts(other) && acts(self) == acts(other)
    }

    /// The names of resources, place by place: two that are the same but for them have as many.
    fn names(&self) -> impl Iterator<Item = ResourceId> + '_ {
        let owners = [self.owner, self.other].into_iter().flatten();
        let splits = self.splits.iter().map(|half| half.side.resource);
        let inactive = self.inactive.iter().map(|(_, side)| side.resource);
        let plain = self.valid.iter().chain(&self.metadata).copied();
        owners
            .map(|owner| owner.side.resource)
            .chain(splits)
            .chain(inactive)
            .chain(plain)
    }

    /// Contents that an alias overwrote: by whom.
    pub(super) fn overwritten(&self, resource: ResourceId) -> Option<Owner> {
        let foreign = match self.owner {
            Some(owner) if owner.side.resource == resource => self.other,
            owner => owner,
        };
        foreign.filter(|_| !self.valid.contains(&resource))
    }
}

/// Whether what one resource wrote is inherited by another one: between two buffers it is (reading R41).
pub(super) fn inherits(scenario: &Scenario, from: ResourceId, to: ResourceId) -> bool {
    let is_buffer = |id: ResourceId| scenario.resource(id).is_buffer();
    is_buffer(from) && is_buffer(to)
}

/// What a barrier entry does to contents.
#[derive(Copy, Clone)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts of one entry that do not exclude each other"
)]
pub(super) struct ContentChange {
    pub(super) owner: Owner,
    /// Transition or discard: a write.
    pub(super) acts: bool,
    /// The old contents do not matter: `UNDEFINED` before, or a discard.
    pub(super) drops: bool,
    /// `NO_ACCESS` before.
    pub(super) activates: bool,
    pub(super) deactivates: bool,
    /// Initialises metadata.
    pub(super) initialises: bool,
}

/// A change of what is known of contents.
pub(super) enum Edit {
    /// A command's write.
    Write(Owner),
    /// A barrier entry, whole or second half.
    Change(ContentChange),
    /// The first half of a split barrier.
    Begin(Split),
    /// The second half.
    End(ResourceId),
    /// A transition or discard of a resource in the middle of splits of others was reported.
    Tell(ResourceId),
    /// A reported use counts as correct from then on: active.
    Activate(ResourceId),
    /// A reported use counts as correct from then on: its contents are its own.
    Revive(ResourceId),
    /// The metadata is initialised, or was reported.
    Initialise(ResourceId),
}

impl Edit {
    fn resource(&self) -> ResourceId {
        match self {
            Self::Write(owner) => owner.side.resource,
            Self::Change(change) => change.owner.side.resource,
            Self::Begin(split) => split.side.resource,
            Self::End(id)
            | Self::Tell(id)
            | Self::Activate(id)
            | Self::Revive(id)
            | Self::Initialise(id) => *id,
        }
    }
}

impl Lazy for Content {
    type Later = Edit;

    fn redo(&mut self, edit: &Edit) {
        match edit {
            Edit::Write(owner) => {
                self.write(*owner);
                self.validate(owner.side.resource);
            }
            Edit::Change(change) => self.change(change),
            Edit::Begin(split) => {
                self.end(split.side.resource);
                self.splits.push(*split);
            }
            Edit::End(resource) => self.end(*resource),
            Edit::Tell(resource) => {
                let others = self.splits.iter_mut();
                others
                    .filter(|half| half.side.resource != *resource)
                    .for_each(|half| half.told = true);
            }
            Edit::Activate(resource) => {
                self.inactive.retain(|(_, side)| side.resource != *resource);
            }
            Edit::Revive(resource) => {
                if self.owner.is_some() {
                    self.validate(*resource);
                }
            }
            Edit::Initialise(resource) => {
                if !self.metadata.contains(resource) {
                    self.metadata.push(*resource);
                }
            }
        }
    }

    fn is_same_slot(first: &Edit, second: &Edit) -> bool {
        std::mem::discriminant(first) == std::mem::discriminant(second)
            && first.resource() == second.resource()
    }

    /// Who wrote, and when, are marks; and so is the scope in which something was deactivated or begun.
    fn likeness(&self, other: &Self) -> Likeness {
        if !self.is_same_but_for_names(other) {
            Likeness::None
        } else if self.names().eq(other.names()) {
            Likeness::Full
        } else if are_in_one_order(self.names(), other.names()) {
            Likeness::Renamed
        } else {
            Likeness::None
        }
    }

    fn widen(&mut self, by: &Self, bound: Bound) {
        let owners = [(&mut self.owner, by.owner), (&mut self.other, by.other)];
        for (known, by) in owners {
            if let (Some(known), Some(by)) = (known, by) {
                let name = bound.of(known.side.resource, by.side.resource);
                if bound.of(known.mark(), by.mark()) != known.mark() {
                    *known = by;
                }
                known.side.resource = name;
            }
        }
        for (known, by) in self.splits.iter_mut().zip(&by.splits) {
            let mark = |half: &Split| (half.epoch, half.side.node, half.side.part);
            let name = bound.of(known.side.resource, by.side.resource);
            if bound.of(mark(known), mark(by)) != mark(known) {
                *known = *by;
            }
            known.side.resource = name;
        }
        for (known, by) in self.inactive.iter_mut().zip(&by.inactive) {
            let mark = |(epoch, side): &(u32, Side)| (*epoch, side.node, side.part);
            let name = bound.of(known.1.resource, by.1.resource);
            if bound.of(mark(known), mark(by)) != mark(known) {
                *known = *by;
            }
            known.1.resource = name;
        }
        let valid = self.valid.iter_mut().zip(&by.valid);
        for (name, by) in valid.chain(self.metadata.iter_mut().zip(&by.metadata)) {
            *name = bound.of(*name, *by);
        }
    }

    fn is_told_apart(edit: &Edit, worst: &Self, best: &Self) -> bool {
        is_between(worst.names(), best.names(), edit.resource())
    }
}

impl Operation<Content> for Rc<Edit> {
    fn act(&mut self, _: u64, _: u64, content: &mut Rc<Content>) -> bool {
        Rc::make_mut(content).redo(self);
        true
    }

    fn attempt(&mut self, content: &Content) -> Attempt<Content> {
        let mut changed = content.clone();
        changed.redo(self);
        Attempt::Becomes(changed)
    }

    fn later(&self) -> Option<Rc<Edit>> {
        Some(Rc::clone(self))
    }

    fn tells_apart(&self, worst: &Content, best: &Content) -> bool {
        is_between(worst.names(), best.names(), self.resource())
    }
}

/// Visits the ranges whose contents matter. If the contents of any range of a kind matter, those of the kind's worst state
/// do: only so can a whole kind be passed over.
struct Look<M, E> {
    memory: MemoryId,
    /// The resource that looks.
    resource: ResourceId,
    matters: M,
    each: E,
}

impl<M: Fn(&Content) -> bool, E: FnMut(Extent, &Content)> Operation<Content> for Look<M, E> {
    fn act(&mut self, start: u64, end: u64, content: &mut Rc<Content>) -> bool {
        let memory = self.memory;
        if (self.matters)(content) {
            (self.each)(Extent { memory, start, end }, content);
        }
        false
    }

    fn attempt(&mut self, content: &Content) -> Attempt<Content> {
        if (self.matters)(content) {
            Attempt::Refused
        } else {
            Attempt::Nothing
        }
    }

    fn later(&self) -> Option<Rc<Edit>> {
        None
    }

    fn tells_apart(&self, worst: &Content, best: &Content) -> bool {
        is_between(worst.names(), best.names(), self.resource)
    }
}

/// Contents of all memory.
pub(super) struct Contents {
    memories: Table<MemoryId, Tree<Content>>,
    /// Memory with something to look up.
    is_kept: Table<MemoryId, bool>,
    any: bool,
    /// Textures with metadata that is not known to be sound for good.
    has_metadata: Table<ResourceId, bool>,
    /// Per texture of shared memory: transitions that no later one comes after, by subresource.
    frontiers: Table<ResourceId, RangeMap<Vec<SubmissionId>>>,
}

impl Contents {
    /// Nothing is known of blocks of so many bytes.
    pub(super) fn new(timeline: &Timeline<'_>, sizes: &[u64], lazy_from: u32) -> Self {
        let scenario = timeline.scenario;
        let mut is_kept = Table::filled(timeline.memory.memory_count(), false);
        let mut has_metadata = Table::filled(scenario.resources.len(), false);
        for (id, resource) in scenario.resources.pairs() {
            has_metadata[id] = has_unsound_metadata(resource);
            if let Some(extent) = timeline.memory.whole(id)
                && (has_metadata[id] || timeline.memory.is_aliased(id))
            {
                is_kept[extent.memory] = true;
            }
        }
        Self {
            any: is_kept.contains(&true),
            memories: sizes
                .iter()
                .map(|size| Tree::new(*size, lazy_from))
                .collect(),
            is_kept,
            has_metadata,
            frontiers: (0..scenario.resources.len())
                .map(|_| RangeMap::default())
                .collect(),
        }
    }

    /// Whether there is anything to know at all.
    #[inline]
    pub(super) fn any(&self) -> bool {
        self.any
    }

    /// Whether anything can be known of a block.
    #[inline]
    pub(super) fn is_kept(&self, extent: Extent) -> bool {
        self.is_kept[extent.memory]
    }

    /// What looking at contents and changing them has cost.
    pub(super) fn visits(&self) -> u64 {
        self.memories.iter().map(Tree::visits).sum()
    }

    /// Visits what is known of some bytes, where it matters to a resource. `matters` asks for nothing but what states that are
    /// alike share, for this resource among them, and for scopes no earlier than the present one.
    pub(super) fn look(
        &mut self,
        (resource, extent): (ResourceId, Extent),
        matters: impl Fn(&Content) -> bool,
        each: impl FnMut(Extent, &Content),
    ) {
        if self.is_kept[extent.memory] {
            let mut look = Look {
                memory: extent.memory,
                resource,
                matters,
                each,
            };
            self.memories[extent.memory].look(extent.start, extent.end, &mut look);
        }
    }

    /// Changes what is known of some bytes.
    pub(super) fn edit(&mut self, extent: Extent, edit: Edit) {
        if let Edit::Change(ContentChange {
            deactivates: true, ..
        })
        | Edit::Begin(_) = edit
        {
            self.is_kept[extent.memory] = true;
            self.any = true;
        }
        if self.is_kept[extent.memory] {
            let mut edit = Rc::new(edit);
            self.memories[extent.memory].visit(extent.start, extent.end, &mut edit);
        }
    }

    // ---- metadata -------------------------------------------------------------------------------------------------

    /// Whether a texture's metadata may be unsound.
    #[inline]
    pub(super) fn has_metadata(&self, resource: ResourceId) -> bool {
        self.has_metadata[resource]
    }

    /// Whether the metadata of all of some bytes is sound.
    pub(super) fn is_sound(&mut self, extent: Extent, resource: ResourceId) -> bool {
        let is_sound = Cell::new(true);
        let matters = |content: &Content| {
            is_sound.set(is_sound.get() && content.metadata.contains(&resource));
            false
        };
        self.look((resource, extent), matters, |_, _| {});
        is_sound.get()
    }

    /// All metadata of a texture is sound, and no alias can destroy it: nothing more to look up.
    pub(super) fn settle(&mut self, timeline: &Timeline<'_>, resource: ResourceId) {
        if let Some(whole) = timeline.memory.whole(resource)
            && !timeline.memory.is_aliased(resource)
            && self.is_sound(whole, resource)
        {
            self.has_metadata[resource] = false;
        }
    }

    // ---- racing transitions ---------------------------------------------------------------------------------------

    /// A transition of subresources by a submission.
    pub(super) fn transition(
        &mut self,
        timeline: &Timeline<'_>,
        resource: ResourceId,
        sub: &SubresourceBox,
        submission: SubmissionId,
    ) {
        let Some(shape) = timeline.scenario.resource(resource).texture() else {
            return;
        };
        for (first, end) in sub.index_runs(shape) {
            let fronts = &mut self.frontiers[resource];
            let visited = fronts.visit(first.into(), end.into(), |_, front| {
                front.retain(|f| *f != submission && !timeline.happens_before(*f, submission));
                front.push(submission);
            });
            if visited > 1 {
                fronts.join(first.into(), end.into());
            }
        }
    }

    /// Whether each of some subresources has a transition that races with a submission, so that nobody knows its layout
    /// there.
    pub(super) fn are_racing(
        &self,
        timeline: &Timeline<'_>,
        resource: ResourceId,
        (first, end): (u32, u32),
        submission: SubmissionId,
    ) -> bool {
        let (first, end) = (u64::from(first), u64::from(end));
        let mut racing = 0;
        self.frontiers[resource].peek(first, end, |from, until, front| {
            let races =
                |f: &SubmissionId| *f != submission && !timeline.happens_before(*f, submission);
            if front.iter().any(races) {
                racing += until.min(end) - from.max(first);
            }
        });
        racing == end - first
    }
}

/// Reading R25: placed or reserved textures that can be compressed start with unsound metadata.
fn has_unsound_metadata(resource: &Resource) -> bool {
    let compressible = ResourceFlags::RENDER_TARGET
        .union(ResourceFlags::DEPTH_STENCIL)
        .union(ResourceFlags::UNORDERED_ACCESS);
    !resource.is_buffer()
        && !resource.uncompressed
        && !matches!(resource.placement, Placement::Committed)
        && resource.flags.intersects(compressible)
        && !resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS)
}

/// Runs of the subresources that need metadata in their present layout, `(first, end)`.
pub(super) fn compressed(
    timeline: &Timeline<'_>,
    layouts: &LayoutTracker,
    resource: ResourceId,
    sub: &SubresourceBox,
) -> Vec<(u32, u32)> {
    let Some(shape) = timeline.scenario.resource(resource).texture() else {
        return Vec::new();
    };
    if layouts.all(resource, Layout::needs_metadata) {
        return sub.index_runs(shape);
    }
    let mut runs: Vec<(u32, u32)> = Vec::new();
    if layouts.all(resource, |layout| !layout.needs_metadata()) {
        return runs;
    }
    layouts.for_each(timeline.scenario, resource, sub, |first, end, layout| {
        if layout.needs_metadata() {
            match runs.last_mut() {
                Some(last) if last.1 == first => last.1 = end,
                _ => runs.push((first, end)),
            }
        }
    });
    runs
}
