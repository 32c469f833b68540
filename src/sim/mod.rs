//! The machine: a discrete-event simulation of a lowered program.
//!
//! Queues run concurrently. A queue's front end takes packets up in order; work flows through its stages; a barrier
//! waits for earlier work of the leaves that it names, operates, and holds later work of the leaves that it names — the
//! front end itself goes on. Events are processed in the order (time, phase, sequence), so a run is a function of its
//! input. What a read sees is what the caches on its path hold when its stage begins; what a write leaves is there when
//! its last stage ends.
//!
//! Each read is compared with what program order says it should see: the version issued last before it. The comparison
//! is the only place where the machine knows right from wrong.

mod extents;
mod lanes;
mod memory;
mod pools;
mod work;

use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::hardware::{Policy, Profile};
use crate::id::{BarrierRef, CacheId, Extent, FenceId, NodeId, OpId, QueueId, ResourceId};
use crate::program::{
    BarrierOp, BarrierRole, Block, Encoding, HwOp, HwOpKind, Pool, Program, StepKind,
};
use crate::time::Ps;
use crate::trace::{BarrierTiming, CommandTiming, Observation, OpLife, Reason, Span, Stuck, Trace};
use extents::ExtentMap;
use memory::{Memory, VersionId};
use pools::PoolState;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use work::InFlight;

/// How to simulate.
#[derive(Copy, Clone, Debug, Default)]
pub struct Options {}

/// Runs a program on a machine.
pub fn simulate(program: &Program, profile: &Profile, _options: &Options) -> Trace {
    let mut machine = Machine::new(program, profile);
    machine.run();
    machine.finish()
}

/// What happens. Ordered: at one moment, ends come before starts.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    /// A pool may have an ended task.
    Pool(usize, u32),
    /// A stage of a command ends.
    TaskEnd(u32, u8),
    /// A barrier goes on with its next operation.
    Barrier(u32),
    /// A fence is set; its queue goes on.
    FenceSet(u32, u64, u32),
    /// A stage of a command may begin.
    TaskStart(u32, u8),
    /// A queue's front end (the last one is the CPU) looks at its next packet.
    FrontEnd(u32),
}

impl Event {
    fn phase(self) -> u8 {
        match self {
            Self::Pool(..) => 0,
            Self::TaskEnd(..) => 1,
            Self::Barrier(..) => 2,
            Self::FenceSet(..) => 3,
            Self::TaskStart(..) => 4,
            Self::FrontEnd(..) => 5,
        }
    }
}

/// A version of some bytes: who made it.
#[derive(Copy, Clone, Debug)]
struct Version {
    writer: Option<NodeId>,
    access: BarrierAccess,
    resource: Option<ResourceId>,
    finished: bool,
    undefined: bool,
}

/// A queue's front end, or the CPU.
struct FrontEnd {
    /// Blocks that have been submitted and not begun.
    blocks: VecDeque<u32>,
    /// Block and packet that is next.
    current: Option<(u32, u32)>,
    busy_until: Ps,
    /// When it reached the packet that it could not take up yet.
    reached: Option<Ps>,
    /// Work and barriers that are in flight.
    in_flight: u32,
    work: Vec<u32>,
    barriers: Vec<u32>,
    /// A fence is being set.
    setting: bool,
    /// Waits for fences: begin and end.
    fence_waits: Vec<(Ps, Ps, NodeId)>,
}

/// A barrier in flight.
struct PendingBarrier {
    op: OpId,
    block: u32,
    queue: u32,
    arrival: Ps,
    /// Work and barriers that it still waits for.
    remaining: u32,
    drained: Ps,
    /// Next step.
    step: u32,
    started: bool,
    spans: Vec<Span>,
    /// Stages that it holds: in-flight slot and task.
    held: Vec<(u32, u8)>,
    /// Barriers that wait for it.
    dependants: Vec<u32>,
    dropped_bytes: u64,
}

