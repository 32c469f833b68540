//! Candidates for a use that a barrier on other subresources of its texture was perhaps meant for: its range moved or
//! widened (reading R73).

use super::super::around::ExecutedEntry;
use super::super::ranges;
use super::Maker;
use super::weight::Weight;
use crate::order::{Moment, Of};
use crate::scenario::{Barrier, BarrierRange, BarrierTarget, print_barrier};

/// Barriers of the scope whose range is changed at most: the latest.
const ENTRIES_MAX: usize = 3;

impl<'s> Maker<'_, 's> {
    /// A barrier on the texture in the scope acts on what the second use touches, or on that too.
    pub(super) fn rerange(&mut self) {
        let second = &self.conflict.second;
        let (id, timeline) = (second.resource, self.timeline);
        let Some(shape) = self.scenario().resource(id).texture() else {
            return;
        };
        if second.barrier().is_some() || shape.subresources() == 1 {
            return;
        }
        let now = timeline.moment(second.node, None);
        let entries = timeline.touches(Of::Entries(Some(id)), Moment::start(now.rank)..now);
        let entries = entries.rev().filter_map(|touch| {
            let ((id, barrier), place) = touch.entry().zip(touch.place)?;
            Some(ExecutedEntry { id, place, barrier })
        });
        let entries: Vec<ExecutedEntry<'s>> = entries.take(ENTRIES_MAX).collect();
        let wanted = self.around.range.clone();
        for (at, entry) in entries.iter().enumerate() {
            let BarrierTarget::Texture { range, .. } = &entry.barrier.target else {
                continue;
            };
            let is_half =
                entry.barrier.sync_before.is_split() || entry.barrier.sync_after.is_split();
            if is_half || *range == wanted {
                continue;
            }
            let both = ranges::around_both(shape, range, &wanted);
            for (more, other) in [Some(wanted.clone()), both]
                .into_iter()
                .flatten()
                .enumerate()
            {
                let barrier = with_range(entry.barrier, other);
                let name = timeline.barrier_name(entry.id);
                let says = format!(
                    "write {name} as `{}`",
                    print_barrier(self.scenario(), &barrier)
                );
                let edit = self.rewrite(entry, &barrier);
                self.push(Weight::edited(1).plus(2 * at + more), vec![edit], says);
            }
        }
    }
}

fn with_range(barrier: &Barrier, to: BarrierRange) -> Barrier {
    let mut other = barrier.clone();
    if let BarrierTarget::Texture { range, .. } = &mut other.target {
        *range = to;
    }
    other
}
