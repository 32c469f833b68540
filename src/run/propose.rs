//! Proposals for wrong barrier entries, each proved on an edited copy: the finding is gone, and nothing is new.
//!
//! Cost: a candidate that is wrong by itself costs nothing, any other a validation and an evaluation of the copy.
//! Within [`STEPS_MAX`] steps every wrong entry is tried; beyond, findings stand without a proposal.

use crate::analyze::hazards;
use crate::analyze::repair::{self, Surroundings};
use crate::api::{BarrierAccess, Layout};
use crate::finding::{Edit, Finding, Fix};
use crate::graph;
use crate::id::ResourceId;
use crate::legacy;
use crate::order::{LayoutTracker, SubmissionKind, Timeline};
use crate::scenario::geometry;
use crate::scenario::{Barrier, BarrierTarget, CommandKind, Scenario, print_barrier};
use crate::validate::{self, RuleSet};
use std::collections::BTreeSet;

/// Steps (commands and barrier entries, over all evaluations) that proofs may take in one run.
const STEPS_MAX: u64 = 400_000;
/// Candidates that are tried on a copy for one finding.
const CANDIDATES_MAX: usize = 32;

/// A barrier entry of the text: list, command, entry.
type Place = (usize, usize, usize);

/// What makes a finding the same finding in an edited copy.
type Key = (&'static str, u32, Option<String>);

/// Gives errors of legality on barrier entries the smallest change that was proved to remove them.
pub(super) fn fixes(scenario: &Scenario, findings: &mut [Finding], rules: RuleSet) {
    let is_wrong = |f: &Finding| f.rule.family() == "EB" && f.severity.fails() && f.span.end > 0;
    if !findings.iter().any(is_wrong) {
        return;
    }
    let steps: usize = scenario.lists.iter().map(|list| list.commands.len()).sum();
    let cost = steps.max(1) as u64 * 4;
    let mut budget = STEPS_MAX;
    if budget < cost {
        return;
    }
    let places = places(scenario);
    let base: BTreeSet<Key> = judge(scenario, rules);
    let mut copy = scenario.clone();
    for finding in findings.iter_mut().filter(|f| is_wrong(f)) {
        let Ok(at) = places.binary_search_by_key(&finding.span.start, |(start, _)| *start) else {
            continue;
        };
        let place = places[at].1;
        let barrier = entry(scenario, place);
        let id = resource(barrier);
        let around = surroundings(scenario, place, id);
        let list = &scenario.lists[place.0];
        let proposals = repair::proposals(
            barrier,
            list.queue_type,
            id.map(|id| scenario.traits(id)),
            &around,
        );
        let gone: Key = key(finding);
        let plausible = proposals
            .into_iter()
            .filter(|b| !validate::is_wrong_alone(scenario, list, b, rules))
            .take(CANDIDATES_MAX);
        for proposal in plausible {
            if budget < cost {
                return;
            }
            budget -= cost;
            *entry_mut(&mut copy, place) = proposal.clone();
            let after = judge(&copy, rules);
            *entry_mut(&mut copy, place) = barrier.clone();
            if !after.contains(&gone) && after.is_subset(&base) {
                finding.fix = Some(Box::new(Fix {
                    edits: vec![Edit {
                        span: barrier.span,
                        text: print_barrier(scenario, &proposal),
                    }],
                }));
                break;
            }
        }
    }
}

fn key(finding: &Finding) -> Key {
    (
        finding.rule.id,
        finding.span.start,
        finding.resource.clone(),
    )
}

/// Errors and hazards of a scenario.
fn judge(scenario: &Scenario, rules: RuleSet) -> BTreeSet<Key> {
    let plain = legacy::translate(scenario);
    let timeline = Timeline::new(&plain);
    let evaluation = graph::evaluate(&timeline, graph::Options::default());
    validate::validate(scenario, &timeline, rules)
        .iter()
        .filter(|f| f.severity.fails())
        .chain(&hazards::findings(&timeline, &evaluation, None))
        .map(key)
        .collect()
}

/// Where every entry begins in the text, ascending.
fn places(scenario: &Scenario) -> Vec<(u32, Place)> {
    let mut places = Vec::new();
    for (list, commands) in scenario.lists.iter().map(|l| &l.commands).enumerate() {
        for (command, kind) in commands.iter().map(|c| &c.kind).enumerate() {
            if let CommandKind::Barrier(entries) = kind {
                for (entry, barrier) in entries.iter().enumerate() {
                    places.push((barrier.span.start, (list, command, entry)));
                }
            }
        }
    }
    places.sort_unstable();
    places
}

fn entry(scenario: &Scenario, (list, command, entry): Place) -> &Barrier {
    match &scenario.lists[list].commands[command].kind {
        CommandKind::Barrier(entries) => &entries[entry],
        _ => unreachable!("places are of barriers"),
    }
}

fn entry_mut(scenario: &mut Scenario, (list, command, entry): Place) -> &mut Barrier {
    match &mut scenario.lists[list].commands[command].kind {
        CommandKind::Barrier(entries) => &mut entries[entry],
        _ => unreachable!("places are of barriers"),
    }
}

fn resource(barrier: &Barrier) -> Option<ResourceId> {
    match &barrier.target {
        BarrierTarget::Texture { resource, .. }
        | BarrierTarget::Buffer { resource, .. }
        | BarrierTarget::Ranged { resource, .. } => *resource,
        BarrierTarget::Global | BarrierTarget::EmptyGroup(_) => None,
    }
}

/// What surrounds an entry in the first scope that executes it, or in its list if none does.
fn surroundings(scenario: &Scenario, place: Place, id: Option<ResourceId>) -> Surroundings {
    let plain = legacy::translate(scenario);
    let timeline = Timeline::new(&plain);
    let mut layouts = LayoutTracker::new(&plain, LayoutTracker::declared);
    for submission in &timeline.evaluation {
        let submission = timeline.submission(*submission);
        if submission.kind != SubmissionKind::Execute {
            continue;
        }
        let mut commands = Vec::new();
        for list in timeline.lists(submission) {
            timeline.for_each_command(*list, |from, index| {
                commands.push((from.index(), index as usize));
            });
        }
        if commands.contains(&(place.0, place.1)) {
            return around(&plain, &commands, place, id, Some(&mut layouts));
        }
        for (list, index) in commands {
            if let CommandKind::Barrier(entries) = &plain.lists[list].commands[index].kind {
                entries
                    .iter()
                    .for_each(|entry| layouts.apply(&plain, entry));
            }
        }
    }
    let count = plain.lists[place.0].commands.len();
    let commands: Vec<_> = (0..count).map(|index| (place.0, index)).collect();
    around(&plain, &commands, place, id, None)
}

/// Looks at the neighbours of an entry among the commands of one scope.
fn around(
    plain: &Scenario,
    commands: &[(usize, usize)],
    place: Place,
    id: Option<ResourceId>,
    mut layouts: Option<&mut LayoutTracker>,
) -> Surroundings {
    let mut it = Surroundings::default();
    let mut is_after = false;
    for (list, index) in commands {
        let command = &plain.lists[*list].commands[*index];
        for used in command
            .uses
            .iter()
            .filter(|u| id.is_none_or(|id| id == u.resource))
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
            if (*list, *index, at) == place {
                is_after = true;
                it.layout = layouts.as_deref().and_then(|l| layout_at(plain, l, other));
                // Nothing is looked at but the first execution.
                layouts = None;
            } else if resource(other).is_some() && resource(other) == id {
                if is_after {
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

/// The layout of an entry's subresources, if it is one.
fn layout_at(plain: &Scenario, layouts: &LayoutTracker, barrier: &Barrier) -> Option<Layout> {
    let BarrierTarget::Texture {
        resource: Some(id),
        range,
        ..
    } = &barrier.target
    else {
        return None;
    };
    let shape = plain.resource(*id).texture()?;
    let sub = geometry::barrier_box(shape, range).ok()?;
    let mut found = None;
    let mut is_mixed = false;
    layouts.for_each(plain, *id, &sub, |_, _, layout| {
        is_mixed |= found.is_some_and(|known| known != layout);
        found = Some(layout);
    });
    found.filter(|_| !is_mixed)
}
