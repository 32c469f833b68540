//! Barriers that follow each other within a scope: what a printed entry's `SyncBefore` must name.
//!
//! Spec: "Sequential Barriers"; reading R13.

use super::runs::Runs;
use crate::api::{BarrierSync, LeafSet, QueueType};
use crate::id::{ResourceId, Table};
use crate::scenario::{Barrier, BarrierTarget, Scenario, TextureShape, geometry};

/// What the last barrier on each subresource let run.
pub(super) struct Sequence {
    /// By resource: the scope in which the barrier stood, and the leaves of its `SyncAfter`.
    after: Table<ResourceId, Option<Runs<(u32, LeafSet)>>>,
    scope: u32,
}

impl Sequence {
    pub(super) fn new(resources: usize) -> Self {
        Self {
            after: Table::filled(resources, None),
            scope: 0,
        }
    }

    /// One `ExecuteCommandLists` call starts: nothing in it came before.
    pub(super) fn begin_scope(&mut self) {
        self.scope += 1;
    }

    /// Makes `SyncBefore` name at least what the barrier before it let run; whether it had to be changed.
    pub(super) fn widen(
        &self,
        scenario: &Scenario,
        queue: QueueType,
        barrier: &mut Barrier,
    ) -> bool {
        if barrier.sync_before.is_split() {
            return false;
        }
        let Some((id, indices)) = indices(scenario, barrier) else {
            return false;
        };
        let Some(runs) = &self.after[id] else {
            return false;
        };
        let mut earlier = LeafSet::EMPTY;
        for (first, end) in indices {
            runs.for_each(first, end, |_, _, (scope, leaves)| {
                if *scope == self.scope {
                    earlier = earlier.union(*leaves);
                }
            });
        }
        let earlier = earlier.intersection(queue.leaves());
        let missing = earlier.minus(barrier.sync_before.leaves());
        if missing.is_empty() {
            return false;
        }
        barrier.sync_before = if earlier == queue.leaves() {
            BarrierSync::ALL
        } else {
            missing.iter().fold(barrier.sync_before, |set, leaf| {
                set | BarrierSync::parse_one(leaf.name()).unwrap_or(BarrierSync::NONE)
            })
        };
        true
    }

    /// Remembers a barrier.
    pub(super) fn note(&mut self, scenario: &Scenario, barrier: &Barrier) {
        let Some((id, indices)) = indices(scenario, barrier) else {
            return;
        };
        let count = scenario
            .resource(id)
            .texture()
            .map_or(1, TextureShape::subresources);
        let leaves = if barrier.sync_after.is_split() {
            LeafSet::EMPTY
        } else {
            barrier.sync_after.leaves()
        };
        let now = (self.scope, leaves);
        let runs = self.after[id].get_or_insert_with(|| Runs::new(count, (0, LeafSet::EMPTY)));
        for (first, end) in indices {
            runs.update(first, end, |_, _, value| *value = now);
        }
    }
}

/// Subresources of a texture or buffer entry.
fn indices(scenario: &Scenario, barrier: &Barrier) -> Option<(ResourceId, Vec<(u32, u32)>)> {
    let id = barrier.resource()?;
    match &barrier.target {
        BarrierTarget::Texture(entry) => {
            let shape = scenario.resource(id).texture()?;
            let sub = geometry::barrier_box(shape, &entry.range).ok()?;
            Some((id, sub.index_runs(shape)))
        }
        BarrierTarget::Buffer { .. } => Some((id, vec![(0, 1)])),
        _ => None,
    }
}
