//! What was proved of each barrier entry of a text.

use crate::finding::{Finding, Span};
use crate::id::BarrierRef;
use crate::order::Timeline;
use crate::scenario::edit::EntryId;
use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

/// What a barrier was good for.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// Something that is needed depends on it.
    Needed,
    /// Deleting it adds no error or hazard.
    Redundant,
    /// Narrower masks would do.
    TooWide,
    /// A hazard remains that this barrier was meant to prevent.
    TooNarrow,
}

/// Why a barrier is needed that was left out, and why one is redundant.
pub(crate) const DELETED_ADDS: &str = "deleting it adds an error or a hazard";
pub(crate) const DELETED_ADDS_NOTHING: &str = "deleting it adds no error or hazard";

impl Verdict {
    /// The word of the JSON contract.
    pub fn word(self) -> &'static str {
        match self {
            Self::Needed => "needed",
            Self::Redundant => "redundant",
            Self::TooWide => "too-wide",
            Self::TooNarrow => "too-narrow",
        }
    }
}

/// The text with the change made that a finding proposes: what was judged and run before the finding was shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changed {
    /// Id of the finding's rule.
    pub rule: &'static str,
    /// Where the finding is, in the text as it was.
    pub span: Span,
    /// The changed text, formatted.
    pub text: String,
}

/// What was proved of each barrier entry of the text.
#[derive(Default)]
pub(crate) struct Verdicts {
    entries: IndexMap<EntryId, (Verdict, String)>,
    /// Redundant entries that stay if the others go: of two that do the same, one may go.
    stays: IndexSet<EntryId>,
    /// Findings of the family `RD`.
    pub(crate) findings: Vec<Finding>,
    /// The texts with their changes made, if asked for.
    pub(crate) changed: Vec<Changed>,
    /// Entries were left unproved because the limit was passed.
    pub(super) partial: bool,
}

impl Verdicts {
    /// Verdict of an executed entry, and why.
    pub(crate) fn of(&self, timeline: &Timeline<'_>, barrier: BarrierRef) -> (Verdict, &str) {
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
    pub(crate) fn stays(&self, timeline: &Timeline<'_>, barrier: BarrierRef) -> bool {
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
