//! What comes after a barrier's own effect, answered exactly by walking the scope once more.
//!
//! A transition has no leaf at which it could be counted. The state keeps what barriers on the same bytes do to it; what
//! composes through barriers elsewhere or through a command's later stages is asked here, only where the state says
//! "visible and not ordered", which takes aliases or a broken chain. Cost: one walk from the barrier to what is asked for.

use super::barriers;
use super::cover::{BarrierScopes, held_by};
use super::walk::{command_leaves, is_synchronous};
use crate::api::{LeafSet, QueueType};
use crate::id::{BarrierRef, Extent, NodeId, ResourceId, SubmissionId, narrow};
use crate::order::{self, AdjacentBarriers, JoinedPart, Timeline};
use crate::scenario::{Barrier, BarrierTarget, Command, CommandKind};

/// A scope to walk again.
#[derive(Copy, Clone)]
pub(super) struct Replay<'t, 's> {
    pub(super) timeline: &'t Timeline<'s>,
    pub(super) submission: SubmissionId,
    pub(super) queue: QueueType,
}

/// What a walk asks for.
#[derive(Copy, Clone)]
enum Goal {
    Use(NodeId, LeafSet),
    Barrier((BarrierRef, u32)),
}

/// A barrier from the start on.
struct Passed {
    resource: Option<ResourceId>,
    places: Vec<Replayed>,
    global: bool,
    begins: bool,
}

/// A barrier on one of its subresources.
#[derive(Copy, Clone)]
struct Replayed {
    sub: u32,
    /// It comes after the start's effect.
    follows: bool,
    before: LeafSet,
    after: LeafSet,
    waits_for_all: bool,
    /// One with the barrier before it (reading R52).
    extends: bool,
}

impl Passed {
    fn on(&self, sub: u32) -> Option<&Replayed> {
        self.places.iter().find(|place| place.sub == sub)
    }

    fn following(&self) -> impl Iterator<Item = &Replayed> {
        self.places.iter().filter(|place| place.follows)
    }
}

#[derive(Default)]
struct Front {
    /// Stages whose later work comes after the start.
    held: LeafSet,
    /// Stages at which some work has come after the start.
    reached: LeafSet,
    /// A synchronous command came after it: everything later does (reading R20).
    everything: bool,
    passed: Vec<Passed>,
}

impl Replay<'_, '_> {
    /// Whether a barrier's effect on a subresource is over before a command's work at `stages` begins.
    pub(super) fn precedes_use(
        self,
        start: (BarrierRef, u32),
        node: NodeId,
        stages: LeafSet,
    ) -> bool {
        self.reaches(start, Goal::Use(node, stages))
    }

    /// Whether a barrier's effect on a subresource is over before another barrier acts on one.
    pub(super) fn precedes_barrier(
        self,
        start: (BarrierRef, u32),
        second: (BarrierRef, u32),
    ) -> bool {
        self.reaches(start, Goal::Barrier(second))
    }

    /// The subresource of a texture that holds a byte of its memory; 0 for a buffer.
    pub(super) fn subresource(self, resource: ResourceId, byte: u64) -> u32 {
        let timeline = self.timeline;
        let shape = timeline.scenario.resource(resource).texture();
        let (Some(shape), Some(whole)) = (shape, timeline.memory.whole(resource)) else {
            return 0;
        };
        if byte >= whole.end {
            return 0;
        }
        // Subresources lie in the order of their indices.
        let starts_after = |index: u32| {
            let (mip, layer, plane) = shape.coordinates(index);
            byte < whole.start + shape.offset(mip, layer, plane)
        };
        let (mut first, mut end) = (0, shape.subresources());
        while end - first > 1 {
            let middle = first + (end - first) / 2;
            if starts_after(middle) {
                end = middle;
            } else {
                first = middle;
            }
        }
        first
    }

    /// Some bytes, cut where one subresource of a resource ends and the next starts.
    pub(super) fn parts(self, resource: ResourceId, bytes: Extent) -> Vec<Extent> {
        let timeline = self.timeline;
        let mut parts = Vec::new();
        let first = self.subresource(resource, bytes.start);
        let last = self.subresource(resource, bytes.end - 1);
        let each: Vec<(u32, u32)> = (first..=last).map(|index| (index, index + 1)).collect();
        let memory = &timeline.memory;
        memory.for_each_subresource_extent(timeline.scenario, resource, &each, |subresource| {
            parts.extend(subresource.intersection(bytes));
        });
        parts
    }

    fn reaches(self, start: (BarrierRef, u32), goal: Goal) -> bool {
        let mut front = Front::default();
        let mut adjacent = AdjacentBarriers::new(self.timeline);
        adjacent.enter_at(self.submission, start.0.node);
        let commands = self.timeline.commands_from(self.submission, start.0.node);
        for (node, list, command) in commands {
            let answer = match &command.kind {
                CommandKind::Barrier(entries)
                | CommandKind::FenceBarrier {
                    barriers: entries, ..
                } => self.call(&mut front, &mut adjacent, start, goal, (node, entries)),
                _ => {
                    let sync = is_synchronous(self.timeline.scenario, list, &command.kind);
                    self.command(&mut front, goal, node, command, sync)
                }
            };
            if let Some(answer) = answer {
                return answer;
            }
        }
        false
    }

