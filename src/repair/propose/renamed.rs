//! Entries on the wrong resource: another name in one that is no use where it is, and that is just what the other resource
//! lacks (reading R73). Such a mistake shows twice: at the resource that is named and at the one that is meant.

use super::{Candidate, legacy, written};
use crate::finding::{Finding, Source, Span};
use crate::id::ResourceId;
use crate::pipeline::front::Prepared;
use crate::repair::{Found, Key, is_mended};
use crate::scenario::edit::{self, EntryId};
use crate::scenario::{
    Barrier, BarrierRange, BarrierTarget, LegacyKind, Range, Scenario, print_barrier, print_legacy,
    range_text,
};
use std::collections::BTreeMap;

/// Entries that are tried with another name: the nearest.
const ENTRIES_MAX: usize = 6;
/// Resources whose name is tried.
const NAMES_MAX: usize = 4;
/// Parts of a texture that are tried with its name.
const PARTS_MAX: usize = 3;

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
    let mut propose = |entry: EntryId, id: ResourceId, removes: &[Key]| {
        let named = named(source, written, entry, id).into_iter();
        candidates.extend(named.map(|candidate| Candidate {
            removes: removes.to_vec(),
            ..candidate
        }));
    };
    let entries = [
        super::entry_at(written, target.span),
        previous(written, id, target.span),
    ];
    for (other, removes) in others.iter().take(NAMES_MAX) {
        for entry in entries.into_iter().flatten() {
            propose(entry, *other, removes);
        }
    }
    if let Some(removes) = own {
        for entry in near(written, id, target.span).take(ENTRIES_MAX) {
            propose(entry, id, &removes);
        }
    }
    if target.rule.id == "EB026" {
        // What came before it is missing: perhaps it is an entry on another resource, which is wrong there.
        let is_other = |other: &&Found| {
            let resource = super::resource_of(written, &other.finding);
            resource.is_some_and(|resource| resource != id) && other.conflict.is_none()
        };
        for other in found.iter().filter(is_other).take(ENTRIES_MAX) {
            if let Some(entry) = super::entry_at(written, other.finding.span) {
                propose(entry, id, &[other.key()]);
            }
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

/// An entry as it is, on another resource; then on parts of it that its list names, the nearest first.
pub(super) fn named(
    source: &Source,
    written: &Scenario,
    entry: EntryId,
    id: ResourceId,
) -> Vec<Candidate> {
    let ranges = parts(written, entry, id).into_iter().map(Some);
    [None]
        .into_iter()
        .chain(ranges)
        .filter_map(|range| on_part(source, written, entry, id, range))
        .collect()
}

/// Parts of a texture that the text uses or makes ready, the nearest to the entry first.
fn parts(written: &Scenario, entry: EntryId, id: ResourceId) -> Vec<Range> {
    let shape = written.resource(id).texture();
    let Some(at) = entry
        .span(written)
        .filter(|_| shape.is_some_and(|shape| shape.subresources() > 1))
    else {
        return Vec::new();
    };
    let commands = || written.commands();
    let used = commands().flat_map(|command| &command.uses);
    let used = used.filter(|used| used.resource == id);
    let used = used.map(|used| (used.span.start, &used.range));
    let entries = commands()
        .flat_map(|command| command.kind.barriers())
        .filter_map(|barrier| {
            let (other, entry) = barrier.named_texture()?;
            match &entry.range {
                BarrierRange::Range(range) if other == id => Some((barrier.span.start, range)),
                _ => None,
            }
        });
    let mut found: Vec<(u32, &Range)> = used
        .chain(entries)
        .filter(|(_, range)| **range != Range::All)
        .map(|(start, range)| (start.abs_diff(at.start), range))
        .collect();
    found.sort_by_key(|(distance, _)| *distance);
    let mut parts: Vec<Range> = Vec::new();
    for (_, range) in found {
        if parts.len() < PARTS_MAX && !parts.contains(range) {
            parts.push(range.clone());
        }
    }
    parts
}

/// An entry on another resource, with another range if one is given.
fn on_part(
    source: &Source,
    written: &Scenario,
    entry: EntryId,
    id: ResourceId,
    part: Option<Range>,
) -> Option<Candidate> {
    let line = source.line(entry.span(written)?.start);
    let name = match &part {
        Some(part) => format!("{}{}", written.resource_name(id), range_text(part)),
        None => written.resource_name(id).to_owned(),
    };
    let says = |text: String| format!("in the barrier of line {line}, name `{name}`: `{text}`");
    if let Some(old) = entry.legacy(written) {
        let mut new = old.clone();
        match &mut new.kind {
            LegacyKind::Transition(it) => {
                it.resource = id;
                if let Some(part) = part {
                    it.range = part;
                }
            }
            LegacyKind::Uav(resource) if part.is_none() => *resource = Some(id),
            LegacyKind::Uav(_) | LegacyKind::Alias(..) => return None,
        }
        let edited = legacy::edited(source, written, old, &new.kind)?;
        let says = says(print_legacy(written, &new));
        return (new.kind != old.kind).then(|| Candidate::new(edited.edits, says));
    }
    let old = entry.of(written)?;
    let new = on(old, id, part)?;
    let edit = written::rewritten(source, written, old, &new);
    (new != *old).then(|| Candidate::new(vec![edit], says(print_barrier(written, &new))))
}

/// A barrier on another resource; `None` if it names none.
fn on(barrier: &Barrier, id: ResourceId, part: Option<Range>) -> Option<Barrier> {
    let mut other = barrier.clone();
    match &mut other.target {
        BarrierTarget::Texture(entry) => {
            entry.resource = Some(id);
            if let Some(part) = part {
                entry.range = BarrierRange::Range(part);
            }
        }
        BarrierTarget::Buffer { resource, .. } => *resource = Some(id),
        _ => return None,
    }
    Some(other)
}
