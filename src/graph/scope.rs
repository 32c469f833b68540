//! The walk over one `ExecuteCommandLists` call after the other: checks every use against the state of its bytes, then
//! enters it into that state.
//!
//! State lives for one scope: its end finishes and flushes everything on the queue (reading R22). Layout lives on. A
//! use that was found uncovered enters the state as if it had been correct (reading R47).

use super::cover::{BarrierScopes, Globals, Order, Precedes, Row, Version, Writer};
use super::races::SharedUse;
use super::ranges::RangeMap;
use super::{Conflict, ConflictKind, Evaluation, NeededPair, Options, Part, Side};
use crate::api::{BarrierAccess, Layout, Leaf, LeafSet, QueueType, ResourceFlags, Scope, compat};
use crate::id::{BarrierRef, Extent, ListId, NodeId, ResourceId, SubmissionId};
use crate::order::{self, Actor, LayoutTracker, SubmissionKind, Timeline};
use crate::scenario::{
    Barrier, BarrierTarget, Command, CommandKind, Range, Scenario, StatementKind, Use, UseMode,
    geometry,
};
use smallvec::SmallVec;

/// A version of bytes with its maker.
#[derive(Clone, PartialEq, Debug)]
struct Record {
    version: Version,
    side: Side,
    /// Only atomic operations.
    atomics: bool,
    /// A copy, resolve or discard that is over before later work begins (reading R20).
    synchronous: bool,
    /// A barrier with `AccessBefore NO_ACCESS` gave the contents up (reading R24).
    given_up: bool,
    /// The first half of a split barrier picked the version up.
    split: bool,
}

/// The latest read of bytes at one leaf.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Reader {
    side: Side,
    leaf: Leaf,
    position: u32,
}

/// The latest barrier on bytes.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Latest {
    barrier: BarrierRef,
    position: u32,
    after: LeafSet,
    /// What it waited for: index into the scope's rows.
    row: u32,
}

/// State of some bytes within a scope.
#[derive(Clone, PartialEq, Debug, Default)]
struct State {
    /// The last versions: several only where they need no order among themselves (readings R18, R19).
    versions: SmallVec<[Record; 1]>,
    readers: SmallVec<[Reader; 2]>,
    /// The latest barrier through each resource: several only where resources alias.
    latest: SmallVec<[(ResourceId, Latest); 1]>,
    /// First half of a split barrier that waits for its second.
    split: Option<(Latest, Side)>,
    /// Deactivated: by which barrier, for which resource (reading R24).
    inactive: Option<Side>,
}

/// State of a block of memory.
#[derive(Default)]
struct Memory {
    /// Scope in which the state was last touched.
    epoch: u32,
    ranges: RangeMap<State>,
}

/// A use with what its command adds to it.
#[derive(Copy, Clone)]
struct Access {
    side: Side,
    reads: bool,
    writes: bool,
    atomics: bool,
    independent: bool,
    synchronous: bool,
    position: u32,
}

/// What one range says about a use: the latest prior use that is not covered.
struct Uncovered {
    position: u32,
    kind: ConflictKind,
    first: Side,
    ordered: bool,
    visible: bool,
    given_up: bool,
}

