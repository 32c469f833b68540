//! The walk over one `ExecuteCommandLists` call after the other: checks every use against the state of its bytes, then
//! enters it into that state.
//!
//! State lives for one scope; layout and contents live on. Barriers are walked in `barriers.rs`.

use super::constants::constant;
use super::cover::Precedes;
use super::known::{Asked, Between, Held, Here, Told};
use super::state::Access;
use super::{Evaluation, Part, Request, Side};
use crate::api::{BarrierAccess, Layout, Leaf, LeafSet, QueueType, compat};
use crate::id::{BarrierRef, ListId, MemoryId, NodeId, ResourceId, SubmissionId, Table, narrow};
use crate::order::{LayoutTracker, SubmissionKind, Timeline};
use crate::scenario::{Command, CommandKind, IndirectTarget, Range, Scenario, StatementKind};
use smallvec::SmallVec;

/// A use of one command, its own or through a descriptor that is set.
type RangedAccess<'s> = (Access, &'s Range);

/// The walk's state: where it is, what was asked so far, what the bytes hold, and what it tells.
pub(super) struct Walk<'t, 's> {
    pub(super) here: Here<'t, 's>,
    pub(super) asked: Asked<'t, 's>,
    pub(super) held: Held,
    pub(super) between: Between,
    pub(super) told: Told,
    /// What is asked of a resource at each use.
    natures: Table<ResourceId, Nature>,
    /// Descriptors that are set, for graphics and for compute (reading R38).
    roots: [Vec<RangedAccess<'s>>; 2],
    /// Scratch space; taken while a command is checked.
    precedes: Option<Box<Precedes>>,
    /// Uses that may not be made are left out.
    pub(super) only_certain: bool,
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

impl<'t, 's> Walk<'t, 's> {
    pub(super) fn new(
        timeline: &'t Timeline<'s>,
        layouts: LayoutTracker,
        request: Request,
    ) -> Self {
        let between = Between::new(timeline);
        let constant = constant(timeline);
        let ids = timeline.scenario.resources.ids();
        let natures = ids.map(|id| Nature {
            is_buffer: timeline.scenario.resource(id).is_buffer(),
            is_aliased: timeline.memory.is_aliased(id),
            is_shared: between.has(timeline, id),
            is_constant: constant[id],
            allows: None,
        });
        Self {
            here: Here {
                timeline,
                scenario: timeline.scenario,
                request,
                queue: QueueType::Direct,
                submission: SubmissionId(0),
                epoch: 0,
            },
            asked: Asked::new(timeline, request),
            held: Held::new(timeline, layouts, request),
            natures: natures.collect(),
            between,
            told: Told::default(),
            roots: [Vec::new(), Vec::new()],
            precedes: Some(Box::default()),
            only_certain: false,
        }
    }

    pub(super) fn finish(mut self) -> (Evaluation, Between) {
        self.told.out.visits = self.held.visits();
        (self.told.out, self.between)
    }

    /// One `ExecuteCommandLists` call.
    pub(super) fn execute(&mut self, id: SubmissionId) {
        self.here.epoch += 1;
        self.held.granules.reset();
        self.here.submission = id;
        self.asked.enter(id);
        let submission = self.here.timeline.submission(id);
        self.here.queue = self
            .here
            .timeline
            .queue_type(submission)
            .expect("only queues execute lists");
        let timeline = self.here.timeline;
        let mut starts = timeline.list_starts(id).peekable();
        for (node, list, command) in timeline.commands(id) {
            self.told.out.steps += 1;
            while starts.next_if(|start| *start <= node).is_some() {
                // Descriptors are set until the list's end (reading R38).
                self.roots.iter_mut().for_each(Vec::clear);
            }
            match &command.kind {
                CommandKind::Barrier(entries)
                | CommandKind::FenceBarrier {
                    barriers: entries, ..
                } => {
                    self.told.out.steps += (entries.len() as u64).saturating_sub(1);
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
            if self.told.has_stopped() {
                break;
            }
        }
        self.roots.iter_mut().for_each(Vec::clear);
    }

    /// A present or a CPU access: a scope of its own.
    pub(super) fn single(&mut self, id: SubmissionId) {
        let submission = self.here.timeline.submission(id);
        self.here.submission = id;
        self.here.epoch += 1;
        self.told.out.steps += 1;
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
            side: Side::without_access(submission.first_node, Part::Whole, resource),
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
        self.between.note(self.here, &access, range);
        if !split {
            let precedes = self.precedes.take().unwrap_or_default();
            self.check_inheritance(&access, range, &precedes);
            self.precedes = Some(precedes);
            self.check_undefined(&access, range);
            self.own(&access, range);
            self.define(&access, range, false);
        }
        self.told.report(self.here.request);
    }

    // ---- commands -------------------------------------------------------------------------------------------------

    fn command(&mut self, node: NodeId, list: ListId, command: &'s Command) {
        let synchronous = is_synchronous(self.here.scenario, list, &command.kind);
        let position = self.asked.order.step();
        let mut accesses: SmallVec<[RangedAccess<'s>; 8]> = SmallVec::new();
        let mut leaves = command_leaves(command);
        for (index, usage) in command.uses.iter().enumerate() {
            if usage.may && self.only_certain {
                continue;
            }
            let access =
                self.here
                    .access(node, Part::Use(narrow(index)), usage, position, synchronous);
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
        self.asked.order.enter(leaves, position, &mut precedes);
        self.uses(command, &accesses, &precedes);
        if synchronous {
            self.asked.order.finish_synchronously(&precedes);
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
        if !self.told.found.is_empty() {
            self.told.report(self.here.request);
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
            let split = self.held.contents.any() && self.check_contents(access, range);
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
            if self.held.undefined.any() {
                self.check_undefined(access, range);
            }
        }
        self.check_feedback(command, accesses);
        for ((access, range), ignored) in accesses.iter().zip(&ignored) {
            let nature = self.natures[access.side.resource];
            if nature.is_shared {
                self.between.note(self.here, access, range);
            }
            if !ignored {
                if !nature.is_constant {
                    self.enter(access, range);
                }
                if nature.is_aliased {
                    self.own(access, range);
                }
                self.define(access, range, matches!(command.kind, CommandKind::Discard));
                if self.held.accessed.is_kept(access.side.resource) {
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
        let (side, queue) = (access.side, self.here.queue);
        // Reading R60: an access that no texture has is a mistake of its own, whatever the layout.
        if compat::ONLY_ON_BUFFERS.intersects(side.access) {
            return;
        }
        let single = self.held.layouts.single(side.resource);
        let nature = &mut self.natures[side.resource];
        if let (Some(now), Some((layout, on, allowed))) = (single, nature.allows)
            && (now, queue) == (layout, on)
            && allowed.contains(side.access)
        {
            return;
        }
        let traits = self.here.scenario.traits(side.resource);
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
