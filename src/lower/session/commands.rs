//! Commands in their order: barriers go to the policy, work becomes packets of work.

use super::Session;
use super::entries::sides;
use super::scope::SinceLastWait;
use crate::api::{Leaf, LeafSet};
use crate::hardware::Client;
use crate::id::{ListId, NodeId, ResourceId};
use crate::lower::derive::insert;
use crate::lower::policy::Policy;
use crate::lower::work;
use crate::program::{Access, HwOpKind, Reach, Slice, Step, StepKind, Task, Why, Work};
use crate::scenario::{Barrier, Command, CommandKind, IndirectTarget};

impl<'s> Session<'_, 's> {
    pub(super) fn command(
        &mut self,
        policy: &dyn Policy,
        node: NodeId,
        list: ListId,
        command: &'s Command,
    ) {
        match &command.kind {
            CommandKind::Barrier(entries) => self.barriers(policy, node, entries),
            CommandKind::FenceBarrier {
                signal, barriers, ..
            } => {
                let step = self.steps.iter().find(|step| step.node == node);
                let packet = step.map(|step| (step.packet(), step.time(self.timeline, self.profile)));
                if *signal {
                    self.barriers(policy, node, barriers);
                }
                let crosses = packet.is_some();
                if let Some((packet, launch)) = packet {
                    self.push(node, None, launch, packet);
                }
                if !*signal {
                    if crosses {
                        self.see_other_queues(node, barriers);
                    }
                    self.barriers(policy, node, barriers);
                }
            }
            CommandKind::SetRoot { compute } => self.scope.roots[usize::from(*compute)] = Some(node),
            CommandKind::MarkerBegin { .. }
            | CommandKind::MarkerEnd
            | CommandKind::ExecuteBundle { .. }
            | CommandKind::AssertAccess { .. }
            | CommandKind::AssertLayout { .. }
            // Translated before the timeline is made.
            | CommandKind::Legacy(_) => {}
            _ => self.work(policy, node, list, command),
        }
    }

    /// What a wait barrier takes over from another queue was written after this scope started: caches that its accesses read
    /// through are made fresh, as they were there.
    fn see_other_queues(&mut self, node: NodeId, barriers: &[Barrier]) {
        let (profile, queue) = (self.profile, self.queue);
        let taken_over = barriers.iter().filter(|b| b.sync_before.is_empty());
        let mut caches = Vec::new();
        for barrier in taken_over {
            let (_, after) = sides(self.timeline.scenario, queue, barrier);
            for variant in self.variants.iter() {
                for routes in [
                    profile.texel_routes_of(variant),
                    profile.metadata_routes_of(variant),
                ] {
                    let clients = after.accesses.iter().map(|a| Client::of(a, queue));
                    let paths = clients.flat_map(|client| routes.read_paths(client));
                    for cache in paths.flat_map(|path| routes.path(*path)) {
                        if !self.hubs.contains(cache) {
                            insert(&mut caches, *cache);
                        }
                    }
                }
            }
        }
        if caches.is_empty() {
            return;
        }
        let why = Why::Text("another queue may have written what the barrier takes over");
        let steps = caches.into_iter().map(|cache| Step {
            kind: StepKind::Invalidate {
                cache,
                reach: Reach::Everything,
            },
            why,
        });
        let steps: Vec<Step> = steps.collect();
        let steps = self.push_steps(steps);
        self.hidden(node, LeafSet::EMPTY, steps);
    }

    fn work(&mut self, policy: &dyn Policy, node: NodeId, list: ListId, command: &'s Command) {
        let scenario = self.timeline.scenario;
        if matches!(command.kind, CommandKind::Predicate) && command.uses.is_empty() {
            return;
        }
        let is_copy = matches!(
            command.kind,
            CommandKind::Copy | CommandKind::Resolve | CommandKind::Discard
        );
        policy.before_work(self, node, command);
        self.store_now(node);
        if self.scope.passes.last().is_some_and(|p| p.first == node) {
            self.begin_pass(node);
        }
        if is_copy {
            self.see_earlier_copies(node, command);
        }
        let root = self.root_of(&command.kind);
        let (accesses, size) = self.accesses_of(node, command, root);
        let stages = work::stages(self.profile, command, &size, self.queue);
        let tasks = &stages.tasks;
        let final_leaf = tasks.last().map(|t: &Task| t.leaf);
        self.switch_engine(node, tasks.last().map(|t| t.price));
        let is_first = self.scope.since_wait != SinceLastWait::Work;
        self.scope.since_wait = SinceLastWait::Work;
        let busy = work::front_end_busy(self.profile, command, tasks, is_first);
        let work = Work {
            tasks: again(&mut self.block.tasks, tasks),
            accesses,
            root,
            groups: again(&mut self.block.groups, stages.groups.as_slice()),
        };
        let op = self.push(node, None, stages.launch, HwOpKind::Work(work));
        self.block.ops[op.index()].tail = busy;
        if self.scope.pass.as_ref().is_some_and(|p| p.last == node) {
            self.end_pass();
        }
        let asynchronous =
            scenario.device.asynchronous_copies || scenario.lists[list].extended_async;
        let final_leaf = final_leaf.unwrap_or(Leaf::Copy);
        if is_copy && !asynchronous {
            self.synchronous(node, final_leaf, accesses);
        } else if is_copy {
            self.one_by_one(node, final_leaf);
        }
    }

    /// The `set-root` in effect for a command.
    fn root_of(&self, kind: &CommandKind) -> Option<NodeId> {
        let bind_point = match kind {
            CommandKind::Draw { .. } => 0,
            CommandKind::Dispatch { .. } | CommandKind::DispatchRays { .. } => 1,
            CommandKind::ExecuteIndirect { target, .. } => {
                usize::from(!matches!(target, IndirectTarget::Draw))
            }
            _ => return None,
        };
        self.scope.roots[bind_point]
    }

    /// What a command reads and writes, and how much. Commands whose uses are the same share it.
    fn accesses_of(
        &mut self,
        node: NodeId,
        command: &'s Command,
        root: Option<NodeId>,
    ) -> (Slice<Access>, work::Size) {
        let may_share = root.is_none() && self.may_share(command);
        if may_share && let Some(known) = self.alike.find(self.number, command) {
            return known;
        }
        let scenario = self.timeline.scenario;
        let from = self.block.accesses.len();
        let mut size = work::Size {
            discards_at: self.discards_at(node, command),
            ..work::Size::default()
        };
        for (index, usage) in command.uses.iter().enumerate() {
            let bytes = self.usage(node, index, usage, &command.kind);
            size.add(scenario, usage, bytes);
        }
        if let Some(root) = root
            && let Some(set) = self.timeline.command(root)
        {
            for (index, usage) in set.uses.iter().enumerate() {
                self.usage(root, index, usage, &set.kind);
            }
        }
        let accesses = Slice::since(&self.block.accesses, from);
        size.fast_clear = accesses.of(&self.block.accesses).iter().any(|a| a.clears);
        if may_share {
            self.alike.note(self.number, command, (accesses, size));
        }
        (accesses, size)
    }

    /// Whether a command's accesses follow from its uses and the layouts, and leave nothing in the scope beyond the ways
    /// that they take.
    fn may_share(&self, command: &Command) -> bool {
        let is_past_hub =
            |resource: ResourceId| self.past_hub[resource] || self.written_past_hub[resource];
        self.profile.tile_pass.is_none()
            && !matches!(command.kind, CommandKind::Discard)
            && !command.uses.iter().any(|usage| is_past_hub(usage.resource))
    }

    /// The stage at which a `discard` runs.
    fn discards_at(&self, node: NodeId, command: &Command) -> Option<Leaf> {
        let usage = command.uses.first().filter(|u| u.access.is_no_access())?;
        self.timeline.effect(node, usage).1.iter().next()
    }

    /// Stages at which a command has work.
    pub fn stages_of(&self, node: NodeId, command: &Command) -> LeafSet {
        let size = work::Size {
            indexed: true,
            discards_at: self.discards_at(node, command),
            ..work::Size::default()
        };
        let stages = work::stages(self.profile, command, &size, self.queue);
        let leaves = stages.tasks.iter().map(|task| LeafSet::from(task.leaf));
        leaves.fold(LeafSet::EMPTY, LeafSet::union)
    }
}

/// Entries of a table. Often they are those that were put there last.
fn again<T: Copy + PartialEq>(table: &mut Vec<T>, entries: &[T]) -> Slice<T> {
    if table.ends_with(entries) {
        return Slice::since(table, table.len() - entries.len());
    }
    Slice::push(table, entries.iter().copied())
}