/// The walk's state.
pub(super) struct Walk<'t, 's> {
    timeline: &'t Timeline<'s>,
    scenario: &'s Scenario,
    options: Options,
    layouts: LayoutTracker,
    order: Order,
    globals: Globals,
    latest_global: Option<(u32, BarrierRef)>,
    memories: Vec<Memory>,
    epoch: u32,
    rows: Vec<Row>,
    /// Memory that several actors touch.
    is_shared: Vec<bool>,
    shared: Vec<SharedUse>,
    queue: QueueType,
    submission: SubmissionId,
    out: Evaluation,
    found: Vec<Conflict>,
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
            epoch: 0,
            rows: Vec::new(),
            is_shared: shared_memories(timeline),
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
        self.latest_global = None;
        self.rows.clear();
        self.submission = id;
        let submission = *self.timeline.submission(id);
        self.queue = self
            .timeline
            .queue_type(&submission)
            .expect("only queues execute lists");
        let timeline = self.timeline;
        for (node, list, command) in timeline.commands(id) {
            self.out.steps += 1;
            match &command.kind {
                CommandKind::Barrier(entries)
                | CommandKind::FenceBarrier {
                    barriers: entries, ..
                } => {
                    for (index, entry) in entries.iter().enumerate() {
                        self.barrier(
                            BarrierRef {
                                node,
                                entry: index as u32,
                            },
                            entry,
                        );
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
    }

    /// A present or a CPU access: a scope of its own.
    pub(super) fn single(&mut self, id: SubmissionId) {
        let submission = *self.timeline.submission(id);
        self.submission = id;
        self.out.steps += 1;
        let (resource, range, reads, access) = match (&submission.statement.kind, submission.kind) {
            (_, SubmissionKind::Present { resource }) => {
                (resource, &Range::All, true, BarrierAccess::empty())
            }
            (StatementKind::CpuWrite { range, .. }, SubmissionKind::CpuWrite { resource }) => {
                (resource, range, false, BarrierAccess::empty())
            }
            (StatementKind::CpuRead { range, .. }, SubmissionKind::CpuRead { resource }) => {
                (resource, range, true, BarrierAccess::empty())
            }
            _ => return,
        };
        let side = Side {
            node: submission.first_node,
            part: Part::Whole,
            resource,
            access,
            stages: LeafSet::EMPTY,
        };
        if let SubmissionKind::Present { .. } = submission.kind {
            self.check_present_layout(side);
        }
        let (shared, is_shared) = (&mut self.shared, &self.is_shared);
        self.timeline
            .memory
            .for_each_extent(self.scenario, resource, range, |extent| {
                if is_shared[extent.memory.index()] {
                    let layout = false;
                    shared.push(SharedUse {
                        submission: id,
                        side,
                        extent,
                        reads,
                        writes: !reads,
                        independent: false,
                        layout,
                    });
                }
            });
        self.report();
    }

    // ---- commands -------------------------------------------------------------------------------------------------

    fn command(&mut self, node: NodeId, list: ListId, command: &Command) {
        let synchronous = is_synchronous_kind(&command.kind)
            && !self.scenario.device.asynchronous_copies
            && !self.scenario.lists[list.index()].extended_async;
        let position = self.order.step();
        let mut accesses: SmallVec<[(Access, &Use); 8]> = SmallVec::new();
        let mut leaves = command_leaves(command);
        for (index, usage) in command.uses.iter().enumerate() {
            let (access, stages) = self.resolve(usage);
            leaves = leaves.union(stages);
            let side = Side {
                node,
                part: Part::Use(index as u32),
                resource: usage.resource,
                access,
                stages,
            };
            let access = Access {
                side,
                reads: usage.reads() && !usage.access.is_no_access(),
                writes: usage.writes(),
                atomics: usage.mode == UseMode::Atomics,
                independent: usage.independent
                    && self.scenario.resource(usage.resource).is_simultaneous(),
                synchronous,
                position,
            };
            accesses.push((access, usage));
        }
        let precedes = self.order.enter(leaves, position);
        for (access, usage) in &accesses {
            self.check_layout(access.side, &usage.range);
            self.check(access, &usage.range, &precedes);
        }
        for (access, usage) in &accesses {
            self.enter(access, &usage.range);
        }
        if synchronous {
            self.order.finish_synchronously(&precedes, position);
        }
        self.report();
    }

    /// Access and stages of a use. A `discard` writes with the write access of the layout at this point.
    fn resolve(&self, usage: &Use) -> (BarrierAccess, LeafSet) {
        if !usage.access.is_no_access() {
            return (usage.access, usage.stages);
        }
        let layout = self
            .layouts
            .uniform(self.scenario, usage.resource, &usage.range);
        order::discard_access(self.scenario.resource(usage.resource), layout)
    }

    /// Compares a use with the layouts of its subresources. Spec: "Layout Access Compatibility".
    fn check_layout(&mut self, side: Side, range: &Range) {
        let Some(shape) = self.scenario.resource(side.resource).texture() else {
            return;
        };
        let Ok(sub) = geometry::subresource_box(shape, range) else {
            return;
        };
        let traits = self.scenario.traits(side.resource);
        let mut wrong = None;
        self.layouts
            .for_each(self.scenario, side.resource, &sub, |_, _, layout| {
                if !compat::layout_allows(layout, side.access, traits) {
                    wrong.get_or_insert(layout);
                }
            });
        if let Some(layout) = wrong {
            self.push_layout_conflict(side, layout);
        }
    }

    /// Spec: "Swap Chain presentation requires the back buffer is using COMMON"; reading R30.
    fn check_present_layout(&mut self, side: Side) {
        let Some(shape) = self.scenario.resource(side.resource).texture() else {
            return;
        };
        let sub = geometry::SubresourceBox::all(shape);
        let mut wrong = None;
        self.layouts
            .for_each(self.scenario, side.resource, &sub, |_, _, layout| {
                if layout != Layout::Common {
                    wrong.get_or_insert(layout);
                }
            });
        if let Some(layout) = wrong {
            self.push_layout_conflict(side, layout);
        }
    }

    fn push_layout_conflict(&mut self, side: Side, layout: Layout) {
        self.found.push(Conflict {
            kind: ConflictKind::LayoutMismatch,
            first: side,
            second: side,
            ordered: true,
            visible: true,
            given_up: false,
            barrier: None,
            layout: Some(layout),
        });
    }

    /// Checks a use against what its bytes have seen.
    fn check(&mut self, access: &Access, range: &Range, precedes: &Precedes) {
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
        };
        timeline
            .memory
            .for_each_extent(scenario, access.side.resource, range, |extent| {
                touch(memories, *epoch, extent, |state| check.state(state));
            });
    }

    /// Enters a use into the state of its bytes.
    fn enter(&mut self, access: &Access, range: &Range) {
        let Self {
            timeline,
            scenario,
            memories,
            epoch,
            is_shared,
            shared,
            submission,
            ..
        } = self;
        timeline
            .memory
            .for_each_extent(scenario, access.side.resource, range, |extent| {
                touch(memories, *epoch, extent, |state| state.enter(access));
                if is_shared[extent.memory.index()] {
                    shared.push(SharedUse {
                        submission: *submission,
                        side: access.side,
                        extent,
                        reads: access.reads,
                        writes: access.writes,
                        independent: access.independent,
                        layout: false,
                    });
                }
            });
    }

    /// Moves the conflicts of one command or entry to the result: one per resource and kind, the latest first use.
    /// A use of a split or deactivated subresource replaces every other finding of the resource (reading R42).
    fn report(&mut self) {
        if self.found.is_empty() {
            return;
        }
        let mut found = std::mem::take(&mut self.found);
        let replaced: SmallVec<[ResourceId; 2]> = found
            .iter()
            .filter(|c| {
                matches!(
                    c.kind,
                    ConflictKind::UseWhileSplit | ConflictKind::UseInactive
                )
            })
            .map(|c| c.second.resource)
            .collect();
        found.retain(|c| {
            matches!(
                c.kind,
                ConflictKind::UseWhileSplit | ConflictKind::UseInactive
            ) || !replaced.contains(&c.second.resource)
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
        self.out.conflicts.append(&mut found);
        self.found = found;
    }

    // ---- barriers -------------------------------------------------------------------------------------------------

    fn barrier(&mut self, id: BarrierRef, barrier: &Barrier) {
        let position = self.order.step();
        let scopes = self.scopes(barrier);
        if scopes.global {
            let awaited = self.order.awaited(&scopes, std::iter::empty());
            self.order.release(scopes.after.stages, &awaited, true);
            self.globals.apply(&scopes, position);
            self.latest_global = Some((position, id));
            return;
        }
        let Some(resource) = target_resource(barrier) else {
            return;
        };
        let begins = barrier.sync_after.is_split();
        let ends = barrier.sync_before.is_split();
        let rows = self.chained_rows(barrier, scopes.before.stages, ends);
        let awaited = self
            .order
            .awaited(&scopes, rows.iter().map(|row| &self.rows[*row as usize]));
        self.rows.push(awaited);
        let side = Side {
            node: id.node,
            part: Part::Entry(id.entry),
            resource,
            access: BarrierAccess::empty(),
            stages: LeafSet::EMPTY,
        };
        let acts = changes_memory(self.scenario, barrier);
        let mut apply = Apply {
            id,
            side,
            position,
            scopes,
            awaited,
            row: self.rows.len() as u32 - 1,
            begins,
            ends,
            acts,
            gives_up: barrier.access_before.is_no_access(),
            deactivates: barrier.access_after.is_no_access() && !begins,
            order: &self.order,
            globals: &self.globals,
            found: &mut self.found,
        };
        let (timeline, scenario) = (self.timeline, self.scenario);
        let (memories, epoch) = (&mut self.memories, self.epoch);
        let (is_shared, shared, submission) = (&self.is_shared, &mut self.shared, self.submission);
        timeline
            .memory
            .for_each_barrier_extent(scenario, barrier, |extent| {
                touch(memories, epoch, extent, |state| apply.state(state));
                if acts && !ends && is_shared[extent.memory.index()] {
                    let (reads, writes, independent, layout) = (false, true, false, true);
                    shared.push(SharedUse {
                        submission,
                        side,
                        extent,
                        reads,
                        writes,
                        independent,
                        layout,
                    });
                }
            });
        if !begins {
            self.order.release(scopes.after.stages, &awaited, false);
        }
        self.layouts.apply(self.scenario, barrier);
        self.report();
    }

    /// Rows of the barriers with which this one composes directly: the latest on each of its subresources, if the
    /// stages meet (reading R12); for a second half, its first half.
    fn chained_rows(
        &mut self,
        barrier: &Barrier,
        before: LeafSet,
        ends: bool,
    ) -> SmallVec<[u32; 4]> {
        let target = target_resource(barrier);
        let mut rows: SmallVec<[u32; 4]> = SmallVec::new();
        let (timeline, scenario) = (self.timeline, self.scenario);
        let (memories, epoch) = (&self.memories, self.epoch);
        timeline
            .memory
            .for_each_barrier_extent(scenario, barrier, |extent| {
                let memory = &memories[extent.memory.index()];
                if memory.epoch != epoch {
                    return;
                }
                memory.ranges.peek(extent.start, extent.end, |_, _, state| {
                    let row = if ends {
                        state.split.map(|(first, _)| first.row)
                    } else {
                        // Through this resource: barriers on aliases do not compose directly (reading R12).
                        state
                            .latest
                            .iter()
                            .find(|(resource, _)| Some(*resource) == target)
                            .filter(|(_, latest)| latest.after.meets(before))
                            .map(|(_, latest)| latest.row)
                    };
                    if let Some(row) = row
                        && rows.last() != Some(&row)
                    {
                        rows.push(row);
                    }
                });
            });
        rows
    }

    /// Both sides of a barrier, expanded for this queue.
    fn scopes(&self, barrier: &Barrier) -> BarrierScopes {
        let (resource, layouts) = match &barrier.target {
            BarrierTarget::Texture {
                resource,
                layout_before,
                layout_after,
                ..
            } => {
                let memory_only =
                    *layout_before == Layout::Undefined && *layout_after == Layout::Undefined;
                (
                    *resource,
                    (!memory_only).then_some((*layout_before, *layout_after)),
                )
            }
            BarrierTarget::Buffer { resource, .. } | BarrierTarget::Ranged { resource, .. } => {
                (*resource, None)
            }
            BarrierTarget::Global | BarrierTarget::EmptyGroup(_) => (None, None),
        };
        let traits = resource.map(|r| self.scenario.traits(r));
        let side = |sync, access, layout| Scope::new(sync, access, layout, self.queue, traits);
        let before = side(
            barrier.sync_before,
            barrier.access_before,
            layouts.map(|(b, _)| b),
        );
        let after = side(
            barrier.sync_after,
            barrier.access_after,
            layouts.map(|(_, a)| a),
        );
        BarrierScopes {
            before,
            after,
            waits_for_all: before.stages.contains(self.queue.leaves()),
            global: matches!(barrier.target, BarrierTarget::Global),
        }
    }
}

/// Visits the state of some bytes, emptied if it is of an earlier scope.
fn touch(memories: &mut [Memory], epoch: u32, extent: Extent, each: impl FnMut(&mut State)) {
    let memory = &mut memories[extent.memory.index()];
    if memory.epoch != epoch {
        memory.epoch = epoch;
        memory.ranges.clear();
    }
    if memory.ranges.visit(extent.start, extent.end, each) > JOIN_FROM {
        memory.ranges.join(extent.start, extent.end);
    }
}

/// Ranges that one use visits before it is worth comparing neighbours: what was told apart and is one again must not
/// be walked piece by piece for the rest of the scope.
const JOIN_FROM: usize = 8;

/// Checks one use against states.
struct Check<'a> {
    access: &'a Access,
    precedes: &'a Precedes,
    globals: &'a Globals,
    found: &'a mut Vec<Conflict>,
    latest_global: Option<(u32, BarrierRef)>,
    pairs: Option<&'a mut Vec<NeededPair>>,
}

impl Check<'_> {
    fn state(&mut self, state: &mut State) {
        let side = self.access.side;
        if let Some((half, first)) = &state.split {
            self.push_special(ConflictKind::UseWhileSplit, *first, half.barrier);
            return;
        }
        if let Some(first) = state
            .inactive
            .filter(|first| first.resource == side.resource)
        {
            let barrier = first.barrier().expect("only barriers deactivate");
            self.push_special(ConflictKind::UseInactive, first, barrier);
            return;
        }
        let mut worst: Option<Uncovered> = None;
        for record in &state.versions {
            let found = self.version(record);
            if found
                .as_ref()
                .is_some_and(|f| worst.as_ref().is_none_or(|w| f.position > w.position))
            {
                worst = found;
            }
        }
        if self.access.writes {
            for reader in &state.readers {
                let found = self.reader(reader);
                if found
                    .as_ref()
                    .is_some_and(|f| worst.as_ref().is_none_or(|w| f.position > w.position))
                {
                    worst = found;
                }
            }
        }
        let Some(worst) = worst else { return };
        let specific = state
            .latest
            .iter()
            .map(|(_, latest)| (latest.position, latest.barrier))
            .filter(|(position, _)| *position > worst.position)
            .max();
        let global = self
            .latest_global
            .filter(|(position, _)| *position > worst.position);
        self.found.push(Conflict {
            kind: worst.kind,
            first: worst.first,
            second: side,
            ordered: worst.ordered,
            visible: worst.visible,
            given_up: worst.given_up,
            barrier: specific.max(global).map(|(_, barrier)| barrier),
            layout: None,
        });
        for record in &mut state.versions {
            record.version.grant(side.access, side.stages);
        }
    }

    /// Whether a prior version conflicts with the use. Returns what is missing if it is not covered.
    fn version(&mut self, record: &Record) -> Option<Uncovered> {
        let access = self.access;
        let side = access.side;
        if record.side.node == side.node
            || exempt(record, access)
            || access.independent && !access.writes
        {
            return None;
        }
        let (mut ordered, mut visible) = (true, true);
        if record.synchronous {
            // Reading R20: over and in memory; only a read by other work needs to be made visible.
            if access.reads && !access.synchronous {
                visible = side
                    .stages
                    .iter()
                    .all(|l| record.version.is_visible(side.access, l, self.globals));
            }
        } else if record.given_up {
            visible = !access.reads;
        } else {
            for leaf in side.stages.iter() {
                ordered &= record.version.precedes(self.precedes, leaf, self.globals);
                visible &= record.version.is_visible(side.access, leaf, self.globals);
            }
        }
        let asked = ordered && visible;
        if let Some(pairs) = &mut self.pairs {
            let through = side
                .stages
                .iter()
                .find_map(|l| record.version.shown_by(side.access, l));
            pairs.push(NeededPair {
                first: record.side,
                second: side,
                through,
                asked,
            });
        }
        if asked {
            return None;
        }
        let kind = if access.reads {
            ConflictKind::ReadAfterWrite
        } else {
            ConflictKind::WriteAfterWrite
        };
        let (first, given_up, position) = (record.side, record.given_up, record.version.position);
        Some(Uncovered {
            position,
            kind,
            first,
            ordered,
            visible,
            given_up,
        })
    }

    /// Whether a prior read conflicts with the use, which writes. Order is enough (reading R15).
    fn reader(&mut self, reader: &Reader) -> Option<Uncovered> {
        let access = self.access;
        if reader.side.node == access.side.node || raster_exempt(&reader.side, &access.side) {
            return None;
        }
        let ordered = access
            .side
            .stages
            .iter()
            .all(|leaf| self.precedes.contains(leaf, reader.leaf, reader.position));
        if let Some(pairs) = &mut self.pairs {
            pairs.push(NeededPair {
                first: reader.side,
                second: access.side,
                through: None,
                asked: ordered,
            });
        }
        (!ordered).then_some(Uncovered {
            position: reader.position,
            kind: ConflictKind::WriteAfterRead,
            first: reader.side,
            ordered: false,
            visible: true,
            given_up: false,
        })
    }

    fn push_special(&mut self, kind: ConflictKind, first: Side, barrier: BarrierRef) {
        self.found.push(Conflict {
            kind,
            first,
            second: self.access.side,
            ordered: false,
            visible: false,
            given_up: false,
            barrier: Some(barrier),
            layout: None,
        });
    }
}

impl State {
    /// Enters a use that was checked.
    fn enter(&mut self, access: &Access) {
        if access.writes {
            self.readers.clear();
            self.versions.retain(|record| {
                record.side.node == access.side.node
                    || exempt(record, access)
                        && !access.side.stages.iter().any(|leaf| {
                            // A later write of the same class stands for the earlier one: every barrier that covers
                            // it covers both.
                            record.version.writer == Writer::Work(leaf)
                                && record.version.access == access.side.access
                                && record.side.resource == access.side.resource
                                && record.atomics == access.atomics
                        })
            });
            for leaf in access.side.stages.iter() {
                self.versions.push(Record {
                    version: Version::written(leaf, access.side.access, access.position),
                    side: access.side,
                    atomics: access.atomics,
                    synchronous: access.synchronous,
                    given_up: false,
                    split: false,
                });
            }
        } else if !access.independent {
            for leaf in access.side.stages.iter() {
                let reader = Reader {
                    side: access.side,
                    leaf,
                    position: access.position,
                };
                let same =
                    |r: &&mut Reader| r.leaf == leaf && r.side.resource == access.side.resource;
                match self.readers.iter_mut().find(same) {
                    Some(known) => *known = reader,
                    None => self.readers.push(reader),
                }
            }
        }
    }
}

/// Applies one barrier entry to states.
struct Apply<'a> {
    id: BarrierRef,
    side: Side,
    position: u32,
    scopes: BarrierScopes,
    awaited: Row,
    row: u32,
    begins: bool,
    ends: bool,
    /// Changes the layout or discards: a write (readings R17, R26).
    acts: bool,
    gives_up: bool,
    deactivates: bool,
    order: &'a Order,
    globals: &'a Globals,
    found: &'a mut Vec<Conflict>,
}

impl Apply<'_> {
    fn state(&mut self, state: &mut State) {
        if self.acts && !self.ends {
            self.check(state);
        }
        for record in &mut state.versions {
            let taken = if self.ends && record.split {
                true
            } else {
                record.version.is_taken_by(&self.scopes, self.globals)
            };
            if self.begins {
                record.split = taken;
            } else if taken {
                record
                    .version
                    .carry(self.scopes.after, self.position, self.id);
                record.split = true;
            } else {
                record.given_up |= self.gives_up && self.acts;
                record.split = false;
            }
        }
        if self.acts && !self.begins {
            // The transition's own version stands for every version that it picked up.
            state.versions.retain(|record| !record.split);
            state.readers.clear();
            state.versions.push(Record {
                version: Version::transition(self.scopes.after, self.position, self.id),
                side: self.side,
                atomics: false,
                synchronous: false,
                given_up: false,
                split: false,
            });
        }
        let latest = Latest {
            barrier: self.id,
            position: self.position,
            after: self.scopes.after.stages,
            row: self.row,
        };
        match state
            .latest
            .iter_mut()
            .find(|(resource, _)| *resource == self.side.resource)
        {
            Some((_, known)) => *known = latest,
            None => state.latest.push((self.side.resource, latest)),
        }
        state.split = self.begins.then_some((latest, self.side));
        state.inactive = self.deactivates.then_some(self.side);
    }

