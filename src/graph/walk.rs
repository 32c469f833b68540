//! The walk over one `ExecuteCommandLists` call after the other: checks every use against the state of its bytes, then
//! enters it into that state.
//!
//! State lives for one scope; layout and contents live on. Barriers are walked in `barriers.rs`.

use super::constants::constant;
use super::content::Contents;
use super::cover::{Order, Precedes};
use super::globals::Globals;
use super::granules::Granules;
use super::races::SharedUse;
use super::replay::Replay;
use super::shared_granules::SharedPart;
use super::splits::EndsLeft;
use super::state::{Access, Latest, Memory};
use super::undefined::{Accessed, Undefined};
use super::{Collected, Conflict, ConflictKind, Evaluation, Part, Request, Side};
use crate::api::{BarrierAccess, Layout, Leaf, LeafSet, QueueType, compat};
use crate::id::{BarrierRef, ListId, MemoryId, NodeId, ResourceId, SubmissionId, Table, narrow};
use crate::lookup::LookupMap;
use crate::order::{AdjacentBarriers, LayoutTracker, SubmissionKind, Timeline};
use crate::scenario::{
    BarrierTarget, Command, CommandKind, IndirectTarget, Range, Scenario, StatementKind, Use,
    UseMode,
};
use smallvec::SmallVec;

/// A use of one command, its own or through a descriptor that is set.
type RangedAccess<'s> = (Access, &'s Range);

/// The walk's state.
pub(super) struct Walk<'t, 's> {
    pub(super) timeline: &'t Timeline<'s>,
    pub(super) scenario: &'s Scenario,
    pub(super) request: Request,
    pub(super) layouts: LayoutTracker,
    /// Which barriers act as one.
    pub(super) adjacent: AdjacentBarriers<'t, 's>,
    pub(super) order: Order,
    pub(super) globals: Globals,
    pub(super) latest_global: Option<(u32, BarrierRef)>,
    /// The latest barrier of each buffer, with its scope.
    pub(super) latest_whole: LookupMap<ResourceId, (u32, Latest)>,
    /// Barriers may be about parts of buffers.
    pub(super) has_ranged: bool,
    pub(super) memories: Table<MemoryId, Memory>,
    pub(super) contents: Contents,
    pub(super) ends_left: EndsLeft,
    pub(super) undefined: Undefined,
    pub(super) accessed: Accessed,
    pub(super) epoch: u32,
    /// Scratch space; taken while a command is checked.
    precedes: Option<Box<Precedes>>,
    pub(super) granules: Granules,
    /// Descriptors that are set, for graphics and for compute (reading R38).
    roots: [Vec<RangedAccess<'s>>; 2],
    /// Memory that several actors touch.
    pub(super) is_shared: Table<MemoryId, bool>,
    /// What is asked of a resource at each use.
    natures: Table<ResourceId, Nature>,
    pub(super) shared: Vec<SharedUse>,
    /// Partial writes of memory that several actors touch.
    pub(super) shared_parts: Vec<SharedPart>,
    pub(super) queue: QueueType,
    pub(super) submission: SubmissionId,
    pub(super) out: Evaluation,
    pub(super) found: Vec<Conflict>,
    /// Uses that may not be made are left out.
    pub(super) only_certain: bool,
    /// Nothing more is asked.
    stopped: bool,
}

/// What is asked of a resource at each use of it.
#[derive(Copy, Clone)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "independent facts, each asked for by itself"
)]
struct Nature {
    is_buffer: bool,
    is_aliased: bool,
    /// Several actors touch its memory.
    is_shared: bool,
    /// No command writes the resource.
    is_constant: bool,
    /// A layout with accesses that it was found to allow on a queue type: most uses find what the one before found.
    allows: Option<(Layout, QueueType, BarrierAccess)>,
}

/// Whether a barrier of the text is about a range of a resource, be it a buffer.
fn has_ranged(scenario: &Scenario) -> bool {
    let commands = scenario.lists.iter().flat_map(|list| &list.commands);
    let mut barriers = commands.flat_map(|command| command.kind.barriers());
    barriers.any(|barrier| matches!(barrier.target, BarrierTarget::Ranged { .. }))
}

