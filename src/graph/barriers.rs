//! The walk's barriers: what each entry waits for, what it does to the bytes, what remains of it.

use super::apply::Apply;
use super::content::{ContentChange, Owner, Split};
use super::cover::{BarrierScopes, Row};
use super::races::SharedUse;
use super::walk::Walk;
use super::{Part, Side};
use crate::api::{BarrierAccess, Layout, LeafSet, QueueType, ResourceFlags, Scope};
use crate::id::{BarrierRef, ResourceId};
use crate::scenario::{Barrier, BarrierTarget, Scenario, geometry};

/// What an entry is, apart from its scopes.
#[derive(Copy, Clone)]
struct Nature {
    begins: bool,
    ends: bool,
    acts: bool,
}

impl Walk<'_, '_> {
    pub(super) fn barrier(&mut self, id: BarrierRef, barrier: &Barrier) {
        let position = self.order.step();
        let mut scopes = scopes(self.scenario, self.queue, barrier);
        if scopes.global {
            let awaited = self.order.awaited(&scopes);
            self.order.release(scopes.after.stages, &awaited, true);
            self.globals.apply(&scopes, position);
            self.latest_global = Some((position, id));
            return;
        }
        let Some(resource) = barrier.resource() else {
            return;
        };
        let nature = Nature {
            begins: barrier.sync_after.is_split(),
            ends: barrier.sync_before.is_split(),
            acts: changes_memory(self.scenario, barrier),
        };
        let side = Side {
            node: id.node,
            part: Part::Entry(id.entry),
            resource,
            access: BarrierAccess::empty(),
            stages: LeafSet::EMPTY,
        };
        if nature.ends && !self.has_begun(barrier, resource) {
            // Across scopes the accesses are ignored and only the layout counts (reading R27).
            scopes.after.accesses = BarrierAccess::EVERY;
        }
        let awaited = self.touch_bytes(id, side, position, scopes, nature, barrier);
        if !nature.begins {
            self.order.release(scopes.after.stages, &awaited, false);
        }
        self.leave(side, position, nature, barrier);
        self.layouts.apply(self.scenario, barrier);
        self.report();
    }

    /// What the entry does to the state of its bytes. Returns what it waits for on any of them.
    fn touch_bytes(
        &mut self,
        id: BarrierRef,
        side: Side,
        position: u32,
        scopes: BarrierScopes,
        nature: Nature,
        barrier: &Barrier,
    ) -> Row {
        let replay = self.replay();
        let base = self.order.awaited(&scopes);
        let mut apply = Apply {
            id,
            side,
            position,
            scopes,
            base: &base,
            awaited: base,
            begins: nature.begins,
            ends: nature.ends,
            acts: nature.acts,
            gives_up: barrier.access_before.is_no_access(),
            order: &self.order,
            globals: &self.globals,
            found: &mut self.found,
            unfolded: self.request.unfolded,
            replay,
        };
        let (memories, epoch) = (&mut self.memories, self.epoch);
        let (is_shared, shared, submission) = (&self.is_shared, &mut self.shared, self.submission);
        let conflicts = nature.acts && !nature.ends;
        self.timeline
            .memory
            .for_each_barrier_extent(self.scenario, barrier, |extent| {
                super::state::touch(memories, epoch, extent, |at, state| apply.state(at, state));
                if conflicts && is_shared[extent.memory.index()] {
                    shared.push(SharedUse {
                        submission,
                        side,
                        extent,
                        reads: false,
                        writes: true,
                        independent: false,
                        layout: true,
                    });
                }
            });
        apply.awaited
    }

    /// What remains of the entry after the scope: an open split, activity, contents, metadata.
    fn leave(&mut self, side: Side, position: u32, nature: Nature, barrier: &Barrier) {
        let resource = side.resource;
        let (mut drops, mut initialises) = (false, false);
        if let BarrierTarget::Texture {
            layout_before,
            range,
            discard,
            ..
        } = &barrier.target
            && nature.acts
        {
            drops = *layout_before == Layout::Undefined || *discard;
            initialises = *discard && self.contents.has_metadata(resource);
            if self.touches_shared(resource)
                && let Some(shape) = self.scenario.resource(resource).texture()
                && let Ok(sub) = geometry::barrier_box(shape, range)
            {
                let (timeline, submission) = (self.timeline, self.submission);
                self.contents
                    .transition(timeline, resource, &sub, submission);
            }
        }
        // Nothing comes later, says `SYNC_NONE` (reading R24).
        let deactivates = !matches!(barrier.target, BarrierTarget::Ranged { .. })
            && (barrier.access_after.is_no_access() || barrier.sync_after.is_empty());
        if !self.contents.any() && !deactivates && !nature.begins {
            return;
        }
        let change = ContentChange {
            owner: Owner {
                side,
                submission: self.submission,
                position,
                synchronous: false,
            },
            acts: nature.acts && self.timeline.memory.is_aliased(resource),
            drops,
            activates: barrier.access_before.is_no_access(),
            deactivates,
            initialises,
            epoch: self.epoch,
        };
        let split = Split {
            side,
            epoch: self.epoch,
            acts: nature.acts,
        };
        let (timeline, contents) = (self.timeline, &mut self.contents);
        timeline
            .memory
            .for_each_barrier_extent(self.scenario, barrier, |extent| {
                if nature.begins {
                    contents.begin(extent, split);
                    return;
                }
                if nature.ends {
                    contents.end(extent, resource);
                }
                contents.change(extent, &change);
            });
        if initialises {
            contents.settle(timeline, resource);
        }
    }

    /// Whether the first half of a second half is in this scope.
    fn has_begun(&self, barrier: &Barrier, resource: ResourceId) -> bool {
        let mut begun = false;
        let (contents, epoch) = (&self.contents, self.epoch);
        self.timeline
            .memory
            .for_each_barrier_extent(self.scenario, barrier, |extent| {
                contents.look(extent, |_, content| {
                    let own = |half: &Split| half.side.resource == resource && half.epoch == epoch;
                    begun |= content.splits.iter().any(own);
                });
            });
        begun
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
fn changes_memory(scenario: &Scenario, barrier: &Barrier) -> bool {
    match &barrier.target {
        BarrierTarget::Texture {
            resource: Some(id),
            layout_before,
            layout_after,
            discard,
            ..
        } => {
            let resource = scenario.resource(*id);
            // With both layouts `UNDEFINED` it is a memory barrier, whatever else it says (reading R25).
            let memory_only =
                (*layout_before, *layout_after) == (Layout::Undefined, Layout::Undefined);
            !resource.is_buffer()
                && !resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS)
                && !memory_only
                && (layout_before != layout_after || *discard)
        }
        _ => false,
    }
}
