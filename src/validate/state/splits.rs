//! Split barriers: begins that are open, ends that look for theirs, and what is left when a scope or the timeline ends.
//!
//! Spec: "Split Barriers"; reading R27.

use super::change::Transfer;
use super::known::Known;
use super::tree::{Always, KnownKind, Operation};
use super::{Applied, Facts, Leaves, Split, Walk};
use crate::api::{BarrierAccess, Layout};
use crate::finding::Finding;
use crate::id::{ResourceId, narrow};
use crate::scenario::{Barrier, Resource};
use crate::validate::{BarrierEntry, eb};

impl<'s> Walk<'s, '_> {
    /// The second half of a split barrier, held against the first.
    pub(super) fn end_half(
        &mut self,
        entry: &BarrierEntry<'s>,
        applied: &Applied<'s>,
    ) -> Option<Finding> {
        let open = self.open(applied);
        let resource = self.facts.scenario.resource(applied.resource);
        self.leave_over(&open, applied);
        match open.first() {
            Some(_) if open.iter().any(|id| self.facts.agrees(*id, applied)) => None,
            Some(id) => Some(eb::split_halves_differ::finding(
                entry,
                &self.facts,
                self.facts.split(*id),
                &applied.runs,
            )),
            None if self.may_end_another_list(applied) => None,
            None if self.ends_left_over(applied) => None,
            None if unused(resource, entry.barrier) => {
                Some(eb::split_unused::end(entry, &self.facts))
            }
            None => Some(eb::split_end_without_begin::finding(entry, &self.facts)),
        }
    }

    /// Notes what a half that names fewer subresources than the first, and agrees with it otherwise, leaves over.
    fn leave_over(&mut self, open: &[u32], end: &Applied<'s>) {
        for id in open {
            let begin = self.facts.split(*id);
            let is_part = begin.runs != *end.runs
                && minus(&end.runs, &begin.runs).is_empty()
                && eb::split_halves_differ::difference(
                    &self.facts,
                    begin,
                    end.barrier,
                    &begin.runs,
                )
                .is_none();
            if is_part {
                let left = minus(&begin.runs, &end.runs);
                let scope = self.facts.scope;
                let split = &mut self.facts.splits[*id as usize - 1];
                (split.left_over, split.left_over_in) = (left, scope);
            }
        }
    }

    /// Whether a half ends what an earlier one left over: one mistake is one finding (reading R72).
    fn ends_left_over(&mut self, end: &Applied<'s>) -> bool {
        let facts = &self.facts;
        let ends = |split: &Split<'s>| {
            !split.left_over.is_empty()
                && split.left_over_in == facts.scope
                && split.resource == end.resource
                && minus(&end.runs, &split.left_over).is_empty()
                && eb::split_halves_differ::difference(facts, split, end.barrier, &split.runs)
                    .is_none()
        };
        let splits = facts.splits.iter().enumerate();
        let ended: Vec<usize> = splits.filter(|(_, s)| ends(s)).map(|(at, _)| at).collect();
        for at in &ended {
            let split = &mut self.facts.splits[*at];
            split.left_over = minus(&split.left_over, &end.runs);
        }
        !ended.is_empty()
    }

    /// Splits that are open on the subresources of an entry, with those that they began inside of: innermost first.
    fn open(&mut self, applied: &Applied<'s>) -> Vec<u32> {
        let mut ids = Vec::new();
        let facts = &self.facts;
        let is_open = |kind: &KnownKind| facts.open_split(&kind.known).is_some();
        let known = &mut self.known[applied.resource];
        known.find(&applied.runs, facts.scope, is_open, |_, _, known| {
            if facts.open_split(known).is_some() && !ids.contains(&known.split) {
                ids.push(known.split);
            }
            None::<()>
        });
        let mut at = 0;
        while at < ids.len() {
            for under in &self.facts.split(ids[at]).under {
                if !self.facts.split(*under).ended && !ids.contains(under) {
                    ids.push(*under);
                }
            }
            at += 1;
        }
        ids
    }

    /// Whether the list never executes and has named none of the subresources in a barrier: another list may have
    /// begun what this entry ends.
    fn may_end_another_list(&mut self, applied: &Applied<'s>) -> bool {
        let (scope, known) = (self.facts.scope, &mut self.known[applied.resource]);
        let is_named = |known: &Known| known.left_in(scope).map(|_| ());
        let concerns = |kind: &KnownKind| is_named(&kind.known).is_some();
        let named = known.find(&applied.runs, scope, concerns, |_, _, known| {
            is_named(known)
        });
        self.facts.is_recording() && named.is_none()
    }

    /// A second half takes effect.
    pub(super) fn end(&mut self, applied: &Applied<'s>) {
        let open = self.open(applied);
        let may_end_another_list = self.may_end_another_list(applied);
        let here = |id: &u32| self.facts.split(*id).scope == self.facts.scope;
        let agreeing = || open.iter().filter(|id| self.facts.agrees(**id, applied));
        let same_scope = if agreeing().next().is_some() {
            agreeing().any(here)
        } else {
            !may_end_another_list && open.iter().all(here)
        };
        for id in &open {
            self.end_split(*id, &open);
        }
        for id in &open {
            let split = self.facts.split(*id);
            let (resource, runs) = (split.resource, split.runs.clone());
            self.of_splits(resource, &runs, &[*id], |known| known.is_over = true);
        }
        // Reading R27: across scopes the accesses are ignored.
        let access = if same_scope {
            applied.barrier.access_after
        } else {
            BarrierAccess::COMMON
        };
        self.leave(
            applied.resource,
            &applied.runs,
            applied.barrier,
            Leaves::of(true, access),
        );
    }

    /// Ends one of the splits that end together.
    fn end_split(&mut self, id: u32, together: &[u32]) {
        let split = &mut self.facts.splits[id as usize - 1];
        split.ended = true;
        let (resource, barrier, scope) = (split.resource, split.barrier, split.scope);
        let withheld = split.withheld.take();
        if let Some(finding) = withheld.filter(|_| scope == self.facts.scope) {
            self.found.push(finding);
        }
        let Some((layout_before, layout_after)) = barrier.layouts() else {
            return;
        };
        // Between the halves the layout was neither. Where the end does not reach it stays unknown.
        let layout = match layout_after {
            Layout::Undefined if layout_before == layout_after => return,
            after => (layout_before == after).then_some(after),
        };
        let ids = if layout.is_none() { together } else { &[id] };
        let runs = self.facts.split(id).runs.clone();
        self.of_splits(resource, &runs, ids, |known| {
            let is_own = known.split == id && !known.intervened;
            if is_own || layout.is_none() {
                known.layout = layout;
            }
        });
    }

    /// A first half takes effect.
    pub(super) fn begin(&mut self, applied: &Applied<'s>) {
        let id = narrow(self.facts.splits.len()) + 1;
        let under = self.open(applied);
        self.facts.splits.push(Split {
            barrier: applied.barrier,
            resource: applied.resource,
            runs: applied.runs.to_vec(),
            left_over: Vec::new(),
            left_over_in: 0,
            scope: self.facts.scope,
            ended: false,
            // A begin that intervenes in another split is reported as that.
            is_refused: applied.is_refused || !under.is_empty(),
            under,
            withheld: self.withheld.take(),
        });
        self.leave(
            applied.resource,
            &applied.runs,
            applied.barrier,
            Leaves::of(false, applied.barrier.access_after),
        );
        let mut begins = Always {
            scope: self.facts.scope,
            change: Transfer::begins(id),
        };
        self.known[applied.resource].change(&applied.runs, &mut begins);
    }

    /// Splits that are unused because their scope is over. Spec: "Split Barriers".
    pub(super) fn splits_left_open(&mut self, first: usize) {
        let is_left = |split: &Split<'_>, facts: &Facts<'_, '_>| {
            !split.ended && unused(facts.scenario.resource(split.resource), split.barrier)
        };
        for split in &self.facts.splits[first..] {
            if is_left(split, &self.facts) && !split.is_refused {
                let finding = eb::split_unused::begin(&self.facts, split);
                self.found.push(finding);
            }
        }
        for at in (first..self.facts.splits.len()).rev() {
            if is_left(&self.facts.splits[at], &self.facts) {
                self.facts.splits[at].ended = true;
                self.settle(narrow(at) + 1);
            }
        }
    }

    /// An unused begin leaves the layout that it names, and what it began inside of is open again.
    fn settle(&mut self, id: u32) {
        let split = self.facts.split(id);
        let (resource, span) = (split.resource, split.barrier.span);
        let (runs, under) = (split.runs.clone(), split.under.clone());
        let origin = self.facts.origin(span);
        if !self.facts.scenario.resource(resource).is_buffer() {
            self.of_splits(resource, &runs, &[id], |known| {
                if !known.intervened && known.layout != Some(Layout::Common) {
                    known.layout = Some(Layout::Common);
                    known.layout_from = Some(origin);
                }
            });
        }
        // Innermost first: it takes what it covers.
        for under in under {
            let covered = self.facts.split(under).runs.clone();
            self.of_splits(resource, &covered, &[id], |known| {
                known.split = under;
                known.intervened = true;
            });
        }
        self.of_splits(resource, &runs, &[id], |known| known.is_over = true);
    }

    /// Changes what is known of those of some subresources that splits of these numbers began on last.
    fn of_splits(
        &mut self,
        resource: ResourceId,
        runs: &[(u32, u32)],
        ids: &[u32],
        act: impl FnMut(&mut Known),
    ) {
        let mut operation = OfSplits {
            scope: self.facts.scope,
            ids,
            act,
        };
        self.known[resource].change(runs, &mut operation);
    }

    pub(super) fn unended_splits(&mut self) {
        for split in &self.facts.splits {
            if !split.ended && !split.is_refused {
                let finding = eb::split_never_ended::finding(&self.facts, split);
                self.found.push(finding);
            }
        }
    }
}

