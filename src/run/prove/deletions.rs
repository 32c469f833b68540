//! Deleting: which barriers can go, which of them together, and which barrier implies another.

use super::{Prover, delete};
use crate::analyze::names;
use crate::analyze::redundancy::change::{self, Change, EntryId, entries_after};
use crate::analyze::redundancy::{self, Proposal};
use crate::finding::Span;
use crate::order::{LayoutTracker, SubmissionKind, Timeline};
use crate::run::Verdict;
use crate::scenario::{Barrier, Scenario, StatementKind};
use indexmap::IndexSet;

/// Neighbours that are tried as the barrier that implies another.
const NEIGHBOURS_MAX: usize = 6;

impl Prover<'_> {
    /// Deletes each entry by itself; returns those whose deletion adds nothing.
    pub(super) fn deletions(&mut self) -> Vec<EntryId> {
        let mut idle = Vec::new();
        let entries: Vec<EntryId> = self.survey.entries.keys().copied().collect();
        for entry in entries {
            let Some(barrier) = entry.of(self.plain) else {
                continue;
            };
            if self.verdicts.is(entry, Verdict::TooNarrow) {
                continue;
            }
            if is_for_the_next_frame(self.given.timeline, entry, barrier) {
                let why = "leaves the texture as the next frame expects it";
                self.verdicts.set(entry, Verdict::Needed, why);
                continue;
            }
            if self.flushes_alias(entry, barrier) {
                let why = "flushes what would otherwise be written over an alias";
                self.verdicts.set(entry, Verdict::Needed, why);
                continue;
            }
            if change::is_split(barrier) {
                let why = "one half of a split barrier";
                self.verdicts.set(entry, Verdict::Needed, why);
                continue;
            }
            let Some(adds) = self.adds(&change::delete(self.plain, entry)) else {
                self.verdicts.partial = true;
                break;
            };
            if adds {
                let why = "deleting it adds an error or a hazard";
                self.verdicts.set(entry, Verdict::Needed, why);
            } else {
                let why = "deleting it adds no error or hazard";
                self.verdicts.set(entry, Verdict::Redundant, why);
                idle.push(entry);
            }
        }
        idle
    }

    /// Whether changes that keep all numbers add anything; the copy is as before afterwards.
    fn adds(&mut self, changes: &[Change]) -> Option<bool> {
        for change in changes {
            change.apply(self.copy.to_mut());
        }
        let adds = self.compare.adds(&self.copy);
        for change in changes {
            if let Change::Set(entry, _) | Change::Clear(entry) = change
                && let (Some(old), Some(slot)) =
                    (entry.of(self.plain), entry.of_mut(self.copy.to_mut()))
            {
                slot.clone_from(old);
            }
        }
        adds
    }

    /// Which of the redundant entries can be deleted together, and which of them another implies. Returns the former,
    /// and whether just these were tried together.
    pub(super) fn redundant(&mut self, idle: &[EntryId]) -> (Vec<EntryId>, bool) {
        let Some(kept) = self.kept(idle) else {
            return (Vec::new(), false);
        };
        for entry in idle {
            if kept.contains(entry) {
                let why = "deleting it, or another that does the same, adds no error or hazard";
                self.verdicts.set(*entry, Verdict::Redundant, why);
                self.verdicts.stay(*entry);
                continue;
            }
            let Some(barrier) = entry.of(self.plain) else {
                continue;
            };
            if self.is_legacy(*entry) && !self.is_whole(barrier.span, idle, &kept) {
                continue;
            }
            let text = names::barrier_text(self.plain, barrier);
            let other = self.implied_by(*entry, idle, &kept);
            let (saving, message, related) = match other.and_then(|o| o.of(self.plain)) {
                Some(other) => (
                    &redundancy::IMPLIED,
                    format!("another barrier does what this one does ({text})"),
                    Some((
                        other.span,
                        "this one implies it: without both, a use would be uncovered".to_string(),
                    )),
                ),
                None => (
                    &redundancy::REDUNDANT,
                    format!("no later use needs this barrier ({text})"),
                    None,
                ),
            };
            self.propose(&Proposal {
                saving,
                entry: Some(*entry),
                span: barrier.span,
                resource: self.name_of(barrier),
                changes: change::delete(self.plain, *entry),
                message,
                witness: "without this barrier".into(),
                help: "delete it".into(),
                related,
                deactivates: other.is_none() && barrier.access_after.is_no_access(),
            });
        }
        let mut gone: Vec<EntryId> = idle.to_vec();
        gone.retain(|entry| {
            let span = entry.of(self.plain).map_or(Span::default(), |b| b.span);
            !kept.contains(entry) && (!self.is_legacy(*entry) || self.is_whole(span, idle, &kept))
        });
        // Each was tried by itself, and all of them together.
        let is_proved = gone.len() == 1 || kept.is_empty() && gone.len() == idle.len();
        (gone, is_proved)
    }

    /// Whether all that a legacy entry was translated to can go: nobody can delete half of it.
    fn is_whole(&self, span: Span, idle: &[EntryId], kept: &IndexSet<EntryId>) -> bool {
        let mut entries = self.survey.entries.keys();
        entries.all(|entry| {
            entry.of(self.plain).is_none_or(|b| b.span != span)
                || idle.contains(entry) && !kept.contains(entry)
        })
    }

    /// Redundant entries that must stay if all the others go; `None` beyond the budget.
    fn kept(&mut self, idle: &[EntryId]) -> Option<IndexSet<EntryId>> {
        let mut kept = IndexSet::new();
        if idle.len() < 2 {
            return Some(kept);
        }
        let mut all = self.plain.clone();
        for entry in idle {
            delete(&mut all, *entry);
        }
        if !self.compare.adds(&all)? {
            return Some(kept);
        }
        // The later of two that do the same goes.
        let mut gone = self.plain.clone();
        for entry in idle.iter().rev() {
            let before = gone.clone();
            delete(&mut gone, *entry);
            if self.compare.adds(&gone)? {
                gone = before;
                kept.insert(*entry);
            }
        }
        Some(kept)
    }

    /// The barrier near an entry without which the entry would be needed.
    fn implied_by(
        &mut self,
        entry: EntryId,
        idle: &[EntryId],
        kept: &IndexSet<EntryId>,
    ) -> Option<EntryId> {
        let barrier = entry.of(self.plain)?;
        let resource = barrier.resource();
        let mut near: Vec<EntryId> = self
            .survey
            .entries
            .keys()
            .filter(|other| other.list == entry.list && **other != entry)
            .filter(|other| kept.contains(*other) || !idle.contains(other))
            .filter(|other| {
                let of = other.of(self.plain).and_then(Barrier::resource);
                resource.is_none() || of.is_none() || of == resource
            })
            .copied()
            .collect();
        near.sort_by_key(|other| other.command.abs_diff(entry.command));
        for other in near.into_iter().take(NEIGHBOURS_MAX) {
            let mut without_other = self.plain.clone();
            delete(&mut without_other, other);
            let mut both = self.plain.clone();
            // The earlier first, so that the later is relinked to what is left.
            delete(&mut both, entry.min(other));
            delete(&mut both, entry.max(other));
            let added = self.compare.added(&without_other)?;
            if !self.compare.added(&both)?.is_subset(&added) {
                return Some(other);
            }
        }
        None
    }

    /// Whether an entry deactivates an alias that was written: its dirty lines must be gone before the memory is used
    /// anew. Spec: "Barrier Ordering": what deactivates a resource flushes its caches.
    fn flushes_alias(&self, entry: EntryId, barrier: &Barrier) -> bool {
        let memory = &self.given.timeline.memory;
        let is_aliased = barrier.resource().is_some_and(|id| memory.is_aliased(id));
        let around = self.survey.entries.get(&entry).copied().unwrap_or_default();
        is_aliased && barrier.access_after.is_no_access() && around.before.accesses.writes()
    }
}

