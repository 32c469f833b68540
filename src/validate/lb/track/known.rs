//! What is known of a subresource's legacy state, and how uses and scopes change it: promotion and decay.
//!
//! Spec: "Resource State Promotion and Decay".

use crate::api::{BarrierAccess, Layout, Leaf, LeafSet, ResourceFlags, ResourceState};
use crate::finding::Span;
use crate::id::{ListId, SubmissionId};
use crate::legacy::states;
use crate::scenario::{Resource, Use};
use std::fmt;

/// What a subresource is in.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(in crate::validate) enum State {
    /// `COMMON`, of either kind of barrier.
    Common,
    /// A legacy state that a transition or the creation set.
    Explicit(ResourceState),
    /// A legacy state that uses promoted it to.
    Promoted {
        /// States that the uses surely need.
        surely: ResourceState,
        /// States of which a use needs at least one: its stage is not written.
        maybe: ResourceState,
    },
    /// A layout of enhanced barriers other than `COMMON`.
    Enhanced(Layout),
    /// Anything: a list that does not execute, a race, or uses that cannot be promoted together.
    Unknown,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Common => f.write_str("COMMON"),
            Self::Explicit(state) => write!(f, "{state}"),
            Self::Promoted { surely, maybe } => write!(f, "{}", *surely | *maybe),
            Self::Enhanced(layout) => write!(f, "the layout {layout}"),
            Self::Unknown => f.write_str("an unknown state"),
        }
    }
}

impl State {
    /// As a legacy state; `None` if it is none, or not known.
    pub(in crate::validate) fn named(self) -> Option<ResourceState> {
        match self {
            Self::Common => Some(ResourceState::empty()),
            Self::Explicit(state) => Some(state),
            Self::Promoted { surely, maybe } => Some(surely | maybe),
            Self::Enhanced(_) | Self::Unknown => None,
        }
    }

    /// The state that a transition leaves.
    pub(super) fn after(state: ResourceState) -> Self {
        if state.is_empty() {
            Self::Common
        } else {
            Self::Explicit(state)
        }
    }
}

/// How a subresource came into its state.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(in crate::validate) enum How {
    /// By its creation.
    Created,
    /// By a legacy transition.
    Transition,
    /// By a use in `COMMON`.
    Promotion,
    /// By the end of a scope, in which it was in this state.
    Decay(ResourceState),
    /// By an enhanced barrier.
    Enhanced,
}

/// Where a state comes from.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(in crate::validate) struct Origin {
    /// The statement.
    pub(in crate::validate) span: Span,
    /// How the subresource came into the state.
    pub(in crate::validate) how: How,
    /// The list of the statement.
    pub(super) list: Option<ListId>,
    /// The scope in which it ran.
    pub(super) scope: u32,
    /// The execution of the list in which it ran.
    pub(super) walk: u32,
}

impl Origin {
    /// What the statement did, for a related place.
    pub(in crate::validate) fn label(&self, state: State) -> String {
        match self.how {
            How::Created => format!("created in {state} here"),
            How::Transition => format!("this transition brought it into {state}"),
            How::Promotion => format!("this use promoted it to {state}"),
            How::Decay(was) => {
                format!("{was} was set here and decayed to COMMON at the end of its call")
            }
            How::Enhanced => format!("this enhanced barrier brought it into {state}"),
        }
    }
}

/// A kind of barrier.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum BarrierKind {
    Legacy,
    Enhanced,
}

/// What is known of a subresource. One for each run of subresources that have the same history.
#[derive(Copy, Clone, PartialEq, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts of one subresource that do not exclude each other"
)]
pub(in crate::validate) struct Known {
    /// What it is in.
    pub(in crate::validate) state: State,
    /// Where that comes from.
    pub(in crate::validate) origin: Origin,
    /// It has a legacy state, `COMMON` included: through its creation or a legacy transition (reading R37).
    pub(super) legacy: bool,
    /// Uses are judged by its legacy state (reading R55): a texture created with a state or after a legacy transition, a
    /// buffer after a legacy transition of this scope.
    pub(super) assigned: bool,
    /// Uses promoted it to states that do not join. Which of them it is in depends on the order of the uses.
    pub(super) unsettled: bool,
    /// A refused transition brought it into a state for pixel shaders, which its queue does not have, so that shader resource states
    /// are as one: that a read or a later transition names another of them follows from the refused one (reading R72).
    pub(super) foreign: bool,
    /// The state ends with the scope in which it came.
    pub(super) decays: bool,
    /// The submission that set the state last, where the state outlives its scope.
    pub(super) setter: Option<SubmissionId>,
    /// Submissions that set the state without order among them: index into the tracker's races.
    pub(super) race: Option<u32>,
    /// The first half of a legacy split transition that waits for its second: index into the tracker's splits.
    pub(super) split: Option<u32>,
    /// The last barrier, and the scope in which it ran.
    pub(super) last: Option<(BarrierKind, u32)>,
    /// The scope of the last use since the last transition.
    pub(super) used: u32,
    /// Used since the last barrier of this scope.
    pub(super) dirty: bool,
    /// The transition that set the state came from `COMMON` before anything else in its scope: the use that follows
    /// would have promoted it.
    pub(super) promotes: bool,
    /// Number of the last thing that touched it.
    pub(super) touch: u32,
}

/// What promotion and decay depend on.
#[derive(Copy, Clone, Debug)]
pub(super) struct Nature {
    /// A buffer.
    pub(super) buffer: bool,
    /// A buffer or a simultaneous-access texture: promoted to nearly anything, always decays.
    pub(super) free: bool,
}