    /// A transition must come after what touched the bytes (reading R17).
    fn check(&mut self, state: &mut State) {
        let mut worst: Option<(u32, ConflictKind, Side)> = None;
        let mut consider = |position, kind, side| {
            if worst.is_none_or(|(p, ..)| position > p) {
                worst = Some((position, kind, side));
            }
        };
        for record in &state.versions {
            let version = &record.version;
            let ordered = record.synchronous
                || match version.writer {
                    Writer::Work(leaf) => {
                        version.is_taken_by(&self.scopes, self.globals)
                            || self
                                .order
                                .precedes_barrier(&self.awaited, leaf, version.position)
                    }
                    // Barriers on one subresource complete in queued order; on aliases only where their SyncAfter
                    // share a leaf, or where they compose (reading R12).
                    Writer::Transition(after) => {
                        record.side.resource == self.side.resource
                            || after.meets(self.scopes.after.stages)
                            || version.is_taken_by(&self.scopes, self.globals)
                            || after
                                .iter()
                                .any(|l| self.awaited[l.index()] > version.position)
                    }
                };
            if !ordered {
                consider(version.position, ConflictKind::WriteAfterWrite, record.side);
            }
        }
        for reader in &state.readers {
            if !self
                .order
                .precedes_barrier(&self.awaited, reader.leaf, reader.position)
            {
                consider(reader.position, ConflictKind::WriteAfterRead, reader.side);
            }
        }
        let Some((_, kind, first)) = worst else {
            return;
        };
        self.found.push(Conflict {
            kind,
            first,
            second: self.side,
            ordered: false,
            visible: true,
            given_up: false,
            barrier: Some(self.id),
            layout: None,
        });
        // As if it had been correct: the transition stands for what it should have waited for.
        state.versions.clear();
        state.readers.clear();
    }
}

