//! An entry in the words of the other kind of barrier: a legacy transition on a texture in a layout of enhanced barriers, an
//! enhanced barrier on one in a legacy state (reading R37).

use super::legacy::state_of;
use super::{Candidate, Text};
use crate::finding::{Edit, Finding, Source};
use crate::pipeline::front::Prepared;
use crate::scenario::edit;
use crate::scenario::{
    Barrier, BarrierRange, Scenario, print_barrier, range_text, transition_text,
};

/// The entry at which a finding is, written as the other kind.
pub(in crate::repair) fn candidates(
    source: &Source,
    prepared: &Prepared<'_>,
    finding: &Finding,
) -> Option<Candidate> {
    if !matches!(finding.rule.id, "EB042" | "LB014") {
        return None;
    }
    let written = prepared.written();
    let entry = super::entry_at(written, finding.span)?;
    let call = entry.call(written)?;
    let other = if entry.legacy(written).is_some() {
        let mut translated = edit::barriers(prepared.plain());
        let (_, barrier) =
            translated.find(|(_, barrier)| barrier.span.start == finding.span.start)?;
        format!("barrier {{ {} }}", print_barrier(written, barrier))
    } else {
        let transition = as_transition(written, entry.of(written)?)?;
        format!("legacy {{ {transition} }}")
    };
    let says = format!("write `{other}` instead");
    let count = call.kind.barriers().len() + call.kind.legacy().len();
    if count == 1 {
        let span = call.span;
        return Some(Candidate::new(vec![Edit { span, text: other }], says));
    }
    let text = Text { source };
    let edits = vec![
        text.without(entry.span(written)?),
        text.after(call.span, &other),
    ];
    Some(Candidate::new(Text::in_order(edits)?, says))
}

/// The legacy transition between the states of a texture barrier's two sides.
fn as_transition(written: &Scenario, barrier: &Barrier) -> Option<String> {
    let (id, entry) = barrier.named_texture()?;
    let BarrierRange::Range(range) = &entry.range else {
        return None;
    };
    let before = state_of(barrier.access_before, barrier.sync_before.leaves());
    let after = state_of(barrier.access_after, barrier.sync_after.leaves());
    let what = format!("{}{}", written.resource_name(id), range_text(range));
    (before != after).then(|| transition_text(&what, (before, after), None))
}
