//! What transitions whose states are equal act as (reading R72): the nearest transition that is allowed, or none.
//!
//! Which of the two states is the wrong one, what comes next on the same subresources tells, in the list or in those that execute
//! after it on such a queue: a transition that goes where that can be done acts as it is written. One that does not acts as if it
//! were not there if that can be done in the states that there are, else as a transition to the state that it takes. Where
//! subresources go on differently, each acts by itself. Cost: linear in the commands up to the next transitions, of which at most
//! 4,096 are looked at.
//!
//! A transition to states of which the queue lacks only the one of pixel shaders goes to the others, and to what its shaders read.
//! A barrier between two halves that says what the first one says is the second one, if nothing else is.

use super::entries::{Transition, says_the_same};
use super::known::{self, Known, State};
use super::{Begin, Met, Tracker};
use crate::api::{BarrierAccess, ResourceState};
use crate::id::{ListId, ResourceId};
use crate::legacy::states;
use crate::order::SubmissionKind;
use crate::scenario::{Command, LegacyBarrier, LegacyKind, LegacySplit, List, Range, Use};
use crate::validate::LegacyEntry;
use crate::validate::lb::statically_wrong;
use crate::validate::state::minus;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// How many commands after a refused transition are looked at: what comes later decides nothing.
const AHEAD: usize = 4096;
/// Into how many parts a transition is taken whose subresources go on differently; one with more acts as a whole.
const PARTS_MAX: usize = 64;

/// What a refused transition acts as.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) enum Acts {
    /// As a transition to the state that it names.
    #[default]
    AsWritten,
    /// As if it were not there.
    Nowhere,
    /// As a transition to another state.
    To(ResourceState),
    /// As a transition to the state that it names, as which this queue has another one.
    Like(ResourceState),
    /// As the second half of the pair in which it is.
    Ends,
    /// Each subresource as something else: index into what transitions act as in parts.
    Apart(u32),
}

/// What subresources act as, by runs of them.
pub(super) type Parts = SmallVec<[(u32, u32, Acts); 2]>;

/// Subresources as runs.
type Runs = SmallVec<[(u32, u32); 2]>;

/// Something that is done later with subresources of a resource.
struct Ahead<'s> {
    /// The subresources.
    runs: Runs,
    what: What<'s>,
}

enum What<'s> {
    /// A use.
    Used(&'s Use),
    /// A transition from this state.
    From(ResourceState),
}

/// What is done next with subresources of a resource: uses, then a transition, of which it needs the state before.
#[derive(Default)]
struct Next<'s> {
    uses: Vec<&'s Use>,
    before: Option<ResourceState>,
}