/// Whether two uses need no order: raster order (reading R18), atomics on atomics (reading R19).
fn exempt(record: &Record, access: &Access) -> bool {
    raster_exempt(&record.side, &access.side) && matches!(record.version.writer, Writer::Work(_))
        || record.atomics && access.atomics
}

/// Reading R18: render target on render target, depth-stencil on depth-stencil, through one resource.
fn raster_exempt(first: &Side, second: &Side) -> bool {
    let depth = BarrierAccess::DEPTH_STENCIL_READ.union(BarrierAccess::DEPTH_STENCIL_WRITE);
    let both = |set: BarrierAccess| first.access.intersects(set) && second.access.intersects(set);
    first.resource == second.resource && (both(BarrierAccess::RENDER_TARGET) || both(depth))
}

/// Reading R20.
fn is_synchronous_kind(kind: &CommandKind) -> bool {
    matches!(
        kind,
        CommandKind::Copy | CommandKind::Resolve | CommandKind::Discard
    )
}

/// Leaves that a command occupies beside those of its uses (reading R46).
fn command_leaves(command: &Command) -> LeafSet {
    use crate::scenario::IndirectTarget;
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

/// The resource that a barrier names.
fn target_resource(barrier: &Barrier) -> Option<ResourceId> {
    match &barrier.target {
        BarrierTarget::Texture { resource, .. }
        | BarrierTarget::Buffer { resource, .. }
        | BarrierTarget::Ranged { resource, .. } => *resource,
        BarrierTarget::Global | BarrierTarget::EmptyGroup(_) => None,
    }
}

/// Whether a barrier itself reads and writes memory: it changes a layout or discards.
fn changes_memory(scenario: &Scenario, barrier: &Barrier) -> bool {
    match &barrier.target {
        BarrierTarget::Texture {
            resource: Some(id),
            layout_before,
            layout_after,
            discard,
            ..
        } => {
            let resource = scenario.resource(*id);
            !resource.is_buffer()
                && !resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS)
                && (layout_before != layout_after || *discard)
        }
        _ => false,
    }
}

