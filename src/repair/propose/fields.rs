//! What else a wrong barrier entry could say: other values for its fields, with what surrounds it in mind.

use super::entry::{self, Surroundings};
use super::{Candidate, ranges, written};
use crate::api::{BarrierAccess, Layout};
use crate::finding::{Edit, Finding, Source, Span};
use crate::id::{ListId, ResourceId, narrow};
use crate::order::{LayoutTracker, SubmissionKind};
use crate::pipeline::front::Prepared;
use crate::scenario::edit::{self, Change, EntryId, Next};
use crate::scenario::{
    Barrier, BarrierRange, BarrierTarget, CommandKind, Range, Scenario, geometry, print_legacy,
};
use crate::validate::{self, RuleSet};

/// Proposals for one entry.
const PROPOSALS_MAX: usize = 32;

/// Other values for the fields of a wrong entry.
pub(in crate::repair) fn candidates(
    source: &Source,
    prepared: &Prepared<'_>,
    finding: &Finding,
    rules: RuleSet,
) -> Vec<Candidate> {
    let written = prepared.written();
    let entries = entries(written);
    let Ok(at) = entries.binary_search_by_key(&finding.span.start, |(start, _)| *start) else {
        return Vec::new();
    };
    let place = entries[at].1;
    let Some(barrier) = place.of(written) else {
        return Vec::new();
    };
    let id = barrier.resource();
    let list = &written.lists[place.list];
    let around = surroundings(prepared, place, id);
    let mut ranges = around.ranges.clone();
    if let (Some(id), "EB026" | "EB027" | "EB028") = (id, finding.rule.id) {
        let timeline = prepared.timeline();
        ranges.extend(ranges::narrowed(&timeline, id, finding.span, None));
    }
    let surroundings = Surroundings {
        ranges,
        is_buffer: id.is_some_and(|id| written.resource(id).is_buffer()),
        is_lone_half: matches!(finding.rule.id, "EB032" | "EB033"),
        ..around
    };
    entry::proposals(
        barrier,
        list.queue_type,
        id.map(|id| written.traits(id)),
        &surroundings,
    )
    .into_iter()
    .filter(|b| !validate::is_wrong_alone(written, list, b, rules))
    .take(PROPOSALS_MAX)
    .map(|proposal| written::writes(source, written, barrier, &proposal))
    .collect()
}

/// A deletion of a wrong entry with which the next one begins in the layout that is left.
pub(in crate::repair) fn relinked(
    source: &Source,
    written: &Scenario,
    at: Span,
    deletion: &Candidate,
) -> Option<Candidate> {
    let place = super::entry_at(written, at)?;
    let mut edits = deletion.edits.clone();
    for change in edit::delete(written, place, Next::Relinked) {
        match change {
            Change::Set(next, barrier) => {
                let old = next.of(written)?;
                edits.push(written::rewritten(source, written, old, &barrier));
            }
            Change::SetLegacy(next, barrier) => edits.push(Edit::new(
                next.span(written)?,
                print_legacy(written, &barrier),
            )),
            _ => {}
        }
    }
    edits.sort_by_key(|edit| edit.span.start);
    (edits.len() > 1).then(|| Candidate::new(edits, deletion.says.clone()))
}

/// Where every entry starts in the text, ascending.
fn entries(scenario: &Scenario) -> Vec<(u32, EntryId)> {
    let entries = edit::barriers(scenario).map(|(entry, barrier)| (barrier.span.start, entry));
    let mut entries: Vec<_> = entries.collect();
    entries.sort_unstable();
    entries
}

/// What surrounds an entry in the first scope that executes it, or in its list if none does.
fn surroundings(prepared: &Prepared<'_>, place: EntryId, id: Option<ResourceId>) -> Surroundings {
    let plain = prepared.plain();
    let timeline = prepared.timeline();
    let mut layouts = LayoutTracker::new(plain, LayoutTracker::declared);
    for submission in timeline.evaluation.iter() {
        let submission = timeline.submission(submission);
        if submission.kind != SubmissionKind::Execute {
            continue;
        }
        let mut commands = Vec::new();
        for list in timeline.lists(submission) {
            timeline.for_each_command(*list, |from, index| commands.push((from, index)));
        }
        if commands.contains(&(place.list, place.command)) {
            return around(plain, &commands, place, id, Some(&mut layouts));
        }
        for (list, index) in commands {
            let command = &plain.lists[list].commands[index as usize];
            if let CommandKind::Barrier(entries) = &command.kind {
                for entry in entries {
                    layouts.apply(plain, entry);
                }
            }
        }
    }
    let count = narrow(plain.lists[place.list].commands.len());
    let commands: Vec<_> = (0..count).map(|index| (place.list, index)).collect();
    around(plain, &commands, place, id, None)
}

