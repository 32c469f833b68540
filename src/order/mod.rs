//! From a scenario to a timeline: executions unrolled, fences resolved, happens-before between submissions.
//!
//! The scenario says what the CPU submits; the timeline says what that means: which executions there are, in which
//! order they may take effect, where every resource lies in memory, and which layout a texture has at each point.
//! Nothing here knows hazards or hardware. Order *inside* a submission is left to `graph/`: here a submission is one
//! step that ends with everything finished and flushed (Spec: "Barrier-Free Access"; reading R22).
//!
//! Submissions are the unit in which later layers work, one after the other in [`Timeline::evaluation`] order; nothing
//! refers to all commands at once.

mod adjacent;
mod clocks;
mod deadlock;
mod discards;
mod evaluation;
mod fence_pairs;
mod fences;
mod halves;
mod layouts;
mod memory;
mod named;
mod objects;
mod pages;
mod resets;
mod signals;
pub mod storage;
mod submissions;
mod touches;
mod unroll;

pub use adjacent::{AdjacentBarriers, JoinedPart, subresources};
pub use clocks::Clock;
pub use discards::{discard_accesses, discards_of};
pub use evaluation::EvaluationOrder;
pub use fence_pairs::{is_same_target, pair_fence_barriers};
pub use fences::{CycleStep, FenceProblem, FenceProblemKind};
pub use halves::split_pairs;
pub use layouts::LayoutTracker;
pub use memory::MemoryMap;
pub use pages::Pages;
pub use resets::ResetEffect;
pub use submissions::Submissions;
pub use touches::{Act, Moment, Of, Touch};

use crate::api::QueueType;
use crate::finding::Span;
use crate::id::{
    BarrierRef, FenceId, ListId, NodeId, QueueId, ResourceId, SubmissionId, Table, narrow,
};
use crate::scenario::{Command, CommandKind, ObjectAct, Scenario, Statement, StatementKind};
use clocks::Clocks;
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Lists of a call from which their ends are kept, so that a node is looked up and not counted off.
const MANY_LISTS: usize = 8;

/// Who carries out a submission.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Actor {
    /// A queue of the GPU.
    Queue(QueueId),
    /// The CPU itself.
    Cpu,
}

/// What a submission does. Its statement has the details.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SubmissionKind {
    /// One `ExecuteCommandLists` call.
    Execute,
    /// Sets a fence.
    Signal {
        /// The fence.
        fence: FenceId,
        /// The value, resolved.
        value: u64,
    },
    /// Waits for a fence.
    Wait {
        /// The fence.
        fence: FenceId,
        /// The value, resolved.
        value: u64,
    },
    /// Presents a texture.
    Present {
        /// The texture.
        resource: ResourceId,
    },
    /// The CPU writes a buffer.
    CpuWrite {
        /// The buffer.
        resource: ResourceId,
    },
    /// The CPU reads a buffer.
    CpuRead {
        /// The buffer.
        resource: ResourceId,
    },
    /// The CPU is busy.
    CpuWork,
    /// A GPU timeout.
    Reset,
    /// A synchronization object is created, opened, shared, destroyed, or gets its first value.
    Object {
        /// The fence.
        fence: FenceId,
        /// What is done with it.
        act: ObjectAct,
    },
}

/// One step of the timeline.
#[derive(Copy, Clone, Debug)]
pub struct Submission<'s> {
    /// Who carries it out.
    pub actor: Actor,
    /// What the actor does.
    pub kind: SubmissionKind,
    /// The statement that made it; several submissions of a `repeat` share one.
    pub statement: &'s Statement,
    /// Its first node. Every submission has at least one.
    pub first_node: NodeId,
    /// Number of nodes.
    pub nodes: u32,
    /// Number of nodes that its actor carried out before.
    pub first_ordinal: u32,
    /// Number of submissions that its actor carried out before.
    pub sequence: u32,
    /// The last operation before it of whoever submits it: the CPU, or a process.
    pub submitter: Option<SubmissionId>,
}

