//! What every lowering has in common: work with its costs and bytes, begins and ends of scopes, fences, presents, the
//! CPU.

use super::Lowering;
use super::cost::{self, Amount};
use super::{handover, needs};
use crate::api::{BarrierAccess, HeapType, Layout, LeafSet, QueueType, ResourceFlags, Scope};
use crate::hardware::{Client, LayoutClass, Policy, Profile};
use crate::id::{
    BarrierRef, CacheId, Extent, LayoutOpId, ListId, NodeId, OpId, ResourceId, SubmissionId,
};
use crate::order::{self, Actor, LayoutTracker, SubmissionKind, Timeline};
use crate::program::{
    Access, AccessMode, BarrierOp, BarrierRole, Block, Client as ProgramClient, ClientOp, Encoding,
    HwOp, HwOpKind, Origin, Program, Reach, ResourceInfo, Slice, Step, StepKind, Why, Work,
};
use crate::scenario::{
    Barrier, BarrierTarget, Command, CommandKind, ObjectAct, Range, Resource, StatementKind, Use,
    UseMode, geometry,
};

/// Lowers every submission to a block.
pub(super) fn program(
    timeline: &Timeline<'_>,
    profile: &Profile,
    lowering: &dyn Lowering,
) -> Program {
    let scenario = timeline.scenario;
    let mut build = Build {
        timeline,
        profile,
        lowering,
        layouts: LayoutTracker::new(scenario, LayoutTracker::declared),
        host_written: host_extents(timeline, true),
        host_read: host_extents(timeline, false),
        block: Block::default(),
        latest: vec![None; scenario.resources.len()],
        latest_global: None,
        split: vec![None; scenario.resources.len()],
        roots: [Vec::new(), Vec::new()],
        queue: QueueType::Direct,
        awaited: handover::awaited(timeline),
    };
    let mut blocks: Vec<Block> = (0..timeline.submissions.len())
        .map(|_| Block::default())
        .collect();
    for id in &timeline.evaluation {
        blocks[id.index()] = build.submission(*id);
    }
    let mut ops = 0;
    for block in &mut blocks {
        // Ids were local to the block while it was built.
        block.first_op = OpId(ops);
        for (place, op) in block.ops.iter_mut().enumerate() {
            op.id = OpId(ops + place as u32);
        }
        for after in &mut block.after {
            after.0 += ops;
        }
        ops += block.ops.len() as u32;
    }
    Program {
        blocks,
        queues: scenario.queues.values().map(|q| q.queue_type).collect(),
        fences: handover::values(timeline),
        memories: (0..timeline.memory.memory_count())
            .map(|index| {
                timeline
                    .memory
                    .memory_bytes(crate::id::MemoryId::new(index))
            })
            .collect(),
        resources: (0..scenario.resources.len())
            .map(|index| {
                let id = ResourceId::new(index);
                let is_buffer = scenario.resource(id).is_buffer();
                ResourceInfo {
                    is_buffer,
                    extent: timeline.memory.whole(id),
                    initial: Encoding::Plain,
                }
            })
            .collect(),
        nodes: timeline.node_count() as u32,
        ops,
    }
}

/// Bytes of the buffers that the CPU writes, or reads.
fn host_extents(timeline: &Timeline<'_>, written: bool) -> Vec<Extent> {
    let mut extents: Vec<Extent> = Vec::new();
    for submission in &timeline.submissions {
        let resource = match submission.kind {
            SubmissionKind::CpuWrite { resource } if written => resource,
            SubmissionKind::CpuRead { resource } if !written => resource,
            _ => continue,
        };
        extents.extend(timeline.memory.whole(resource));
    }
    extents.sort_unstable();
    extents.dedup();
    extents
}