impl<'s> Tracker<'s, '_> {
    /// What a refused transition acts as. A second half acts as its first half does.
    pub(super) fn acts_as(&mut self, list: &'s List, it: &Transition, met: &Met) -> Acts {
        let begin = met.iter().find_map(|(.., known)| known.split);
        match (it.split, begin) {
            (Some(LegacySplit::End), Some(index)) => self.begins[index as usize].acts,
            _ if it.before == it.after => self.acts(list, it, met),
            _ => self.acts_like(list, it, met),
        }
    }

    /// What a transition of two equal states acts as.
    fn acts(&mut self, list: &'s List, it: &Transition, met: &Met) -> Acts {
        let ahead = self.ahead(list, it, met);
        let of_all = Next::of(&ahead, met);
        if of_all.is_nothing() {
            return self.mends.known_acts(self.place);
        }
        let whole = self.acts_before(list, it, met, &of_all);
        let parts = in_parts(met, &ahead);
        let next = |part: &Met| Next::of(&ahead, part);
        let is_like_all = |part: &Met| {
            let left = |known: &Known| match whole {
                Acts::To(state) => self.left_in(known, state),
                Acts::Nowhere => assigned(known),
                _ => self.left_in(known, it.after),
            };
            self.all_fit(&next(part), it.resource, part, left)
        };
        if parts.len() > PARTS_MAX || parts.iter().all(is_like_all) {
            return whole;
        }
        let mut apart = Parts::new();
        for part in &parts {
            let next = next(part);
            let acts = if next.is_nothing() {
                whole
            } else {
                self.acts_before(list, it, part, &next)
            };
            let (first, end, _) = part[0];
            match apart.last_mut() {
                Some(before) if before.1 == first && before.2 == acts => before.1 = end,
                _ => apart.push((first, end, acts)),
            }
        }
        match apart.as_slice() {
            [(.., acts)] => *acts,
            _ => self.mends.apart(apart),
        }
    }

    /// What subresources that a transition of two equal states names act as before something.
    fn acts_before(&self, list: &'s List, it: &Transition, met: &Met, next: &Next<'_>) -> Acts {
        let there =
            |state| self.all_fit(next, it.resource, met, |known| self.left_in(known, state));
        if there(it.after) {
            return Acts::AsWritten;
        }
        if it.split.is_none() && self.all_fit(next, it.resource, met, assigned) {
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
        let meant = meant.filter(|state| there(*state) && self.may_go(list, it, *state));
        meant.map_or(Acts::AsWritten, Acts::To)
    }

    /// What a transition of different states acts as that is refused for itself: as it is written, but where the queue has what it
    /// names without the state of pixel shaders, and shaders read next, they read as those of the queue do.
    fn acts_like(&self, list: &'s List, it: &Transition, met: &Met) -> Acts {
        let pixel = ResourceState::PIXEL_SHADER_RESOURCE;
        let other = ResourceState::NON_PIXEL_SHADER_RESOURCE;
        let state = (it.after - pixel) | other;
        let has_rest = it.after.intersects(self.queue_states());
        let is_foreign = self.is_foreign_read(it.after) && self.queue_states().contains(other);
        if !has_rest || !is_foreign || states::layout(state) != states::layout(it.after) {
            return Acts::AsWritten;
        }
        let next = Next::of(&self.ahead(list, it, met), met);
        let mut uses = next.uses.iter();
        if uses.any(|usage| usage.access == BarrierAccess::SHADER_RESOURCE) {
            Acts::Like(state)
        } else {
            Acts::AsWritten
        }
    }

    /// What is known of subresources after a transition to a state.
    fn left_in(&self, known: &Known, state: ResourceState) -> Known {
        Known {
            state: State::after(state),
            foreign: self.is_foreign_read(state),
            ..assigned(known)
        }
    }

    /// Whether a barrier between the halves of a pair ends it: it says what the first half says, and no second half comes.
    pub(super) fn ends_the_pair(&self, list: &'s List, it: &Transition, met: &Met) -> bool {
        let begins = met.iter().map(|(.., known)| known.split);
        let mut begins = begins.map(|index| index.map(|index| self.begins[index as usize]));
        let Some(begin) = begins.next().flatten() else {
            return false;
        };
        let is_its = |other: Option<Begin>| other.is_some_and(|other| other.span == begin.span);
        begins.all(is_its)
            && begin.walk == self.walks
            && says_the_same(&begin, it)
            && begin.covers == it.covers
            && !self.is_ended_later(list, it, met)
    }

    /// Whether the next half on some of these subresources is a second one.
    fn is_ended_later(&self, list: &'s List, it: &Transition, met: &Met) -> bool {
        let half = |entry: &LegacyBarrier| {
            let next = entry.kind.as_transition()?;
            let is_on_it = next.resource == it.resource
                && meets(&self.indices(next.resource, &next.range), met);
            next.split.filter(|_| is_on_it)
        };
        let mut commands = self.commands_ahead(list);
        commands.find_map(|(_, entries)| entries.iter().find_map(half)) == Some(LegacySplit::End)
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

    /// Whether what comes first of what comes next can be done in what is known then of each subresource.
    fn all_fit(
        &self,
        next: &Next<'_>,
        resource: ResourceId,
        met: &Met,
        known: impl Fn(&Known) -> Known,
    ) -> bool {
        let mut each = met.iter().map(|(.., old)| known(old));
        each.all(|known| self.fits(next, resource, &known))
    }

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

    /// The commands from the entry on that is looked at, each with its legacy entries that come later.
    fn commands_ahead(
        &self,
        list: &'s List,
    ) -> impl Iterator<Item = (&'s Command, &'s [LegacyBarrier])> {
        let own = list.commands.iter().skip(self.place.command_index());
        let later = self.later_lists().flat_map(|list| &list.commands);
        let done = self.place.entry + 1;
        let all = own.chain(later).enumerate().take(AHEAD);
        all.map(move |(at, command)| {
            let entries = command.kind.legacy();
            let entries = if at == 0 {
                entries.get(done..).unwrap_or_default()
            } else {
                entries
            };
            (command, entries)
        })
    }

    /// What is done next with the subresources of a transition, up to the next transition of each.
    fn ahead(&self, list: &'s List, it: &Transition, met: &Met) -> Vec<Ahead<'s>> {
        let mut open: Vec<(u32, u32)> = met.iter().map(|(first, end, _)| (*first, *end)).collect();
        let mut ahead = Vec::new();
        for (command, entries) in self.commands_ahead(list) {
            for (runs, state) in entries.iter().filter_map(|e| self.state_before(it, met, e)) {
                open = minus(&open, &runs);
                let what = What::From(state);
                ahead.push(Ahead { runs, what });
            }
            if open.is_empty() {
                break;
            }
            for used in command.uses.iter().filter(|u| u.resource == it.resource) {
                let runs = self.indices(it.resource, &used.range);
                let what = What::Used(used);
                ahead.push(Ahead { runs, what });
            }
        }
        ahead
    }

    /// The state from which a later legacy entry takes subresources of a transition.
    fn state_before(
        &self,
        it: &Transition,
        met: &Met,
        entry: &LegacyBarrier,
    ) -> Option<(Runs, ResourceState)> {
        match &entry.kind {
            LegacyKind::Transition(next) if next.resource == it.resource => {
                let is_other_half = it.split == Some(LegacySplit::Begin)
                    && next.split == Some(LegacySplit::End)
                    && next.states() == (it.before, it.after);
                let runs = self.indices(next.resource, &next.range);
                (!is_other_half && meets(&runs, met)).then_some((runs, next.before))
            }
            // Spec: "UAV Barriers": the resource is in this state before and after.
            LegacyKind::Uav(Some(resource)) if *resource == it.resource => {
                let all = self.indices(it.resource, &Range::All);
                Some((all, ResourceState::UNORDERED_ACCESS))
            }
            _ => None,
        }
    }
}

impl<'s> Next<'s> {
    /// What is done next with some subresources.
    fn of(ahead: &[Ahead<'s>], met: &Met) -> Self {
        let mut next = Self::default();
        for it in ahead.iter().filter(|it| meets(&it.runs, met)) {
            match it.what {
                What::Used(usage) => next.uses.push(usage),
                What::From(state) => {
                    next.before = Some(state);
                    break;
                }
            }
        }
        next
    }

    fn is_nothing(&self) -> bool {
        self.uses.is_empty() && self.before.is_none()
    }
}

/// What is known of a subresource if a legacy transition named it.
fn assigned(known: &Known) -> Known {
    Known {
        assigned: true,
        ..*known
    }
}

/// Whether some subresources are among those met.
fn meets(runs: &[(u32, u32)], met: &Met) -> bool {
    let mut runs = runs.iter();
    runs.any(|run| met.iter().any(|known| run.0 < known.1 && known.0 < run.1))
}

/// Subresources in parts, of which each goes on in one way.
fn in_parts(met: &Met, ahead: &[Ahead<'_>]) -> Vec<Met> {
    let ends = |it: &Ahead<'_>| {
        it.runs
            .iter()
            .flat_map(|run| [run.0, run.1])
            .collect::<Vec<_>>()
    };
    let cuts: BTreeSet<u32> = ahead.iter().flat_map(ends).collect();
    let pieces = met.iter().flat_map(|(first, end, known)| {
        let inner = cuts.range(first + 1..*end).copied();
        let until: Vec<u32> = inner.chain([*end]).collect();
        let mut from = *first;
        until.into_iter().map(move |until| {
            let piece = (from, until, *known);
            from = until;
            SmallVec::from_slice(&[piece])
        })
    });
    pieces.collect()
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
