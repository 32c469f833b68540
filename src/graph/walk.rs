//! The walk over one `ExecuteCommandLists` call after the other: checks every use against the state of its bytes, then
//! enters it into that state.
//!
//! State lives for one scope; layout and contents live on. Barriers are walked in `barriers.rs`.

use super::check::Check;
use super::content::{self, Contents, Owner};
use super::cover::{Order, Precedes};
use super::globals::Globals;
use super::granules::Granules;
use super::races::SharedUse;
use super::replay::Replay;
use super::state::{Access, Memory, touch};
use super::{Conflict, ConflictKind, Evaluation, Options, Part, Side, lone};
use crate::api::{BarrierAccess, Layout, Leaf, LeafSet, QueueType, compat};
use crate::id::{BarrierRef, Extent, ListId, NodeId, ResourceId, SubmissionId};
use crate::order::{self, LayoutTracker, SubmissionKind, Timeline};
use crate::scenario::geometry::SubresourceBox;
use crate::scenario::{
    Command, CommandKind, IndirectTarget, Range, Scenario, StatementKind, Use, UseMode, geometry,
};
use smallvec::SmallVec;

/// A use of one command, its own or through a descriptor that is set.
type Entry<'s> = (Access, &'s Range);

/// The walk's state.
pub(super) struct Walk<'t, 's> {
    pub(super) timeline: &'t Timeline<'s>,
    pub(super) scenario: &'s Scenario,
    pub(super) options: Options,
    pub(super) layouts: LayoutTracker,
    pub(super) order: Order,
    pub(super) globals: Globals,
    pub(super) latest_global: Option<(u32, BarrierRef)>,
    pub(super) memories: Vec<Memory>,
    pub(super) contents: Contents,
    pub(super) epoch: u32,
    /// Scratch space; taken while a command is checked.
    precedes: Option<Box<Precedes>>,
    granules: Granules,
    /// Descriptors that are set, for graphics and for compute (reading R38).
    roots: [Vec<Entry<'s>>; 2],
    /// Memory that several actors touch.
    pub(super) is_shared: Vec<bool>,
    pub(super) shared: Vec<SharedUse>,
    pub(super) queue: QueueType,
    pub(super) submission: SubmissionId,
    out: Evaluation,
    pub(super) found: Vec<Conflict>,
}

impl<'t, 's> Walk<'t, 's> {
    pub(super) fn new(
        timeline: &'t Timeline<'s>,
        layouts: LayoutTracker,
        options: Options,
    ) -> Self {
        Self {
            timeline,
            scenario: timeline.scenario,
            options,
            layouts,
            order: Order::new(),
            globals: Globals::default(),
            latest_global: None,
            memories: (0..timeline.memory.memory_count())
                .map(|_| Memory::default())
                .collect(),
            contents: Contents::new(timeline),
            epoch: 0,
            precedes: Some(Box::default()),
            granules: Granules::default(),
            roots: [Vec::new(), Vec::new()],
            is_shared: super::races::shared_memories(timeline),
            shared: Vec::new(),
            queue: QueueType::Direct,
            submission: SubmissionId(0),
            out: Evaluation::default(),
            found: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> (Evaluation, Vec<SharedUse>) {
        (self.out, self.shared)
    }

    /// One `ExecuteCommandLists` call.
    pub(super) fn execute(&mut self, id: SubmissionId) {
        self.epoch += 1;
        self.order.reset();
        self.globals.reset();
        self.granules.reset();
        self.latest_global = None;
        self.submission = id;
        let submission = *self.timeline.submission(id);
        self.queue = self
            .timeline
            .queue_type(&submission)
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
                    for (index, barrier) in entries.iter().enumerate() {
                        let entry = index as u32;
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
        }
        self.roots.iter_mut().for_each(Vec::clear);
    }

    /// A present or a CPU access: a scope of its own.
    pub(super) fn single(&mut self, id: SubmissionId) {
        let submission = *self.timeline.submission(id);
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
            self.own(&access, range);
        }
        self.report();
    }

    // ---- commands -------------------------------------------------------------------------------------------------

    fn command(&mut self, node: NodeId, list: ListId, command: &'s Command) {
        let synchronous = is_synchronous(self.scenario, list, &command.kind);
        let position = self.order.step();
        let mut accesses: SmallVec<[Entry<'s>; 8]> = SmallVec::new();
        let mut leaves = command_leaves(command);
        for (index, usage) in command.uses.iter().enumerate() {
            let access = self.access(node, Part::Use(index as u32), usage, position, synchronous);
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
                    index: index as u32,
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
    fn uses(&mut self, command: &Command, accesses: &[Entry<'s>], precedes: &Precedes) {
        // A use between the halves of a split barrier does not enter the state: it counts as having come before.
        let mut ignored: SmallVec<[bool; 8]> = SmallVec::new();
        for (access, range) in accesses {
            let traits = self.scenario.traits(access.side.resource);
            if !traits.is_buffer {
                let bit = access.side.access;
                let queue = self.queue;
                self.check_layout(access.side, range, |layout| {
                    compat::layout_allows(layout, bit, traits)
                        && compat::queue_uses_layout(queue, layout)
                });
                if !initialises(&command.kind) {
                    self.check_metadata(access, range);
                }
            }
            let split = self.check_contents(access, range);
            ignored.push(split);
            if split {
                continue;
            }
            self.check(access, range, precedes);
            self.check_inheritance(access, range, precedes);
            if access.writes {
                self.check_granules(access, range, precedes);
            }
        }
        for ((access, range), ignored) in accesses.iter().zip(&ignored) {
            self.share(access, range);
            if !ignored {
                self.enter(access, range);
                if initialises(&command.kind) && access.writes {
                    self.initialise(access.side.resource, range);
                }
            }
        }
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
        let (access, stages) = if usage.access.is_no_access() {
            let layout = self
                .layouts
                .uniform(self.scenario, usage.resource, &usage.range);
            order::discard_access(self.scenario.resource(usage.resource), layout)
        } else {
            (usage.access, usage.stages)
        };
        Access {
            side: Side {
                node,
                part,
                resource: usage.resource,
                access,
                stages,
            },
            reads: usage.reads() && !usage.access.is_no_access(),
            writes: usage.writes(),
            atomics: usage.mode == UseMode::Atomics,
            independent: usage.independent
                && self.scenario.resource(usage.resource).is_simultaneous(),
            synchronous,
            position,
        }
    }

    /// Compares a use with the layouts of its subresources. Spec: "Layout Access Compatibility". Where transitions race,
    /// nobody knows the layout (reading R23).
    fn check_layout(&mut self, side: Side, range: &Range, allows: impl Fn(Layout) -> bool) {
        if self.layouts.single(side.resource).is_some_and(&allows) {
            return;
        }
        let Some(sub) = self.subresources(side.resource, range) else {
            return;
        };
        let mut wrong = None;
        let (contents, timeline, submission) = (&self.contents, self.timeline, self.submission);
        let shared = self.touches_shared(side.resource);
        self.layouts
            .for_each(self.scenario, side.resource, &sub, |first, end, layout| {
                let run = (first, end);
                let races =
                    || shared && contents.are_racing(timeline, side.resource, run, submission);
                if !allows(layout) && !races() {
                    wrong.get_or_insert(layout);
                }
            });
        if let Some(layout) = wrong {
            self.found.push(Conflict {
                ordered: true,
                visible: true,
                layout: Some(layout),
                ..lone(ConflictKind::LayoutMismatch, side, side)
            });
        }
    }

    fn subresources(&self, resource: ResourceId, range: &Range) -> Option<SubresourceBox> {
        let shape = self.scenario.resource(resource).texture()?;
        geometry::subresource_box(shape, range).ok()
    }

    pub(super) fn touches_shared(&self, resource: ResourceId) -> bool {
        let whole = self.timeline.memory.whole(resource);
        whole.is_some_and(|extent| self.is_shared[extent.memory.index()])
    }

    /// A use in a compressed layout needs sound metadata (reading R25); once per subresource.
    fn check_metadata(&mut self, access: &Access, range: &Range) {
        let resource = access.side.resource;
        if !self.contents.has_metadata(resource) {
            return;
        }
        let Some(sub) = self.subresources(resource, range) else {
            return;
        };
        let mut unsound: SmallVec<[Extent; 4]> = SmallVec::new();
        let contents = &self.contents;
        content::compressed(self.timeline, &self.layouts, resource, &sub, |extent| {
            if !contents.is_sound(extent, resource) {
                unsound.push(extent);
            }
        });
        if unsound.is_empty() {
            return;
        }
        for extent in unsound {
            self.contents.initialise(extent, resource);
        }
        self.contents.settle(self.timeline, resource);
        let kind = ConflictKind::MetadataUninitialised;
        self.found.push(lone(kind, access.side, access.side));
    }

    /// A whole-subresource clear, copy, resolve or discard initialises metadata.
    fn initialise(&mut self, resource: ResourceId, range: &Range) {
        let whole = self
            .subresources(resource, range)
            .is_some_and(|sub| sub.rect.is_none());
        if !whole || !self.contents.has_metadata(resource) {
            return;
        }
        let (timeline, contents) = (self.timeline, &mut self.contents);
        timeline
            .memory
            .for_each_extent(self.scenario, resource, range, |extent| {
                contents.initialise(extent, resource);
            });
        contents.settle(timeline, resource);
    }

    /// Whether the subresources are active and not in the middle of a split barrier (readings R24, R27). Returns
    /// whether they are in the middle of one.
    fn check_contents(&mut self, access: &Access, range: &Range) -> bool {
        let side = access.side;
        if !self.contents.any() {
            return false;
        }
        let (timeline, epoch) = (self.timeline, self.epoch);
        let (contents, found, submission) = (&mut self.contents, &mut self.found, self.submission);
        let (mut split, from) = (false, found.len());
        timeline
            .memory
            .for_each_extent(self.scenario, side.resource, range, |extent| {
                if !contents.is_kept(extent) {
                    return;
                }
                let mut inactive = false;
                contents.look(extent, |_, content| {
                    for half in &content.splits {
                        let begun = timeline.submission_of(half.side.node);
                        let counts = half.epoch == epoch
                            || half.acts && timeline.happens_before(begun, submission);
                        if counts && half.side.resource == side.resource {
                            split = true;
                            found.push(at(ConflictKind::UseWhileSplit, half.side, side));
                        } else if counts && half.acts && half.epoch == epoch {
                            // An alias is neither before nor after the pair.
                            found.push(at(access.after_write(), half.side, side));
                        }
                    }
                    for (since, first) in &content.inactive {
                        if *since == epoch && first.resource == side.resource {
                            inactive = true;
                            found.push(at(ConflictKind::UseInactive, *first, side));
                        }
                    }
                });
                if inactive {
                    contents.activate(extent, side.resource);
                }
            });
        if split {
            // Compared with nothing else.
            let beside = found.split_off(from);
            found.extend(beside.into_iter().filter(|c| !c.kind.is_data()));
        }
        split
    }

    /// An ordered use of memory that an alias wrote since the resource was last activated or written (reading R41).
    fn check_inheritance(&mut self, access: &Access, range: &Range, precedes: &Precedes) {
        let side = access.side;
        if !self.timeline.memory.is_aliased(side.resource) {
            return;
        }
        let (timeline, scenario) = (self.timeline, self.scenario);
        let (submission, replay) = (self.submission, self.replay());
        let (contents, found) = (&mut self.contents, &mut self.found);
        let is_buffer = |id: ResourceId| scenario.resource(id).is_buffer();
        timeline
            .memory
            .for_each_extent(scenario, side.resource, range, |extent| {
                let mut by: SmallVec<[(Extent, Owner); 2]> = SmallVec::new();
                contents.look(extent, |part, content| {
                    by.extend(content.overwritten(side.resource).map(|o| (part, o)));
                });
                for (part, owner) in by {
                    let ordered = if owner.submission != submission {
                        timeline.happens_before(owner.submission, submission)
                    } else if let Some(barrier) = owner.side.barrier() {
                        replay.precedes_use(barrier, side.node, side.stages)
                    } else {
                        owner.synchronous
                            || precedes.contains_all(side.stages, owner.side.stages, owner.position)
                    };
                    let kind = if is_buffer(owner.side.resource) && is_buffer(side.resource) {
                        ConflictKind::Inherited
                    } else {
                        ConflictKind::UseOverwritten
                    };
                    if ordered && (access.reads || kind == ConflictKind::UseOverwritten) {
                        found.push(at(kind, owner.side, side));
                        contents.revive(part, side.resource);
                    }
                }
            });
    }

    /// Checks a use against what its bytes have seen.
    fn check(&mut self, access: &Access, range: &Range, precedes: &Precedes) {
        let replay = self.replay();
        let Self {
            timeline,
            scenario,
            memories,
            epoch,
            globals,
            found,
            latest_global,
            out,
            options,
            ..
        } = self;
        let pairs = options.collect_pairs.then_some(&mut out.pairs);
        let mut check = Check {
            access,
            precedes,
            globals,
            found,
            latest_global: *latest_global,
            pairs,
            unfolded: options.unfolded,
            replay,
        };
        timeline
            .memory
            .for_each_extent(scenario, access.side.resource, range, |extent| {
                touch(memories, *epoch, extent, |state| check.state(state));
            });
    }

    /// Compares a write of a part of a subresource with concurrent ones of other parts (reading R21).
    fn check_granules(&mut self, access: &Access, range: &Range, precedes: &Precedes) {
        let warns = self
            .scenario
            .resource(access.side.resource)
            .is_simultaneous();
        for (index, runs) in partial_runs(self.timeline, access.side.resource, range) {
            let Some(whole) = self.timeline.memory.whole(access.side.resource) else {
                continue;
            };
            let place = (whole.memory, access.side.resource, index);
            let found = &mut self.found;
            self.granules
                .check(place, access, &runs, precedes, warns, found);
            // A synchronous write is over before anything later begins.
            if !access.synchronous {
                self.granules
                    .enter(place, access, runs, self.options.unfolded);
            }
        }
    }

    /// Enters a use into the state of its bytes.
    fn enter(&mut self, access: &Access, range: &Range) {
        let Self {
            timeline,
            scenario,
            memories,
            epoch,
            options,
            ..
        } = self;
        timeline
            .memory
            .for_each_extent(scenario, access.side.resource, range, |extent| {
                touch(memories, *epoch, extent, |state| {
                    state.enter(access, options.unfolded);
                });
            });
        self.own(access, range);
    }

    /// A write makes the bytes its resource's own.
    fn own(&mut self, access: &Access, range: &Range) {
        let side = access.side;
        if !access.writes || !self.timeline.memory.is_aliased(side.resource) {
            return;
        }
        let owner = Owner {
            side,
            submission: self.submission,
            position: access.position,
            synchronous: access.synchronous,
        };
        let (timeline, contents) = (self.timeline, &mut self.contents);
        timeline
            .memory
            .for_each_extent(self.scenario, side.resource, range, |extent| {
                contents.write(extent, owner);
            });
    }

    /// Remembers a use of memory that several actors touch.
    fn share(&mut self, access: &Access, range: &Range) {
        if !self.touches_shared(access.side.resource) {
            return;
        }
        let (shared, submission) = (&mut self.shared, self.submission);
        self.timeline.memory.for_each_extent(
            self.scenario,
            access.side.resource,
            range,
            |extent| {
                shared.push(SharedUse {
                    submission,
                    side: access.side,
                    extent,
                    reads: access.reads,
                    writes: access.writes,
                    independent: access.independent,
                    layout: false,
                });
            },
        );
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
        if !self.options.unfolded {
            fold(&mut found);
        }
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
    found.retain(|c| {
        let resource = &c.second.resource;
        if c.kind.is_hazard() {
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

/// A conflict that a barrier is the cause of.
fn at(kind: ConflictKind, first: Side, second: Side) -> Conflict {
    Conflict {
        barrier: first.barrier(),
        ..lone(kind, first, second)
    }
}

/// Bytes of each subresource of which a use touches a part, by subresource.
fn partial_runs(
    timeline: &Timeline<'_>,
    resource: ResourceId,
    range: &Range,
) -> Vec<(u32, Vec<(u64, u64)>)> {
    let described = timeline.scenario.resource(resource);
    let Some(whole) = timeline.memory.whole(resource) else {
        return Vec::new();
    };
    let runs = |range: &Range| -> Vec<(u64, u64)> {
        let runs = geometry::byte_runs(described, range).into_iter();
        runs.map(|(start, end)| (whole.start + start, whole.start + end))
            .collect()
    };
    match (range, described.texture()) {
        (Range::Bytes { .. }, None) => {
            let runs = runs(range);
            if runs.is_empty() || runs == [(whole.start, whole.end)] {
                return Vec::new();
            }
            vec![(0, runs)]
        }
        (Range::Subresources(sub), Some(shape)) if sub.rect.is_some() => {
            let Ok(all) = geometry::subresource_box(shape, range) else {
                return Vec::new();
            };
            let indices = all.index_runs(shape).into_iter().flat_map(|(a, b)| a..b);
            indices
                .map(|index| {
                    let (mip, layer, plane) = shape.coordinates(index);
                    let mut one = sub.clone();
                    one.mips = Some((mip, mip + 1));
                    one.layers = Some((layer, layer + 1));
                    one.planes = Some((plane, plane + 1));
                    (index, runs(&Range::Subresources(one)))
                })
                .collect()
        }
        _ => Vec::new(),
    }
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
    in_class && !scenario.device.asynchronous_copies && !scenario.lists[list.index()].extended_async
}

/// Leaves that a command occupies beside those of its uses (reading R46).
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