struct Machine<'p> {
    program: &'p Program,
    profile: &'p Profile,
    trace: Trace,
    events: BinaryHeap<Reverse<(Ps, u8, u64, Event)>>,
    sequence: u64,
    now: Ps,
    memory: Memory<'p>,
    versions: Vec<Version>,
    /// Version issued last, by bytes.
    issued: Vec<ExtentMap<VersionId>>,
    fences: Vec<u64>,
    fronts: Vec<FrontEnd>,
    /// Index of the next submission that the CPU makes.
    next_submission: u32,
    cpu_since: Option<Ps>,
    slots: Vec<InFlight>,
    free_slots: Vec<u32>,
    pools: Vec<PoolState>,
    barriers: Vec<PendingBarrier>,
    free_barriers: Vec<u32>,
    /// Whether a barrier packet has completed, by `OpId`.
    completed: Vec<bool>,
    pending_of: Vec<u32>,
    /// First work that each barrier entry held: index into `trace.barriers` by packet.
    timing_of: Vec<u32>,
    /// Work as run: queue, begin, end, node.
    work_runs: Vec<(u32, Ps, Ps, NodeId)>,
}

const NONE: u32 = u32::MAX;

impl<'p> Machine<'p> {
    fn new(program: &'p Program, profile: &'p Profile) -> Self {
        let ops = program.ops as usize;
        let fronts = (0..=program.queues.len())
            .map(|_| FrontEnd {
                blocks: VecDeque::new(),
                current: None,
                busy_until: Ps::ZERO,
                reached: None,
                in_flight: 0,
                work: Vec::new(),
                barriers: Vec::new(),
                setting: false,
                fence_waits: Vec::new(),
            })
            .collect();
        let trace = Trace {
            ops: vec![OpLife::default(); ops],
            commands: vec![CommandTiming::NEVER; program.nodes as usize],
            lanes: vec![Vec::new(); program.queues.len()],
            ..Trace::default()
        };
        let initial = Version {
            writer: None,
            access: BarrierAccess::empty(),
            resource: None,
            finished: true,
            undefined: false,
        };
        Self {
            program,
            profile,
            trace,
            events: BinaryHeap::new(),
            sequence: 0,
            now: Ps::ZERO,
            memory: Memory::new(profile, &program.memories),
            versions: vec![initial],
            issued: vec![ExtentMap::default(); program.memories.len()],
            fences: program.fences.clone(),
            fronts,
            next_submission: 0,
            cpu_since: None,
            slots: Vec::new(),
            free_slots: Vec::new(),
            pools: Pool::ALL.iter().map(|_| PoolState::default()).collect(),
            barriers: Vec::new(),
            free_barriers: Vec::new(),
            completed: vec![false; ops],
            pending_of: vec![NONE; ops],
            timing_of: vec![NONE; ops],
            work_runs: Vec::new(),
        }
    }

    fn at(&mut self, time: Ps, event: Event) {
        self.sequence += 1;
        self.events
            .push(Reverse((time, event.phase(), self.sequence, event)));
    }

    fn run(&mut self) {
        self.at(Ps::ZERO, Event::FrontEnd(self.cpu()));
        while let Some(Reverse((time, _, _, event))) = self.events.pop() {
            assert!(time >= self.now, "time never goes back");
            self.now = time;
            self.trace.totals.events += 1;
            match event {
                Event::Pool(pool, generation) => self.pool_ends(pool, generation),
                Event::TaskEnd(slot, task) => self.task_end(slot, task),
                Event::Barrier(barrier) => self.barrier_step(barrier),
                Event::FenceSet(fence, value, front) => {
                    self.fence_set(FenceId(fence), value, front)
                }
                Event::TaskStart(slot, task) => self.task_start(slot, task),
                Event::FrontEnd(front) if front == self.cpu() => self.cpu_step(),
                Event::FrontEnd(front) => self.front_end(front),
            }
        }
    }

    fn cpu(&self) -> u32 {
        self.fronts.len() as u32 - 1
    }