struct Build<'t, 's> {
    timeline: &'t Timeline<'s>,
    profile: &'t Profile,
    lowering: &'t dyn Lowering,
    layouts: LayoutTracker,
    host_written: Vec<Extent>,
    host_read: Vec<Extent>,
    block: Block,
    /// Latest barrier packet on each resource in this scope, with what it holds.
    latest: Vec<Option<(OpId, LeafSet)>>,
    latest_global: Option<(OpId, LeafSet)>,
    /// First half of a split barrier on each resource.
    split: Vec<Option<OpId>>,
    /// Uses of the `set-root`s in effect: graphics, compute.
    roots: [Vec<(NodeId, u16, &'t Use)>; 2],
    queue: QueueType,
    /// Fences that the text waits for outside the call that signals them.
    awaited: Vec<bool>,
}

impl<'t> Build<'t, '_> {
    fn submission(&mut self, id: SubmissionId) -> Block {
        let submission = *self.timeline.submission(id);
        self.block = Block::default();
        self.block.queue = match submission.actor {
            Actor::Queue(queue) => Some(queue),
            Actor::Cpu => None,
        };
        self.queue = self
            .timeline
            .queue_type(&submission)
            .unwrap_or(QueueType::Direct);
        let origin = Origin {
            node: submission.first_node,
            entry: None,
        };
        let steps = handover::steps(self.timeline, id, &self.awaited);
        let takes = handover::times(self.timeline, self.profile, id, &steps);
        (self.block.signal_takes, self.block.wait_takes) = takes;
        for wait in handover::held_by(self.timeline, id) {
            let node = self.timeline.submission(wait).first_node;
            let origin = Origin { node, entry: None };
            self.push(origin, handover::packet(self.timeline, wait));
        }
        match submission.kind {
            SubmissionKind::Execute => self.scope(id, origin, &steps),
            SubmissionKind::Signal { .. } | SubmissionKind::Wait { .. } => {
                self.push(origin, handover::packet(self.timeline, id));
            }
            SubmissionKind::Present { resource } => self.present(resource, origin),
            SubmissionKind::CpuWrite { resource } | SubmissionKind::CpuRead { resource } => {
                let writes = matches!(submission.kind, SubmissionKind::CpuWrite { .. });
                let (StatementKind::CpuWrite { range, .. } | StatementKind::CpuRead { range, .. }) =
                    &submission.statement.kind
                else {
                    return std::mem::take(&mut self.block);
                };
                self.client(origin, ProgramClient::Host, resource, range, writes);
            }
            SubmissionKind::CpuWork => {
                let StatementKind::CpuWork(takes) = submission.statement.kind else {
                    return std::mem::take(&mut self.block);
                };
                let op = ClientOp {
                    client: ProgramClient::Host,
                    takes,
                    accesses: Slice::EMPTY,
                };
                self.push(origin, HwOpKind::Client(op));
            }
            SubmissionKind::Object {
                act: ObjectAct::Destroy,
                ..
            } => self.push(origin, handover::packet(self.timeline, id)),
            SubmissionKind::Reset | SubmissionKind::Object { .. } => {}
        }
        std::mem::take(&mut self.block)
    }

    fn push(&mut self, origin: Origin, kind: HwOpKind) {
        let id = OpId::new(self.block.ops.len());
        self.block.ops.push(HwOp { id, origin, kind });
    }

    /// One `ExecuteCommandLists` call.
    fn scope(&mut self, id: SubmissionId, origin: Origin, steps: &[handover::Step]) {
        self.latest.fill(None);
        self.split.fill(None);
        self.latest_global = None;
        self.fence_steps(steps, false);
        self.begin_scope(origin);
        let timeline = self.timeline;
        let mut list = None;
        let mut last = origin;
        for (node, at, command) in timeline.commands(id) {
            if list != Some(at) {
                // Root bindings do not outlive a list (reading R38).
                self.roots = [Vec::new(), Vec::new()];
                list = Some(at);
            }
            last.node = node;
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
                CommandKind::SetRoot { compute } => {
                    let uses = command
                        .uses
                        .iter()
                        .enumerate()
                        .map(|(i, u)| (node, i as u16, u));
                    self.roots[usize::from(*compute)] = uses.collect();
                }
                CommandKind::MarkerBegin { .. }
                | CommandKind::MarkerEnd
                | CommandKind::Legacy(_)
                | CommandKind::ExecuteBundle { .. }
                | CommandKind::AssertAccess { .. }
                | CommandKind::AssertLayout { .. } => {}
                _ => self.work(node, at, command),
            }
        }
        self.end_scope(last);
        self.fence_steps(steps, true);
    }

    /// Fence barriers of a call: it waits before it begins and signals when it is over, as its order says.
    fn fence_steps(&mut self, steps: &[handover::Step], signals: bool) {
        for step in steps.iter().filter(|step| step.signal == signals) {
            let origin = Origin {
                node: step.node,
                entry: None,
            };
            self.push(origin, step.packet());
        }
    }