impl<'t, 's> Walk<'t, 's> {
    pub(super) fn new(
        timeline: &'t Timeline<'s>,
        layouts: LayoutTracker,
        request: Request,
    ) -> Self {
        let is_shared = super::races::shared_memories(timeline);
        let (sizes, lazy_from) = (block_sizes(timeline), request.lazy_from());
        let memories = sizes.iter().map(|size| Memory::new(*size, lazy_from));
        let constant = constant(timeline);
        let ids = timeline.scenario.resources.ids();
        let natures = ids.map(|id| Nature {
            is_buffer: timeline.scenario.resource(id).is_buffer(),
            is_aliased: timeline.memory.is_aliased(id),
            is_shared: timeline
                .memory
                .whole(id)
                .is_some_and(|extent| is_shared[extent.memory]),
            is_constant: constant[id],
            allows: None,
        });
        Self {
            natures: natures.collect(),
            timeline,
            scenario: timeline.scenario,
            request,
            layouts,
            adjacent: AdjacentBarriers::new(timeline),
            order: Order::new(request.pairs == Collected::Named),
            globals: Globals::new(request.pairs == Collected::Named),
            latest_global: None,
            latest_whole: LookupMap::default(),
            has_ranged: has_ranged(timeline.scenario),
            memories: memories.collect(),
            contents: Contents::new(timeline, &sizes, lazy_from),
            ends_left: EndsLeft::new(timeline),
            undefined: Undefined::new(timeline.memory.memory_count()),
            accessed: Accessed::new(timeline.scenario),
            epoch: 0,
            precedes: Some(Box::default()),
            granules: Granules::default(),
            roots: [Vec::new(), Vec::new()],
            is_shared,
            shared: Vec::new(),
            shared_parts: Vec::new(),
            queue: QueueType::Direct,
            submission: SubmissionId(0),
            out: Evaluation::default(),
            found: Vec::new(),
            only_certain: false,
            stopped: false,
        }
    }

    /// Whether nothing more is asked.
    pub(super) fn has_stopped(&self) -> bool {
        self.stopped
    }

    pub(super) fn finish(mut self) -> (Evaluation, Vec<SharedUse>, Vec<SharedPart>) {
        let states: u64 = self.memories.iter().map(Memory::visits).sum();
        self.out.visits = states + self.contents.visits() + self.undefined.visits();
        (self.out, self.shared, self.shared_parts)
    }

    /// One `ExecuteCommandLists` call.
    pub(super) fn execute(&mut self, id: SubmissionId) {
        self.epoch += 1;
        self.order.reset();
        self.globals.reset();
        self.granules.reset();
        self.latest_global = None;
        self.submission = id;
        self.adjacent.enter(id);
        let submission = self.timeline.submission(id);
        self.queue = self
            .timeline
            .queue_type(submission)
            .expect("only queues execute lists");
        let timeline = self.timeline;
        let mut starts = timeline.list_starts(id).peekable();
        for (node, list, command) in timeline.commands(id) {
            self.out.steps += 1;
            while starts.next_if(|start| *start <= node).is_some() {
                // Descriptors are set until the list's end (reading R38).
                self.roots.iter_mut().for_each(Vec::clear);
            }
            match &command.kind {
                CommandKind::Barrier(entries)
                | CommandKind::FenceBarrier {
                    barriers: entries, ..
                } => {
                    self.out.steps += (entries.len() as u64).saturating_sub(1);
                    for (index, barrier) in entries.iter().enumerate() {
                        let entry = narrow(index);
                        self.barrier(BarrierRef { node, entry }, barrier);
                    }
                }
                CommandKind::MarkerBegin { .. }
                | CommandKind::MarkerEnd
                | CommandKind::Legacy(_)
                | CommandKind::ExecuteBundle { .. }
                | CommandKind::AssertAccess { .. }
                | CommandKind::AssertLayout { .. } => {}
                _ => self.command(node, list, command),
            }
            if self.stopped {
                break;
            }
        }
        self.roots.iter_mut().for_each(Vec::clear);
    }