impl Nature {
    pub(super) fn of(resource: &Resource) -> Self {
        Self {
            buffer: resource.is_buffer(),
            free: resource.is_buffer()
                || resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS),
        }
    }

    /// States that `COMMON` is promoted to.
    pub(super) fn promotable(self) -> ResourceState {
        if self.free {
            // Spec: "... to ANY state, except DEPTH_STENCIL"; acceleration structures never change.
            ResourceState::all()
                - ResourceState::DEPTH_WRITE
                - ResourceState::DEPTH_READ
                - ResourceState::RAYTRACING_ACCELERATION_STRUCTURE
        } else {
            states::PROMOTABLE
        }
    }

    /// What of a state means something for such a resource: on a texture, `GENERIC_READ` names buffer states in vain.
    pub(super) fn meant(self, state: ResourceState) -> ResourceState {
        if self.buffer {
            state
        } else {
            state - states::ONLY_ON_BUFFERS
        }
    }
}

impl Known {
    /// The same at a later moment: what decays has decayed.
    pub(super) fn seen_from(mut self, scope: u32, nature: Nature) -> Self {
        let is_over = self.origin.scope != scope;
        if is_over && self.unsettled && !self.decays {
            self.state = State::Unknown;
        }
        self.unsettled &= !is_over;
        if is_over && self.decays {
            // Spec: "Interop with legacy ResourceBarrier", last sentence: what always decays starts every scope anew.
            self.legacy &= !nature.free;
            self.assigned &= !nature.buffer;
            let was = match self.state {
                State::Explicit(state) => state,
                State::Promoted { surely, maybe } => surely | maybe,
                _ => ResourceState::empty(),
            };
            if self.state != State::Common {
                self.origin.how = How::Decay(was);
            }
            self.state = State::Common;
            self.decays = false;
        }
        if self.used != scope && self.last.is_none_or(|(_, at)| at != scope) {
            self.dirty = false;
        }
        self
    }

    /// Whether `StateBefore` may say `before` (reading R37).
    pub(super) fn matches(&self, before: ResourceState, nature: Nature) -> bool {
        let meant = nature.meant(before);
        match self.state {
            // The use that made it so was reported.
            _ if self.unsettled => true,
            State::Common => {
                before.is_empty() || !meant.is_empty() && nature.promotable().contains(meant)
            }
            State::Explicit(state) if self.foreign => is_as_foreign(nature.meant(state), meant),
            State::Explicit(state) => nature.meant(state) == meant,
            State::Promoted { surely, maybe } => {
                if states::access(surely).writes() {
                    return before == surely;
                }
                // Reads are promoted cumulatively, by `StateBefore` too.
                meant.contains(surely)
                    && nature.promotable().contains(meant)
                    && !states::access(meant).writes()
                    && (maybe.is_empty() || meant.intersects(maybe))
            }
            // That is another rule's business.
            State::Enhanced(_) | State::Unknown => true,
        }
    }
}

impl Known {
    /// What a `StateBefore` of `before` should have been (reading R72): the same if it is right.
    pub(super) fn instead_of(&self, before: ResourceState, nature: Nature) -> ResourceState {
        if self.matches(before, nature) {
            return before;
        }
        self.state.named().unwrap_or(before)
    }
}

/// Whether a state is one for pixel shaders but for which shaders read: of several states, at all.
fn is_as_foreign(state: ResourceState, said: ResourceState) -> bool {
    let rest = |state: ResourceState| state - states::SHADER_RESOURCE;
    rest(state) == rest(said) && !said.is_empty()
}

/// What a use is promoted to: states that it surely needs, and states of which it needs at least one.
pub(super) fn promotion(usage: &Use) -> (ResourceState, ResourceState) {
    let none = ResourceState::empty();
    if usage.access != BarrierAccess::SHADER_RESOURCE {
        return (states::of_access(usage.access), none);
    }
    let pixel = LeafSet::one(Leaf::PixelShading);
    let mut state = none;
    if usage.stages.meets(pixel) {
        state |= ResourceState::PIXEL_SHADER_RESOURCE;
    }
    if !usage.stages.minus(pixel).is_empty() {
        state |= ResourceState::NON_PIXEL_SHADER_RESOURCE;
    }
    let both = states::SHADER_RESOURCE;
    if state == both && !usage.explicit_stages {
        (none, both)
    } else {
        (state, none)
    }
}

/// The state after a use that needs `(surely, maybe)`. `None`: what earlier uses promoted the resource to does not join
/// what this one needs. Spec: "multiple read-states but only a single write-state", "No Self Copy".
pub(super) fn promoted(
    known: State,
    (surely, maybe): (ResourceState, ResourceState),
    nature: Nature,
) -> Option<State> {
    let wanted = surely | maybe;
    if wanted.is_empty() {
        return Some(known);
    }
    match known {
        State::Common if nature.promotable().contains(wanted) => {
            Some(State::Promoted { surely, maybe })
        }
        State::Promoted {
            surely: old,
            maybe: old_maybe,
        } if nature.promotable().contains(wanted) => {
            let old_writes = states::access(old).writes();
            let new_writes = states::access(wanted).writes();
            if old_writes || new_writes {
                return (old == surely).then_some(known);
            }
            let surely = surely | old;
            // A guess stays where one of its states is sure by now: what acts as this state waits for all that may read. Of two guesses
            // the wider one is kept.
            let maybe = maybe | old_maybe;
            Some(State::Promoted { surely, maybe })
        }
        // In a state that a barrier set, a use changes nothing.
        State::Common
        | State::Promoted { .. }
        | State::Explicit(_)
        | State::Enhanced(_)
        | State::Unknown => Some(known),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_subresources_is_small() {
        assert!(size_of::<(u32, Known)>() <= 200);
    }
}
