//! What brings a resource back, at the end of a list, to the states in which the list takes it over: a list that executes again
//! finds it there. Or at the end of the list that executes before it.

use super::{Candidate, Text, legacy};
use crate::api::ResourceState;
use crate::finding::{Edit, Finding, Source};
use crate::id::{ListId, ResourceId};
use crate::scenario::geometry::{self, SubresourceBox};
use crate::scenario::{
    Command, Initial, LegacyBarrier, LegacyKind, List, Range, Scenario, Statement, StatementKind,
    TextureShape, range_text, transition_text,
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

/// What brings a resource to where an entry or a use finds it at another execution: a transition at the end of a list that executes
/// right before its own. The state that is found is one that a transition left.
pub(super) fn brought_back_before(
    source: &Source,
    written: &Scenario,
    finding: &Finding,
) -> Vec<Candidate> {
    let at = finding.span.start;
    let is_own = |command: &Command| command.span.start <= at && at < command.span.end;
    let mut lists = written.lists.pairs();
    let own = lists.find(|(_, list)| list.commands.iter().any(is_own));
    let (Some((own, list)), Some(id), Some(origin)) = (
        own,
        super::resource_of(written, finding),
        finding.related.first(),
    ) else {
        return Vec::new();
    };
    let all = written.lists.iter();
    let mut left = all.flat_map(|list| entries(list, id));
    let left = left.find(|entry| entry.span.start == origin.span.start);
    let Some(left) = left.and_then(|entry| entry.kind.as_transition()) else {
        return Vec::new();
    };
    let name = written.resource_name(id);
    let mut candidates = Vec::new();
    for before in before_executions(written, own) {
        let list_before = &written.lists[before];
        let Some(end) = list_before.commands.last() else {
            continue;
        };
        let called = list_before.name.as_deref().unwrap_or_default();
        for (own_range, state) in wanted(written, list, id, at) {
            let others = [left.range.clone()]
                .into_iter()
                .filter(|other| *other != own_range);
            for range in std::iter::once(own_range.clone()).chain(others) {
                let what = format!("{name}{}", range_text(&range));
                let transition = transition_text(&what, (left.after, state), None);
                let statement = format!("legacy {{ {transition} }}");
                let edit = Text { source }.after(end.span, &statement);
                let says = format!("add at the end of list `{called}`: `{statement}`");
                candidates.push(Candidate::new(vec![edit], says));
            }
        }
    }
    candidates
}

/// The lists that execute right before another one, those before its later executions first.
fn before_executions(written: &Scenario, list: ListId) -> Vec<ListId> {
    let mut all = Vec::new();
    if let Some(timeline) = &written.timeline {
        in_order(&timeline.statements, &mut all);
    }
    let pairs = all.windows(2).filter(|pair| pair[1] == list);
    let mut before: Vec<ListId> = Vec::new();
    for pair in pairs.rev() {
        if pair[0] != list && !before.contains(&pair[0]) {
            before.push(pair[0]);
        }
    }
    before
}

/// The lists as they execute, what is repeated twice.
fn in_order(statements: &[Statement], all: &mut Vec<ListId>) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Execute { lists, .. } => all.extend(lists.iter().copied()),
            StatementKind::Repeat { body, count } => {
                for _ in 0..(*count).min(2) {
                    in_order(body, all);
                }
            }
            _ => {}
        }
    }
}

/// The states in which an entry or a use at a place may want its resource, and of what of it.
fn wanted(written: &Scenario, list: &List, id: ResourceId, at: u32) -> Vec<(Range, ResourceState)> {
    let mut own = entries(list, id);
    if let Some(entry) = own.find(|entry| entry.span.start == at)
        && let Some(it) = entry.kind.as_transition()
    {
        return vec![(it.range.clone(), it.before)];
    }
    let mut all = list.commands.iter().flat_map(|command| &command.uses);
    let Some(used) = all.find(|used| used.resource == id && used.span.start == at) else {
        return Vec::new();
    };
    let range = match &used.range {
        Range::Bytes { .. } => Range::All,
        range => range.clone(),
    };
    let needed = legacy::state_of(used.access, used.stages);
    let created = match written.resource(id).initial {
        Initial::State(state) if state.contains(needed) && state != needed => Some(state),
        _ => None,
    };
    let states = created.into_iter().chain([needed]);
    states.map(|state| (range.clone(), state)).collect()
}

/// The transitions of a resource in a list.
fn entries(list: &List, id: ResourceId) -> impl Iterator<Item = &LegacyBarrier> {
    let entries = list
        .commands
        .iter()
        .flat_map(|command| command.kind.legacy());
    entries.filter(move |entry| entry.kind.is_transition_of(id))
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
        let Some(it) = entry.kind.as_transition() else {
            continue;
        };
        for index in indices(shape, &it.range) {
            let found = to.unwrap_or(it.before);
            states.entry(index).or_insert((it.after, found)).0 = it.after;
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
pub(super) fn indices(shape: Option<&TextureShape>, range: &Range) -> BTreeSet<u32> {
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
    let it = kind.as_transition_mut()?;
    if it.split.is_some() || it.states() != states {
        return None;
    }
    let both = &indices(Some(shape), &it.range) | set;
    [it.range] = ranges(Some(shape), &both).try_into().ok()?;
    (kind != entry.kind).then_some((entry, kind))
}