    /// A present or a CPU access: a scope of its own.
    pub(super) fn single(&mut self, id: SubmissionId) {
        let submission = self.timeline.submission(id);
        self.submission = id;
        self.epoch += 1;
        self.out.steps += 1;
        let (resource, range, reads): (_, &Range, _) =
            match (&submission.statement.kind, submission.kind) {
                (_, SubmissionKind::Present { resource }) => (resource, &Range::All, true),
                (StatementKind::CpuWrite { range, .. }, SubmissionKind::CpuWrite { resource }) => {
                    (resource, range, false)
                }
                (StatementKind::CpuRead { range, .. }, SubmissionKind::CpuRead { resource }) => {
                    (resource, range, true)
                }
                _ => return,
            };
        let access = Access {
            side: Side {
                node: submission.first_node,
                part: Part::Whole,
                resource,
                access: BarrierAccess::empty(),
                stages: LeafSet::EMPTY,
            },
            reads,
            certain: reads,
            writes: !reads,
            atomics: false,
            independent: false,
            synchronous: false,
            position: 0,
        };
        if let SubmissionKind::Present { .. } = submission.kind {
            self.check_layout(access.side, range, |layout| layout == Layout::Common);
        }
        let split = self.check_contents(&access, range);
        self.share(&access, range);
        if !split {
            let precedes = self.precedes.take().unwrap_or_default();
            self.check_inheritance(&access, range, &precedes);
            self.precedes = Some(precedes);
            self.check_undefined(&access, range);
            self.own(&access, range);
            self.define(&access, range, false);
        }
        self.report();
    }

    // ---- commands -------------------------------------------------------------------------------------------------

