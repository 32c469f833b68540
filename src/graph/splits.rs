//! Split barriers that are open: whether a use or a barrier is between the halves of one.

use super::content::Split;
use crate::id::{ResourceId, SubmissionId, Table};
use crate::order::Timeline;
use crate::scenario::Barrier;

/// How many second halves of each resource are still to come. Without one a first half is open for good: that is one mistake,
/// and what happens to its memory in later scopes is none.
pub(super) struct EndsLeft {
    /// Empty if no barrier is split.
    counts: Table<ResourceId, u32>,
}

impl EndsLeft {
    pub(super) fn new(timeline: &Timeline<'_>) -> Self {
        let scenario = timeline.scenario;
        let ended = |barrier: &Barrier| {
            barrier
                .resource()
                .filter(|_| barrier.sync_before.is_split())
        };
        let by_list = scenario.lists.iter().map(|list| {
            let barriers = list.commands.iter().flat_map(|c| c.kind.barriers());
            barriers.filter_map(ended).collect::<Vec<_>>()
        });
        let by_list: Table<_, Vec<ResourceId>> = by_list.collect();
        if by_list.iter().all(Vec::is_empty) {
            return Self {
                counts: Table::filled(0, 0),
            };
        }
        let mut counts = Table::filled(scenario.resources.len(), 0);
        for submission in timeline.submissions.iter() {
            for list in timeline.lists(submission) {
                for resource in &by_list[*list] {
                    counts[*resource] += 1;
                }
            }
        }
        Self { counts }
    }

    /// One has come.
    pub(super) fn met(&mut self, resource: ResourceId) {
        if let Some(count) = self.counts.get_mut(resource) {
            *count = count.saturating_sub(1);
        }
    }
}

/// Where a use or a barrier is.
#[derive(Copy, Clone)]
pub(super) struct Open<'a, 't, 's> {
    pub(super) timeline: &'t Timeline<'s>,
    pub(super) epoch: u32,
    pub(super) submission: SubmissionId,
    pub(super) ends_left: &'a EndsLeft,
}

impl Open<'_, '_, '_> {
    /// Whether it comes after a first half that nothing has ended. A pair without a layout change is over with its scope.
    pub(super) fn is_around(&self, half: &Split) -> bool {
        let begun = self.timeline.submission_of(half.side.node);
        half.epoch == self.epoch
            || half.acts && self.timeline.happens_before(begun, self.submission)
    }

    /// Whether a resource that acts there comes between the halves of an alias's pair, and nothing has told it.
    pub(super) fn is_disturbed(&self, half: &Split, by: ResourceId) -> bool {
        let is_ended = || {
            let count = self.ends_left.counts.get(half.side.resource);
            count.is_some_and(|count| *count > 0)
        };
        half.is_disturbed_by(by) && self.is_around(half) && (half.epoch == self.epoch || is_ended())
    }
}