/// A scenario with its executions unrolled and its fences resolved.
#[derive(Debug)]
pub struct Timeline<'s> {
    /// The scenario, without legacy barriers.
    pub scenario: &'s Scenario,
    /// Where resources lie.
    pub memory: MemoryMap,
    /// Submissions in the CPU's order.
    pub submissions: Submissions<'s>,
    /// An order of the submissions that respects happens-before, and the CPU's order where that leaves a choice.
    pub evaluation: EvaluationOrder,
    /// What is wrong with the fences.
    pub fence_problems: Vec<FenceProblem>,
    /// What each GPU reset that stops something does.
    pub resets: Vec<ResetEffect>,
    /// Flattened commands of the lists that execute bundles; `None` for the rest.
    flattened: Table<ListId, Option<Vec<(ListId, u32)>>>,
    /// Of calls with many lists, by the address of the statement: the number of nodes up to the end of each list.
    list_ends: BTreeMap<usize, Vec<u32>>,
    /// How many submissions of each actor are over before each submission starts.
    clocks: Clocks,
    /// For each wait, the signal that it comes after.
    wait_edges: IndexMap<SubmissionId, SubmissionId>,
    /// What each executed `discard` does.
    discards: discards::Discards,
    /// Who touches which memory, once somebody has asked.
    touches: OnceLock<touches::Touches>,
    actors: usize,
    nodes: u32,
    /// What nodes are called, of a copy that is named like its original.
    names: Option<Box<named::Names>>,
}

/// Where a node of an `ExecuteCommandLists` call comes from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct NodePlace {
    /// The submission.
    pub submission: SubmissionId,
    /// The list and the index of its command; `None` for a submission that executes no list.
    pub command: Option<(ListId, u32)>,
}

impl<'s> Timeline<'s> {
    /// Unrolls and resolves. A scenario without a timeline gives an empty one.
    pub fn new(scenario: &'s Scenario) -> Self {
        let mut timeline = Self {
            scenario,
            memory: MemoryMap::new(scenario),
            submissions: Submissions::default(),
            evaluation: EvaluationOrder::default(),
            fence_problems: Vec::new(),
            resets: Vec::new(),
            flattened: flatten_bundles(scenario),
            list_ends: BTreeMap::new(),
            clocks: Clocks::default(),
            wait_edges: IndexMap::new(),
            discards: discards::Discards::default(),
            touches: OnceLock::new(),
            actors: scenario.queues.len() + 1,
            nodes: 0,
            names: None,
        };
        if let Some(statements) = &scenario.timeline {
            for statement in &statements.statements {
                statement.for_each(&mut |each| timeline.note_lists(each));
            }
            (timeline.submissions, timeline.nodes) =
                unroll::unroll(&timeline, &statements.statements);
        }
        fences::resolve(&mut timeline);
        timeline.discards = discards::resolve(&timeline);
        timeline
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes as usize
    }

    /// Number of actors: the queues, then the CPU.
    pub fn actor_count(&self) -> usize {
        self.actors
    }

    /// Index of an actor: a queue's id, or the number of queues for the CPU.
    pub fn actor_index(&self, actor: Actor) -> usize {
        match actor {
            Actor::Queue(queue) => queue.index(),
            Actor::Cpu => self.actors - 1,
        }
    }

