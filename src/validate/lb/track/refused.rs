//! What transitions whose states are equal act as (reading R72): the nearest transition that is allowed, or none.
//!
//! Which of the two states is the wrong one, what comes next on the same subresources tells, in the list or in those that execute
//! after it on such a queue: a transition that goes where that can be done acts as it is written. One that does not acts as if it
//! were not there if that can be done in the states that there are, else as a transition to the state that it takes. Cost: linear
//! in the commands up to the next transition, of which at most 4,096 are looked at.

use super::entries::Transition;
use super::known::{self, Known, State};
use super::{Met, Tracker};
use crate::api::{BarrierAccess, ResourceState};
use crate::id::{ListId, ResourceId};
use crate::legacy::states;
use crate::order::SubmissionKind;
use crate::scenario::{CommandKind, LegacyBarrier, LegacyKind, LegacySplit, List, Range, Use};
use crate::validate::LegacyEntry;
use crate::validate::lb::statically_wrong;

/// How many commands after a refused transition are looked at: what comes later decides nothing.
const AHEAD: usize = 4096;

/// What a refused transition acts as.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Acts {
    /// As a transition to the state that it names.
    #[default]
    AsWritten,
    /// As if it were not there.
    Nowhere,
    /// As a transition to another state.
    To(ResourceState),
}

/// What a list does next with subresources of a resource: uses, then a transition, of which it needs the state before.
#[derive(Default)]
struct Next<'s> {
    uses: Vec<&'s Use>,
    before: Option<ResourceState>,
}

