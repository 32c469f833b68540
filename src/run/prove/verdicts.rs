//! What was proved of each barrier entry of a text.

use crate::analyze::redundancy::change::Entry;
use crate::finding::Finding;
use crate::id::BarrierRef;
use crate::order::Timeline;
use crate::run::Verdict;
use indexmap::IndexMap;

/// What was proved of each barrier entry of the text.
#[derive(Default)]
pub(in crate::run) struct Verdicts {
    entries: IndexMap<Entry, (Verdict, String)>,
    /// Findings of the family `RD`.
    pub(in crate::run) findings: Vec<Finding>,
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
                self.entries.get(&Entry {
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

    pub(super) fn set(&mut self, entry: Entry, verdict: Verdict, why: impl Into<String>) {
        self.entries.insert(entry, (verdict, why.into()));
    }

    pub(super) fn is(&self, entry: Entry, verdict: Verdict) -> bool {
        self.entries
            .get(&entry)
            .is_some_and(|(it, _)| *it == verdict)
    }
}