    fn command(&mut self, node: NodeId, list: ListId, command: &'s Command) {
        let synchronous = is_synchronous(self.scenario, list, &command.kind);
        let position = self.order.step();
        let mut accesses: SmallVec<[RangedAccess<'s>; 8]> = SmallVec::new();
        let mut leaves = command_leaves(command);
        for (index, usage) in command.uses.iter().enumerate() {
            if usage.may && self.only_certain {
                continue;
            }
            let access = self.access(node, Part::Use(narrow(index)), usage, position, synchronous);
            leaves = leaves.union(access.side.stages);
            accesses.push((access, &usage.range));
        }
        if let Some(point) = bind_point(&command.kind) {
            for (access, range) in &self.roots[point] {
                let mut access = *access;
                access.side.node = node;
                access.position = position;
                access.side.stages = access.side.stages.intersection(leaves);
                accesses.push((access, range));
            }
        }
        let mut precedes = self.precedes.take().unwrap_or_default();
        self.order.enter(leaves, position, &mut precedes);
        self.uses(command, &accesses, &precedes);
        if synchronous {
            self.order.finish_synchronously(&precedes);
        }
        self.precedes = Some(precedes);
        if let CommandKind::SetRoot { compute } = command.kind {
            let roots = accesses.iter().enumerate().map(|(index, (access, range))| {
                let mut access = *access;
                access.side.part = Part::Root {
                    set: node,
                    index: narrow(index),
                };
                (access, *range)
            });
            self.roots[usize::from(compute)] = roots.collect();
        }
        if !self.found.is_empty() {
            self.report();
        }
    }

    /// Checks every use of a command, then enters every use.
    fn uses(&mut self, command: &Command, accesses: &[RangedAccess<'s>], precedes: &Precedes) {
        // A use between the halves of a split barrier does not enter the state: it counts as having come before.
        let mut ignored: SmallVec<[bool; 8]> = SmallVec::new();
        for (access, range) in accesses {
            let nature = self.natures[access.side.resource];
            if !nature.is_buffer {
                self.check_use_layout(access, range);
                if !initialises(&command.kind) {
                    self.check_metadata(access, range);
                }
            }
            let split = self.contents.any() && self.check_contents(access, range);
            ignored.push(split);
            if split {
                continue;
            }
            if !nature.is_constant {
                self.check(access, range, precedes);
            }
            if nature.is_aliased {
                self.check_inheritance(access, range, precedes);
            }
            if access.writes && !matches!(range, Range::All) {
                self.check_granules(access, range, precedes);
            }
            if self.undefined.any() {
                self.check_undefined(access, range);
            }
        }
        self.check_feedback(command, accesses);
        for ((access, range), ignored) in accesses.iter().zip(&ignored) {
            let nature = self.natures[access.side.resource];
            if nature.is_shared {
                self.share(access, range);
            }
            if !ignored {
                if !nature.is_constant {
                    self.enter(access, range);
                }
                if nature.is_aliased {
                    self.own(access, range);
                }
                self.define(access, range, matches!(command.kind, CommandKind::Discard));
                if self.accessed.is_kept(access.side.resource) {
                    self.note_access(access.side.resource, range);
                }
                if initialises(&command.kind) && access.writes {
                    self.initialise(access.side.resource, range);
                }
            }
        }
    }

    /// Whether the layouts of what a use touches allow it.
    fn check_use_layout(&mut self, access: &Access, range: &Range) {
        let (side, queue) = (access.side, self.queue);
        // Reading R60: an access that no texture has is a mistake of its own, whatever the layout.
        if compat::ONLY_ON_BUFFERS.intersects(side.access) {
            return;
        }
        let single = self.layouts.single(side.resource);
        let nature = &mut self.natures[side.resource];
        if let (Some(now), Some((layout, on, allowed))) = (single, nature.allows)
            && (now, queue) == (layout, on)
            && allowed.contains(side.access)
        {
            return;
        }
        let traits = self.scenario.traits(side.resource);
        let allows = |layout: Layout| {
            compat::layout_allows(layout, side.access, traits)
                && compat::queue_uses_layout(queue, layout)
        };
        if let Some(now) = single.filter(|now| allows(*now)) {
            let known = nature
                .allows
                .filter(|known| (known.0, known.1) == (now, queue));
            let others = known.map_or(BarrierAccess::empty(), |known| known.2);
            nature.allows = Some((now, queue, others | side.access));
            return;
        }
        self.check_layout(side, range, allows);
    }

    /// Access and stages of a use. A `discard` writes with the write access of the layout at this point.
    fn access(
        &self,
        node: NodeId,
        part: Part,
        usage: &Use,
        position: u32,
        synchronous: bool,
    ) -> Access {
        let (access, stages) = self.timeline.effect(node, usage);
        Access {
            side: Side {
                node,
                part,
                resource: usage.resource,
                access,
                stages,
            },
            reads: usage.reads() && !usage.access.is_no_access(),
            certain: usage.certainly_reads(),
            writes: usage.writes(),
            atomics: usage.mode == UseMode::Atomics,
            independent: usage.independent
                && self.scenario.resource(usage.resource).is_simultaneous(),
            synchronous,
            position,
        }
    }

    /// Number of the actor whose submission is walked.
    pub(super) fn actor(&self) -> usize {
        let submission = self.timeline.submission(self.submission);
        self.timeline.actor_index(submission.actor)
    }

    pub(super) fn replay(&self) -> Replay<'t, 's> {
        Replay {
            timeline: self.timeline,
            submission: self.submission,
            queue: self.queue,
        }
    }

    /// Moves the conflicts of one command or entry to the result: one per resource and kind, the latest first use.
    /// A use of a split or deactivated subresource replaces every other finding of the resource (reading R42).
    pub(super) fn report(&mut self) {
        if self.found.is_empty() {
            return;
        }
        let mut found = std::mem::take(&mut self.found);
        if !self.request.unfolded {
            fold(&mut found);
        }
        self.stopped |= self.request.until_conflict && found.iter().any(|c| c.kind.is_wrong());
        self.out.conflicts.append(&mut found);
        self.found = found;
    }
}

/// Reading R42, for the conflicts of one command or entry.
fn fold(found: &mut Vec<Conflict>) {
    let on = |kinds: &dyn Fn(ConflictKind) -> bool| -> SmallVec<[ResourceId; 2]> {
        let hits = found.iter().filter(|c| kinds(c.kind));
        hits.map(|c| c.second.resource).collect()
    };
    let replaced = on(&ConflictKind::replaces_others);
    let wrong = on(&|kind| kind.is_hazard());
    let unreadable = on(&ConflictKind::says_contents_are_lost);
    found.retain(|c| {
        let resource = &c.second.resource;
        if c.kind == ConflictKind::UndefinedContents {
            // Reading R57: where another one says it, that stands by itself.
            !unreadable.contains(resource)
        } else if c.kind.is_hazard() {
            c.kind.replaces_others() || !replaced.contains(resource)
        } else {
            // Advice and warnings say nothing where something worse was found.
            !wrong.contains(resource)
        }
    });
    // Latest first use first; stable, so that ties keep the order of the uses.
    found.sort_by_key(|c| {
        (
            c.kind,
            c.second.resource,
            c.second.part.entry(),
            std::cmp::Reverse(c.first.node),
        )
    });
    found.dedup_by_key(|c| (c.kind, c.second.resource, c.second.part.entry()));
}

/// Bytes of each block of memory in which something lies.
pub(super) fn block_sizes(timeline: &Timeline<'_>) -> Table<MemoryId, u64> {
    let mut sizes = Table::filled(timeline.memory.memory_count(), 0);
    let ids = timeline.scenario.resources.ids();
    for extent in ids.filter_map(|id| timeline.memory.whole(id)) {
        let size: &mut u64 = &mut sizes[extent.memory];
        *size = extent.end.max(*size);
    }
    sizes
}

/// Whether a command initialises the metadata of what it writes as a whole (reading R25).
fn initialises(kind: &CommandKind) -> bool {
    matches!(
        kind,
        CommandKind::Copy
            | CommandKind::Resolve
            | CommandKind::Discard
            | CommandKind::ClearRtv
            | CommandKind::ClearDsv
            | CommandKind::ClearUav
    )
}

/// The bind point whose descriptors a command uses: graphics or compute (reading R38).
fn bind_point(kind: &CommandKind) -> Option<usize> {
    match kind {
        CommandKind::Draw { .. }
        | CommandKind::ExecuteIndirect {
            target: IndirectTarget::Draw,
            ..
        } => Some(0),
        CommandKind::Dispatch { .. }
        | CommandKind::ExecuteIndirect {
            target: IndirectTarget::Dispatch,
            ..
        } => Some(1),
        _ => None,
    }
}

/// Whether a command is over before later work begins (reading R20).
pub(super) fn is_synchronous(scenario: &Scenario, list: ListId, kind: &CommandKind) -> bool {
    let in_class = matches!(
        kind,
        CommandKind::Copy | CommandKind::Resolve | CommandKind::Discard
    );
    in_class && !scenario.device.asynchronous_copies && !scenario.lists[list].extended_async
}

/// Leaves that a command occupies apart from those of its uses (reading R46).
pub(super) fn command_leaves(command: &Command) -> LeafSet {
    match &command.kind {
        CommandKind::Draw { indexed: true, .. } => LeafSet::DRAW,
        CommandKind::Draw { indexed: false, .. } => {
            LeafSet::DRAW.minus(LeafSet::one(Leaf::IndexInput))
        }
        CommandKind::Dispatch { .. } => LeafSet::one(Leaf::ComputeShading),
        CommandKind::DispatchRays { .. } => LeafSet::one(Leaf::Raytracing),
        CommandKind::ExecuteIndirect { target, .. } => {
            LeafSet::one(Leaf::ExecuteIndirect).union(match target {
                IndirectTarget::Draw => LeafSet::DRAW.minus(LeafSet::one(Leaf::IndexInput)),
                IndirectTarget::Dispatch => LeafSet::one(Leaf::ComputeShading),
                IndirectTarget::Rays => LeafSet::one(Leaf::Raytracing),
            })
        }
        CommandKind::BuildAs { .. } => LeafSet::one(Leaf::BuildAs),
        CommandKind::Video { engine, .. } => engine.leaves(),
        _ => LeafSet::EMPTY,
    }
}
