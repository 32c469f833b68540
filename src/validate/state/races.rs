//! Layout transitions that race: of two queues, on one subresource, without a path between them.
//!
//! Whoever is not ordered after a transition cannot know whether it has happened. Comparisons of that subresource are
//! silent there, whichever statement comes first in the text (reading R23).

use super::{Target, target};
use crate::id::{ListId, ResourceId, SubmissionId, Table};
use crate::order::{SubmissionKind, Timeline};
use crate::scenario::{Barrier, CommandKind};
use indexmap::IndexMap;

/// Calls that transition one resource, of one actor, in its order.
type Calls = Vec<(SubmissionId, ListId)>;

/// Transitions by resource, if several queues make them.
pub(super) struct Races {
    /// Subresource runs that a list transitions, by list and resource.
    runs: IndexMap<(ListId, ResourceId), Vec<(u32, u32)>>,
    /// Per resource and actor.
    calls: Table<ResourceId, Vec<Calls>>,
}

impl Races {
    /// Of a timeline. Costs nothing where all lists execute on one queue.
    pub(super) fn new(timeline: &Timeline<'_>) -> Self {
        let mut races = Self {
            runs: IndexMap::new(),
            calls: Table::default(),
        };
        let executes = || {
            timeline.evaluation.iter().filter_map(|id| {
                let submission = timeline.submission(id);
                (submission.kind == SubmissionKind::Execute).then_some((id, submission))
            })
        };
        let mut actors = executes().map(|(_, submission)| submission.actor);
        let first = actors.next();
        if actors.all(|actor| Some(actor) == first) {
            return races;
        }
        let mut by_list: IndexMap<ListId, Vec<ResourceId>> = IndexMap::new();
        races.calls = Table::filled(timeline.scenario.resources.len(), Vec::new());
        for (id, submission) in executes() {
            let actor = timeline.actor_index(submission.actor);
            for list in timeline.lists(submission) {
                let resources = by_list
                    .entry(*list)
                    .or_insert_with(|| races.list(timeline, *list));
                for resource in resources {
                    let calls = &mut races.calls[*resource];
                    calls.resize(calls.len().max(actor + 1), Vec::new());
                    calls[actor].push((id, *list));
                }
            }
        }
        races
    }

    /// Notes what a list transitions, and names the resources.
    fn list(&mut self, timeline: &Timeline<'_>, id: ListId) -> Vec<ResourceId> {
        let mut resources = Vec::new();
        for command in &timeline.scenario.lists[id].commands {
            let CommandKind::Barrier(entries) = &command.kind else {
                continue;
            };
            for barrier in entries.iter().filter(|barrier| transitions(barrier)) {
                let Some(Target { resource, runs }) = target(timeline.scenario, barrier) else {
                    continue;
                };
                if timeline.scenario.resource(resource).is_simultaneous() {
                    continue;
                }
                self.runs.entry((id, resource)).or_default().extend(runs);
                if !resources.contains(&resource) {
                    resources.push(resource);
                }
            }
        }
        resources
    }

    /// Whether all lists execute on one queue.
    pub(super) fn are_impossible(&self) -> bool {
        self.calls.is_empty()
    }

    /// The first of these subresources, with those that follow, that no transition races for.
    pub(super) fn free(
        &self,
        timeline: &Timeline<'_>,
        resource: ResourceId,
        run: (u32, u32),
        now: SubmissionId,
    ) -> Option<(u32, u32)> {
        let Some(actors) = self.calls.get(resource) else {
            return Some(run);
        };
        let mut racing: Vec<(u32, u32)> = Vec::new();
        for calls in actors {
            // What comes before `now`, then what is not ordered with it, then what comes after.
            let first = calls.partition_point(|(id, _)| timeline.happens_before(*id, now));
            let unordered = calls[first..]
                .iter()
                .take_while(|(id, _)| !timeline.happens_before(now, *id))
                .filter(|(id, _)| *id != now);
            for (_, list) in unordered {
                let runs = &self.runs[&(*list, resource)];
                racing.extend(runs.iter().filter(|(a, b)| *a < run.1 && run.0 < *b));
                if racing.iter().any(|(a, b)| *a <= run.0 && run.1 <= *b) {
                    return None;
                }
            }
        }
        racing.sort_unstable();
        let mut first = run.0;
        for (a, b) in racing {
            if first < a {
                return Some((first, a.min(run.1)));
            }
            first = first.max(b);
        }
        (first < run.1).then_some((first, run.1))
    }
}

/// Whether an entry names two different layouts.
fn transitions(barrier: &Barrier) -> bool {
    let layouts = barrier.layouts();
    layouts.is_some_and(|(before, after)| before != after)
}