    fn command(
        self,
        front: &mut Front,
        goal: Goal,
        node: NodeId,
        command: &Command,
        synchronous: bool,
    ) -> Option<bool> {
        let mut leaves = command_leaves(command);
        for usage in &command.uses {
            leaves = leaves.union(self.timeline.effect(node, usage).1);
        }
        let mut blocked = LeafSet::EMPTY;
        for leaf in leaves.iter() {
            if front.everything || held_by(leaf).intersection(leaves).meets(front.held) {
                blocked = blocked.union(leaf.into());
            }
        }
        if let Goal::Use(target, stages) = goal
            && target == node
        {
            return Some(blocked.contains(stages));
        }
        front.reached = front.reached.union(blocked);
        front.everything |= synchronous && !blocked.is_empty();
        None
    }

    fn call(
        self,
        front: &mut Front,
        adjacent: &mut AdjacentBarriers<'_, '_>,
        start: (BarrierRef, u32),
        goal: Goal,
        (node, entries): (NodeId, &[Barrier]),
    ) -> Option<bool> {
        for (index, barrier) in entries.iter().enumerate() {
            let id = BarrierRef::new(node, narrow(index));
            if id < start.0 {
                continue;
            }
            let parts = adjacent.parts(id);
            let passed = self.pass(front, start, id, barrier, &parts);
            if let Goal::Barrier((target, sub)) = goal
                && target == id
            {
                return Some(passed.on(sub).is_some_and(|place| place.follows));
            }
            if !passed.begins {
                for place in passed.following() {
                    front.held = front.held.union(place.after);
                }
            }
            front.passed.push(passed);
        }
        None
    }

    /// An entry on each of its subresources; on 0 for a buffer or a global barrier.
    fn places(self, barrier: &Barrier, parts: &[JoinedPart]) -> Vec<Replayed> {
        let scopes = barriers::scopes(self.timeline.scenario, self.queue, barrier);
        let place = |sub, scopes: &BarrierScopes, extends| Replayed {
            sub,
            follows: false,
            before: scopes.before.stages,
            after: scopes.after.stages,
            waits_for_all: scopes.waits_for_all,
            extends,
        };
        let all = |runs: &[(u32, u32)]| -> Vec<u32> {
            runs.iter().flat_map(|(first, end)| *first..*end).collect()
        };
        if !parts.is_empty() {
            let joined = parts.iter().flat_map(|part| {
                let scopes = scopes.joined(self.queue, part);
                let subs = all(&part.subresources).into_iter();
                subs.map(move |sub| place(sub, &scopes, part.extends))
            });
            return joined.collect();
        }
        let mut subs = all(&order::subresources(self.timeline.scenario, barrier));
        if subs.is_empty() {
            // A range beyond the texture.
            subs.push(0);
        }
        let places = subs.into_iter().map(|sub| place(sub, &scopes, false));
        places.collect()
    }

    fn pass(
        self,
        front: &Front,
        start: (BarrierRef, u32),
        id: BarrierRef,
        barrier: &Barrier,
        parts: &[JoinedPart],
    ) -> Passed {
        let mut passed = Passed {
            resource: barrier.resource(),
            places: self.places(barrier, parts),
            global: matches!(barrier.target, BarrierTarget::Global),
            begins: barrier.sync_after.is_split(),
        };
        let ends = barrier.sync_before.is_split();
        for at in 0..passed.places.len() {
            let place = passed.places[at];
            passed.places[at].follows = if id == start.0 {
                place.sub == start.1
            } else {
                front.composes_anywhere(&passed, &place) || front.composes(&passed, &place, ends)
            };
        }
        passed
    }
}

impl Front {
    /// Direct composition wherever it applies (reading R12).
    fn composes_anywhere(&self, this: &Passed, place: &Replayed) -> bool {
        self.everything
            || self.reached.meets(place.before)
            || self.passed.iter().any(|p| {
                (p.global || this.global || place.waits_for_all)
                    && p.following()
                        .any(|earlier| earlier.after.meets(place.before))
            })
    }

    /// Direct composition on one subresource: with the latest barrier on it, or with the first half (readings R12, R27,
    /// R52).
    fn composes(&self, this: &Passed, place: &Replayed, ends: bool) -> bool {
        if this.resource.is_none() {
            return false;
        }
        let mut earlier = self
            .passed
            .iter()
            .rev()
            .filter(|p| p.resource == this.resource && (!ends || p.begins));
        let found = earlier.find_map(|p| p.on(place.sub));
        found.is_some_and(|p| p.follows && (ends || place.extends || p.after.meets(place.before)))
    }
}
