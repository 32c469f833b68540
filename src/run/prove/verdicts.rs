//! What was proved of each barrier entry of a text.

use crate::finding::Finding;
use crate::id::BarrierRef;
use crate::order::Timeline;
use crate::run::{Changed, Verdict};
use crate::scenario::edit::EntryId;
use indexmap::{IndexMap, IndexSet};

/// What was proved of each barrier entry of the text.
#[derive(Default)]
pub(in crate::run) struct Verdicts {
    entries: IndexMap<EntryId, (Verdict, String)>,
    /// Redundant entries that stay if the others go: of two that do the same, one may go.
    stays: IndexSet<EntryId>,
    /// Findings of the family `RD`.
    pub(in crate::run) findings: Vec<Finding>,
    /// The texts with their changes made, if asked for.
    pub(in crate::run) changed: Vec<Changed>,
    /// Entries were left unproved because the limit was passed.
    pub(super) partial: bool,
}

impl Verdicts {
    /// Verdict of an executed entry, and why.
    pub(in crate::run) fn of(
        &self,
        timeline: &Timeline<'_>,
        barrier: BarrierRef,
    ) -> (Verdict, &str) {
        let found = timeline
            .place(barrier.node)
            .command
            .and_then(|(list, command)| {
                let index = barrier.entry;
                self.entries.get(&EntryId {
                    list,
                    command,
                    index,
                })
            });
        match found {
            Some((verdict, why)) => (*verdict, why),
            None if self.partial => (
                Verdict::Needed,
                "not examined: the timeline is too long for proofs",
            ),
            None => (Verdict::Needed, ""),
        }
    }

    /// Whether an executed entry is redundant only as long as others are there that may go as well.
    pub(in crate::run) fn stays(&self, timeline: &Timeline<'_>, barrier: BarrierRef) -> bool {
        let place = timeline.place(barrier.node).command;
        place.is_some_and(|(list, command)| {
            let index = barrier.entry;
            self.stays.contains(&EntryId {
                list,
                command,
                index,
            })
        })
    }

    pub(super) fn stay(&mut self, entry: EntryId) {
        self.stays.insert(entry);
    }

    pub(super) fn set(&mut self, entry: EntryId, verdict: Verdict, why: impl Into<String>) {
        self.entries.insert(entry, (verdict, why.into()));
    }

    pub(super) fn is(&self, entry: EntryId, verdict: Verdict) -> bool {
        self.entries
            .get(&entry)
            .is_some_and(|(it, _)| *it == verdict)
    }
}
