//! The walk's barriers: what each entry waits for, what it does to the bytes, what remains of it.

use super::apply::{Apply, Entry};
use super::content::{Content, ContentChange, Edit, Owner, Split, inherits};
use super::cover::{BarrierScopes, Row};
use super::races::SharedUse;
use super::splits::Open;
use super::undefined::{self, Loss, LossKind};
use super::uses::at;
use super::walk::Walk;
use super::{ConflictKind, Part, Side};
use crate::api::{BarrierAccess, LeafSet, QueueType, Scope};
use crate::id::{BarrierRef, Extent, MemoryId, ResourceId};
use crate::order::{self, JoinedPart};
use crate::scenario::{Barrier, BarrierTarget, Scenario, geometry};
use smallvec::SmallVec;
use std::cell::Cell;
use std::rc::Rc;

/// What an entry is, apart from its scopes.
#[derive(Copy, Clone)]
struct Nature {
    begins: bool,
    ends: bool,
    acts: bool,
}

/// An entry, or those of its subresources on which the barriers next to it join it alike (reading R52).
#[derive(Copy, Clone)]
struct EntryPart<'a> {
    id: BarrierRef,
    barrier: &'a Barrier,
    part: Option<&'a JoinedPart>,
}

impl BarrierScopes {
    /// The scopes of an entry that is one with the barriers next to it (reading R52).
    pub(super) fn joined(mut self, queue: QueueType, part: &JoinedPart) -> Self {
        self.before.stages = part.before;
        self.after.stages = part.after;
        self.waits_for_all = part.before.contains(queue.leaves());
        self
    }
}

impl Walk<'_, '_> {
    pub(super) fn barrier(&mut self, id: BarrierRef, barrier: &Barrier) {
        let position = self.asked.order.step();
        let mut scopes = scopes(self.here.scenario, self.here.queue, barrier);
        if scopes.global {
            let awaited = self.asked.order.awaited(&scopes);
            self.asked
                .order
                .release(scopes.after.stages, &awaited, id, true);
            self.asked.globals.apply(&scopes, position, id);
            self.asked.latest_global = Some((position, id));
            return;
        }
        let Some(resource) = barrier.resource() else {
            return;
        };
        let nature = Nature {
            begins: barrier.sync_after.is_split(),
            ends: barrier.sync_before.is_split(),
            acts: changes_memory(self.here.scenario, barrier),
        };
        let side = Side::without_access(id.node, Part::Entry(id.entry), resource);
        if nature.ends && !self.has_begun(barrier, resource) {
            // Across scopes the accesses are ignored and only the layout counts (reading R27).
            scopes.after.accesses = BarrierAccess::EVERY;
        }
        let parts = self.asked.adjacent.parts(id);
        let joined = parts.iter().map(Some);
        // An entry that joins nothing is one part, as it is written.
        let written = parts.is_empty().then_some(None);
        let mut released: SmallVec<[(LeafSet, Row); 1]> = SmallVec::new();
        let mut given_up: Vec<(Extent, Side)> = Vec::new();
        for part in joined.chain(written) {
            let scopes = part.map_or(scopes, |part| scopes.joined(self.here.queue, part));
            let entry = EntryPart { id, barrier, part };
            let awaited = self.touch_bytes(entry, side, position, scopes, nature, &mut given_up);
            released.push((scopes.after.stages, awaited));
        }
        if !nature.begins {
            for (after, awaited) in &released {
                self.asked.order.release(*after, awaited, id, false);
            }
        }
        if nature.ends {
            self.held.ends_left.met(side.resource);
        }
        let is_told = self.check_splits(side, nature, barrier);
        let foreign = self.foreign(side.resource, nature, barrier);
        self.leave(side, (position, is_told), nature, barrier);
        // A write that is given up under a layout change says more; one that its scope still flushes says less.
        if nature.acts {
            self.lose(side, nature, barrier, given_up);
            self.take_over(side, foreign);
        } else {
            self.take_over(side, foreign);
            self.lose(side, nature, barrier, given_up);
        }
        self.held.layouts.apply(self.here.scenario, barrier);
        self.told.report(self.here.request);
    }

