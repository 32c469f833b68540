//! Entries on the wrong resource: another name in one that is no use where it is, and that is just what the other resource
//! lacks (reading R73). Such a mistake shows twice: at the resource that is named and at the one that is meant.

use super::{Candidate, legacy};
use crate::finding::{Finding, Source, Span};
use crate::id::ResourceId;
use crate::pipeline::front::Prepared;
use crate::repair::{Found, Key, is_mended};
use crate::scenario::edit::{self, EntryId};
use crate::scenario::{Barrier, BarrierTarget, LegacyKind, Scenario, print_barrier, print_legacy};
use std::collections::BTreeMap;

/// Entries that are tried with another name: the nearest.
const ENTRIES_MAX: usize = 6;
/// Resources whose name is tried.
const NAMES_MAX: usize = 4;

/// Another name in the entry at which a finding is or in the one before it on the same resource, or the finding's resource
/// in an entry near it. All that is found of the resource that gets the entry is to be gone.
pub(in crate::repair) fn candidates(
    source: &Source,
    prepared: &Prepared<'_>,
    target: &Finding,
    found: &[Found],
) -> Vec<Candidate> {
    let written = prepared.written();
    let Some(id) = super::resource_of(written, target) else {
        return Vec::new();
    };
    let mut others = found_elsewhere(written, target, found);
    let own = others.remove(&id);
    let mut candidates = Vec::new();
    let entries = [
        super::entry_at(written, target.span),
        previous(written, id, target.span),
    ];
    for (other, removes) in others.iter().take(NAMES_MAX) {
        for entry in entries.into_iter().flatten() {
            candidates.extend(
                named(source, written, entry, *other).map(|candidate| Candidate {
                    removes: removes.clone(),
                    ..candidate
                }),
            );
        }
    }
    if let Some(removes) = own {
        for entry in near(written, id, target.span).take(ENTRIES_MAX) {
            candidates.extend(
                named(source, written, entry, id).map(|candidate| Candidate {
                    removes: removes.clone(),
                    ..candidate
                }),
            );
        }
    }
    candidates
}

/// What else is wrong in other places, by resource.
pub(super) fn found_elsewhere(
    written: &Scenario,
    target: &Finding,
    found: &[Found],
) -> BTreeMap<ResourceId, Vec<Key>> {
    let mut by_resource: BTreeMap<ResourceId, Vec<Key>> = BTreeMap::new();
    for other in found {
        let is_elsewhere = other.finding.span.start != target.span.start;
        if is_elsewhere
            && is_mended(&other.finding)
            && let Some(id) = super::resource_of(written, &other.finding)
        {
            by_resource.entry(id).or_default().push(other.key());
        }
    }
    by_resource
}

/// The entry on a resource that is the nearest before a place of the text.
pub(super) fn previous(written: &Scenario, id: ResourceId, at: Span) -> Option<EntryId> {
    let entries = edit::entries(written).filter(|entry| entry.resource(written) == Some(id));
    let starts = entries.filter_map(|entry| Some((entry.span(written)?.start, entry)));
    let before = starts.filter(|(start, _)| *start < at.start);
    before
        .max_by_key(|(start, _)| *start)
        .map(|(_, entry)| entry)
}

/// Entries on other resources of the same kind, the nearest to a place of the text first.
pub(super) fn near(
    written: &Scenario,
    id: ResourceId,
    at: Span,
) -> impl Iterator<Item = EntryId> + use<> {
    let is_buffer = written.resource(id).is_buffer();
    let mut entries: Vec<(u32, EntryId)> = edit::entries(written)
        .filter(|entry| {
            let other = entry.resource(written).filter(|other| *other != id);
            other.is_some_and(|other| written.resource(other).is_buffer() == is_buffer)
        })
        .filter_map(|entry| Some((entry.span(written)?.start.abs_diff(at.start), entry)))
        .collect();
    entries.sort();
    entries.into_iter().map(|(_, entry)| entry)
}

/// An entry as it is, on another resource.
pub(super) fn named(
    source: &Source,
    written: &Scenario,
    entry: EntryId,
    id: ResourceId,
) -> Option<Candidate> {
    let line = source.line(entry.span(written)?.start);
    let name = written.resource_name(id);
    let says = |text: String| format!("in the barrier of line {line}, name `{name}`: `{text}`");
    if let Some(old) = entry.legacy(written) {
        let mut new = old.clone();
        match &mut new.kind {
            LegacyKind::Transition { resource, .. } => *resource = id,
            LegacyKind::Uav(resource) => *resource = Some(id),
            LegacyKind::Alias(..) => return None,
        }
        let edited = legacy::edited(source, written, old, &new.kind)?;
        let says = says(print_legacy(written, &new));
        return (new.kind != old.kind).then(|| Candidate::new(edited.edits, says));
    }
    let old = entry.of(written)?;
    let new = on(old, id)?;
    let edit = super::rewritten(source, written, old, &new);
    (new != *old).then(|| Candidate::new(vec![edit], says(print_barrier(written, &new))))
}

/// A barrier on another resource; `None` if it names none.
fn on(barrier: &Barrier, id: ResourceId) -> Option<Barrier> {
    let mut other = barrier.clone();
    match &mut other.target {
        BarrierTarget::Texture { resource, .. } | BarrierTarget::Buffer { resource, .. } => {
            *resource = Some(id);
        }
        _ => return None,
    }
    Some(other)
}