    /// Nothing of an earlier scope, another queue or the CPU may still stand in a private cache (reading R22).
    fn begin_scope(&mut self, origin: Origin) {
        let first = self.block.steps.len();
        let why = Why::Text("begin of a scope: earlier scopes and other queues have written since");
        for (index, cache) in self.profile.caches.iter().enumerate() {
            if cache.policy != Policy::WriteBack {
                let kind = StepKind::Invalidate {
                    cache: CacheId::new(index),
                    reach: Reach::Everything,
                };
                self.block.steps.push(Step { kind, why });
            }
        }
        if !self.host_written.is_empty() {
            let extents = Slice::push(&mut self.block.extents, self.host_written.iter().copied());
            let why = Why::Text("the CPU writes behind the last cache");
            for cache in self.last_levels() {
                let kind = StepKind::Invalidate {
                    cache,
                    reach: Reach::Extents(extents),
                };
                self.block.steps.push(Step { kind, why });
            }
        }
        self.scope_edge(origin, BarrierRole::ScopeBegin, first);
    }

    /// Everything finishes, and leaves the caches that others do not look into (reading R22).
    fn end_scope(&mut self, origin: Origin) {
        let first = self.block.steps.len();
        let why = Why::Text("end of a scope: everything is finished and flushed");
        for cache in self.own_write_caches() {
            self.block.steps.push(Step {
                kind: StepKind::Clean {
                    cache,
                    reach: Reach::Everything,
                },
                why,
            });
        }
        if !self.host_read.is_empty() {
            let extents = Slice::push(&mut self.block.extents, self.host_read.iter().copied());
            let why = Why::Text("the CPU reads behind the last cache");
            for cache in self.last_levels() {
                self.block.steps.push(Step {
                    kind: StepKind::Clean {
                        cache,
                        reach: Reach::Extents(extents),
                    },
                    why,
                });
            }
        }
        self.scope_edge(origin, BarrierRole::ScopeEnd, first);
    }

    fn scope_edge(&mut self, origin: Origin, role: BarrierRole, first_step: usize) {
        let begins = role == BarrierRole::ScopeBegin;
        let op = BarrierOp {
            role,
            wait: if begins { LeafSet::EMPTY } else { LeafSet::ALL },
            after: Slice::EMPTY,
            after_all: !begins,
            steps: Slice::since(&self.block.steps, first_step),
            hold: LeafSet::ALL,
        };
        self.push(origin, HwOpKind::Barrier(op));
    }

    /// Write-back caches above the last level, nearest first.
    fn own_write_caches(&self) -> Vec<CacheId> {
        let caches = self.profile.caches.iter().enumerate();
        let own = caches.filter(|(_, c)| c.policy == Policy::WriteBack && c.parent.is_some());
        nearest_first(
            self.profile,
            &own.map(|(index, _)| CacheId::new(index))
                .collect::<Vec<_>>(),
        )
    }

    /// Caches directly above memory.
    fn last_levels(&self) -> Vec<CacheId> {
        let caches = self.profile.caches.iter().enumerate();
        caches
            .filter(|(_, c)| c.parent.is_none())
            .map(|(index, _)| CacheId::new(index))
            .collect()
    }

    fn present(&mut self, resource: ResourceId, origin: Origin) {
        let first = self.block.steps.len();
        let why = Why::Text("the display reads memory");
        if let Some(extent) = self.timeline.memory.whole(resource) {
            let extents = Slice::push(&mut self.block.extents, [extent]);
            for cache in self
                .own_write_caches()
                .into_iter()
                .chain(self.last_levels())
            {
                self.block.steps.push(Step {
                    kind: StepKind::Clean {
                        cache,
                        reach: Reach::Extents(extents),
                    },
                    why,
                });
            }
        }
        let op = BarrierOp {
            role: BarrierRole::Present,
            wait: LeafSet::ALL,
            after: Slice::EMPTY,
            after_all: true,
            steps: Slice::since(&self.block.steps, first),
            hold: LeafSet::ALL,
        };
        self.push(origin, HwOpKind::Barrier(op));
        self.client(origin, ProgramClient::Display, resource, &Range::All, false);
    }