    /// What an entry does to the state of the bytes of one part. Returns what it waits for on any of them; what it gave up
    /// comes to `given_up`.
    fn touch_bytes(
        &mut self,
        EntryPart { id, barrier, part }: EntryPart<'_>,
        side: Side,
        position: u32,
        scopes: BarrierScopes,
        nature: Nature,
        given_up: &mut Vec<(Extent, Side)>,
    ) -> Row {
        let (replay, base) = (self.here.replay(), self.asked.order.awaited(&scopes));
        let entry = Entry {
            id,
            side,
            position,
            scopes,
            base,
            begins: nature.begins,
            ends: nature.ends,
            acts: nature.acts,
            joined: part.is_some(),
            extends: part.is_some_and(|part| part.extends),
            gives_up: barrier.access_before.is_no_access(),
            globals: Rc::clone(self.asked.globals.carried()),
            latest: self.asked.kept(self.here, side.resource),
        };
        let has_changes = self.here.request.pairs.has_changes();
        let mut apply = Apply {
            entry: &entry,
            awaited: base,
            given_up,
            order: &self.asked.order,
            found: &mut self.told.found,
            pairs: has_changes.then_some(&mut self.told.out.pairs),
            unfolded: self.here.request.unfolded,
            replay,
            memory: MemoryId(0),
        };
        let (here, between) = (self.here, &mut self.between);
        let conflicts = nature.acts && !nature.ends;
        let mut ranges: SmallVec<[(u64, u64); 1]> = SmallVec::new();
        let touch = |extent: Extent| {
            apply.memory = extent.memory;
            ranges.push((extent.start, extent.end));
            if conflicts && between.is_shared[extent.memory] {
                between.uses.push(SharedUse {
                    submission: here.submission,
                    side,
                    extent,
                    reads: false,
                    writes: true,
                    independent: false,
                    layout: true,
                });
            }
        };
        let memory = &here.timeline.memory;
        match part {
            None => memory.for_each_barrier_extent(here.scenario, barrier, touch),
            Some(part) => {
                let runs = &part.subresources;
                memory.for_each_subresource_extent(here.scenario, side.resource, runs, touch);
            }
        }
        let bytes = self.held.memories[apply.memory].at(here.epoch);
        bytes.visit_all(&ranges, &mut apply);
        let awaited = apply.awaited;
        self.asked.keep(here, &entry, awaited);
        awaited
    }

    /// Bytes that an entry activates and another resource wrote. Between two buffers they are inherited.
    fn foreign(
        &mut self,
        id: ResourceId,
        nature: Nature,
        barrier: &Barrier,
    ) -> SmallVec<[Extent; 1]> {
        let mut taken = SmallVec::new();
        if nature.begins || !barrier.access_before.is_no_access() || !self.held.contents.any() {
            return taken;
        }
        let scenario = self.here.scenario;
        let foreign = |content: &Content| {
            let owner = content.overwritten(id);
            owner.is_some_and(|owner| !inherits(scenario, owner.side.resource, id))
        };
        let (contents, memory) = (&mut self.held.contents, &self.here.timeline.memory);
        memory.for_each_barrier_extent(scenario, barrier, |extent| {
            contents.look((id, extent), foreign, |part, content| {
                if foreign(content) {
                    taken.push(part);
                }
            });
        });
        taken
    }

    /// What another resource wrote is undefined for the one that is activated (reading R63).
    fn take_over(&mut self, side: Side, foreign: SmallVec<[Extent; 1]>) {
        let loss = Loss {
            kind: LossKind::Dropped,
            side,
            barrier: side.barrier(),
            submission: self.here.submission,
            actor: self.here.actor(),
        };
        for part in foreign {
            self.held.undefined.lose(part, loss);
        }
    }

    /// A layout change or discard between the halves of an alias's split barrier. Uses that follow it are no second mistake
    /// (reading R72). Returns whether that was told.
    fn check_splits(&mut self, side: Side, nature: Nature, barrier: &Barrier) -> bool {
        if !nature.acts || nature.ends || !self.held.contents.any() {
            return false;
        }
        let resource = side.resource;
        let open = Open {
            timeline: self.here.timeline,
            epoch: self.here.epoch,
            submission: self.here.submission,
            ends_left: &self.held.ends_left,
        };
        let disturbed = |half: &&Split| open.is_disturbed(half, resource);
        let matters = |content: &Content| {
            let mut splits = content.splits.iter();
            splits.any(|half| half.is_disturbed_by(resource))
        };
        let (contents, found) = (&mut self.held.contents, &mut self.told.found);
        let memory = &self.here.timeline.memory;
        let mut is_told = false;
        memory.for_each_barrier_extent(self.here.scenario, barrier, |extent| {
            let mut told = false;
            contents.look((resource, extent), matters, |part, content| {
                for half in content.splits.iter().filter(disturbed) {
                    told = true;
                    found.push(at(ConflictKind::WriteAfterWrite, half.side, side, part));
                }
            });
            if told {
                contents.edit(extent, Edit::Tell(resource));
                is_told = true;
            }
        });
        is_told
    }

