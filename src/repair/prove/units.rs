//! What can be deleted as a whole: an entry of the text, with the entries that it was translated to.

use super::Given;
use crate::analyze::redundancy::survey::Survey;
use crate::finding::Span;
use crate::scenario::edit::{self, Change, EntryId, Next};
use crate::scenario::{Barrier, Scenario};
use indexmap::IndexMap;

/// An executed entry of the text.
pub(super) struct Unit {
    /// Where it is written.
    pub(super) written: EntryId,
    /// Its place in the text.
    pub(super) span: Span,
    /// The executed entries of the scenario without legacy barriers that it stands for: itself, if it is no legacy one.
    pub(super) parts: Vec<EntryId>,
    /// What becomes of the barrier after it when it is deleted.
    pub(super) next: Next,
}

/// Number of an entry of the text among those that are executed.
pub(super) type UnitId = usize;

/// Executed entries of the text, in order.
pub(super) struct Units {
    units: Vec<Unit>,
    of_part: IndexMap<EntryId, UnitId>,
}

impl Units {
    pub(super) fn new(given: &Given<'_>, survey: &Survey) -> Self {
        let mut it = Self {
            units: Vec::new(),
            of_part: IndexMap::new(),
        };
        let mut known: IndexMap<EntryId, UnitId> = IndexMap::new();
        for part in survey.entries.keys() {
            let Some(barrier) = part.of(given.timeline.scenario) else {
                continue;
            };
            let Some(written) = written(given.source, *part, barrier) else {
                continue;
            };
            let next = it.units.len();
            let id = *known.entry(written).or_insert(next);
            if id == next {
                it.units.push(Unit {
                    written,
                    span: barrier.span,
                    parts: Vec::new(),
                    next: Next::Relinked,
                });
            }
            it.units[id].parts.push(*part);
            it.of_part.insert(*part, id);
        }
        it
    }

    /// Every one.
    pub(super) fn ids(&self) -> std::ops::Range<UnitId> {
        0..self.units.len()
    }

    pub(super) fn of(&self, id: UnitId) -> &Unit {
        &self.units[id]
    }

    /// The entry of the text that an entry of the scenario without legacy barriers comes from.
    pub(super) fn with_part(&self, part: EntryId) -> Option<UnitId> {
        self.of_part.get(&part).copied()
    }

    /// Deletes some from a copy of the text as written, the later ones first.
    pub(super) fn delete(&self, copy: &mut Scenario, ids: impl IntoIterator<Item = UnitId>) {
        let mut ids: Vec<UnitId> = ids.into_iter().collect();
        ids.sort_by_key(|id| self.units[*id].written);
        for id in ids.into_iter().rev() {
            for change in self.deletion(copy, id) {
                change.apply(copy);
            }
        }
    }

    /// Notes what becomes of the barrier after one when it is deleted.
    pub(super) fn set_next(&mut self, id: UnitId, next: Next) {
        self.units[id].next = next;
    }

    /// Changes of the text that delete one.
    pub(super) fn deletion(&self, source: &Scenario, id: UnitId) -> Vec<Change> {
        let unit = &self.units[id];
        edit::delete(source, unit.written, unit.next)
    }
}

/// The entry of the text that an entry of the scenario without legacy barriers comes from: calls have the same numbers in
/// both.
fn written(source: &Scenario, part: EntryId, barrier: &Barrier) -> Option<EntryId> {
    let legacy = part.call(source)?.kind.legacy();
    if legacy.is_empty() {
        return Some(part);
    }
    let index = legacy.iter().position(|entry| entry.span == barrier.span)?;
    Some(EntryId {
        index: crate::id::narrow(index),
        ..part
    })
}
