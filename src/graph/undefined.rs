//! Bytes whose contents nobody may read, in whichever scope: dropped by a discard or by `UNDEFINED` before a layout
//! change, no longer needed (`NO_ACCESS` before), given up under a layout change. Readings R53, R57, R62.
//!
//! What memory holds when the timeline starts counts as defined. A command's write defines bytes again; a layout change
//! does not. Kept by bytes, and only for memory where something was lost.

use super::Side;
use super::lost::{Found, LossUpdate, Lost, Reader, Sum};
use super::ranges::RangeMap;
use crate::id::{BarrierRef, Extent, MemoryId, ResourceId, SubmissionId, Table};
use crate::scenario::{Barrier, Scenario};

/// How contents were lost.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum LossKind {
    /// By a discard, by `UNDEFINED` before, or because they are no longer needed.
    Dropped,
    /// `NO_ACCESS` before a layout change, over a write that nothing had flushed (reading R53).
    GivenUp,
    /// The same without a layout change: the scope's end still flushes the write (reading R22).
    Unflushed,
}

/// Contents that were lost.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Loss {
    pub(super) kind: LossKind,
    /// What dropped the contents; of a write that was given up, the write.
    pub(super) side: Side,
    /// The barrier that did it.
    pub(super) barrier: Option<BarrierRef>,
    pub(super) submission: SubmissionId,
    /// Number of the actor of the submission.
    pub(super) actor: usize,
}

/// What was lost of all memory.
pub(super) struct Undefined {
    memories: Table<MemoryId, Lost>,
    /// Memory in which something was lost.
    is_kept: Table<MemoryId, bool>,
    any: bool,
}

impl Undefined {
    pub(super) fn new(memories: usize) -> Self {
        Self {
            memories: (0..memories).map(|_| Lost::default()).collect(),
            is_kept: Table::filled(memories, false),
            any: false,
        }
    }

    /// Whether anything was lost at all.
    #[inline]
    pub(super) fn any(&self) -> bool {
        self.any
    }

    /// What looking at losses and changing them has cost.
    pub(super) fn visits(&self) -> u64 {
        self.memories.iter().map(Lost::visits).sum()
    }

    /// Contents are dropped, whatever they were.
    pub(super) fn drop(&mut self, extent: Extent, loss: Loss) {
        self.change(extent, &LossUpdate::Becomes(Some(loss)));
    }

    /// Contents are lost if they still were defined.
    pub(super) fn lose(&mut self, extent: Extent, loss: Loss) {
        self.change(extent, &LossUpdate::Loses(loss));
    }

    fn change(&mut self, extent: Extent, change: &LossUpdate) {
        self.is_kept[extent.memory] = true;
        self.any = true;
        self.memories[extent.memory].change((extent.start, extent.end), change);
    }

    /// A command wrote bytes.
    pub(super) fn define(&mut self, extent: Extent) {
        let memory = extent.memory;
        if self.is_kept[memory] && self.memories[memory].has_any((extent.start, extent.end)) {
            self.change(extent, &LossUpdate::Becomes(None));
        }
    }

    /// What a reader of some bytes finds lost before it.
    pub(super) fn look(&mut self, extent: Extent, reader: &Reader<'_>) -> Option<Sum> {
        let memory = extent.memory;
        self.is_kept[memory].then(|| self.memories[memory].look((extent.start, extent.end), reader))
    }

    /// Visits what a reader of some bytes finds lost before it, loss by loss.
    pub(super) fn for_each(
        &self,
        extent: Extent,
        reader: &Reader<'_>,
        mut each: impl FnMut(Found),
    ) {
        let memory = extent.memory;
        if self.is_kept[memory] {
            self.memories[memory].for_each((extent.start, extent.end), |found| {
                if reader.comes_after(found.loss.submission) {
                    each(found);
                }
            });
        }
    }
}

/// Which subresources a scope has accessed, of resources of which some barrier says that their data is no longer
/// needed (reading R62).
pub(super) struct Accessed {
    /// By resource: the scope's number by subresource; `None` for resources that nobody asks about.
    scopes: Table<ResourceId, Option<RangeMap<u32>>>,
}

impl Accessed {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let mut scopes: Table<ResourceId, Option<RangeMap<u32>>> =
            Table::filled(scenario.resources.len(), None);
        for command in scenario.commands() {
            for barrier in command.kind.barriers() {
                if let Some(resource) = barrier.resource().filter(|_| is_unneeded(barrier)) {
                    scopes[resource].get_or_insert_default();
                }
            }
        }
        Self { scopes }
    }

    /// Whether anybody asks about a resource.
    #[inline]
    pub(super) fn is_kept(&self, resource: ResourceId) -> bool {
        self.scopes[resource].is_some()
    }

    /// A command of a scope accesses subresources.
    pub(super) fn note(&mut self, resource: ResourceId, runs: &[(u32, u32)], scope: u32) {
        if let Some(map) = &mut self.scopes[resource] {
            for (first, end) in runs {
                let (first, end) = (u64::from(*first), u64::from(*end));
                if map.visit(first, end, |_, last| *last = scope) > 1 {
                    map.join(first, end);
                }
            }
        }
    }

    /// Which of some subresources a scope has accessed.
    pub(super) fn of(
        &self,
        resource: ResourceId,
        runs: &[(u32, u32)],
        scope: u32,
    ) -> Vec<(u32, u32)> {
        let mut accessed = Vec::new();
        let Some(map) = &self.scopes[resource] else {
            return accessed;
        };
        for (first, end) in runs {
            map.peek(u64::from(*first), u64::from(*end), |from, until, last| {
                if *last == scope {
                    // Indices of subresources, which are `u32`.
                    let index = |at: u64| u32::try_from(at).unwrap_or(u32::MAX);
                    accessed.push((index(from).max(*first), index(until).min(*end)));
                }
            });
        }
        accessed
    }
}

/// Whether an entry says that data of this scope is no longer needed (reading R62). The second half of a split barrier
/// repeats what the first one says.
pub(super) fn is_unneeded(barrier: &Barrier) -> bool {
    barrier.access_before.is_no_access()
        && !barrier.sync_before.is_empty()
        && !barrier.sync_before.is_split()
}