    /// What remains of the entry after the scope: an open split, activity, contents, metadata.
    fn leave(
        &mut self,
        side: Side,
        (position, is_told): (u32, bool),
        nature: Nature,
        barrier: &Barrier,
    ) {
        let resource = side.resource;
        let (mut drops, mut initialises) = (false, false);
        if let Some(entry) = barrier.as_texture()
            && nature.acts
        {
            drops = entry.drops_contents();
            initialises = entry.discard && self.held.contents.has_metadata(resource);
            if self.between.has(self.here.timeline, resource)
                && let Some(shape) = self.here.scenario.resource(resource).texture()
                && let Ok(sub) = geometry::barrier_box(shape, &entry.range)
            {
                let (timeline, submission) = (self.here.timeline, self.here.submission);
                self.held
                    .contents
                    .transition(timeline, resource, &sub, submission);
            }
        }
        // Nothing comes later, says `SYNC_NONE` (reading R24).
        let deactivates = !matches!(barrier.target, BarrierTarget::Ranged { .. })
            && (barrier.access_after.is_no_access() || barrier.sync_after.is_empty());
        if !self.held.contents.any() && !deactivates && !nature.begins {
            return;
        }
        let change = ContentChange {
            owner: Owner {
                side,
                submission: self.here.submission,
                epoch: self.here.epoch,
                position,
                is_over: is_told,
            },
            acts: nature.acts && self.here.timeline.memory.is_aliased(resource),
            drops,
            activates: barrier.access_before.is_no_access(),
            deactivates,
            initialises,
        };
        let split = Split {
            side,
            epoch: self.here.epoch,
            acts: nature.acts,
            told: false,
        };
        let (timeline, contents) = (self.here.timeline, &mut self.held.contents);
        timeline
            .memory
            .for_each_barrier_extent(self.here.scenario, barrier, |extent| {
                if nature.begins {
                    contents.edit(extent, Edit::Begin(split));
                    return;
                }
                if nature.ends {
                    contents.edit(extent, Edit::End(resource));
                }
                contents.edit(extent, Edit::Change(change));
            });
        if initialises {
            contents.settle(timeline, resource);
        }
    }

    /// Which contents an entry drops, gives up or says to be no longer needed (readings R53, R57, R62).
    /// `given_up` are bytes of which it gave a write up that nothing had flushed, with the write.
    fn lose(
        &mut self,
        side: Side,
        nature: Nature,
        barrier: &Barrier,
        given_up: Vec<(Extent, Side)>,
    ) {
        let actor = self.here.actor();
        let loss = |kind, side: Side, barrier| Loss {
            kind,
            side,
            barrier,
            submission: self.here.submission,
            actor,
        };
        let (scenario, memory) = (self.here.scenario, &self.here.timeline.memory);
        if let Some(entry) = barrier.as_texture()
            && nature.acts
            && !nature.begins
            && entry.drops_contents()
        {
            let loss = loss(LossKind::Dropped, side, side.barrier());
            let undefined = &mut self.held.undefined;
            memory.for_each_barrier_extent(scenario, barrier, |e| undefined.drop(e, loss));
            return;
        }
        let kind = if nature.acts {
            LossKind::GivenUp
        } else {
            LossKind::Unflushed
        };
        for (extent, write) in given_up {
            let loss = loss(kind, write, side.barrier());
            self.held.undefined.lose(extent, loss);
        }
        if undefined::is_unneeded(barrier) && self.held.accessed.is_kept(side.resource) {
            let loss = loss(LossKind::Dropped, side, side.barrier());
            let runs = order::subresources(scenario, barrier);
            let accessed = self.held.accessed.of(side.resource, &runs, self.here.epoch);
            let undefined = &mut self.held.undefined;
            memory.for_each_subresource_extent(scenario, side.resource, &accessed, |e| {
                undefined.lose(e, loss);
            });
        }
    }

    /// Whether the first half of a second half is in this scope.
    fn has_begun(&mut self, barrier: &Barrier, resource: ResourceId) -> bool {
        let begun = Cell::new(false);
        let (contents, epoch) = (&mut self.held.contents, self.here.epoch);
        let own = |half: &Split| half.side.resource == resource && half.epoch == epoch;
        self.here
            .timeline
            .memory
            .for_each_barrier_extent(self.here.scenario, barrier, |extent| {
                let matters = |content: &Content| {
                    begun.set(begun.get() || content.splits.iter().any(own));
                    false
                };
                contents.look((resource, extent), matters, |_, _| {});
            });
        begun.get()
    }
}

/// Both sides of a barrier, expanded for a queue.
pub(super) fn scopes(scenario: &Scenario, queue: QueueType, barrier: &Barrier) -> BarrierScopes {
    let (resource, layouts) = (barrier.resource(), barrier.transition());
    let traits = resource.map(|r| scenario.traits(r));
    let side = |sync, access, layout| Scope::new(sync, access, layout, queue, traits);
    let before = side(
        barrier.sync_before,
        barrier.access_before,
        layouts.map(|(b, _)| b),
    );
    let after = side(
        barrier.sync_after,
        barrier.access_after,
        layouts.map(|(_, a)| a),
    );
    BarrierScopes {
        before,
        after,
        waits_for_all: before.stages.contains(queue.leaves()),
        global: matches!(barrier.target, BarrierTarget::Global),
    }
}

/// Whether a barrier itself reads and writes memory: it changes a layout or discards.
pub(super) fn changes_memory(scenario: &Scenario, barrier: &Barrier) -> bool {
    barrier.named_texture().is_some_and(|(id, entry)| {
        let resource = scenario.resource(id);
        // With both layouts `UNDEFINED` it is a memory barrier, whatever else it says (reading R25).
        !resource.is_simultaneous()
            && !entry.is_memory_only()
            && (entry.layout_before != entry.layout_after || entry.discard)
    })
}
