//! One other word in a wait or a signal that is there: what it says now may serve nothing (reading R73).

use super::{FoundStatement, Order};
use crate::finding::Edit;
use crate::id::{FenceId, QueueId};
use crate::repair::propose::Candidate;
use crate::scenario::{FenceValue, StatementKind};

/// Signals that get another word.
const SIGNALS_MAX: usize = 8;

impl<'s> Order<'_, 's> {
    /// The latest wait of the second actor for another fence, with the fence of a signal of the same value.
    pub(super) fn renamed_wait(&self, signal: &FoundStatement<'s>) -> Option<Candidate> {
        let StatementKind::Signal { fence, value, .. } = signal.statement.kind else {
            return None;
        };
        // In a `repeat` the next round comes after all of this one.
        let is_next_round = self.one.inside.is_some() && self.two.position <= self.one.position;
        let mut waits = self.statements.iter().filter_map(|found| {
            let (other, awaited) = self.wait_of_second(found)?;
            let is_before = found.position < self.two.position || is_next_round;
            let is_alike = other != fence && are_alike(value, awaited);
            (is_before && is_alike).then_some((found, awaited))
        });
        let (wait, awaited) = waits.next_back()?;
        Some(self.other_word(wait, (self.to, "wait"), fence, awaited))
    }

    /// A signal of the first actor with another word, where a wait of the second actor is right: the wait's fence in one that
    /// comes after the first submission, a lower value in one that comes before it.
    pub(super) fn by_other_signals(&self) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for wait in &self.statements[..self.two.position] {
            let Some((fence, awaited)) = self.wait_of_second(wait) else {
                continue;
            };
            for found in self.signals(|_| true) {
                let StatementKind::Signal {
                    fence: own,
                    value: given,
                    ..
                } = found.statement.kind
                else {
                    continue;
                };
                let is_after = found.position > self.one.position;
                let other = if is_after {
                    (own != fence && are_alike(given, awaited)).then_some(given)
                } else {
                    (own == fence)
                        .then(|| self.lower(fence, given, awaited))
                        .flatten()
                };
                let word = (self.from, "signal");
                candidates.extend(other.map(|value| self.other_word(found, word, fence, value)));
            }
        }
        candidates.truncate(SIGNALS_MAX);
        candidates.extend(self.odd_signals().take(SIGNALS_MAX));
        candidates
    }

    /// Signals of a fence that another actor signals too, each with a fence that its own actor signals elsewhere. Such a signal
    /// ends a wait too early, of whichever actor.
    fn odd_signals(&self) -> impl Iterator<Item = Candidate> {
        let signals = || self.statements.iter().filter_map(signal_of);
        signals().filter_map(move |(found, by, fence, value)| {
            let is_shared = signals().any(|(_, other, same, _)| same == fence && other != by);
            let own = signals().filter(move |(_, other, own, _)| *other == by && *own != fence);
            let own = own.map(|(_, _, own, _)| own).next();
            let own = own.filter(|_| is_shared);
            let actor = by.map_or("cpu", |queue| self.written.queue_name(queue));
            own.map(|own| self.other_word(found, (actor, "signal"), own, value))
        })
    }

    /// The fence and the value of a wait of the second actor.
    fn wait_of_second(&self, found: &FoundStatement<'s>) -> Option<(FenceId, FenceValue)> {
        let StatementKind::Wait { fence, value, .. } = found.statement.kind else {
            return None;
        };
        self.is_wait_of_second(found, fence)
            .then_some((fence, value))
    }

    /// The value that a signal may mean which gives an awaited one too early: the highest below it for which something waits.
    fn lower(&self, fence: FenceId, given: FenceValue, awaited: FenceValue) -> Option<FenceValue> {
        let (FenceValue::Absolute(given), FenceValue::Absolute(awaited)) = (given, awaited) else {
            return None;
        };
        let waits = self
            .statements
            .iter()
            .filter_map(|found| match found.statement.kind {
                StatementKind::Wait {
                    fence: other,
                    value: FenceValue::Absolute(value),
                    ..
                } => (other == fence && value < awaited).then_some(value),
                _ => None,
            });
        let value = waits.max().or(awaited.checked_sub(1))?;
        (given >= awaited && value > 0).then_some(FenceValue::Absolute(value))
    }

    /// A statement with another fence or value.
    fn other_word(
        &self,
        found: &FoundStatement<'s>,
        (actor, verb): (&str, &str),
        fence: FenceId,
        value: FenceValue,
    ) -> Candidate {
        let span = found.statement.span;
        let (name, value) = (self.written.fence_name(fence), value_text(value));
        let text = format!("{actor} {verb} {name} {value}");
        let line = self.text.source.line(span.start);
        let says = format!("write `{text}` in line {line}");
        Candidate::new(vec![Edit { span, text }], says)
    }
}

/// A signal: who gives it, its fence and its value.
fn signal_of<'a, 's>(
    found: &'a FoundStatement<'s>,
) -> Option<(&'a FoundStatement<'s>, Option<QueueId>, FenceId, FenceValue)> {
    match found.statement.kind {
        StatementKind::Signal {
            queue,
            fence,
            value,
        } => Some((found, queue, fence, value)),
        _ => None,
    }
}

/// Whether a signal and a wait may mean one value: in a `repeat` both count.
pub(super) fn are_alike(given: FenceValue, awaited: FenceValue) -> bool {
    match (given, awaited) {
        (FenceValue::Absolute(given), FenceValue::Absolute(awaited)) => given == awaited,
        (FenceValue::Relative(_), FenceValue::Relative(_)) => true,
        _ => false,
    }
}

/// A value as the language writes it.
pub(in crate::repair::propose) fn value_text(value: FenceValue) -> String {
    match value {
        FenceValue::Absolute(value) => value.to_string(),
        FenceValue::Relative(by) => format!("+{by}"),
    }
}
