//! What else a wrong legacy transition could say: the states that its resource is in elsewhere in the text, one state of
//! a combination, no split flag. In the words of the text, which has no other barriers there.

use super::Candidate;
use crate::api::ResourceState;
use crate::finding::{Edit, Finding, Source};
use crate::scenario::{Initial, LegacyBarrier, LegacyKind, Range, Scenario, print_legacy};

/// Other forms of the transition at which a finding is, those that change one word first.
pub(in crate::repair) fn candidates(
    source: &Source,
    written: &Scenario,
    finding: &Finding,
) -> Vec<Candidate> {
    let entries = || {
        let commands = written.lists.iter().flat_map(|list| &list.commands);
        commands.flat_map(|command| command.kind.legacy())
    };
    let Some(entry) = entries().find(|e| e.span.start == finding.span.start) else {
        return Vec::new();
    };
    let mut forms = Vec::new();
    for kind in variants(written, entry, &entries().collect::<Vec<_>>()) {
        if kind != entry.kind && !forms.contains(&kind) {
            forms.push(kind);
        }
    }
    forms
        .iter()
        .filter_map(|kind| edited(source, written, entry, kind))
        .collect()
}

fn variants(written: &Scenario, entry: &LegacyBarrier, all: &[&LegacyBarrier]) -> Vec<LegacyKind> {
    let LegacyKind::Transition {
        resource,
        range,
        before,
        after,
        split,
    } = &entry.kind
    else {
        return Vec::new();
    };
    let form = |before, after, split, range: &Range| LegacyKind::Transition {
        resource: *resource,
        range: range.clone(),
        before,
        after,
        split,
    };
    let mut states = vec![ResourceState::empty()];
    if let Initial::State(state) = written.resource(*resource).initial {
        states.push(state);
    }
    let mut ranges = vec![range.clone(), Range::All];
    for other in all {
        if let LegacyKind::Transition {
            resource: id,
            range,
            before,
            after,
            ..
        } = &other.kind
            && id == resource
        {
            states.extend([*before, *after]);
            ranges.push(range.clone());
        }
    }
    states.reverse();
    let mut forms: Vec<LegacyKind> = Vec::new();
    forms.extend(
        states
            .iter()
            .map(|state| form(*state, *after, *split, range)),
    );
    forms.extend(
        after
            .iter()
            .map(|state| form(*before, state, *split, range)),
    );
    forms.extend(
        before
            .iter()
            .map(|state| form(state, *after, *split, range)),
    );
    forms.push(form(*before, *after, None, range));
    for range in &ranges {
        forms.push(form(*before, *after, *split, range));
    }
    for one in &states {
        forms.extend(states.iter().map(|other| form(*one, *other, *split, range)));
    }
    forms
}

fn edited(
    source: &Source,
    written: &Scenario,
    entry: &LegacyBarrier,
    kind: &LegacyKind,
) -> Option<Candidate> {
    source
        .text
        .get(entry.span.start as usize..entry.span.end as usize)?;
    let other = LegacyBarrier {
        kind: kind.clone(),
        ..entry.clone()
    };
    let text = print_legacy(written, &other);
    let says = format!("write `{text}`");
    let span = entry.span;
    Some(Candidate::new(vec![Edit { span, text }], says))
}
