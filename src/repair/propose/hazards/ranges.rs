//! Candidates for a use that a barrier on other subresources of its texture was perhaps meant for: its range moved or
//! widened; and for one that a barrier on too many subresources makes wrong: its range narrowed (reading R73).

use super::super::around::ExecutedEntry;
use super::super::legacy;
use super::super::ranges::{self, with_range};
use super::Maker;
use super::weight::Weight;
use crate::analyze::names;
use crate::order::{Moment, Of};
use crate::scenario::{BarrierRange, TextureBarrier, print_barrier};

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
        let entries = self.latest_entries();
        let wanted = self.around.range.clone();
        for (at, entry) in entries.iter().enumerate() {
            let Some(TextureBarrier { range, .. }) = entry.barrier.as_texture() else {
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

    /// One of the latest barriers on the texture acts on less, or the second itself if it is a barrier.
    pub(super) fn narrow(&mut self) {
        let second = &self.conflict.second;
        let id = second.resource;
        let own = second.barrier().zip(self.around.second);
        let own = own.and_then(|(id, place)| {
            let barrier = names::entry(self.timeline, id)?;
            Some((ExecutedEntry { id, place, barrier }, None))
        });
        let against = self.around.range.clone();
        let previous = self.around.previous.map(|entry| (entry, Some(against)));
        let mut entries: Vec<_> = own.into_iter().chain(previous).collect();
        // What another one left in the wrong layout is as likely as what the latest did.
        for entry in self.latest_entries() {
            if entries.iter().all(|(known, _)| known.id != entry.id) {
                entries.push((entry, None));
            }
        }
        for (entry, against) in entries {
            let at = entry.barrier.span;
            let ranges = ranges::narrowed(self.timeline, id, at, against.as_ref());
            for (more, range) in ranges.into_iter().enumerate() {
                self.push_narrowed(&entry, range, Weight::edited(1).plus(more));
            }
        }
    }

    /// The latest entries on the second's resource before it, in its scope.
    fn latest_entries(&self) -> Vec<ExecutedEntry<'s>> {
        let (second, timeline) = (&self.conflict.second, self.timeline);
        let now = timeline.moment(second.node, None);
        let scope = Moment::start(now.rank)..now;
        let entries = timeline.touches(Of::Entries(Some(second.resource)), scope);
        let entries = entries.rev().filter_map(|touch| {
            let ((id, barrier), place) = touch.entry().zip(touch.place)?;
            Some(ExecutedEntry { id, place, barrier })
        });
        entries.take(ENTRIES_MAX).collect()
    }

    fn push_narrowed(&mut self, entry: &ExecutedEntry<'s>, range: BarrierRange, weight: Weight) {
        if self.is_legacy(entry.place) {
            let (source, at) = (self.text.source, entry.barrier.span);
            let narrow = legacy::with_range(source, self.written, at, &range);
            self.found
                .extend(narrow.map(|candidate| (weight, candidate)));
            return;
        }
        let barrier = with_range(entry.barrier, range);
        let name = self.timeline.barrier_name(entry.id);
        let says = format!(
            "write {name} as `{}`",
            print_barrier(self.scenario(), &barrier)
        );
        let edit = self.rewrite(entry, &barrier);
        self.push(weight, vec![edit], says);
    }
}
