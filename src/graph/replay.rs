//! What comes after a barrier's own effect, answered exactly by walking the scope once more.
//!
//! A transition has no leaf at which it could be counted. The state keeps what barriers on the same bytes do to it; what
//! composes through barriers elsewhere or through a command's later stages is asked here, only where the state says
//! "visible and not ordered", which takes aliases or a broken chain. Cost: one walk from the barrier on.

use super::barriers;
use super::cover::{BarrierScopes, held_by};
use super::walk::{command_leaves, is_synchronous};
use crate::api::{LeafSet, QueueType};
use crate::id::{BarrierRef, NodeId, ResourceId, SubmissionId};
use crate::order::{self, Timeline};
use crate::scenario::geometry::SubresourceBox;
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
    Barrier(BarrierRef),
}

/// A barrier after the start.
struct Passed {
    id: BarrierRef,
    resource: Option<ResourceId>,
    sub: Option<SubresourceBox>,
    after: LeafSet,
    global: bool,
    /// Comes after the start's effect.
    follows: bool,
    begins: bool,
}

#[derive(Default)]
struct Front {
    /// Stages whose later work comes after the start.
    held: LeafSet,
    /// Stages at which some work has come after the start.
    behind: LeafSet,
    /// A synchronous command came after it: everything later does (reading R20).
    everything: bool,
    passed: Vec<Passed>,
}

impl Replay<'_, '_> {
    /// Whether a barrier's effect is over before a command's work at `stages` begins.
    pub(super) fn precedes_use(self, start: BarrierRef, node: NodeId, stages: LeafSet) -> bool {
        self.reaches(start, Goal::Use(node, stages))
    }

    /// Whether a barrier's effect is over before another barrier acts.
    pub(super) fn precedes_barrier(self, start: BarrierRef, second: BarrierRef) -> bool {
        self.reaches(start, Goal::Barrier(second))
    }

    fn reaches(self, start: BarrierRef, goal: Goal) -> bool {
        let mut front = Front::default();
        let commands = self.timeline.commands(self.submission);
        for (node, list, command) in commands.skip_while(|(node, ..)| *node < start.node) {
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
            leaves = leaves.union(if usage.access.is_no_access() {
                let resource = self.timeline.scenario.resource(usage.resource);
                order::discard_access(resource, None).1
            } else {
                usage.stages
            });
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
        front.behind = front.behind.union(blocked);
        front.everything |= synchronous && !blocked.is_empty();
        None
    }

    fn call(
        self,
        front: &mut Front,
        start: BarrierRef,
        goal: Goal,
        node: NodeId,
        entries: &[Barrier],
    ) -> Option<bool> {
        for (index, barrier) in entries.iter().enumerate() {
            let id = BarrierRef {
                node,
                entry: index as u32,
            };
            if id < start {
                continue;
            }
            let scopes = barriers::scopes(self.timeline.scenario, self.queue, barrier);
            let passed = self.pass(front, start, id, barrier, &scopes);
            if matches!(goal, Goal::Barrier(target) if target == id) {
                return Some(passed.follows);
            }
            if passed.follows && !passed.begins {
                front.held = front.held.union(passed.after);
            }
            front.passed.push(passed);
        }
        None
    }

    fn pass(
        self,
        front: &Front,
        start: BarrierRef,
        id: BarrierRef,
        barrier: &Barrier,
        scopes: &BarrierScopes,
    ) -> Passed {
        let resource = barriers::target_resource(barrier);
        let sub = match &barrier.target {
            BarrierTarget::Texture {
                resource: Some(texture),
                range,
                ..
            } => self
                .timeline
                .scenario
                .resource(*texture)
                .texture()
                .and_then(|shape| geometry::barrier_box(shape, range).ok()),
            _ => None,
        };
        let mut passed = Passed {
            id,
            resource,
            sub,
            after: scopes.after.stages,
            global: scopes.global,
            follows: id == start,
            begins: barrier.sync_after.is_split(),
        };
        if id != start {
            passed.follows = front.everything
                || front.behind.meets(scopes.before.stages)
                || self.composes(front, &passed, barrier, scopes);
        }
        passed
    }

    /// Direct composition with a barrier that follows the start (reading R12).
    fn composes(
        self,
        front: &Front,
        this: &Passed,
        barrier: &Barrier,
        scopes: &BarrierScopes,
    ) -> bool {
        let before = scopes.before.stages;
        if barrier.sync_before.is_split() {
            let begun = |p: &&Passed| p.begins && p.resource == this.resource;
            return front
                .passed
                .iter()
                .rev()
                .find(begun)
                .is_some_and(|p| p.follows);
        }
        let anywhere = |p: &Passed| {
            p.follows
                && p.after.meets(before)
                && (p.global || scopes.global || scopes.waits_for_all)
        };
        front.passed.iter().any(anywhere)
            || this.resource.is_some()
                && self
                    .latest(front, this)
                    .any(|p| p.follows && p.after.meets(before))
    }

    /// The latest earlier barrier on each subresource of this one.
    fn latest<'f>(self, front: &'f Front, this: &Passed) -> impl Iterator<Item = &'f Passed> {
        let same = |p: &&Passed| !p.global && p.resource == this.resource;
        let mut found: Vec<&Passed> = Vec::new();
        match (
            this.sub,
            this.resource.map(|r| self.timeline.scenario.resource(r)),
        ) {
            (Some(sub), Some(resource)) => {
                let shape = resource.texture().expect("a box belongs to a texture");
                for index in sub.index_runs(shape).into_iter().flat_map(|(a, b)| a..b) {
                    let meets = |p: &&Passed| {
                        same(p)
                            && p.sub.is_some_and(|s| {
                                s.index_runs(shape)
                                    .iter()
                                    .any(|(a, b)| (*a..*b).contains(&index))
                            })
                    };
                    found.extend(front.passed.iter().rev().find(meets));
                }
            }
            _ => found.extend(front.passed.iter().rev().find(same)),
        }
        found.dedup_by_key(|p| p.id);
        found.into_iter()
    }
}