    fn client(
        &mut self,
        origin: Origin,
        client: ProgramClient,
        resource: ResourceId,
        range: &Range,
        writes: bool,
    ) {
        let extents = self.extents(resource, range);
        let path = self.profile.path_of(if client == ProgramClient::Host {
            Client::Host
        } else {
            Client::Display
        });
        let access = Access {
            mode: if writes {
                AccessMode::Write
            } else {
                AccessMode::Read
            },
            access: BarrierAccess::empty(),
            stages: LeafSet::EMPTY,
            path,
            resource,
            encoding: Encoding::Plain,
            undefined: false,
            independent: false,
            use_node: origin.node,
            use_index: 0,
            extents,
        };
        let accesses = Slice::push(&mut self.block.accesses, [access]);
        let takes = self.profile.time("host.call_ns");
        self.push(
            origin,
            HwOpKind::Client(ClientOp {
                client,
                takes,
                accesses,
            }),
        );
    }

    fn extents(&mut self, resource: ResourceId, range: &Range) -> Slice<Extent> {
        let start = self.block.extents.len();
        let extents = &mut self.block.extents;
        self.timeline
            .memory
            .for_each_extent(self.timeline.scenario, resource, range, |e| extents.push(e));
        Slice::since(extents, start)
    }

    // ---- work -----------------------------------------------------------------------------------------------------

    fn work(&mut self, node: NodeId, list: ListId, command: &'t Command) {
        let scenario = self.timeline.scenario;
        let synchronous = matches!(
            command.kind,
            CommandKind::Copy | CommandKind::Resolve | CommandKind::Discard
        ) && !scenario.device.asynchronous_copies
            && !scenario.lists[list.index()].extended_async;
        let bound: Vec<(NodeId, u16, &Use)> = match &command.kind {
            CommandKind::Draw { .. } => self.roots[0].clone(),
            CommandKind::Dispatch { .. } => self.roots[1].clone(),
            _ => Vec::new(),
        };
        let own = command
            .uses
            .iter()
            .enumerate()
            .map(|(index, u)| (node, index as u16, u));
        let first = self.block.accesses.len();
        let mut amount = Amount::default();
        let mut writes = BarrierAccess::empty();
        for (use_node, use_index, usage) in own.chain(bound) {
            self.accesses(
                use_node,
                use_index,
                usage,
                command,
                &mut amount,
                &mut writes,
            );
        }
        let tasks = cost::tasks(self.profile, command, amount);
        let tasks = Slice::push(&mut self.block.tasks, tasks);
        let accesses = Slice::since(&self.block.accesses, first);
        let origin = Origin { node, entry: None };
        self.push(origin, HwOpKind::Work(Work { tasks, accesses }));
        if synchronous {
            self.synchronous(origin, amount.leaves, writes, accesses);
        }
    }

