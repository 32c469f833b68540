//! Barriers of resource states, as `ResourceBarrier()` takes them.
//!
//! Where textures change is what `layouts.rs` says, of layouts that a state stands for; the state is what everything needs that
//! is done in the layout. Buffers, and textures for simultaneous access, are in `COMMON` at the start of each
//! `ExecuteCommandLists` call: the first use promotes them, and reads add up until something needs another state (spec:
//! "Resource State Promotion and Decay"). Unordered accesses that need each other get a UAV barrier, memory that another
//! resource takes over an aliasing barrier.
//!
//! Cost: the uses once for each resource.

use super::acts::{Act, PartActs};
use super::layouts::Layouts;
use super::wish::Wish;
use super::wishes::Made;
use crate::api::{Layout, Leaf, LeafSet, QueueType, ResourceState};
use crate::id::ResourceId;
use crate::legacy::states;
use crate::order::LayoutTracker;
use crate::scenario::{LegacyBarrier, LegacySplit, Part, Range};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// What a barrier of states does.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Stated {
    /// From one state to another one.
    Transition(ResourceState, ResourceState),
    /// Unordered accesses wait for each other.
    Uav,
    /// The memory goes to this resource.
    Alias(ResourceId),
}

impl Stated {
    /// Whether it may be two halves.
    pub(super) fn is_transition(self) -> bool {
        matches!(self, Self::Transition(..))
    }

    /// The entries for some ranges of a resource.
    pub(super) fn entries(
        self,
        resource: ResourceId,
        ranges: Vec<Range>,
        half: Option<bool>,
    ) -> Vec<LegacyBarrier> {
        let split = half.map(|is_first| {
            if is_first {
                LegacySplit::Begin
            } else {
                LegacySplit::End
            }
        });
        match self {
            Self::Transition(from, to) => {
                let part = |range| Part { resource, range };
                let of = |range| LegacyBarrier::transition(part(range), (from, to), split);
                ranges.into_iter().map(of).collect()
            }
            Self::Uav => vec![LegacyBarrier::uav(Some(resource))],
            Self::Alias(other) => vec![LegacyBarrier::alias(Some(resource), Some(other))],
        }
    }
}

/// Layouts in which a use finds a texture and that a state stands for, or several together. In `COMMON` copy queues use all
/// textures; others find a texture there only between queues, and where it is presented. A compute queue uses no texture in
/// the state of pixel shaders: of a texture that it uses, the layouts of direct queues are with that state, and others without.
pub(super) fn layouts(act: &Act, is_computed: bool) -> Layouts {
    use Layout as L;
    let needs_pixel = needed(act).contains(ResourceState::PIXEL_SHADER_RESOURCE);
    let stated = |it: Layout| match it {
        L::Common => act.queue == QueueType::Copy,
        L::DirectQueueShaderResource => is_computed,
        L::DirectQueueGenericRead => true,
        L::DirectQueueGenericReadComputeQueueAccessible => !is_computed,
        _ if is_computed && needs_pixel => false,
        _ => it != L::Undefined && states::of_layout(it).is_some(),
    };
    let all = Layout::ALL.iter().copied().filter(|it| stated(*it));
    all.fold(Layouts::NONE, |all, it| all.or(Layouts::one(it)))
}

/// The state that a use needs.
fn needed(act: &Act) -> ResourceState {
    let discard = act.discards.first();
    let (access, stages) = discard.map_or((act.access, act.stages), |(access, leaf)| {
        (*access, LeafSet::one(*leaf))
    });
    let state = states::of_access(access);
    let (pixel, other) = (
        ResourceState::PIXEL_SHADER_RESOURCE,
        ResourceState::NON_PIXEL_SHADER_RESOURCE,
    );
    if state != pixel | other {
        return state;
    }
    // The stage decides.
    let elsewhere = stages.iter().any(|leaf| leaf != Leaf::PixelShading);
    match (stages.has(Leaf::PixelShading), elsewhere) {
        (true, false) => pixel,
        (false, true) => other,
        _ => state,
    }
}

fn reads(state: ResourceState) -> bool {
    states::writes(state).is_empty()
}

/// What each texture needs in each layout.
#[derive(Default)]
struct Textures {
    needed: IndexMap<(ResourceId, Layout), ResourceState>,
    /// Those that compute queues use.
    computed: BTreeSet<ResourceId>,
}

impl Textures {
    /// The state of a resource in a layout.
    fn state(&self, resource: ResourceId, layout: Layout) -> ResourceState {
        let needed = self.needed.get(&(resource, layout)).copied();
        match states::of_layout(layout) {
            Some(own) if own.is_empty() || !reads(own) => own,
            // Compute queues name no state of pixel shaders.
            Some(own) if self.computed.contains(&resource) => {
                needed.unwrap_or(own - ResourceState::PIXEL_SHADER_RESOURCE)
            }
            own => needed.or(own).unwrap_or_default(),
        }
    }
}

impl Made<'_, '_> {
    /// The layout of a texture before anything uses it. What no state stands for becomes what is chosen, or that of its first use.
    pub(super) fn initial(&self, id: ResourceId) -> Layout {
        let declared = LayoutTracker::declared(self.resource(id));
        if !self.is_free(id) {
            return declared;
        }
        if let Some(chosen) = self.initials.get(&id) {
            return *chosen;
        }
        let mut acts = self.whole.acts.all.iter();
        let first = acts.find(|it| it.resource == id && !it.is_wish);
        first.map_or(declared, |it| states::layout(needed(it)))
    }

