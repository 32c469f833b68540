//! What comes after a barrier's own effect, answered exactly by walking the scope once more.
//!
//! A transition has no leaf at which it could be counted. The state keeps what barriers on the same bytes do to it; what
//! composes through barriers elsewhere or through a command's later stages is asked here, only where the state says
//! "visible and not ordered", which takes aliases or a broken chain. Cost: one walk from the barrier on.

use super::barriers;
use super::cover::{BarrierScopes, held_by};
use super::walk::{command_leaves, is_synchronous};
use crate::api::{LeafSet, QueueType};
use crate::id::{BarrierRef, NodeId, ResourceId, SubmissionId, narrow};
use crate::order::Timeline;
use crate::scenario::{Barrier, BarrierTarget, Command, CommandKind, geometry};

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
    /// Each of its subresources, and whether the barrier comes after the start's effect there.
    follows: Vec<(u32, bool)>,
    after: LeafSet,
    global: bool,
    begins: bool,
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
        let holds = |index: &u32| {
            let (mip, layer, plane) = shape.coordinates(*index);
            let start = whole.start + shape.offset(mip, layer, plane);
            (start..start + shape.subresource_bytes(mip, plane)).contains(&byte)
        };
        (0..shape.subresources()).find(holds).unwrap_or(0)
    }

    fn reaches(self, start: (BarrierRef, u32), goal: Goal) -> bool {
        let mut front = Front::default();
        let commands = self.timeline.commands(self.submission);
        for (node, list, command) in commands.skip_while(|(node, ..)| *node < start.0.node) {
            let answer = match &command.kind {
                CommandKind::Barrier(entries)
                | CommandKind::FenceBarrier {
                    barriers: entries, ..
                } => self.call(&mut front, start, goal, node, entries),
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
        start: (BarrierRef, u32),
        goal: Goal,
        node: NodeId,
        entries: &[Barrier],
    ) -> Option<bool> {
        for (index, barrier) in entries.iter().enumerate() {
            let id = BarrierRef {
                node,
                entry: narrow(index),
            };
            if id < start.0 {
                continue;
            }
            let scopes = barriers::scopes(self.timeline.scenario, self.queue, barrier);
            let passed = self.pass(front, start, id, barrier, &scopes);
            if let Goal::Barrier((target, sub)) = goal
                && target == id
            {
                let on = passed.follows.iter().find(|(known, _)| *known == sub);
                return Some(on.is_some_and(|(_, follows)| *follows));
            }
            if passed.follows.iter().any(|(_, follows)| *follows) && !passed.begins {
                front.held = front.held.union(passed.after);
            }
            front.passed.push(passed);
        }
        None
    }

    /// Subresources of an entry; 0 for a buffer or a global barrier.
    fn subresources(self, barrier: &Barrier) -> Vec<u32> {
        if let BarrierTarget::Texture {
            resource: Some(texture),
            range,
            ..
        } = &barrier.target
            && let Some(shape) = self.timeline.scenario.resource(*texture).texture()
            && let Ok(sub) = geometry::barrier_box(shape, range)
        {
            let runs = sub.index_runs(shape).into_iter();
            return runs.flat_map(|(first, end)| first..end).collect();
        }
        vec![0]
    }

    fn pass(
        self,
        front: &Front,
        start: (BarrierRef, u32),
        id: BarrierRef,
        barrier: &Barrier,
        scopes: &BarrierScopes,
    ) -> Passed {
        let mut passed = Passed {
            resource: barrier.resource(),
            follows: Vec::new(),
            after: scopes.after.stages,
            global: scopes.global,
            begins: barrier.sync_after.is_split(),
        };
        let before = scopes.before.stages;
        // Direct composition wherever it applies (reading R12).
        let anywhere = front.everything
            || front.reached.meets(before)
            || front.passed.iter().any(|p| {
                p.follows.iter().any(|(_, follows)| *follows)
                    && p.after.meets(before)
                    && (p.global || scopes.global || scopes.waits_for_all)
            });
        for sub in self.subresources(barrier) {
            let follows = if id == start.0 {
                sub == start.1
            } else {
                anywhere || composes(front, &passed, sub, barrier, before)
            };
            passed.follows.push((sub, follows));
        }
        passed
    }
}

/// Direct composition on one subresource: with the latest barrier on it, or with the first half (readings R12, R27).
fn composes(front: &Front, this: &Passed, sub: u32, barrier: &Barrier, before: LeafSet) -> bool {
    if this.resource.is_none() {
        return false;
    }
    let ends = barrier.sync_before.is_split();
    let mut earlier = front
        .passed
        .iter()
        .rev()
        .filter(|p| p.resource == this.resource && (!ends || p.begins));
    let found = earlier.find_map(|p| {
        let at = p.follows.iter().find(|(known, _)| *known == sub);
        at.map(|(_, follows)| (p, *follows))
    });
    found.is_some_and(|(p, follows)| follows && (ends || p.after.meets(before)))
}