    /// One or two accesses of a use, and what it adds to the command's cost.
    fn accesses(
        &mut self,
        use_node: NodeId,
        use_index: u16,
        usage: &Use,
        command: &Command,
        amount: &mut Amount,
        all_writes: &mut BarrierAccess,
    ) {
        let scenario = self.timeline.scenario;
        let resource = scenario.resource(usage.resource);
        let layout = self.layouts.uniform(scenario, usage.resource, &usage.range);
        let discards = usage.access.is_no_access();
        let (access, stages) = if discards {
            order::discard_access(resource, layout)
        } else {
            (usage.access, usage.stages)
        };
        // The stages of a draw's shader use are those of its tasks.
        let stages = match &command.kind {
            CommandKind::Draw { .. } if usage.stages.contains(LeafSet::DRAW) => {
                LeafSet::DRAW_SHADING
            }
            _ => stages,
        };
        let class = layout.map_or(LayoutClass::Plain, |l| {
            self.profile.layout_class(l, self.queue)
        });
        let compresses = is_compressible(resource) && class.compresses();
        let extents = self.extents(usage.resource, &usage.range);
        let bytes: u64 = extents
            .of(&self.block.extents)
            .iter()
            .map(|e| e.len())
            .sum();
        amount.bytes += bytes;
        amount.leaves = amount.leaves.union(stages);
        if let Some(shape) = resource.texture()
            && cost::texels_of(access)
        {
            let mip = geometry::subresource_box(shape, &usage.range).map_or(0, |sub| sub.mips.0);
            let texels = u64::from(geometry::mip_extent(shape.width, mip))
                * u64::from(geometry::mip_extent(shape.height, mip));
            amount.texels = amount.texels.max(texels);
        }
        let clears = matches!(command.kind, CommandKind::ClearRtv | CommandKind::ClearDsv);
        amount.fast_clear |= clears && compresses && class == LayoutClass::CompressedFastClear;
        let written = match (
            compresses,
            clears && class == LayoutClass::CompressedFastClear,
        ) {
            (false, _) => Encoding::Plain,
            (true, false) => Encoding::Compressed,
            (true, true) => Encoding::FastCleared,
        };
        let decodes = match class {
            _ if !is_compressible(resource) => Encoding::Plain,
            LayoutClass::CompressedFastClear => Encoding::FastCleared,
            LayoutClass::Compressed => Encoding::Compressed,
            LayoutClass::Plain | LayoutClass::Undefined | LayoutClass::Illegal => Encoding::Plain,
        };
        let reads = usage.reads() && !discards;
        let mut push = |mode, encoding| {
            let path = self.profile.path_of(client_of(access, self.queue));
            self.block.accesses.push(Access {
                mode,
                access,
                stages,
                path,
                resource: usage.resource,
                encoding,
                undefined: discards,
                independent: usage.independent,
                use_node,
                use_index,
                extents,
            });
        };
        if usage.mode == UseMode::Atomics {
            push(AccessMode::Atomic, written);
        } else {
            if reads {
                push(AccessMode::Read, decodes);
            }
            if usage.writes() {
                push(AccessMode::Write, written);
            }
        }
        if usage.writes() {
            *all_writes |= access;
        }
    }

    /// Reading R20: a synchronous copy, resolve or discard is over, and seen by later ones, before anything later runs.
    fn synchronous(
        &mut self,
        origin: Origin,
        leaves: LeafSet,
        writes: BarrierAccess,
        accesses: Slice<Access>,
    ) {
        let copies = [
            BarrierAccess::COPY_SOURCE,
            BarrierAccess::COPY_DEST,
            BarrierAccess::RESOLVE_SOURCE,
            BarrierAccess::RESOLVE_DEST,
        ];
        let written = accesses
            .of(&self.block.accesses)
            .iter()
            .filter(|a| a.mode == AccessMode::Write);
        let extents: Vec<Extent> = written
            .flat_map(|a| a.extents.of(&self.block.extents).to_vec())
            .collect();
        let reach = Reach::Extents(Slice::push(&mut self.block.extents, extents));
        let mut steps: Vec<Step> = Vec::new();
        for write in writes.iter() {
            for other in copies {
                let pair = needs(
                    self.profile,
                    client_of(write, self.queue),
                    client_of(other, self.queue),
                );
                let why = Why::Pair(write, other);
                let cleans = pair
                    .clean
                    .iter()
                    .map(|c| StepKind::Clean { cache: *c, reach });
                let drops = pair
                    .invalidate
                    .iter()
                    .map(|c| StepKind::Invalidate { cache: *c, reach });
                for kind in cleans.chain(drops) {
                    if !steps.iter().any(|s| same_step(&s.kind, &kind)) {
                        steps.push(Step { kind, why });
                    }
                }
            }
        }
        steps.sort_by_key(|s| matches!(s.kind, StepKind::Invalidate { .. }));
        let op = BarrierOp {
            role: BarrierRole::Synchronous,
            wait: leaves,
            after: Slice::EMPTY,
            after_all: false,
            steps: Slice::push(&mut self.block.steps, steps),
            hold: LeafSet::ALL,
        };
        self.push(origin, HwOpKind::Barrier(op));
    }

    // ---- barriers -------------------------------------------------------------------------------------------------

