//! What brings a resource back, at the end of a list, to the states in which the list takes it over: a list that executes again
//! finds it there.

use super::{Candidate, Text, legacy};
use crate::api::ResourceState;
use crate::finding::{Edit, Source};
use crate::id::ResourceId;
use crate::scenario::geometry::{self, SubresourceBox};
use crate::scenario::{
    LegacyBarrier, LegacyKind, List, Range, Scenario, TextureShape, range_text, transition_text,
};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// Entries that are added at most.
const ADDED_MAX: usize = 8;

/// From a state to another one.
type States = (ResourceState, ResourceState);

/// What brings a resource back where the list leaves it elsewhere: a transition that goes there on more of the resource, else
/// further transitions. `to`: the state where the list should find it, if not the one that its first transitions name.
pub(super) fn brought_back(
    source: &Source,
    written: &Scenario,
    (list, id): (&List, ResourceId),
    to: Option<ResourceState>,
) -> Vec<Candidate> {
    let Some(end) = list.commands.last() else {
        return Vec::new();
    };
    let shape = written.resource(id).texture();
    let missing = missing(shape, list, id, to);
    let added = |missing: &IndexMap<States, BTreeSet<u32>>| {
        let ranges = missing
            .iter()
            .map(|(states, set)| (states, ranges(shape, set)));
        let texts = ranges.flat_map(|(states, ranges)| {
            let text = |range: Range| {
                let what = format!("{}{}", written.resource_name(id), range_text(&range));
                transition_text(&what, *states, None)
            };
            ranges.into_iter().map(text).collect::<Vec<_>>()
        });
        let texts: Vec<String> = texts.collect();
        let statement = format!("legacy {{ {} }}", texts.join("; "));
        let edit = Text { source }.after(end.span, &statement);
        let says = format!("add at the end of the list: `{statement}`");
        (1..=ADDED_MAX)
            .contains(&texts.len())
            .then(|| Candidate::new(vec![edit], says))
    };
    let mut candidates = Vec::new();
    for (at, (states, set)) in missing.iter().enumerate() {
        let widened = entries(list, id).filter_map(|entry| widened(shape?, entry, *states, set));
        for (entry, kind) in widened {
            let Some(mut candidate) = legacy::edited(source, written, entry, &kind) else {
                continue;
            };
            // The finding is at another place.
            let line = source.line(entry.span.start);
            candidate.says = format!("{} in place of the barrier of line {line}", candidate.says);
            let mut rest = missing.clone();
            rest.shift_remove_index(at);
            if let Some(rest) = added(&rest) {
                let edits: Vec<Edit> = [candidate.edits, rest.edits].concat();
                let Some(edits) = Text::in_order(edits) else {
                    continue;
                };
                candidate = Candidate::new(edits, format!("{}, and {}", candidate.says, rest.says));
            }
            candidates.push(candidate);
        }
    }
    candidates.extend(added(&missing));
    candidates
}

/// The transitions of a resource in a list.
fn entries(list: &List, id: ResourceId) -> impl Iterator<Item = &LegacyBarrier> {
    let entries = list
        .commands
        .iter()
        .flat_map(|command| command.kind.legacy());
    entries.filter(
        move |entry| matches!(entry.kind, LegacyKind::Transition { resource, .. } if resource == id),
    )
}

/// The subresources that a list leaves in other states than it finds them in, by these states: from the one in which the list
/// leaves them to the one that its first transition of them names.
fn missing(
    shape: Option<&TextureShape>,
    list: &List,
    id: ResourceId,
    to: Option<ResourceState>,
) -> IndexMap<States, BTreeSet<u32>> {
    let mut states: IndexMap<u32, States> = IndexMap::new();
    for entry in entries(list, id) {
        let LegacyKind::Transition {
            range,
            before,
            after,
            ..
        } = &entry.kind
        else {
            continue;
        };
        for index in indices(shape, range) {
            let at = states
                .entry(index)
                .or_insert((*after, to.unwrap_or(*before)));
            at.0 = *after;
        }
    }
    let mut missing: IndexMap<States, BTreeSet<u32>> = IndexMap::new();
    for (index, (left, found)) in states {
        if left != found {
            missing.entry((left, found)).or_default().insert(index);
        }
    }
    missing
}

/// The subresources of a transition's range; a buffer has one.
fn indices(shape: Option<&TextureShape>, range: &Range) -> BTreeSet<u32> {
    let Some(shape) = shape else {
        return BTreeSet::from([0]);
    };
    let part = geometry::existing_box(shape, range).ok();
    let runs = part.map(|part| part.index_runs(shape)).unwrap_or_default();
    runs.into_iter()
        .flat_map(|(first, end)| first..end)
        .collect()
}

/// Some subresources as ranges, as few as can be told easily: one box, or each run of them.
fn ranges(shape: Option<&TextureShape>, set: &BTreeSet<u32>) -> Vec<Range> {
    let Some(shape) = shape else {
        return vec![Range::All];
    };
    let runs: Vec<(u32, u32)> = set.iter().map(|at| (*at, at + 1)).collect();
    let range = |sub: SubresourceBox| geometry::range_of_box(shape, &sub);
    if let Some(sub) = geometry::box_of_runs(shape, &runs) {
        return vec![range(sub)];
    }
    let each = runs
        .iter()
        .filter_map(|run| geometry::box_of_runs(shape, &[*run]));
    each.map(range).collect()
}

/// A transition between these states, on more subresources.
fn widened<'s>(
    shape: &TextureShape,
    entry: &'s LegacyBarrier,
    states: States,
    set: &BTreeSet<u32>,
) -> Option<(&'s LegacyBarrier, LegacyKind)> {
    let mut kind = entry.kind.clone();
    let LegacyKind::Transition {
        range,
        before,
        after,
        split: None,
        ..
    } = &mut kind
    else {
        return None;
    };
    if (*before, *after) != states {
        return None;
    }
    let both = &indices(Some(shape), range) | set;
    let [wide] = ranges(Some(shape), &both).try_into().ok()?;
    *range = wide;
    (kind != entry.kind).then_some((entry, kind))
}
