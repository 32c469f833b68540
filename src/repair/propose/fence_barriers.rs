//! A `wait-barrier` that never ends, or the signal that it is for: the fence or the value that the other side names. One word
//! changes.

use super::Candidate;
use super::races::flat;
use crate::finding::{Edit, Finding, Source, Span};
use crate::id::{FenceId, narrow};
use crate::pipeline::front::Prepared;
use crate::scenario::{FenceValue, Scenario, StatementKind};

/// Signals that are looked at: the nearest.
const SIGNALS_MAX: usize = 8;

/// A wait or a signal, in a list or of a queue. Values that count are left out.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Act {
    signals: bool,
    fence: FenceId,
    value: u64,
    span: Span,
}

/// Other words for the `wait-barrier` at which a finding is, and for signals that may be meant by it.
pub(in crate::repair) fn candidates(
    source: &Source,
    prepared: &Prepared<'_>,
    finding: &Finding,
) -> Vec<Candidate> {
    if finding.rule.id != "FN101" {
        return Vec::new();
    }
    let written = prepared.written();
    let in_lists: Vec<Act> = in_lists(written).collect();
    let is_told = |act: &&Act| !act.signals && act.span.start == finding.span.start;
    let Some(wait) = in_lists.iter().find(is_told) else {
        return Vec::new();
    };
    let of_queues = in_timeline(written);
    let mut signals: Vec<Act> = in_lists.iter().copied().chain(of_queues).collect();
    signals.retain(|act| act.signals && (act.fence == wait.fence) != (act.value == wait.value));
    // A value of another fence is right by chance only: the fence's name comes first.
    let distance = |act: &Act| act.span.start.abs_diff(wait.span.start);
    signals.sort_by_key(|act| (act.value != wait.value, distance(act)));
    signals.truncate(SIGNALS_MAX);
    let said = |act: &Act, other: &Act| said(source, written, act, (other.fence, other.value));
    signals
        .iter()
        .flat_map(|signal| [said(wait, signal), said(signal, wait)])
        .flatten()
        .collect()
}

fn in_lists(written: &Scenario) -> impl Iterator<Item = Act> {
    let commands = written.commands();
    commands.filter_map(|command| {
        let (signals, fence, value) = command.kind.fence_step()?;
        Some(Act {
            signals,
            fence,
            value,
            span: command.span,
        })
    })
}

fn in_timeline(written: &Scenario) -> Vec<Act> {
    let statements = flat(written).into_iter();
    let acts = statements.filter_map(|found| match found.statement.kind {
        StatementKind::Signal {
            fence,
            value: FenceValue::Absolute(value),
            ..
        } => Some(Act {
            signals: true,
            fence,
            value,
            span: found.statement.span,
        }),
        _ => None,
    });
    acts.collect()
}

/// A wait or a signal with another fence or value.
fn said(
    source: &Source,
    written: &Scenario,
    act: &Act,
    (fence, value): (FenceId, u64),
) -> Option<Candidate> {
    let text = source
        .text
        .get(act.span.start as usize..act.span.end as usize)?;
    let old = format!("{} {}", written.fence_name(act.fence), act.value);
    let at = text.find(&old)?;
    let new = format!("{} {value}", written.fence_name(fence));
    let start = act.span.start + narrow(at);
    let span = Span::new(start, start + narrow(old.len()));
    let line = source.line(act.span.start);
    let head = text[..at].trim_end();
    let says = format!("write `{head} {new}` in line {line}");
    Some(Candidate::new(vec![Edit { span, text: new }], says))
}
