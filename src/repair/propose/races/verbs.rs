//! One other word at the start of a wait or a signal that is there: who acts, and which of the two it is (reading R73).

use super::words::{are_alike, value_text};
use super::{FoundStatement, Order};
use crate::finding::Edit;
use crate::id::{FenceId, QueueId};
use crate::repair::propose::{Candidate, Text};
use crate::scenario::FenceValue;

/// Changes that are tried.
const CHANGES_MAX: usize = 8;

/// A signal or a wait of the timeline.
#[derive(Copy, Clone)]
struct Act<'a, 's> {
    found: &'a FoundStatement<'s>,
    is_wait: bool,
    by: Option<QueueId>,
    fence: FenceId,
    value: FenceValue,
}

impl<'s> Order<'_, 's> {
    /// Waits and signals that would order the two if another actor made them, or if the one were the other.
    pub(super) fn by_other_verbs(&self) -> Vec<Candidate> {
        let acts: Vec<Act<'_, 's>> = self.statements.iter().filter_map(|s| self.act(s)).collect();
        let signals = || acts.iter().filter(|act| self.is_after_first(act));
        let waits = || acts.iter().filter(|act| self.is_before_second(act));
        let mut candidates = Vec::new();
        for signal in signals().filter(|act| !act.is_wait && self.is(self.from, act)) {
            if let FenceValue::Relative(0) = signal.value {
                let raised = FenceValue::Relative(1);
                candidates.push(self.said([(signal, (self.from, "signal"), raised)]));
            }
            for wait in waits().filter(|act| fits(signal, act)) {
                // Who waits for its own signal waits for nothing: that wait is the wrong one. So is a second signal.
                let is_idle = wait.by == signal.by || !wait.is_wait;
                if !self.is(self.to, wait) && wait.is_wait || self.is(self.to, wait) && is_idle {
                    candidates.push(self.said([(wait, (self.to, "wait"), awaited(wait))]));
                }
            }
        }
        for wait in waits().filter(|act| act.is_wait && self.is(self.to, act)) {
            for signal in signals().filter(|act| fits(act, wait)) {
                if !self.is(self.from, signal) && !signal.is_wait {
                    candidates.push(self.said([(signal, (self.from, "signal"), signal.value)]));
                }
            }
        }
        candidates.extend(self.exchanged(&acts));
        candidates.retain(|candidate| !candidate.edits.is_empty());
        candidates.truncate(CHANGES_MAX);
        candidates
    }

    /// A signal and a wait, each in place of the other: by the wrong verbs, or in the wrong order, which in a `repeat` waits for
    /// the turn before.
    fn exchanged(&self, acts: &[Act<'_, 's>]) -> Vec<Candidate> {
        let waits = acts
            .iter()
            .filter(|act| act.is_wait && self.is_after_first(act));
        let pairs = waits.flat_map(|early| {
            let signals = acts
                .iter()
                .filter(|act| !act.is_wait && self.is_before_second(act) && fits(act, early));
            signals.map(move |late| (early, late))
        });
        let made = pairs.filter_map(|(early, late)| {
            let by_verbs = self.is(self.from, early) && self.is(self.to, late);
            let in_order = self.is(self.to, early)
                && self.is(self.from, late)
                && early.found.position < late.found.position
                && matches!(late.value, FenceValue::Relative(_));
            (by_verbs || in_order).then(|| {
                self.said([
                    (early, (self.from, "signal"), late.value),
                    (late, (self.to, "wait"), early.value),
                ])
            })
        });
        made.collect()
    }

    fn act<'a>(&self, found: &'a FoundStatement<'s>) -> Option<Act<'a, 's>> {
        let (is_wait, by, fence, value) = found.statement.kind.fence_step()?;
        (found.inside == self.two.inside).then_some(Act {
            found,
            is_wait,
            by,
            fence,
            value,
        })
    }

    fn is(&self, actor: &str, act: &Act<'_, 's>) -> bool {
        actor == act.by.map_or("cpu", |queue| self.written.queue_name(queue))
    }

    fn is_after_first(&self, act: &Act<'_, 's>) -> bool {
        act.found.position > self.one.position
    }

    fn is_before_second(&self, act: &Act<'_, 's>) -> bool {
        act.found.position < self.two.position
    }

    /// Statements that say something else.
    fn said<const N: usize>(
        &self,
        acts: [(&Act<'_, 's>, (&str, &str), FenceValue); N],
    ) -> Candidate {
        let mut says = Vec::new();
        let edits = acts.map(|(act, (actor, verb), value)| {
            let (name, span) = (self.written.fence_name(act.fence), act.found.statement.span);
            let text = format!("{actor} {verb} {name} {}", value_text(value));
            says.push(format!(
                "`{text}` in line {}",
                self.text.source.line(span.start)
            ));
            Edit { span, text }
        });
        let edits = Text::in_order(edits.into()).unwrap_or_default();
        Candidate::new(edits, format!("write {}", says.join(" and ")))
    }
}

/// Whether a wait that is right here waits for a signal.
fn fits(signal: &Act<'_, '_>, wait: &Act<'_, '_>) -> bool {
    signal.fence == wait.fence
        && signal.found.position != wait.found.position
        && are_alike(signal.value, wait.value)
}

/// The value of a wait after the signal: in a `repeat` it counts no further.
fn awaited(act: &Act<'_, '_>) -> FenceValue {
    match act.value {
        FenceValue::Relative(_) if !act.is_wait => FenceValue::Relative(0),
        value => value,
    }
}