/// Looks at the neighbours of an entry among the commands of one scope.
fn around(
    plain: &Scenario,
    commands: &[(ListId, u32)],
    place: EntryId,
    id: Option<ResourceId>,
    mut layouts: Option<&mut LayoutTracker>,
) -> Surroundings {
    let mut it = Surroundings::default();
    let part = |barrier: &Barrier| geometry::part_of_barrier(plain, barrier);
    let own = place.of(plain).and_then(part);
    let mut is_after = false;
    for (list, index) in commands.iter().copied() {
        let command = &plain.lists[list].commands[index as usize];
        for used in command
            .uses
            .iter()
            .filter(|u| id.is_none_or(|id| id == u.resource))
            .filter(|u| !geometry::are_apart(own, geometry::part_of_use(plain, u)))
        {
            let access = used.access.difference(BarrierAccess::NO_ACCESS);
            if is_after {
                it.leaves_after = it.leaves_after.union(used.stages);
                it.accesses_after |= access;
            } else {
                it.leaves_before = it.leaves_before.union(used.stages);
                it.accesses_before |= access;
                it.touched = true;
            }
        }
        let CommandKind::Barrier(entries) = &command.kind else {
            continue;
        };
        for (at, other) in entries.iter().enumerate() {
            if (list, index, at) == (place.list, place.command, place.index as usize) {
                is_after = true;
                it.layout = layouts.as_deref().and_then(|l| layout_at(plain, l, other));
                it.ranges = meant_ranges(plain, layouts.as_deref(), other);
                // Nothing is looked at but the first execution.
                layouts = None;
            } else if other.resource().is_some()
                && other.resource() == id
                && !geometry::are_apart(own, part(other))
            {
                if is_after {
                    it.next = Some(other.sync_before);
                    return it;
                }
                it.made_accessible = Some(other.access_after);
                it.leaves_before = other.sync_after.leaves();
                it.accesses_before = BarrierAccess::COMMON;
                it.touched = true;
            }
            if let Some(layouts) = &mut layouts {
                layouts.apply(plain, other);
            }
        }
    }
    it
}

/// Ranges that an entry may have meant: what exists of it, or what is in its `LayoutBefore` where that is not all of it.
fn meant_ranges(
    plain: &Scenario,
    layouts: Option<&LayoutTracker>,
    barrier: &Barrier,
) -> Vec<BarrierRange> {
    let Some((id, entry)) = barrier.named_texture() else {
        return Vec::new();
    };
    let range = &entry.range;
    let Some(shape) = plain.resource(id).texture() else {
        return Vec::new();
    };
    let mut found: Vec<BarrierRange> = ranges::cut(shape, range).into_iter().collect();
    if let (BarrierRange::Range(range), Err(_)) = (range, geometry::barrier_box(shape, range)) {
        let nearest = ranges::nearest(shape, range);
        let nearest = nearest.map(|near| geometry::range_of_box(shape, &near));
        found.extend(nearest.map(BarrierRange::Range));
    }
    if let (Some(layouts), Ok(sub)) = (layouts, geometry::barrier_box(shape, range)) {
        let (mut runs, mut others) = (Vec::new(), false);
        layouts.for_each(plain, id, &sub, |first, end, layout| {
            if layout == entry.layout_before {
                runs.push((first, end));
            } else {
                others = true;
            }
        });
        let fitting = others
            .then(|| geometry::box_of_runs(shape, &runs))
            .flatten();
        let fitting = fitting.map(|fitting| geometry::range_of_box(shape, &fitting));
        found.extend(fitting.map(BarrierRange::Range));
    }
    found
}

/// The layout of an entry's subresources, if it is one.
fn layout_at(plain: &Scenario, layouts: &LayoutTracker, barrier: &Barrier) -> Option<Layout> {
    let all = BarrierRange::Range(Range::All);
    let (id, range) = match &barrier.target {
        BarrierTarget::Texture(entry) => (entry.resource?, &entry.range),
        // It may have to be a texture barrier.
        BarrierTarget::Buffer { resource, .. } => ((*resource)?, &all),
        _ => return None,
    };
    let is_texture = plain.resource(id).texture().is_some();
    is_texture
        .then(|| layouts.uniform_for_barrier(plain, id, range))
        .flatten()
}
