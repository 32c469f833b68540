//! The barrier before the one at which a finding is, where the later one is right about what it finds: the earlier one leaves
//! that state or layout. Such a mistake also shows at the uses between the two, and is to be gone there.

use super::{Candidate, legacy, renamed, written};
use crate::finding::{Finding, Source};
use crate::pipeline::front::Prepared;
use crate::repair::Found;
use crate::scenario::Scenario;
use crate::scenario::edit::{EntryId, set_layout_after};

/// The entry before a wrong one, as the wrong one expects it. `found` is all that is wrong.
pub(in crate::repair) fn candidates(
    source: &Source,
    prepared: &Prepared<'_>,
    target: &Finding,
    found: &[Found],
) -> Option<Candidate> {
    if !matches!(target.rule.id, "EB026" | "LB004") {
        return None;
    }
    let written = prepared.written();
    let id = super::resource_of(written, target)?;
    let removes = renamed::found_elsewhere(written, target, found).remove(&id)?;
    let own = super::entry_at(written, target.span)?;
    let before = renamed::previous(written, id, target.span)?;
    let candidate = linked(source, written, before, own)?;
    Some(Candidate {
        removes,
        ..candidate
    })
}

/// An entry that leaves what another one expects.
pub(super) fn linked(
    source: &Source,
    written: &Scenario,
    before: EntryId,
    own: EntryId,
) -> Option<Candidate> {
    if let (Some(old), Some(own)) = (before.legacy(written), own.legacy(written)) {
        let mut kind = old.kind.clone();
        if let (Some(it), Some(own)) = (kind.as_transition_mut(), own.kind.as_transition()) {
            it.after = own.before;
        }
        return (kind != old.kind)
            .then(|| legacy::edited(source, written, old, &kind))
            .flatten();
    }
    let (old, own) = (before.of(written)?, own.of(written)?);
    let mut new = old.clone();
    set_layout_after(&mut new, own.transition()?.0);
    (new != *old).then(|| written::writes(source, written, old, &new))
}
