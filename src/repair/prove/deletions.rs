//! Deleting: which barriers can go, which of them together, and which barrier implies another.

use super::Prover;
use super::Verdict;
use super::judge::Form;
use super::units::UnitId;
use super::verdicts::{DELETED_ADDS, DELETED_ADDS_NOTHING};
use crate::analyze::names;
use crate::analyze::redundancy::{self, Proposal};
use crate::order::{LayoutTracker, SubmissionKind, Timeline};
use crate::scenario::edit::{self, Change, EntryId, barriers_after};
use crate::scenario::{Barrier, Scenario, StatementKind};
use indexmap::IndexSet;
use std::borrow::Cow;

/// Neighbours that are tried as the barrier that implies another.
const NEIGHBOURS_MAX: usize = 6;

impl Prover<'_> {
    /// Deletes each entry of the text by itself; returns those whose deletion adds nothing.
    pub(super) fn deletions(&mut self) -> Vec<UnitId> {
        let mut idle = Vec::new();
        let mut copy = Cow::Borrowed(self.given.source);
        for unit in self.units.ids() {
            if self.must_stay(unit) {
                continue;
            }
            let Some(adds) = self.deletion_adds(&mut copy, unit) else {
                self.verdicts.partial = true;
                break;
            };
            let (verdict, why) = if adds {
                (Verdict::Needed, DELETED_ADDS)
            } else {
                idle.push(unit);
                (Verdict::Redundant, DELETED_ADDS_NOTHING)
            };
            self.say(unit, verdict, why);
        }
        idle
    }

    /// Whether deleting an entry of the text adds anything.
    fn deletion_adds(&mut self, copy: &mut Cow<'_, Scenario>, unit: UnitId) -> Option<bool> {
        let source = self.given.source;
        for next in edit::ways(source, &[self.units.of(unit).written]) {
            self.units.set_next(unit, next);
            if !self.adds(copy, &self.units.deletion(source, unit))? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// A verdict of everything that an entry of the text stands for.
    fn say(&mut self, unit: UnitId, verdict: Verdict, why: &str) {
        for part in &self.units.of(unit).parts {
            self.verdicts.set(*part, verdict, why);
        }
    }

    /// Whether an entry is not to be deleted, whatever a copy without it shows. Then its verdict is said.
    fn must_stay(&mut self, unit: UnitId) -> bool {
        let parts = self.units.of(unit).parts.clone();
        let reasons: Vec<Option<&str>> = parts.iter().map(|part| self.reason(*part)).collect();
        let is_narrow = |part: &EntryId| self.verdicts.is(*part, Verdict::TooNarrow);
        let narrow: Vec<bool> = parts.iter().map(is_narrow).collect();
        if !narrow.contains(&true) && reasons.iter().all(Option::is_none) {
            return false;
        }
        for ((part, reason), is_narrow) in parts.iter().zip(reasons).zip(narrow) {
            if !is_narrow {
                let why = reason.unwrap_or("part of a legacy barrier that is needed");
                self.verdicts.set(*part, Verdict::Needed, why);
            }
        }
        true
    }

    /// What an entry is there for that no copy shows.
    fn reason(&self, part: EntryId) -> Option<&'static str> {
        let barrier = part.of(self.plain)?;
        if is_for_the_next_frame(self.given.timeline, part, barrier) {
            Some("leaves the texture as the next frame expects it")
        } else if self.flushes_alias(part, barrier) {
            Some("flushes what would otherwise be written over an alias")
        } else {
            edit::is_split(barrier).then_some("one half of a split barrier")
        }
    }

    /// Whether changes of the text as written add anything; the copy is as before afterwards.
    fn adds(&mut self, copy: &mut Cow<'_, Scenario>, changes: &[Change]) -> Option<bool> {
        let source = self.given.source;
        for change in changes {
            change.apply(copy.to_mut());
        }
        let adds = self.compare.adds(copy, Form::Written);
        for entry in changes.iter().filter_map(Change::entry) {
            // An entry that was taken out of a legacy call is back only with the whole call.
            if let Some(call) = entry.call(source) {
                let commands = &mut copy.to_mut().lists[entry.list].commands;
                commands[entry.command as usize].clone_from(call);
            }
        }
        adds
    }

    /// Which of the redundant entries can be deleted together, and which of them another implies. Returns the former,
    /// and whether just these were tried together.
    pub(super) fn redundant(&mut self, idle: &[UnitId]) -> (Vec<EntryId>, bool) {
        let Some(kept) = self.kept(idle) else {
            return (Vec::new(), false);
        };
        for unit in idle.iter().copied() {
            if kept.contains(&unit) {
                let why = "deleting it, or another that does the same, adds no error or hazard";
                self.say(unit, Verdict::Redundant, why);
                for part in &self.units.of(unit).parts {
                    self.verdicts.stay(*part);
                }
                continue;
            }
            self.propose_deletion(unit, idle, &kept);
        }
        let gone = || idle.iter().filter(|unit| !kept.contains(*unit));
        let parts = gone().flat_map(|unit| &self.units.of(*unit).parts);
        // Each was tried by itself, and all of them together.
        let is_proved = gone().count() == 1 || kept.is_empty();
        (parts.copied().collect(), is_proved)
    }

    fn propose_deletion(&mut self, unit: UnitId, idle: &[UnitId], kept: &IndexSet<UnitId>) {
        let entry = self.units.of(unit).parts[0];
        let Some(barrier) = entry.of(self.plain) else {
            return;
        };
        let text = names::barrier_text(self.plain, barrier);
        let other = self.implied_by(unit, idle, kept);
        let (saving, message, related) = match other {
            Some(other) => (
                &redundancy::IMPLIED,
                format!("another barrier does what this one does ({text})"),
                Some((
                    self.units.of(other).span,
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
            entry: Some(entry),
            span: barrier.span,
            resource: self.name_of(barrier),
            changes: self.units.deletion(self.given.source, unit),
            message,
            witness: "without this barrier".into(),
            help: "delete it".into(),
            related,
            deactivates: other.is_none() && barrier.access_after.is_no_access(),
        });
    }

    /// Redundant entries that must stay if all the others go; `None` beyond the budget.
    fn kept(&mut self, idle: &[UnitId]) -> Option<IndexSet<UnitId>> {
        let mut kept = IndexSet::new();
        if idle.len() < 2 {
            return Some(kept);
        }
        let mut all = self.given.source.clone();
        self.units.delete(&mut all, idle.iter().copied());
        if !self.compare.adds(&all, Form::Written)? {
            return Some(kept);
        }
        // The later of two that do the same goes.
        let mut gone = self.given.source.clone();
        for unit in idle.iter().rev() {
            let before = gone.clone();
            self.units.delete(&mut gone, [*unit]);
            if self.compare.adds(&gone, Form::Written)? {
                gone = before;
                kept.insert(*unit);
            }
        }
        Some(kept)
    }

    /// The barrier near an entry without which the entry would be needed.
    fn implied_by(
        &mut self,
        unit: UnitId,
        idle: &[UnitId],
        kept: &IndexSet<UnitId>,
    ) -> Option<UnitId> {
        let entry = self.units.of(unit).parts[0];
        let resource = entry.of(self.plain)?.resource();
        let mut near: Vec<EntryId> = self
            .survey
            .entries
            .keys()
            .filter(|other| other.list == entry.list)
            .filter(|other| {
                let of = other.of(self.plain).and_then(Barrier::resource);
                resource.is_none() || of.is_none() || of == resource
            })
            .copied()
            .collect();
        near.sort_by_key(|other| other.command.abs_diff(entry.command));
        let near = near.iter().filter_map(|near| self.units.with_part(*near));
        let mut near: IndexSet<UnitId> = near.collect();
        near.retain(|it| *it != unit && (kept.contains(it) || !idle.contains(it)));
        for other in near.into_iter().take(NEIGHBOURS_MAX) {
            let mut without_other = self.given.source.clone();
            self.units.delete(&mut without_other, [other]);
            let mut both = self.given.source.clone();
            self.units.delete(&mut both, [unit, other]);
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
    let commands = &scenario.lists[entry.list].commands;
    let mut uses = commands[entry.command as usize + 1..]
        .iter()
        .flat_map(|later| &later.uses);
    uses.any(|u| Some(u.resource) == resource)
        || barriers_after(scenario, entry)
            .any(|(place, e)| place.command > entry.command && e.resource() == resource)
}