impl<'s> Tracker<'s, '_> {
    /// What a refused transition acts as. A second half acts as its first half does.
    pub(super) fn acts_as(&self, list: &'s List, it: &Transition, met: &Met) -> Acts {
        let begin = met.iter().find_map(|(.., known)| known.split);
        match (it.split, begin) {
            (Some(LegacySplit::End), Some(index)) => self.begins[index as usize].acts,
            _ => self.acts(list, it, met),
        }
    }

    /// What a transition acts as that is refused for itself. One of different states acts as it is written.
    fn acts(&self, list: &'s List, it: &Transition, met: &Met) -> Acts {
        if it.before != it.after {
            return Acts::AsWritten;
        }
        let next = self.next(list, it, met);
        let there = |state| {
            move |known: &Known| Known {
                state: State::after(state),
                foreign: self.is_foreign_read(state),
                assigned: true,
                ..*known
            }
        };
        let all = |known: &dyn Fn(&Known) -> Known| {
            let mut each = met.iter().map(|(.., old)| known(old));
            each.all(|known| self.fits(&next, it.resource, &known))
        };
        if all(&there(it.after)) {
            return Acts::AsWritten;
        }
        let here = |known: &Known| Known {
            assigned: true,
            ..*known
        };
        if it.split.is_none() && all(&here) {
            // A transition from a state to itself, if it is one that a barrier set.
            let state = match met[0].2.state {
                State::Explicit(state) => Some(state),
                State::Common => Some(ResourceState::empty()),
                _ => None,
            };
            let is_one = met.iter().all(|run| run.2.state == met[0].2.state);
            return state.filter(|_| is_one).map_or(Acts::Nowhere, Acts::To);
        }
        let meant = next.state(self.queue_states());
        let meant = meant.filter(|state| all(&there(*state)) && self.may_go(list, it, *state));
        meant.map_or(Acts::AsWritten, Acts::To)
    }

    /// Whether a state is one for reads of pixel shaders, and the queue has none.
    pub(super) fn is_foreign_read(&self, state: ResourceState) -> bool {
        let pixel = ResourceState::PIXEL_SHADER_RESOURCE;
        state.contains(pixel) && !self.queue_states().contains(pixel)
    }

    fn queue_states(&self) -> ResourceState {
        states::of_queue(self.queue)
    }

    /// Whether no rule refuses a transition to a state.
    fn may_go(&self, list: &'s List, it: &Transition, state: ResourceState) -> bool {
        let states = (ResourceState::empty(), state);
        let barrier = LegacyBarrier::transition(it.resource, states, None);
        let entry = LegacyEntry {
            scenario: self.scenario,
            list,
            barrier: &barrier,
        };
        !state.is_empty() && !statically_wrong(&entry)
    }

    /// Whether what comes first of what comes next can be done in a state.
    fn fits(&self, next: &Next<'_>, resource: ResourceId, known: &Known) -> bool {
        match (next.uses.first(), next.before) {
            (Some(usage), _) => self.misuse(usage, known, known::promotion(usage)).is_none(),
            (None, Some(before)) => known.matches(before, self.nature(resource)),
            (None, None) => true,
        }
    }

    /// The lists that execute after this one, up to one for another type of queue.
    fn later_lists(&self) -> impl Iterator<Item = &'s List> {
        let later = self
            .submission
            .map(|_| &self.executions()[self.walks as usize..]);
        let lists = later.into_iter().flatten();
        let lists = lists.map(|list| &self.scenario.lists[*list]);
        lists.take_while(|list| list.queue_type == self.queue)
    }

    /// The lists in the order of their executions.
    fn executions(&self) -> &[ListId] {
        self.executions.get_or_init(|| {
            let order = self.timeline.evaluation.iter();
            let submissions = order.map(|id| self.timeline.submission(id));
            let executed = submissions.filter(|it| it.kind == SubmissionKind::Execute);
            let lists = executed.flat_map(|it| self.timeline.lists(it).iter().copied());
            lists.collect()
        })
    }

    fn next(&self, list: &'s List, it: &Transition, met: &Met) -> Next<'s> {
        let meets = |range: &Range| {
            let runs = self.indices(it.resource, range);
            let mut runs = runs.iter();
            runs.any(|run| met.iter().any(|known| run.0 < known.1 && known.0 < run.1))
        };
        let state_before = |entry: &LegacyBarrier| match &entry.kind {
            LegacyKind::Transition {
                resource,
                range,
                before,
                after,
                split,
            } if *resource == it.resource && meets(range) => {
                let is_other_half = it.split == Some(LegacySplit::Begin)
                    && *split == Some(LegacySplit::End)
                    && (*before, *after) == (it.before, it.after);
                (!is_other_half).then_some(*before)
            }
            // Spec: "UAV Barriers": the resource is in this state before and after.
            LegacyKind::Uav(Some(resource)) if *resource == it.resource => {
                Some(ResourceState::UNORDERED_ACCESS)
            }
            _ => None,
        };
        let mut next = Next::default();
        let from = self.place.command_index();
        let own = list.commands.iter().skip(from);
        let later = self.later_lists().flat_map(|list| &list.commands);
        for (at, command) in own.chain(later).enumerate().take(AHEAD) {
            if let CommandKind::Legacy(entries) = &command.kind {
                let done = if at == 0 { self.place.entry + 1 } else { 0 };
                next.before = entries.iter().skip(done).find_map(state_before);
                if next.before.is_some() {
                    break;
                }
            }
            let uses = command.uses.iter();
            next.uses
                .extend(uses.filter(|used| used.resource == it.resource && meets(&used.range)));
        }
        next
    }
}

impl Next<'_> {
    /// The state that it takes: the one that the next transition names if the uses before that can be done in it, else what the
    /// first use needs, together with the reads after it if it reads.
    fn state(&self, of_queue: ResourceState) -> Option<ResourceState> {
        let needed = |usage: &Use| {
            let (surely, maybe) = known::promotion(usage);
            (surely | maybe) & of_queue
        };
        let writes = |usage: &Use| usage.access.writes();
        let mut reads = self.uses.iter().take_while(|usage| !writes(usage));
        let state = match self.uses.first() {
            None => return self.before,
            Some(first) if writes(first) => needed(first),
            Some(_) => reads.try_fold(ResourceState::empty(), |all, usage| {
                (usage.access != BarrierAccess::COMMON).then(|| all | needed(usage))
            })?,
        };
        match self.before {
            Some(before) if before.contains(state) => Some(before),
            _ => Some(state),
        }
    }
}
