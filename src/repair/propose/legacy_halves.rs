//! Halves of legacy split barriers that miss each other: one half that says what the other says, an entry that lost its flag or
//! has the wrong one (reading R27: both halves say the same).

use super::{Candidate, legacy};
use crate::finding::{Finding, Source};
use crate::scenario::{LegacyBarrier, LegacyKind, LegacySplit, Scenario};

/// What may mend the half at which a finding is, the likeliest first.
pub(in crate::repair) fn candidates(
    source: &Source,
    written: &Scenario,
    finding: &Finding,
) -> Vec<Candidate> {
    if !matches!(finding.rule.id, "LB011" | "LB012" | "LB013" | "LB021") {
        return Vec::new();
    }
    let entries = on_the_same(written, finding);
    let start = finding.span.start;
    let Some(at) = entries.iter().position(|entry| entry.span.start == start) else {
        return Vec::new();
    };
    let own = entries[at];
    let (before, after) = (&entries[..at], &entries[at + 1..]);
    let begin = before.iter().rfind(|entry| is_begin(entry));
    let forms: Vec<(&LegacyBarrier, Option<LegacyKind>)> = match finding.rule.id {
        "LB013" => {
            let begin = begin.into_iter();
            begin
                .flat_map(|begin| [(own, like(own, begin)), (*begin, like(begin, own))])
                .collect()
        }
        "LB011" => {
            let previous = before.last().into_iter();
            let unsaid = previous.clone().map(|old| (*old, begun(old, own)));
            let meeting = begin.into_iter().map(|begin| (*begin, like(begin, own)));
            let own_flag = [(own, Some(flagged(&own.kind, LegacySplit::Begin)))];
            unsaid.chain(own_flag).chain(meeting).collect()
        }
        "LB012" => {
            let next = after.first().into_iter();
            let unsaid = next.clone().map(|old| (*old, ended(old, own)));
            let own_flag = [(own, Some(flagged(&own.kind, LegacySplit::End)))];
            unsaid.chain(own_flag).collect()
        }
        _ => vec![(own, Some(flagged(&own.kind, LegacySplit::End)))],
    };
    let changed = forms
        .into_iter()
        .filter_map(|(old, kind)| Some((old, kind.filter(|kind| *kind != old.kind)?)));
    changed
        .filter_map(|(old, kind)| legacy::edited(source, written, old, &kind))
        .collect()
}

/// Transitions of a finding's resource, in order of the text.
fn on_the_same<'s>(written: &'s Scenario, finding: &Finding) -> Vec<&'s LegacyBarrier> {
    let Some(id) = super::resource_of(written, finding) else {
        return Vec::new();
    };
    let commands = written.commands();
    let entries = commands.flat_map(|command| command.kind.legacy());
    entries
        .filter(|entry| entry.kind.is_transition_of(id))
        .collect()
}

fn is_begin(entry: &LegacyBarrier) -> bool {
    is_first(&entry.kind)
}

/// Whether this is a first half.
fn is_first(kind: &LegacyKind) -> bool {
    kind.split() == Some(LegacySplit::Begin)
}

/// A half that names the range and the states of another one.
fn like(half: &LegacyBarrier, other: &LegacyBarrier) -> Option<LegacyKind> {
    let own = half.kind.as_transition()?;
    let mut kind = other.kind.clone();
    if let Some(it) = kind.as_transition_mut() {
        it.split = own.split;
    }
    Some(kind)
}

/// A transition with a flag.
fn flagged(of: &LegacyKind, flag: LegacySplit) -> LegacyKind {
    let mut kind = of.clone();
    if let Some(it) = kind.as_transition_mut() {
        it.split = Some(flag);
    }
    kind
}

/// An entry that says all that a second half says is its first half.
fn begun(entry: &LegacyBarrier, end: &LegacyBarrier) -> Option<LegacyKind> {
    let first = flagged(&entry.kind, LegacySplit::Begin);
    (first == flagged(&end.kind, LegacySplit::Begin)).then_some(first)
}

/// An entry that says all that a first half says is its second half.
fn ended(entry: &LegacyBarrier, begin: &LegacyBarrier) -> Option<LegacyKind> {
    let second = flagged(&entry.kind, LegacySplit::End);
    (second == flagged(&begin.kind, LegacySplit::End)).then_some(second)
}

/// Entries in place of a transition, or of both halves of a pair.
pub(super) fn both_in_parts(
    source: &Source,
    written: &Scenario,
    entry: &LegacyBarrier,
    parts: &[LegacyKind],
    all: &[&LegacyBarrier],
) -> Option<Candidate> {
    let mut candidate = legacy::entries_in_place(source, written, entry, parts)?;
    if entry.kind.split().is_some() {
        let second = second_half(entry, all)?;
        let parts = parts.iter().map(|part| flagged(part, LegacySplit::End));
        let parts: Vec<LegacyKind> = parts.collect();
        let other = legacy::entries_in_place(source, written, second, &parts)?;
        candidate.says = format!("{}, and {} for the second half", candidate.says, other.says);
        candidate.edits.extend(other.edits);
    }
    Some(candidate)
}

/// Another form of an entry; if it is a first half, and the second half says the same, of both.
pub(super) fn edited(
    source: &Source,
    written: &Scenario,
    entry: &LegacyBarrier,
    kind: &LegacyKind,
    all: &[&LegacyBarrier],
) -> Option<Candidate> {
    let is_pair = is_first(kind) && second_half(entry, all).is_some();
    if is_pair {
        both_in_parts(source, written, entry, std::slice::from_ref(kind), all)
    } else {
        legacy::edited(source, written, entry, kind)
    }
}

/// What there could be in place of two halves that change no state: what orders, the state that the uses after them need, or
/// nothing.
pub(super) fn in_place_of_both(
    source: &Source,
    written: &Scenario,
    entry: &LegacyBarrier,
    all: &[&LegacyBarrier],
) -> Vec<Candidate> {
    let Some(second) = second_half(entry, all) else {
        return Vec::new();
    };
    let Some(deleted) = super::deletion(source, written, second.span) else {
        return Vec::new();
    };
    let needed = legacy::to_needed(written, entry, second);
    let needed = needed.and_then(|kind| edited(source, written, entry, &kind, all));
    if let Some(ordering) = legacy::ordering_only(entry) {
        let candidate = legacy::edited(source, written, entry, &ordering);
        let candidate = candidate.map(|mut candidate| {
            candidate.edits.extend(deleted.edits);
            candidate.says += ", and delete the second half";
            candidate
        });
        return candidate.into_iter().chain(needed).collect();
    }
    let neither = super::deletion(source, written, entry.span).and_then(|first| {
        let edits = super::Text::in_order([first.edits, deleted.edits].concat())?;
        let says = "delete this half and the second one: they change no state";
        Some(Candidate::new(edits, says))
    });
    needed.into_iter().chain(neither).collect()
}

/// The half that says what a first half says, later in the text.
fn second_half<'s>(entry: &LegacyBarrier, all: &[&'s LegacyBarrier]) -> Option<&'s LegacyBarrier> {
    let second = is_begin(entry).then(|| flagged(&entry.kind, LegacySplit::End))?;
    let mut later = all.iter().filter(|e| e.span.start > entry.span.start);
    later.find(|e| e.kind == second).copied()
}