    fn block(&self, block: u32) -> &'p Block {
        &self.program.blocks[block as usize]
    }

    // ---- the CPU --------------------------------------------------------------------------------------------------

    /// The CPU makes one submission after the other; its own operations take time, handing work to a queue does not.
    fn cpu_step(&mut self) {
        while (self.next_submission as usize) < self.program.blocks.len() {
            let index = self.next_submission;
            let block = self.block(index);
            if let Some(queue) = block.queue {
                self.fronts[queue.index()].blocks.push_back(index);
                let now = self.now;
                self.at(now, Event::FrontEnd(queue.0));
                self.next_submission += 1;
                continue;
            }
            if !self.cpu_operation(block) {
                return;
            }
            self.next_submission += 1;
        }
    }

    /// Carries out an operation of the CPU's own. False if it goes on later.
    fn cpu_operation(&mut self, block: &'p Block) -> bool {
        let Some(op) = block.ops.first() else {
            return true;
        };
        let since = *self.cpu_since.get_or_insert(self.now);
        match op.kind {
            HwOpKind::WaitFence { fence, value } => {
                if self.fences[fence.index()] < value {
                    return false;
                }
                self.record_simple(op, since, self.now, Reason::WaitFence(fence));
            }
            HwOpKind::SignalFence { fence, value } => {
                let end = since + self.profile.time("host.call_ns");
                if self.now < end {
                    self.at(end, Event::FrontEnd(self.cpu()));
                    return false;
                }
                self.record_simple(op, since, self.now, Reason::Signal);
                self.set_fence(fence, value);
            }
            HwOpKind::Client(client) => {
                let end = since + client.takes;
                if self.now < end {
                    self.at(end, Event::FrontEnd(self.cpu()));
                    return false;
                }
                self.client_accesses(block, op, client);
                self.record_simple(op, since, self.now, Reason::Client);
            }
            HwOpKind::Work(_) | HwOpKind::Barrier(_) | HwOpKind::Reset { .. } => {}
        }
        self.cpu_since = None;
        true
    }

    fn record_simple(&mut self, op: &HwOp, start: Ps, end: Ps, reason: Reason) {
        let spans = if end > start {
            vec![Span { end, reason }]
        } else {
            Vec::new()
        };
        self.trace.record(op.id, start, end, &spans);
        let timing = &mut self.trace.commands[op.origin.node.index()];
        if !timing.ran() {
            *timing = CommandTiming { start, end };
        }
        timing.end = timing.end.max(end);
    }

    // ---- front ends -----------------------------------------------------------------------------------------------

    /// Takes packets up until one has to wait.
    fn front_end(&mut self, index: u32) {
        loop {
            if self.fronts[index as usize].busy_until > self.now {
                return;
            }
            let Some((block, op)) = self.next_packet(index) else {
                return;
            };
            let packet = &self.block(block).ops[op as usize];
            if !self.take_up(index, block, packet) {
                let now = self.now;
                self.fronts[index as usize].reached.get_or_insert(now);
                return;
            }
            self.fronts[index as usize].reached = None;
            self.fronts[index as usize].current = Some((block, op + 1));
        }
    }

    fn next_packet(&mut self, index: u32) -> Option<(u32, u32)> {
        loop {
            if let Some((block, op)) = self.fronts[index as usize].current {
                if (op as usize) < self.block(block).ops.len() {
                    return Some((block, op));
                }
                self.fronts[index as usize].current = None;
            }
            let block = self.fronts[index as usize].blocks.pop_front()?;
            self.fronts[index as usize].current = Some((block, 0));
        }
    }

    /// Keeps a front end busy, and calls it again afterwards.
    fn busy(&mut self, index: u32, until: Ps) {
        self.fronts[index as usize].busy_until = until;
        self.at(until, Event::FrontEnd(index));
    }

    fn is_idle(&self, index: u32) -> bool {
        let front = &self.fronts[index as usize];
        front.in_flight == 0 && !front.setting
    }

    /// Takes one packet up; false if it has to wait.
    fn take_up(&mut self, index: u32, block: u32, packet: &'p HwOp) -> bool {
        let limit = self.profile.number("limit.in_flight") as u32;
        let reached = self.fronts[index as usize].reached.unwrap_or(self.now);
        match packet.kind {
            HwOpKind::Work(work) => {
                if self.fronts[index as usize].in_flight >= limit {
                    return false;
                }
                self.issue(index, block, packet, work, reached);
                true
            }
            HwOpKind::Barrier(barrier) => {
                if self.fronts[index as usize].in_flight >= limit {
                    return false;
                }
                if barrier.role == BarrierRole::ScopeBegin {
                    // Scopes of one queue follow each other (reading R22).
                    if !self.is_idle(index) {
                        return false;
                    }
                    let until = self.now + self.profile.time("submit.scope_ns");
                    self.busy(index, until);
                }
                self.barrier_arrives(index, block, packet, barrier, reached);
                true
            }
            HwOpKind::SignalFence { fence, value } => {
                if !self.is_idle(index) {
                    return false;
                }
                let end = self.now + self.block(block).signal_takes;
                self.fronts[index as usize].setting = true;
                self.at(end, Event::FenceSet(fence.0, value, index));
                self.record_simple(packet, self.now, end, Reason::Signal);
                self.busy(index, end);
                true
            }
            HwOpKind::WaitFence { fence, value } => {
                if self.fences[fence.index()] < value {
                    return false;
                }
                // A wait that was satisfied before it was reached costs nothing.
                let end = if reached < self.now {
                    self.now + self.block(block).wait_takes
                } else {
                    self.now
                };
                self.record_simple(packet, reached, end, Reason::WaitFence(fence));
                if end > reached {
                    self.fronts[index as usize].fence_waits.push((
                        reached,
                        end,
                        packet.origin.node,
                    ));
                    self.busy(index, end);
                }
                true
            }
            HwOpKind::Client(client) => {
                if !self.is_idle(index) {
                    return false;
                }
                let end = self.now + client.takes;
                let block = self.block(block);
                self.client_accesses(block, packet, client);
                self.record_simple(packet, self.now, end, Reason::Client);
                self.busy(index, end);
                true
            }
            HwOpKind::Reset { .. } => true,
        }
    }

    fn fence_set(&mut self, fence: FenceId, value: u64, front: u32) {
        self.fronts[front as usize].setting = false;
        self.set_fence(fence, value);
    }

    /// Sets a fence and wakes everyone: who waits looks again.
    fn set_fence(&mut self, fence: FenceId, value: u64) {
        self.fences[fence.index()] = value;
        let now = self.now;
        for front in 0..self.fronts.len() as u32 {
            self.at(now, Event::FrontEnd(front));
        }
    }

    /// A packet has retired: the front end may go on.
    fn retired(&mut self, front: u32) {
        self.fronts[front as usize].in_flight -= 1;
        let now = self.now;
        self.at(now, Event::FrontEnd(front));
    }

    // ---- barriers -------------------------------------------------------------------------------------------------

    fn barrier_arrives(
        &mut self,
        queue: u32,
        block: u32,
        packet: &'p HwOp,
        op: BarrierOp,
        reached: Ps,
    ) {
        let pending = PendingBarrier {
            op: packet.id,
            block,
            queue,
            arrival: reached,
            remaining: 0,
            drained: self.now,
            step: 0,
            started: false,
            spans: Vec::new(),
            held: Vec::new(),
            dependants: Vec::new(),
            dropped_bytes: 0,
        };
        let index = match self.free_barriers.pop() {
            Some(index) => {
                self.barriers[index as usize] = pending;
                index
            }
            None => {
                self.barriers.push(pending);
                self.barriers.len() as u32 - 1
            }
        };
        self.pending_of[packet.id.index()] = index;
        let mut remaining = 0;
        for slot in self.fronts[queue as usize].work.clone() {
            remaining += self.slots[slot as usize].wait_for(op.wait, index);
        }
        let block_ref = self.block(block);
        let mut earlier: Vec<u32> = if op.after_all {
            self.fronts[queue as usize].barriers.clone()
        } else {
            let after = op.after.of(&block_ref.after);
            after
                .iter()
                .filter(|id| !self.completed[id.index()])
                .map(|id| self.pending_of[id.index()])
                .collect()
        };
        earlier.retain(|other| *other != NONE && *other != index);
        remaining += earlier.len() as u32;
        for other in earlier {
            self.barriers[other as usize].dependants.push(index);
        }
        self.barriers[index as usize].remaining = remaining;
        let front = &mut self.fronts[queue as usize];
        front.barriers.push(index);
        front.in_flight += 1;
        if remaining == 0 {
            let now = self.now;
            self.at(now, Event::Barrier(index));
        }
    }

    /// One thing that a barrier waited for is over.
    fn barrier_progress(&mut self, index: u32) {
        let barrier = &mut self.barriers[index as usize];
        barrier.remaining -= 1;
        if barrier.remaining == 0 {
            let now = self.now;
            self.at(now, Event::Barrier(index));
        }
    }

    fn barrier_op(&self, index: u32) -> (&'p Block, &'p HwOp, BarrierOp) {
        let pending = &self.barriers[index as usize];
        let block = self.block(pending.block);
        let packet = block.op(pending.op);
        match packet.kind {
            HwOpKind::Barrier(op) => (block, packet, op),
            _ => unreachable!("a pending barrier is a barrier packet"),
        }
    }

    /// Begins a barrier's operations, ends the one that ran, begins the next.
    fn barrier_step(&mut self, index: u32) {
        let (block, _, op) = self.barrier_op(index);
        if !self.barriers[index as usize].started {
            self.barriers[index as usize].started = true;
            self.barriers[index as usize].drained = self.now;
            self.span(index, Reason::Drain);
            let cost = self.wait_cost(op);
            if cost > Ps::ZERO {
                let end = self.now + cost;
                self.barriers[index as usize].spans.push(Span {
                    end,
                    reason: Reason::WaitCost,
                });
                self.at(end, Event::Barrier(index));
                return;
            }
        }
        let steps = op.steps.of(&block.steps);
        let first = self.barriers[index as usize].step as usize;
        let Some(step) = steps.get(first) else {
            self.complete(index);
            return;
        };
        // Adjacent cleans run together, and so do adjacent invalidates.
        let alike =
            |other: &StepKind| std::mem::discriminant(other) == std::mem::discriminant(&step.kind);
        let many = matches!(
            step.kind,
            StepKind::Clean { .. } | StepKind::Invalidate { .. }
        );
        let count = if many {
            steps[first..].iter().take_while(|s| alike(&s.kind)).count()
        } else {
            1
        };
        let mut cost = Ps::ZERO;
        let mut reason = Reason::FrontEndSync;
        for step in &steps[first..first + count] {
            let (takes, why) = self.operate(index, block, &step.kind);
            cost = cost.max(takes);
            reason = why;
        }
        self.barriers[index as usize].step += count as u32;
        let end = self.now + cost;
        if cost > Ps::ZERO {
            self.barriers[index as usize]
                .spans
                .push(Span { end, reason });
        }
        self.at(end, Event::Barrier(index));
    }

    /// Ends the span that led here.
    fn span(&mut self, index: u32, reason: Reason) {
        let now = self.now;
        let barrier = &mut self.barriers[index as usize];
        let from = barrier.spans.last().map_or(barrier.arrival, |s| s.end);
        if now > from {
            barrier.spans.push(Span { end: now, reason });
        }
    }

    /// The event and wait themselves, whether or not there was anything to wait for.
    fn wait_cost(&self, op: BarrierOp) -> Ps {
        let pipe_end = LeafSet::of(&[Leaf::RenderTarget, Leaf::DepthStencil, Leaf::Resolve]);
        if !matches!(op.role, BarrierRole::Whole | BarrierRole::SplitBegin) || op.wait.is_empty() {
            Ps::ZERO
        } else if op.wait.meets(pipe_end) {
            self.profile.time("fixed.eop_wait_ns")
        } else {
            self.profile.time("fixed.drain_shader_ns")
        }
    }

    /// Carries out one operation; returns how long it takes.
    fn operate(&mut self, index: u32, block: &'p Block, kind: &StepKind) -> (Ps, Reason) {
        let rate = |bytes, key: &str| Ps::for_amount(bytes, self.profile.number(key));
        let last_level = |cache: CacheId| self.profile.cache(cache).parent.is_none();
        match *kind {
            StepKind::Clean { cache, reach } => {
                let reach = block.reach(reach);
                let dirty = self.memory.dirty_bytes(cache, reach);
                let cost = if last_level(cache) {
                    self.profile.time("fixed.l2_wb_ns") + rate(dirty, "rate.dram_bytes_per_s")
                } else {
                    // Its fixed cost is that of the event that carries it.
                    rate(dirty, "rate.l2_bytes_per_s")
                };
                let written = self.memory.clean(cache, reach);
                self.trace.totals.cleans += 1;
                self.trace.totals.cleaned_bytes += written;
                (cost, Reason::Clean(cache))
            }
            StepKind::Invalidate { cache, reach } => {
                let reach = block.reach(reach);
                let dirty = self.memory.dirty_bytes(cache, reach);
                let cost = if last_level(cache) {
                    self.profile.time("fixed.l2_wb_ns") + rate(dirty, "rate.dram_bytes_per_s")
                } else if self.profile.cache(cache).policy == Policy::WriteBack {
                    rate(dirty, "rate.l2_bytes_per_s")
                } else {
                    self.profile.time("fixed.inv_light_ns")
                };
                let (written, dropped) = self.memory.invalidate(cache, reach);
                self.barriers[index as usize].dropped_bytes += dropped;
                self.trace.totals.invalidates += 1;
                self.trace.totals.cleaned_bytes += written;
                self.trace.totals.invalidated_bytes += dropped;
                (cost, Reason::Invalidate(cache))
            }
            StepKind::Layout {
                op,
                resource,
                extents,
                to,
                initialise,
                ..
            } => {
                let extents = extents.of(&block.extents);
                let bytes: u64 = extents.iter().map(|e| e.len()).sum();
                let moved = bytes.saturating_mul(self.profile.layout_op(op).moved_percent) / 100;
                let cost = self.profile.time("fixed.layout_launch_ns")
                    + rate(moved, "rate.dram_bytes_per_s");
                self.layout_operation(index, resource, extents, to, initialise);
                self.trace.totals.layout_operations += 1;
                (cost, Reason::Layout(resource))
            }
            StepKind::FrontEnd => (
                self.profile.time("fixed.front_end_ns"),
                Reason::FrontEndSync,
            ),
        }
    }

    fn layout_operation(
        &mut self,
        index: u32,
        resource: ResourceId,
        extents: &[Extent],
        to: Encoding,
        initialise: bool,
    ) {
        let node = self.barrier_op(index).1.origin.node;
        let version = initialise.then(|| {
            self.versions.push(Version {
                writer: Some(node),
                access: BarrierAccess::empty(),
                resource: Some(resource),
                finished: true,
                undefined: true,
            });
            self.versions.len() as VersionId - 1
        });
        for extent in extents {
            self.memory.rewrite(*extent, to, version);
            if let Some(version) = version {
                self.issued[extent.memory.index()].set(extent.start, extent.end, version);
            }
        }
    }

    /// A barrier is over: what it held may begin.
    fn complete(&mut self, index: u32) {
        let (_, packet, op) = self.barrier_op(index);
        let now = self.now;
        let barrier = &mut self.barriers[index as usize];
        let spans = std::mem::take(&mut barrier.spans);
        let held = std::mem::take(&mut barrier.held);
        let dependants = std::mem::take(&mut barrier.dependants);
        let (queue, arrival, drained, dropped) = (
            barrier.queue,
            barrier.arrival,
            barrier.drained,
            barrier.dropped_bytes,
        );
        self.completed[packet.id.index()] = true;
        self.pending_of[packet.id.index()] = NONE;
        self.fronts[queue as usize]
            .barriers
            .retain(|other| *other != index);
        self.free_barriers.push(index);
        self.trace.record(packet.id, arrival, now, &spans);
        if let Some(entry) = packet.origin.entry {
            self.trace.totals.barriers += 1;
            self.timing_of[packet.id.index()] = self.trace.barriers.len() as u32;
            let rate = self.profile.number("rate.l2_bytes_per_s");
            let refetch = if dropped == 0 || op.hold.is_empty() {
                Ps::ZERO
            } else {
                self.profile.time("latency.l2_ns") + Ps::for_amount(dropped, rate)
            };
            self.trace.barriers.push(BarrierTiming {
                barrier: BarrierRef {
                    node: packet.origin.node,
                    entry,
                },
                op: packet.id,
                arrival,
                drained,
                completed: now,
                first_held_start: None,
                drain: drained - arrival,
                operation: now - drained,
                refill: refetch,
                exposed: Ps::ZERO,
            });
        }
        for (slot, task) in held {
            self.unblock(slot, task, packet.id);
        }
        for other in dependants {
            self.barrier_progress(other);
        }
        self.retired(queue);
    }

    // ---- end ------------------------------------------------------------------------------------------------------

    fn finish(mut self) -> Trace {
        let mut stuck = Vec::new();
        for (index, front) in self.fronts.iter().enumerate() {
            let is_cpu = index + 1 == self.fronts.len();
            let next = if is_cpu {
                self.program
                    .blocks
                    .get(self.next_submission as usize)
                    .and_then(|b| b.ops.first())
            } else {
                front
                    .current
                    .and_then(|(block, op)| self.block(block).ops.get(op as usize))
            };
            if let Some(HwOp {
                kind: HwOpKind::WaitFence { fence, value },
                origin,
                ..
            }) = next
            {
                stuck.push(Stuck {
                    queue: (!is_cpu).then(|| QueueId::new(index)),
                    node: origin.node,
                    fence: *fence,
                    value: *value,
                    reached: self.fences[fence.index()],
                });
            }
        }
        self.trace.stuck = stuck;
        self.trace.makespan = self.now;
        self.trace.totals.memory_read_bytes = self.memory.read_bytes;
        self.trace.totals.memory_written_bytes = self.memory.written_bytes;
        self.trace.totals.bad_reads = self.trace.observations.len() as u64;
        let waits: Vec<_> = self.fronts.iter().map(|f| f.fence_waits.clone()).collect();
        lanes::fill(&mut self.trace, self.program, &mut self.work_runs, &waits);
        self.trace
    }

    fn observe(&mut self, observation: Observation) {
        self.trace.observations.push(observation);
    }
}
