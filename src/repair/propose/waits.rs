//! A wait that never ends, or the signal that it is for: the fence or the value that the other side names (reading R23). One
//! word changes.

use super::Candidate;
use super::races::{FoundStatement, flat, value_text};
use crate::finding::{Edit, Finding, Source, Span};
use crate::id::{FenceId, QueueId};
use crate::pipeline::front::Prepared;
use crate::scenario::{FenceValue, Scenario};

/// Signals that are looked at for one wait: the nearest.
const SIGNALS_MAX: usize = 8;

/// Other words for the waits of a finding, and for signals that may be meant by them.
pub(in crate::repair) fn candidates(
    source: &Source,
    prepared: &Prepared<'_>,
    finding: &Finding,
) -> Vec<Candidate> {
    if !matches!(finding.rule.id, "FN101" | "FN102") {
        return Vec::new();
    }
    let written = prepared.written();
    let statements = flat(written);
    let acts: Vec<Act> = statements.iter().filter_map(Act::of).collect();
    let is_told = |act: &&Act| {
        let mut related = finding.related.iter();
        act.is_wait
            && (act.span.start == finding.span.start
                || related.any(|other| other.span.start == act.span.start))
    };
    let words = Words { source, written };
    // Where a signal gives the value, it is lost or comes too late: no word of it is wrong.
    let is_given = |wait: &&Act| finding.rule.id == "FN101" && is_given(&acts, wait);
    let waits = acts.iter().filter(is_told).filter(|wait| !is_given(wait));
    let waits: Vec<&Act> = waits.collect();
    let all = waits
        .into_iter()
        .flat_map(|wait| of_wait(&words, &acts, wait));
    let mut candidates: Vec<Candidate> = Vec::new();
    for candidate in all {
        if !candidates.contains(&candidate) {
            candidates.push(candidate);
        }
    }
    candidates
}

/// A signal or a wait of the timeline.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Act {
    is_wait: bool,
    by: Option<QueueId>,
    fence: FenceId,
    value: FenceValue,
    span: Span,
    position: usize,
    /// The innermost `repeat` around it.
    inside: Option<u32>,
}

impl Act {
    fn of(found: &FoundStatement<'_>) -> Option<Self> {
        let (is_wait, by, fence, value) = found.statement.kind.fence_step()?;
        Some(Self {
            is_wait,
            by,
            fence,
            value,
            span: found.statement.span,
            position: found.position,
            inside: found.inside,
        })
    }

    /// What a wait says of the value that this signal gives; `None` if no word does.
    fn awaited(&self, wait: &Self) -> Option<FenceValue> {
        match self.value {
            FenceValue::Absolute(_) => Some(self.value),
            // After the signal the running value is the signalled one.
            FenceValue::Relative(by) => {
                let more = if self.position < wait.position { 0 } else { by };
                (self.inside == wait.inside).then_some(FenceValue::Relative(more))
            }
        }
    }
}

/// Whether a signal of the text gives the value that a wait waits for.
fn is_given(acts: &[Act], wait: &Act) -> bool {
    let mut signals = acts
        .iter()
        .filter(|act| !act.is_wait && act.fence == wait.fence);
    signals.any(|signal| match (signal.value, wait.value) {
        (FenceValue::Absolute(given), FenceValue::Absolute(awaited)) => given >= awaited,
        _ => false,
    })
}

/// Other words for a wait and for the signals of other actors. The fence's name comes before its value: a value of another
/// fence is right by chance only.
fn of_wait(words: &Words<'_>, acts: &[Act], wait: &Act) -> Vec<Candidate> {
    let mut signals: Vec<&Act> = acts
        .iter()
        .filter(|act| !act.is_wait && act.by != wait.by)
        .collect();
    signals.sort_by_key(|act| act.position.abs_diff(wait.position));
    signals.truncate(SIGNALS_MAX);
    let gives = |signal: &Act| signal.awaited(wait) == Some(wait.value);
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for signal in signals {
        if signal.fence == wait.fence {
            let awaited = signal.awaited(wait).filter(|value| *value != wait.value);
            values.extend(awaited.map(|value| (wait, wait.fence, value)));
            values.push((signal, wait.fence, wait.value));
        } else if gives(signal) {
            let mut pair = [
                (wait, signal.fence, wait.value),
                (signal, wait.fence, signal.value),
            ];
            if is_its_own(acts, signal, wait.fence) {
                pair.reverse();
            }
            names.extend(pair);
        }
    }
    let as_signal = is_a_signal_meant(acts, wait).then(|| words.as_signal(wait));
    let is_same_kind = |act: &Act, value: FenceValue| {
        matches!(act.value, FenceValue::Relative(_)) == matches!(value, FenceValue::Relative(_))
    };
    let others = names
        .into_iter()
        .chain(values)
        .filter(|(act, _, value)| is_same_kind(act, *value))
        .filter_map(|(act, fence, value)| words.with(act, fence, value));
    as_signal.flatten().into_iter().chain(others).collect()
}

/// Whether another actor waits for the same value, later in the text, and nobody signals it: two waits in place of a signal and a
/// wait.
fn is_a_signal_meant(acts: &[Act], wait: &Act) -> bool {
    let of_fence = || acts.iter().filter(|act| act.fence == wait.fence);
    let is_other = |act: &Act| {
        act.is_wait && act.by != wait.by && act.value == wait.value && act.position > wait.position
    };
    of_fence().all(|act| act.is_wait || act.value != wait.value) && of_fence().any(is_other)
}

/// Whether the actor of a signal signals another fence elsewhere: that fence is its own, and this signal is the odd one.
fn is_its_own(acts: &[Act], signal: &Act, fence: FenceId) -> bool {
    let mut others = acts
        .iter()
        .filter(|act| !act.is_wait && act.by == signal.by);
    others.any(|act| act.fence == fence)
}

/// The text, and the names in it.
struct Words<'a> {
    source: &'a Source,
    written: &'a Scenario,
}

impl Words<'_> {
    /// A signal or a wait with another fence or value.
    fn with(&self, act: &Act, fence: FenceId, value: FenceValue) -> Option<Candidate> {
        if (act.fence, act.value) == (fence, value) {
            return None;
        }
        self.said(
            act,
            if act.is_wait { "wait" } else { "signal" },
            fence,
            value,
        )
    }

    /// A signal in place of a wait.
    fn as_signal(&self, wait: &Act) -> Option<Candidate> {
        self.said(wait, "signal", wait.fence, wait.value)
    }

    fn said(&self, act: &Act, word: &str, fence: FenceId, value: FenceValue) -> Option<Candidate> {
        let span = act.span;
        let text = self
            .source
            .text
            .get(span.start as usize..span.end as usize)?;
        let actor = text.split_whitespace().next()?;
        let value = value_text(value);
        let text = format!("{actor} {word} {} {value}", self.written.fence_name(fence));
        let line = self.source.line(span.start);
        let says = format!("write `{text}` in line {line}");
        Some(Candidate::new(vec![Edit { span, text }], says))
    }
}
