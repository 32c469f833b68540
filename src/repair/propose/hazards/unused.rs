//! Fields of a barrier that serve nothing: none of the uses around it is at the stages, or with the accesses, that they name.
//! Such a field is wrong as a whole, and what is needed comes in its place (reading R73); any other field gets more bits.

use super::super::around::ExecutedEntry;
use super::Maker;
use super::fields::Widened;
use crate::api::{BarrierAccess, BarrierSync, LeafSet};
use crate::order::{Moment, Of, Touch};
use crate::scenario::Barrier;
use crate::scenario::geometry;
use std::ops::Range;

/// Resources of a text in which what is around a global barrier is looked at.
const RESOURCES_MAX: usize = 32;

/// Stages and accesses that are used on one side of an entry, and those that the entry next to it names.
#[derive(Copy, Clone, Default)]
struct Neighbours {
    used: (LeafSet, BarrierAccess),
    named: (LeafSet, BarrierAccess),
}

/// What the uses around an entry need of it.
#[derive(Copy, Clone)]
pub(super) struct Needed {
    before: Neighbours,
    after: Neighbours,
}

impl Needed {
    /// The value that takes the place of a field's, where that serves nothing.
    pub(super) fn instead(self, field: Widened, old: &Barrier) -> Option<Widened> {
        match field {
            Widened::SyncBefore(wide) => self
                .before
                .sync(old.sync_before, wide)
                .map(Widened::SyncBefore),
            Widened::SyncAfter(wide) => self
                .after
                .sync(old.sync_after, wide)
                .map(Widened::SyncAfter),
            Widened::AccessBefore(wide) => self
                .before
                .access(old.access_before, wide)
                .map(Widened::AccessBefore),
            Widened::AccessAfter(wide) => self
                .after
                .access(old.access_after, wide)
                .map(Widened::AccessAfter),
        }
    }
}

impl Neighbours {
    fn sum<'s>(&mut self, touches: impl Iterator<Item = Touch<'s>>) {
        for used in touches.filter_map(|touch| touch.used()) {
            self.used.0 = self.used.0.union(used.stages);
            self.used.1 |= used.access.difference(BarrierAccess::NO_ACCESS);
        }
    }

    /// What was added to a mask and what is used, if the mask itself serves nothing.
    fn sync(self, old: BarrierSync, wide: BarrierSync) -> Option<BarrierSync> {
        let leaves = old.leaves();
        let serves = leaves.meets(self.used.0) || leaves.meets(self.named.0);
        let added = wide.leaves().minus(leaves);
        (!serves && !leaves.is_empty() && !old.is_split())
            .then(|| BarrierSync::named(added.union(self.used.0)))
    }

    fn access(self, old: BarrierAccess, wide: BarrierAccess) -> Option<BarrierAccess> {
        let mut used = self.used.1;
        if used.intersects(BarrierAccess::DEPTH_STENCIL_WRITE) {
            // Its depth is tested as well.
            used |= BarrierAccess::DEPTH_STENCIL_READ;
        }
        let serves = old.intersects(used) || old.intersects(self.named.1);
        let is_open = !old.is_empty() && !old.is_no_access();
        let added = wide.difference(old);
        (!serves && is_open && !added.is_empty()).then(|| added | self.used.1)
    }
}

impl<'s> Maker<'_, 's> {
    /// What is used around an entry in its scope; `None` if too much would have to be looked at.
    pub(super) fn needed_of(&self, entry: &ExecutedEntry<'s>) -> Option<Needed> {
        let timeline = self.timeline;
        let now = timeline.moment(entry.id.node, Some(entry.id.entry));
        let scope = (Moment::start(now.rank), Moment::start(now.rank + 1));
        let mut needed = Needed {
            before: Neighbours::default(),
            after: Neighbours::default(),
        };
        let Some(id) = entry.barrier.resource() else {
            let resources = || self.scenario().resources.pairs().map(|(id, _)| id);
            if resources().count() > RESOURCES_MAX {
                return None;
            }
            for id in resources() {
                needed
                    .before
                    .sum(timeline.touches(Of::Uses(id), scope.0..now));
                needed
                    .after
                    .sum(timeline.touches(Of::Uses(id), now..scope.1));
            }
            return Some(needed);
        };
        let part = |barrier: &Barrier| geometry::part_of_barrier(self.scenario(), barrier);
        let own = part(entry.barrier);
        let covers = |touch: &Touch<'_>| {
            let other = touch.entry().map(|(_, barrier)| barrier);
            touch.moment != now
                && other.is_some_and(|barrier| match (own, part(barrier)) {
                    (Some(own), Some(part)) => part.contains(&own),
                    _ => true,
                })
        };
        let entries = Of::Entries(Some(id));
        let previous = timeline.touches(entries, scope.0..now).rfind(covers);
        let next = timeline.touches(entries, now..scope.1).find(covers);
        let since = previous.map_or(scope.0, |touch| touch.moment);
        let until = next.map_or(scope.1, |touch| touch.moment);
        // What is used of other subresources does not need this entry.
        let is_its = |touch: &Touch<'_>| {
            let used = touch
                .used()
                .and_then(|used| geometry::part_of_use(self.scenario(), used));
            !geometry::are_apart(own, used)
        };
        let uses = |when: Range<Moment>| timeline.touches(Of::Uses(id), when).filter(is_its);
        needed.before.sum(uses(since..now));
        needed.after.sum(uses(now..until));
        if let Some((_, barrier)) = previous.and_then(|touch| touch.entry()) {
            needed.before.named = (barrier.sync_after.leaves(), barrier.access_after);
        }
        if let Some((_, barrier)) = next.and_then(|touch| touch.entry()) {
            needed.after.named = (barrier.sync_before.leaves(), barrier.access_before);
        }
        Some(needed)
    }
}