    /// Whether a texture may be created in any state: its text says none.
    pub(super) fn is_free(&self, id: ResourceId) -> bool {
        let declared = LayoutTracker::declared(self.resource(id));
        let is_stated = declared != Layout::Undefined && states::of_layout(declared).is_some();
        self.how.is_stated && !is_stated
    }

    /// Whether promotion from `COMMON` gives everything that is done with a texture: it is only read.
    pub(super) fn is_promoted(&self, id: ResourceId) -> bool {
        let promotes = ResourceState::PIXEL_SHADER_RESOURCE
            | ResourceState::NON_PIXEL_SHADER_RESOURCE
            | ResourceState::COPY_SOURCE;
        let own = self.whole.acts.all.iter().filter(|it| it.resource == id);
        let mut own = own.filter(|it| !it.is_wish);
        let is_common = LayoutTracker::declared(self.resource(id)) == Layout::Common;
        is_common && own.all(|it| promotes.contains(needed(it)))
    }

    /// Barriers of layouts and of unordered accesses become barriers of states; others are not needed. Returns the states in
    /// which textures are to be created.
    pub(super) fn state_textures(&mut self) -> Vec<(ResourceId, ResourceState)> {
        let mut textures = Textures::default();
        for (act, layout) in self.whole.acts.all.iter().zip(&self.layouts) {
            if let Some(layout) = layout.filter(|_| !act.is_wish) {
                *textures.needed.entry((act.resource, layout)).or_default() |= needed(act);
                if act.queue == QueueType::Compute {
                    textures.computed.insert(act.resource);
                }
            }
        }
        let mut wishes = std::mem::take(&mut self.wishes);
        wishes.retain(|_, wish| {
            if wish.stated.is_some() {
                return true;
            }
            let Some((from, to)) = wish.layouts else {
                return false;
            };
            let state = |layout| textures.state(wish.resource, layout);
            let (before, after) = (state(from), state(to));
            if before != after {
                wish.stated = Some(Stated::Transition(before, after));
            } else if to == Layout::UnorderedAccess {
                wish.stated = Some(Stated::Uav);
            }
            wish.stated.is_some()
        });
        self.wishes = wishes;
        let used: BTreeSet<ResourceId> = self.whole.acts.all.iter().map(|it| it.resource).collect();
        let used = used.into_iter().filter(|it| self.has_layouts(*it));
        used.map(|it| (it, textures.state(it, self.initial(it))))
            .collect()
    }

    /// The barriers of a resource that each call finds in `COMMON`: a state is that of all of a buffer, and of each subresource.
    pub(super) fn state_promoted(&mut self, resource: ResourceId) {
        let acts = self.whole.acts;
        if !self.resource(resource).is_buffer() {
            for part in acts.parts.iter().filter(|it| it.resource == resource) {
                self.state_part(part);
            }
            return;
        }
        let own = (0..).zip(&acts.all);
        let own = own.filter(|(_, it)| it.resource == resource);
        self.state_part(&PartActs {
            resource,
            runs: Vec::new(),
            acts: own.map(|(at, _)| at).collect(),
        });
    }

    fn state_part(&mut self, part: &PartActs) {
        let all = &self.whole.acts.all;
        let own = part.acts.iter().map(|at| (*at, &all[*at as usize]));
        let own: Vec<(u32, &Act)> = own
            .filter(|(_, it)| it.spot.is_some() && !it.is_wish)
            .collect();
        for scope in own.chunk_by(|one, next| one.1.submission == next.1.submission) {
            self.state_in_scope(part, scope);
        }
    }

    fn state_in_scope(&mut self, part: &PartActs, scope: &[(u32, &Act)]) {
        let mut phase: Vec<u32> = Vec::new();
        let (mut state, mut is_set) = (ResourceState::default(), false);
        for (at, (index, act)) in scope.iter().enumerate() {
            let wanted = needed(act);
            let both_read = reads(state) && reads(wanted);
            let joins = phase.is_empty() && !is_set
                || state == wanted
                || both_read && (!is_set || state.contains(wanted));
            let stated = if joins {
                state |= wanted;
                let waits = self.whole.needs.of(*index).iter();
                let waits = waits.filter(|it| phase.contains(it)).count() > 0;
                let is_uav = wanted == ResourceState::UNORDERED_ACCESS
                    || wanted == ResourceState::RAYTRACING_ACCELERATION_STRUCTURE;
                (waits && is_uav).then_some(Stated::Uav)
            } else {
                let rest = scope[at..].iter().map(|it| needed(it.1));
                let to = if reads(wanted) {
                    let together = rest.take_while(|it| reads(*it));
                    together.fold(wanted, |all, it| all | it)
                } else {
                    wanted
                };
                is_set = true;
                Some(Stated::Transition(std::mem::replace(&mut state, to), to))
            };
            if let Some(stated) = stated
                && let Some(wish) = self.between(part, &phase, *index)
            {
                self.keep(Wish {
                    stated: Some(stated),
                    ..wish
                });
                phase.clear();
            }
            phase.push(*index);
        }
    }
}