    fn barrier(&mut self, id: BarrierRef, barrier: &Barrier) {
        let scenario = self.timeline.scenario;
        let (resource, layouts) = match &barrier.target {
            BarrierTarget::EmptyGroup(_) => return,
            BarrierTarget::Global => (None, None),
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
        };
        let traits = resource.map(|r| scenario.traits(r));
        let before = Scope::new(
            barrier.sync_before,
            barrier.access_before,
            layouts.map(|l| l.0),
            self.queue,
            traits,
        );
        let after = Scope::new(
            barrier.sync_after,
            barrier.access_after,
            layouts.map(|l| l.1),
            self.queue,
            traits,
        );
        let start = self.block.extents.len();
        let extents = &mut self.block.extents;
        self.timeline
            .memory
            .for_each_barrier_extent(scenario, barrier, |extent| extents.push(extent));
        let extents = Slice::since(extents, start);
        let mut context = BarrierContext {
            profile: self.profile,
            queue: self.queue,
            scopes: (before, after),
            begins: barrier.sync_after.is_split(),
            ends: barrier.sync_before.is_split(),
            wait: LeafSet::EMPTY,
            hold: LeafSet::EMPTY,
            after: Vec::new(),
            after_all: false,
            steps: Vec::new(),
            extents,
            layout: layout_operation(scenario, self.profile, self.queue, barrier),
            resource,
            latest: resource.and_then(|r| self.latest[r.index()]),
            latest_global: self.latest_global,
        };
        self.lowering.barrier(&mut context);
        let first_half = resource
            .and_then(|r| self.split[r.index()])
            .filter(|_| context.ends);
        context.after.extend(first_half);
        let role = match (context.begins, context.ends) {
            (true, _) => BarrierRole::SplitBegin,
            (_, true) => BarrierRole::SplitEnd,
            _ => BarrierRole::Whole,
        };
        let BarrierContext {
            wait,
            hold,
            after,
            after_all,
            steps,
            begins,
            ..
        } = context;
        let op = BarrierOp {
            role,
            wait,
            after: Slice::push(&mut self.block.after, after),
            after_all,
            steps: Slice::push(&mut self.block.steps, steps),
            hold,
        };
        let op_id = OpId::new(self.block.ops.len());
        self.push(
            Origin {
                node: id.node,
                entry: Some(id.entry),
            },
            HwOpKind::Barrier(op),
        );
        match resource {
            Some(resource) => {
                self.latest[resource.index()] = Some((op_id, hold));
                self.split[resource.index()] = begins.then_some(op_id);
            }
            None => self.latest_global = Some((op_id, hold)),
        }
        self.layouts.apply(scenario, barrier);
    }
}

/// What a lowering sees of a barrier entry, and what it makes of it.
pub struct BarrierContext<'p> {
    /// The machine.
    pub profile: &'p Profile,
    /// Type of the queue.
    pub queue: QueueType,
    /// What the entry's two sides mean.
    pub scopes: (Scope, Scope),
    /// The entry is the first half of a split barrier.
    pub begins: bool,
    /// The entry is the second half.
    pub ends: bool,
    /// Leaves whose earlier work it waits for.
    pub wait: LeafSet,
    /// Leaves whose later work it holds.
    pub hold: LeafSet,
    /// Every earlier barrier of the scope must have completed.
    pub after_all: bool,
    after: Vec<OpId>,
    steps: Vec<Step>,
    extents: Slice<Extent>,
    layout: Option<(LayoutOpId, Encoding, bool)>,
    resource: Option<ResourceId>,
    latest: Option<(OpId, LeafSet)>,
    latest_global: Option<(OpId, LeafSet)>,
}