    /// A submission by id.
    pub fn submission(&self, id: SubmissionId) -> Submission<'s> {
        self.submissions.get(id)
    }

    /// How many submissions of each actor are over before this one starts.
    pub fn clock(&self, id: SubmissionId) -> Clock<'_> {
        let submission = self.submission(id);
        let own = self.actor_index(submission.actor);
        self.clocks.get(own, submission.sequence)
    }

    /// The same, by an actor's index and the number of the submission there.
    pub(crate) fn clock_of(&self, actor: usize, sequence: u32) -> Clock<'_> {
        self.clocks.get(actor, sequence)
    }

    /// Whether `first` is over before `second` starts.
    pub fn happens_before(&self, first: SubmissionId, second: SubmissionId) -> bool {
        let earlier = self.submission(first);
        self.clock(second).over(self.actor_index(earlier.actor)) > earlier.sequence
    }

    /// The signal that a wait comes after, if one orders it (reading R23).
    pub fn awaited_signal(&self, wait: SubmissionId) -> Option<SubmissionId> {
        self.wait_edges.get(&wait).copied()
    }

    /// Lists of an `ExecuteCommandLists` call.
    pub fn lists(&self, submission: Submission<'s>) -> &'s [ListId] {
        match &submission.statement.kind {
            StatementKind::Execute { lists, .. } => lists,
            _ => &[],
        }
    }

    /// Commands of an `ExecuteCommandLists` call in order, bundles in place, with their nodes and lists.
    pub fn commands(
        &self,
        id: SubmissionId,
    ) -> impl Iterator<Item = (NodeId, ListId, &'s Command)> + '_ {
        let submission = self.submission(id);
        let mut node = submission.first_node.0;
        self.lists(submission)
            .iter()
            .flat_map(move |list| {
                (0..self.list_nodes(*list)).map(move |index| self.list_command(*list, index))
            })
            .map(move |place| {
                let this = NodeId(node);
                node += 1;
                (this, place.0, self.executed(this, place))
            })
    }

    /// What a node executes, whose list has its command at this place.
    fn executed(&self, node: NodeId, place: (ListId, u32)) -> &'s Command {
        let other = self.scenario.otherwise.at(node, place);
        other.unwrap_or_else(|| &self.scenario.lists[place.0].commands[place.1 as usize])
    }

    /// Calls `each` for the commands of a list in order, bundles in place, as list and index.
    pub fn for_each_command(&self, list: ListId, mut each: impl FnMut(ListId, u32)) {
        for index in 0..self.list_nodes(list) {
            let (from, index) = self.list_command(list, index);
            each(from, index);
        }
    }

    /// First node of each list of an `ExecuteCommandLists` call; lists without commands share it with the next.
    pub fn list_starts(&self, id: SubmissionId) -> impl Iterator<Item = NodeId> + '_ {
        let submission = self.submission(id);
        let mut node = submission.first_node.0;
        self.lists(submission).iter().map(move |list| {
            let start = NodeId(node);
            node += self.list_nodes(*list);
            start
        })
    }

    /// Type of the queue that carries out a submission; `None` for the CPU.
    pub fn queue_type(&self, submission: Submission<'s>) -> Option<QueueType> {
        match submission.actor {
            Actor::Queue(queue) => Some(self.scenario.queue_type(queue)),
            Actor::Cpu => None,
        }
    }

    /// The submission of a node.
    pub fn submission_of(&self, node: NodeId) -> SubmissionId {
        self.submissions.of_node(node)
    }

    /// Where a node comes from.
    pub fn place(&self, node: NodeId) -> NodePlace {
        let submission = self.submission_of(node);
        let entry = self.submission(submission);
        let index = node.0 - entry.first_node.0;
        NodePlace {
            submission,
            command: self.command_at(entry, index),
        }
    }

    /// The list and the command of a node of a submission, by its index among them.
    fn command_at(&self, entry: Submission<'s>, mut index: u32) -> Option<(ListId, u32)> {
        let mut lists = self.lists(entry);
        if lists.len() > MANY_LISTS {
            let ends = &self.list_ends[&address(entry.statement)];
            let at = ends.partition_point(|end| *end <= index);
            index -= at.checked_sub(1).map_or(0, |before| ends[before]);
            lists = &lists[at..];
        }
        for list in lists {
            let nodes = self.list_nodes(*list);
            if index < nodes {
                return Some(self.list_command(*list, index));
            }
            index -= nodes;
        }
        None
    }

    /// Commands of an `ExecuteCommandLists` call from a node on.
    pub fn commands_from(
        &self,
        id: SubmissionId,
        from: NodeId,
    ) -> impl Iterator<Item = (NodeId, ListId, &'s Command)> + '_ {
        let entry = self.submission(id);
        let first = entry.first_node.0;
        (from.0..first + entry.nodes).filter_map(move |node| {
            let place = self.command_at(entry, node - first)?;
            let node = NodeId(node);
            Some((node, place.0, self.executed(node, place)))
        })
    }

    /// The command of a node, if it is one of a list.
    pub fn command(&self, node: NodeId) -> Option<&'s Command> {
        let place = self.place(node).command?;
        Some(self.executed(node, place))
    }

    /// The place of a node's statement.
    pub fn span(&self, node: NodeId) -> Span {
        let place = self.place(node);
        match place.command {
            Some((list, index)) => self.scenario.lists[list].commands[index as usize].span,
            None => self.submission(place.submission).statement.span,
        }
    }

    /// Name of an actor.
    pub fn actor_name(&self, actor: Actor) -> &'s str {
        match actor {
            Actor::Queue(queue) => self.scenario.queue_name(queue),
            Actor::Cpu => "cpu",
        }
    }

    /// Id of a node as reports print it: `gfx#3` is the third thing that the queue `gfx` carries out.
    /// `#` is not allowed in a name, so ids are unambiguous.
    pub fn node_name(&self, node: NodeId) -> String {
        let submission = self.submission(self.submission_of(node));
        let ordinal = match &self.names {
            Some(names) => names.ordinal(node),
            None => named::ordinal(submission, node),
        };
        format!("{}#{ordinal}", self.actor_name(submission.actor))
    }

    /// Id of a barrier entry as reports print it: `gfx#4.0` is the first entry of the call `gfx#4`.
    pub fn barrier_name(&self, barrier: BarrierRef) -> String {
        let names = self.names.as_ref();
        let entry = names.map_or(barrier.entry, |names| names.entry(barrier));
        format!("{}.{entry}", self.node_name(barrier.node))
    }

    /// Keeps where the lists of a call end, if they are many.
    fn note_lists(&mut self, statement: &Statement) {
        if let StatementKind::Execute { lists, .. } = &statement.kind
            && lists.len() > MANY_LISTS
        {
            let mut end = 0;
            let ends = lists.iter().map(|list| {
                end += self.list_nodes(*list);
                end
            });
            let ends = ends.collect();
            self.list_ends.insert(address(statement), ends);
        }
    }

    fn list_nodes(&self, list: ListId) -> u32 {
        match &self.flattened[list] {
            Some(flat) => narrow(flat.len()),
            None => narrow(self.scenario.lists[list].commands.len()),
        }
    }

    fn list_command(&self, list: ListId, index: u32) -> (ListId, u32) {
        match &self.flattened[list] {
            Some(flat) => flat[index as usize],
            None => (list, index),
        }
    }
}

/// A statement, as a key.
pub(crate) fn address(statement: &Statement) -> usize {
    std::ptr::from_ref(statement).addr()
}

/// For each list with bundles, its commands with the bundles' commands in place. The call itself is no command.
/// Bundles cannot execute bundles, so one level is enough; a nested call is skipped.
fn flatten_bundles(scenario: &Scenario) -> Table<ListId, Option<Vec<(ListId, u32)>>> {
    let is_bundle_call = |c: &Command| matches!(c.kind, CommandKind::ExecuteBundle { .. });
    scenario
        .lists
        .pairs()
        .map(|(id, list)| {
            if !list.commands.iter().any(is_bundle_call) {
                return None;
            }
            let mut flat = Vec::with_capacity(list.commands.len());
            for (index, command) in list.commands.iter().enumerate() {
                if let CommandKind::ExecuteBundle { list: bundle } = command.kind {
                    let inner = &scenario.lists[bundle].commands;
                    let kept = inner.iter().enumerate().filter(|(_, c)| !is_bundle_call(c));
                    flat.extend(kept.map(|(i, _)| (bundle, narrow(i))));
                } else {
                    flat.push((id, narrow(index)));
                }
            }
            Some(flat)
        })
        .collect()
}