/// Whether an entry is the last on its texture and leaves it as a next round expects it: in the layout in which the
/// timeline found it, or for a present, a `keep` or a repeating timeline (reading R33).
fn is_for_the_next_frame(timeline: &Timeline<'_>, entry: EntryId, barrier: &Barrier) -> bool {
    let (Some(id), Some((before, after))) = (barrier.resource(), barrier.layouts()) else {
        return false;
    };
    if before == after {
        return false;
    }
    let scenario = timeline.scenario;
    let resource = scenario.resource(id);
    let repeats = scenario.timeline.as_ref().is_some_and(|t| {
        t.statements
            .iter()
            .any(|s| matches!(s.kind, StatementKind::Repeat { .. }))
    });
    let presented = timeline
        .submissions
        .iter()
        .any(|s| s.kind == SubmissionKind::Present { resource: id });
    let starts = LayoutTracker::declared(resource);
    let wanted = after == starts || repeats || presented || resource.keep;
    wanted && !used_after(scenario, entry, barrier)
}

/// Whether the list uses or transitions a resource after an entry.
fn used_after(scenario: &Scenario, entry: EntryId, barrier: &Barrier) -> bool {
    let resource = barrier.resource();
    let commands = &scenario.lists[entry.list.index()].commands;
    let mut uses = commands[entry.command as usize + 1..]
        .iter()
        .flat_map(|later| &later.uses);
    uses.any(|u| Some(u.resource) == resource)
        || entries_after(scenario, entry)
            .any(|(place, e)| place.command > entry.command && e.resource() == resource)
}
