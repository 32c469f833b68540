//! Narrowing: which masks of a needed barrier can say less.

use super::Prover;
use super::Verdict;
use super::judge::Form;
use crate::analyze::redundancy::narrow::{self, Narrower};
use crate::analyze::redundancy::{self, Proposal};
use crate::scenario::edit::{self, Change, EntryId, Next};
use crate::scenario::{Barrier, Scenario};

impl Prover<'_> {
    /// Narrows each entry that is needed, in a copy without those that can go, one on top of the other: what is
    /// proposed can be done together. The copy is one of the scenario without legacy barriers, whose masks have verdicts
    /// too.
    /// `is_proved`: they were tried together before, and can go.
    pub(super) fn narrowings(&mut self, gone: &[EntryId], is_proved: bool) {
        let mut copy = edit::without(self.plain, gone, Next::Relinked);
        let adds = if gone.is_empty() || is_proved {
            self.compare.adds_known(false)
        } else {
            // Part of what can go together might not.
            self.compare.adds(&copy, Form::Translated)
        };
        if adds != Some(false) {
            return;
        }
        let entries: Vec<_> = self.survey.entries.iter().map(|(e, a)| (*e, *a)).collect();
        for (entry, around) in entries {
            if !self.verdicts.is(entry, Verdict::Needed) {
                continue;
            }
            let Some(barrier) = entry.of(self.plain) else {
                continue;
            };
            let wanted = narrow::candidates(&self.survey, &around, barrier);
            let before = entry.of(&copy).cloned();
            let Some(proved) = self.enough(&mut copy, entry, wanted) else {
                return;
            };
            if proved.is_empty() {
                continue;
            }
            let is_told = !self.is_legacy(entry) && !self.wrong.contains(&barrier.span);
            // What holds without the entries that can go need not hold with them.
            let holds =
                !is_told || gone.is_empty() || self.holds(entry, barrier, &proved) == Some(true);
            if holds {
                let texts: Vec<String> = proved.iter().map(|n| n.text(barrier)).collect();
                self.verdicts.set(entry, Verdict::TooWide, texts.join(", "));
            }
            if is_told && holds {
                self.narrowed(entry, barrier, &proved);
            } else if let Some(before) = before {
                // Nobody is told to narrow it, so it stays as it is.
                Change::Set(entry, before).apply(&mut copy);
            }
        }
    }

    /// Whether narrower masks add nothing to the text as it is; `None` beyond the budget.
    fn holds(&mut self, entry: EntryId, barrier: &Barrier, narrower: &[Narrower]) -> Option<bool> {
        let mut copy = self.given.source.clone();
        Change::Set(entry, with(barrier, narrower)).apply(&mut copy);
        Some(!self.compare.adds(&copy, Form::Written)?)
    }

    /// Those narrowings that add nothing together, left in the copy; `None` beyond the budget.
    fn enough(
        &mut self,
        copy: &mut Scenario,
        entry: EntryId,
        wanted: Vec<Narrower>,
    ) -> Option<Vec<Narrower>> {
        if wanted.is_empty() || !self.narrows_badly(copy, entry, &wanted)? {
            return Some(wanted);
        }
        let mut proved = Vec::new();
        for one in wanted {
            if !self.narrows_badly(copy, entry, &[one])? {
                proved.push(one);
            }
        }
        Some(proved)
    }

    /// Whether narrower masks add anything; if not, they stay in the copy.
    fn narrows_badly(
        &mut self,
        copy: &mut Scenario,
        entry: EntryId,
        narrower: &[Narrower],
    ) -> Option<bool> {
        let before = entry.of(copy)?.clone();
        Change::Set(entry, with(&before, narrower)).apply(copy);
        let adds = self.compare.adds(copy, Form::Translated);
        if adds != Some(false) {
            Change::Set(entry, before).apply(copy);
        }
        adds
    }

    /// A finding for each rule that a proved narrowing belongs to.
    fn narrowed(&mut self, entry: EntryId, barrier: &Barrier, proved: &[Narrower]) {
        let changes = vec![Change::Set(entry, with(barrier, proved))];
        let mut kinds = Vec::new();
        for one in proved {
            if !kinds.contains(&one.kind(barrier)) {
                kinds.push(one.kind(barrier));
            }
        }
        for kind in kinds {
            let of_kind = || proved.iter().filter(|n| n.kind(barrier) == kind);
            let text: Vec<String> = of_kind().map(|n| n.text(barrier)).collect();
            let change: Vec<String> = of_kind().map(Narrower::change).collect();
            let together = if proved.iter().all(|n| n.kind(barrier) == kind) {
                "with this change"
            } else {
                "with all of its wide masks narrowed"
            };
            self.propose(&Proposal {
                saving: redundancy::narrowing(kind),
                entry: Some(entry),
                span: barrier.span,
                resource: self.name_of(barrier),
                changes: changes.clone(),
                message: format!(
                    "this barrier names more than it must cover: {}",
                    text.join(", ")
                ),
                witness: together.into(),
                help: format!("narrow {}", change.join(" and ")),
                deactivates: false,
                related: None,
            });
        }
    }
}

/// A barrier with some masks narrowed.
fn with(barrier: &Barrier, narrower: &[Narrower]) -> Barrier {
    let mut narrow = barrier.clone();
    for one in narrower {
        one.apply(&mut narrow);
    }
    narrow
}