impl BarrierContext<'_> {
    /// The client of an access on this queue.
    pub fn client(&self, access: BarrierAccess) -> Client {
        client_of(access, self.queue)
    }

    /// The bytes that the entry applies to: all of memory for a global one.
    pub fn reach(&self) -> Reach {
        if self.resource.is_some() {
            Reach::Extents(self.extents)
        } else {
            Reach::Everything
        }
    }

    /// The layout operation that the entry needs on this machine.
    pub fn layout_op(&self) -> Option<LayoutOpId> {
        self.layout.map(|(op, ..)| op)
    }

    /// Appends an operation.
    pub fn step(&mut self, kind: StepKind, why: Why) {
        self.steps.push(Step { kind, why });
    }

    /// Takes out the operations that are not to be kept.
    pub fn keep_steps(&mut self, keep: impl Fn(&StepKind) -> bool) {
        self.steps.retain(|step| keep(&step.kind));
    }

    /// Appends the layout operation, if one is needed.
    pub fn layout_step(&mut self) {
        let (Some((op, to, initialise)), Some(resource)) = (self.layout, self.resource) else {
            return;
        };
        let from = if initialise {
            Encoding::Garbage
        } else {
            Encoding::Compressed
        };
        let why = if initialise {
            Why::Text("metadata is initialised")
        } else {
            Why::Text("the layout after cannot hold what the layout before compresses")
        };
        self.step(
            StepKind::Layout {
                op,
                resource,
                extents: self.extents,
                from,
                to,
                initialise,
            },
            why,
        );
    }

    /// Orders the entry after the barriers with which it composes directly: the latest on its resource whose SyncAfter
    /// meets its SyncBefore, the latest global one; all of them if it waits for everything (reading R12).
    pub fn order_after_composed(&mut self) {
        let before = self.scopes.0.stages;
        if before.contains(self.queue.leaves()) || self.resource.is_none() {
            self.after_all = true;
            return;
        }
        let composed = [self.latest, self.latest_global].into_iter().flatten();
        self.after.extend(
            composed
                .filter(|(_, hold)| hold.meets(before))
                .map(|(op, _)| op),
        );
        // Barriers on one subresource complete in queued order whatever they name.
        if let Some((op, _)) = self.latest
            && !self.after.contains(&op)
        {
            self.after.push(op);
        }
    }

    /// Caches ordered so that each stands before its parent.
    pub fn nearest_first(&self, caches: &[CacheId]) -> Vec<CacheId> {
        nearest_first(self.profile, caches)
    }
}

/// Caches ordered so that each stands before its parent.
fn nearest_first(profile: &Profile, caches: &[CacheId]) -> Vec<CacheId> {
    let depth =
        |id: &CacheId| std::iter::successors(Some(*id), |at| profile.cache(*at).parent).count();
    let mut ordered = caches.to_vec();
    ordered.sort_by_key(|id| std::cmp::Reverse(depth(id)));
    ordered
}

/// Copies on a copy queue go through the copy engine.
fn client_of(access: BarrierAccess, queue: QueueType) -> Client {
    match (queue, access) {
        (QueueType::Copy, BarrierAccess::COPY_SOURCE) => Client::CopyQueueRead,
        (QueueType::Copy, BarrierAccess::COPY_DEST) => Client::CopyQueueWrite,
        _ => Client::Access(access),
    }
}

/// Whether a resource can be compressed at all.
fn is_compressible(resource: &Resource) -> bool {
    let flags = ResourceFlags::RENDER_TARGET
        | ResourceFlags::DEPTH_STENCIL
        | ResourceFlags::UNORDERED_ACCESS;
    !resource.is_buffer()
        && !resource.uncompressed
        && resource.flags.intersects(flags)
        && !resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS)
        && resource.heap_type == HeapType::Default
}

/// The layout operation of a texture barrier: which, to what encoding, and whether it only initialises metadata.
fn layout_operation(
    scenario: &crate::scenario::Scenario,
    profile: &Profile,
    queue: QueueType,
    barrier: &Barrier,
) -> Option<(LayoutOpId, Encoding, bool)> {
    let BarrierTarget::Texture {
        resource: Some(id),
        layout_before,
        layout_after,
        discard,
        ..
    } = &barrier.target
    else {
        return None;
    };
    if !is_compressible(scenario.resource(*id)) || (layout_before == layout_after && !discard) {
        return None;
    }
    let to = profile.layout_class(*layout_after, queue);
    let encoding = if to.compresses() {
        Encoding::Compressed
    } else {
        Encoding::Plain
    };
    if *discard {
        return profile
            .layout_change(LayoutClass::Undefined, to)
            .map(|op| (op, encoding, true));
    }
    if *layout_before == Layout::Undefined {
        // Without discard the contents are garbage, and stay it.
        return None;
    }
    let from = profile.layout_class(*layout_before, queue);
    profile
        .layout_change(from, to)
        .map(|op| (op, encoding, false))
}

fn same_step(a: &StepKind, b: &StepKind) -> bool {
    match (a, b) {
        (StepKind::Clean { cache: a, .. }, StepKind::Clean { cache: b, .. })
        | (StepKind::Invalidate { cache: a, .. }, StepKind::Invalidate { cache: b, .. }) => a == b,
        _ => false,
    }
}
