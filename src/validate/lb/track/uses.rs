//! What one use finds and does: promotion, and whether the legacy state allows the use.
//!
//! Spec: "Resource State Promotion and Decay", "Compute Queues and `D3D12_RESOURCE_STATE_PIXEL_SHADER_RESOURCE`", "No Self
//! Copy"; reading R55.

use super::known::{self, BarrierKind, How, Known, State};
use super::{At, Tracker};
use crate::api::{BarrierAccess, QueueType, ResourceState, compat};
use crate::finding::Finding;
use crate::id::ResourceId;
use crate::legacy::states;
use crate::order;
use crate::scenario::{Initial, List, Use, geometry, range_text};
use crate::validate::lb::use_outside_state::Wanted;
use crate::validate::lb::{
    pixel_state_on_compute, promotes_anyway, promotions_do_not_join, stage_not_in_state,
    use_outside_state,
};
use smallvec::SmallVec;

/// What is wrong with a use of a subresource that has a legacy state.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Misuse {
    /// Compute queues do not know the state.
    PixelStateOnCompute,
    /// The state is for shader reads, but not at this stage.
    Stage,
    /// Earlier uses of the scope promoted it to what this one does not join.
    DoesNotJoin,
    /// The state does not have the access.
    Outside,
}

impl<'s> Tracker<'s, '_> {
    /// Spec: "Resource State Promotion and Decay": a use in `COMMON` acts like a transition.
    pub(super) fn used(&mut self, list: &'s List, usage: &Use) {
        let resource = usage.resource;
        let nature = self.nature(resource);
        let indices = self.indices(resource, &usage.range);
        let wanted = known::promotion(usage);
        let (scope, queue) = (self.scope, self.queue);
        let touch = self.next_touch();
        let origin = self.origin(usage.span, How::Promotion);
        let met = self.met(resource, &indices);
        if let Some((misuse, known)) = met
            .iter()
            .find_map(|(.., known)| Some((self.misuse(usage, known, wanted)?, *known)))
        {
            let mut at = self.at(list, usage.span, resource);
            at.part = self.part_in(&met, resource, known.state);
            let finding = self.misused(list, &at, usage, misuse, &known, wanted);
            self.report(&at, finding);
        }
        let has_layout = matches!(self.scenario.resource(resource).initial, Initial::Layout(_));
        for (first, end, now) in met {
            // What has a layout is not promoted (reading R67).
            let managed = match now.last {
                Some((BarrierKind::Enhanced, at)) => at == scope || !nature.free,
                Some((BarrierKind::Legacy, _)) => false,
                None => has_layout && !nature.free,
            };
            let state = if managed {
                Some(now.state)
            } else {
                known::promoted(now.state, wanted, nature)
            };
            if now.promotes && now.used != scope {
                self.report_promotes(resource, &now, wanted);
            }
            let next = match state {
                Some(state) if state == now.state => None,
                Some(state) => {
                    let reads = matches!(state, State::Promoted { surely, maybe }
                        if !states::access(surely | maybe).writes());
                    let decays = nature.free || queue == QueueType::Copy || reads && !now.unsettled;
                    let mut known = now;
                    self.set(&mut known, state, origin, decays);
                    Some(known)
                }
                None => self.not_joined(&now, wanted, usage),
            };
            self.change(resource, &[(first, end)], |known| {
                if let Some(next) = next {
                    *known = next;
                }
                known.used = scope;
                known.dirty = true;
                known.promotes = false;
                known.touch = touch;
            });
        }
    }

    /// Which of the subresources that a use meets are in a state, as a range where that is not all of the use.
    pub(super) fn part_in(
        &self,
        met: &[(u32, u32, Known)],
        resource: ResourceId,
        state: State,
    ) -> String {
        let Some(shape) = self.scenario.resource(resource).texture() else {
            return String::new();
        };
        let in_it = met.iter().filter(|(.., known)| known.state == state);
        let runs: Vec<(u32, u32)> = in_it.map(|(first, end, _)| (*first, *end)).collect();
        let part = geometry::box_of_runs(shape, &runs);
        let range = part.map(|part| geometry::range_of_box(shape, &part));
        range.map_or_else(String::new, |range| range_text(&range))
    }

    /// A discard writes as the texture is created to be written: its state must say so.
    pub(super) fn discarded(&mut self, list: &'s List, usage: &Use) {
        let resource = usage.resource;
        let declared = self.scenario.resource(resource);
        if declared.is_buffer() {
            return;
        }
        let writes: SmallVec<[BarrierAccess; 3]> =
            order::discard_accesses(declared, self.queue).collect();
        let Some(first) = writes.first().copied() else {
            return;
        };
        let nature = self.nature(resource);
        let indices = self.indices(resource, &usage.range);
        let allows = |states: ResourceState| {
            let mut writes = writes.iter();
            writes.any(|access| states.contains(states::of_access(*access)))
        };
        let wrong = self
            .met(resource, &indices)
            .into_iter()
            .find(|(.., known)| {
                known.assigned
                    && !self.is_between_halves(known)
                    && match known.state {
                        State::Enhanced(_) | State::Unknown => false,
                        State::Common => !allows(nature.promotable()),
                        State::Explicit(state) => !allows(state),
                        State::Promoted { surely, maybe } => !allows(surely | maybe),
                    }
            });
        if let Some((.., known)) = wrong {
            let at = self.at(list, usage.span, resource);
            let phase = self.phase(&known.origin);
            let wanted = states::of_access(first);
            let wanted = Wanted {
                access: first,
                state: wanted,
                against: None,
                along: ResourceState::empty(),
                unable: self.unable(resource, known.state),
            };
            let finding = use_outside_state::found(&at, phase, &known, &wanted);
            self.report(&at, finding);
        }
    }

    /// After a use that earlier promotions do not join. Where that was reported, the use counts as correct (reading R47).
    fn not_joined(
        &mut self,
        now: &Known,
        (surely, maybe): (ResourceState, ResourceState),
        usage: &Use,
    ) -> Option<Known> {
        let mut known = *now;
        let decays = self.nature(usage.resource).free || self.queue == QueueType::Copy;
        let origin = self.origin(usage.span, How::Promotion);
        if !now.assigned {
            self.set(&mut known, State::Unknown, origin, decays);
        } else if now.origin.scope == self.scope {
            self.set(
                &mut known,
                State::Promoted { surely, maybe },
                origin,
                decays,
            );
            known.unsettled = true;
        } else {
            // An earlier scope left it in a write state, from which nothing is promoted.
            return None;
        }
        Some(known)
    }

    /// Whether it is in neither state of a split transition: a hazard's business.
    fn is_between_halves(&self, known: &Known) -> bool {
        let is_open = |index: u32| self.is_open(&self.begins[index as usize]);
        known.split.is_some_and(is_open)
    }

    /// Whether the legacy state of a subresource allows a use. Reading R55.
    pub(super) fn misuse(
        &self,
        usage: &Use,
        known: &Known,
        (surely, maybe): (ResourceState, ResourceState),
    ) -> Option<Misuse> {
        let wanted = surely | maybe;
        if !known.assigned || wanted.is_empty() {
            return None;
        }
        // What the creation refuses is refused for itself.
        let traits = self.scenario.traits(usage.resource);
        let is_possible = compat::resource_accesses(traits).contains(usage.access);
        if self.is_between_halves(known) || !is_possible {
            return None;
        }
        let nature = self.nature(usage.resource);
        match known.state {
            State::Enhanced(_) | State::Unknown => None,
            State::Common => (!nature.promotable().contains(wanted)).then_some(Misuse::Outside),
            State::Explicit(state) => {
                let pixel = ResourceState::PIXEL_SHADER_RESOURCE;
                let is_read = usage.access == BarrierAccess::SHADER_RESOURCE
                    && state.intersects(states::SHADER_RESOURCE);
                if known.foreign && is_read {
                    None
                } else if self.queue == QueueType::Compute
                    && state.contains(pixel)
                    && !known.foreign
                {
                    Some(Misuse::PixelStateOnCompute)
                } else if allows(state, (surely, maybe)) {
                    None
                } else if is_read {
                    Some(Misuse::Stage)
                } else {
                    Some(Misuse::Outside)
                }
            }
            State::Promoted { surely: old, .. } => {
                let is_left_over = known.origin.scope != self.scope;
                let covered = if is_left_over {
                    old == wanted
                } else {
                    nature.promotable().contains(wanted)
                };
                if covered {
                    known::promoted(known.state, (surely, maybe), nature)
                        .is_none()
                        .then_some(Misuse::DoesNotJoin)
                } else {
                    Some(Misuse::Outside)
                }
            }
        }
    }

    /// The queue, if it cannot take a texture out of a state. Readings R30, R37: a copy queue changes no layout.
    fn unable(&self, resource: ResourceId, state: State) -> Option<QueueType> {
        let is_texture = self.scenario.resource(resource).texture().is_some();
        let names = match state {
            State::Explicit(state) => states::of_queue(self.queue).contains(state),
            _ => true,
        };
        let is_common = matches!(state, State::Common);
        let cannot = is_texture && !is_common && (self.queue == QueueType::Copy || !names);
        cannot.then_some(self.queue)
    }

    /// What the same command does with the same subresources besides a use: an access that no state has along with the
    /// use's, and else the state of its other reads.
    fn others(
        &self,
        list: &List,
        usage: &Use,
        wanted: ResourceState,
    ) -> (Option<BarrierAccess>, ResourceState) {
        let resource = self.scenario.resource(usage.resource);
        let meets = |other: &Use| match resource.texture() {
            None => true,
            Some(shape) => {
                let sub = |used: &Use| geometry::subresource_box(shape, &used.range).ok();
                sub(usage).zip(sub(other)).is_none_or(|(a, b)| a.meets(&b))
            }
        };
        // What was built without a text has no places.
        let mut commands = list.commands.iter().filter(|_| usage.span.end > 0);
        let command = commands.find(|c| c.uses.iter().any(|used| used.span == usage.span));
        let uses = command.into_iter().flat_map(|command| &command.uses);
        let mut along = ResourceState::empty();
        for other in uses.filter(|used| used.resource == usage.resource && meets(used)) {
            let (surely, maybe) = known::promotion(other);
            let state = surely | maybe;
            if wanted.contains(state) {
                continue;
            }
            if usage.access.writes() || other.access.writes() {
                return (Some(other.access), ResourceState::empty());
            }
            along |= state;
        }
        (None, along)
    }

    fn misused(
        &self,
        list: &List,
        at: &At<'_>,
        usage: &Use,
        misuse: Misuse,
        known: &Known,
        (surely, maybe): (ResourceState, ResourceState),
    ) -> Finding {
        let phase = self.phase(&known.origin);
        let wanted = surely | maybe;
        match misuse {
            Misuse::PixelStateOnCompute => pixel_state_on_compute::found(at, phase, known),
            Misuse::Stage => stage_not_in_state::found(at, phase, known, wanted),
            Misuse::DoesNotJoin => promotions_do_not_join::found(at, phase, known, wanted),
            Misuse::Outside => {
                let (against, along) = self.others(list, usage, wanted);
                let wanted = Wanted {
                    access: usage.access,
                    state: wanted,
                    against,
                    along,
                    unable: self.unable(usage.resource, known.state),
                };
                use_outside_state::found(at, phase, known, &wanted)
            }
        }
    }

    /// The use needs what the transition before it gave, and would have come to it by itself.
    fn report_promotes(
        &mut self,
        resource: ResourceId,
        known: &Known,
        (surely, maybe): (ResourceState, ResourceState),
    ) {
        let (State::Explicit(state), Some(list)) = (known.state, known.origin.list) else {
            return;
        };
        let here = known.origin.scope == self.scope;
        if here && state.contains(surely) && (maybe.is_empty() || state.intersects(maybe)) {
            let list = &self.scenario.lists[list];
            let at = self.at(list, known.origin.span, resource);
            let finding = promotes_anyway::found(&at, state, self.nature(resource).free);
            self.report(&at, finding);
        }
    }
}

/// Whether a state that a transition or the creation set has what a use needs. The writable depth state also reads: its
/// layout allows both. Spec: "Layout Access Compatibility".
fn allows(state: ResourceState, (surely, maybe): (ResourceState, ResourceState)) -> bool {
    let depth = state.contains(ResourceState::DEPTH_WRITE) && surely == ResourceState::DEPTH_READ;
    depth || state.contains(surely) && (maybe.is_empty() || state.intersects(maybe))
}
