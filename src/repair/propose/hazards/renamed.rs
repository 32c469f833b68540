//! Candidates for a use for which a barrier on another resource was perhaps meant: one that holds just what the use needs, and
//! that is no use where it is, with the name of the use's resource (reading R73).

use super::super::legacy::state_of;
use super::super::renamed;
use super::Maker;
use super::weight::Weight;
use crate::analyze::names;
use crate::api::{BarrierAccess, compat};
use crate::scenario::edit::EntryId;
use crate::scenario::{Barrier, LegacyKind};

/// Entries that are tried with the name: the nearest.
const ENTRIES_MAX: usize = 4;

impl Maker<'_, '_> {
    /// An entry on another resource of the same kind names this one.
    pub(super) fn rename(&mut self) {
        let (first, second) = (&self.conflict.first, &self.conflict.second);
        let id = second.resource;
        if first.resource != id || second.barrier().is_some() {
            return;
        }
        let at = names::side_span(self.timeline, second);
        let entries = renamed::near(self.written, id, at).filter(|entry| self.fits(*entry));
        let entries: Vec<EntryId> = entries.take(ENTRIES_MAX).collect();
        for (more, entry) in entries.into_iter().enumerate() {
            let named = renamed::named(self.text.source, self.written, entry, id);
            let weight = Weight::RENAMED.plus(more);
            let named = named.into_iter().map(|candidate| (weight, candidate));
            self.found.extend(named);
        }
    }

    /// Whether an entry would hold what the second use needs.
    fn fits(&self, entry: EntryId) -> bool {
        let second = &self.conflict.second;
        if let Some(legacy) = entry.legacy(self.written) {
            return match &legacy.kind {
                LegacyKind::Transition(it) => {
                    it.after.contains(state_of(second.access, second.stages))
                }
                LegacyKind::Uav(_) => second.access == BarrierAccess::UNORDERED_ACCESS,
                LegacyKind::Alias(..) => false,
            };
        }
        entry
            .of(self.written)
            .is_some_and(|barrier| self.holds(barrier))
    }

    fn holds(&self, barrier: &Barrier) -> bool {
        let second = &self.conflict.second;
        let traits = self.written.traits(second.resource);
        let has_access = barrier.access_after == BarrierAccess::COMMON
            || barrier.access_after.contains(second.access);
        let has_layout = barrier
            .transition()
            .is_none_or(|(_, after)| compat::layout_allows(after, second.access, traits));
        has_access && has_layout && barrier.sync_after.leaves().contains(second.stages)
    }
}