impl<'s> Facts<'s, '_> {
    /// A split by its number.
    fn split(&self, id: u32) -> &Split<'s> {
        &self.splits[id as usize - 1]
    }

    /// Whether an end half says what a split's begin said.
    fn agrees(&self, id: u32, end: &Applied<'s>) -> bool {
        let begin = self.split(id);
        eb::split_halves_differ::difference(self, begin, end.barrier, &end.runs).is_none()
    }
}

/// What some runs have that others do not; both ascend.
pub(in crate::validate) fn minus(runs: &[(u32, u32)], others: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut left = Vec::new();
    for (first, end) in runs {
        let mut first = *first;
        for (other, other_end) in others {
            if *other_end > first && other < end {
                if first < *other {
                    left.push((first, *other));
                }
                first = *other_end;
            }
        }
        if first < *end {
            left.push((first, *end));
        }
    }
    left
}

/// A change of those subresources only on which some splits began last.
struct OfSplits<'a, F> {
    scope: u32,
    ids: &'a [u32],
    act: F,
}

impl<F: FnMut(&mut Known)> Operation for OfSplits<'_, F> {
    fn scope(&self) -> u32 {
        self.scope
    }

    fn may_wait(&self, _known: &Known) -> bool {
        false
    }

    fn may_always_wait(&self) -> bool {
        false
    }

    fn later(&self) -> Option<&Transfer> {
        None
    }

    fn concerns(&self, known: &Known) -> bool {
        self.ids.contains(&known.split)
    }

    fn act(&mut self, known: &mut Known) {
        if self.concerns(known) {
            (self.act)(known);
        }
    }
}

/// Whether half of such a split is unused if the other half is not in its scope: there is no layout to change.
fn unused(resource: &Resource, barrier: &Barrier) -> bool {
    resource.is_buffer()
        || resource.is_simultaneous()
        || barrier.layouts() == Some((Layout::Common, Layout::Common))
}