/// Which blocks of memory more than one actor touches.
fn shared_memories(timeline: &Timeline<'_>) -> Vec<bool> {
    let scenario = timeline.scenario;
    let count = timeline.memory.memory_count();
    // The one actor known to touch the block, if any; MANY for several.
    const NONE: u32 = u32::MAX;
    const MANY: u32 = u32::MAX - 1;
    let mut toucher = vec![NONE; count];
    let mut seen = vec![false; timeline.actor_count() * scenario.lists.len()];
    let mut touch = |resource: ResourceId, actor: usize| {
        if let Some(extent) = timeline.memory.whole(resource) {
            let slot = &mut toucher[extent.memory.index()];
            *slot = if *slot == NONE || *slot == actor as u32 {
                actor as u32
            } else {
                MANY
            };
        }
    };
    for (index, submission) in timeline.submissions.iter().enumerate() {
        let actor = timeline.actor_index(submission.actor);
        match submission.kind {
            SubmissionKind::Present { resource }
            | SubmissionKind::CpuWrite { resource }
            | SubmissionKind::CpuRead { resource } => touch(resource, actor),
            SubmissionKind::Execute => {
                let lists = timeline.lists(submission);
                if lists
                    .iter()
                    .all(|list| seen[actor * scenario.lists.len() + list.index()])
                {
                    continue;
                }
                for list in lists {
                    seen[actor * scenario.lists.len() + list.index()] = true;
                }
                for (_, _, command) in timeline.commands(SubmissionId::new(index)) {
                    for usage in &command.uses {
                        touch(usage.resource, actor);
                    }
                    if let CommandKind::Barrier(entries) = &command.kind {
                        entries
                            .iter()
                            .filter_map(target_resource)
                            .for_each(|r| touch(r, actor));
                    }
                }
            }
            _ => {}
        }
    }
    debug_assert!(
        timeline
            .submissions
            .iter()
            .all(|s| !matches!(s.actor, Actor::Queue(q) if q.index() >= scenario.queues.len()))
    );
    toucher.into_iter().map(|t| t == MANY).collect()
}
