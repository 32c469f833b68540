//! Work in flight: stages that begin and end, what they read and write.

use super::memory::{Cell, VersionId};
use super::{Event, Machine, NONE, Version};
use crate::api::{BarrierAccess, LeafSet};
use crate::id::{Extent, NodeId, OpId};
use crate::program::{Access, AccessMode, Block, ClientOp, HwOp, Pool, Work};
use crate::time::Ps;
use crate::trace::{CommandTiming, Observation, ObservationKind, Reason, Span};

/// A stage of a command in flight.
struct Stage {
    leaf: crate::api::Leaf,
    pool: Pool,
    weight: u16,
    cost: Ps,
    latency: Ps,
    /// Barriers that hold it.
    blockers: u32,
    /// The last of them that let it go.
    released_by: Option<OpId>,
    /// The stage before allows it to begin from this moment on.
    ready: Option<Ps>,
    started: Option<Ps>,
    /// Its own work is done; it may still wait for the stage before.
    done: Option<Ps>,
    ended: Option<Ps>,
    /// Barriers that wait for it.
    waiters: Vec<u32>,
}

/// A command in flight.
pub(super) struct InFlight {
    op: OpId,
    block: u32,
    queue: u32,
    node: NodeId,
    queued: Ps,
    launched: Ps,
    stages: Vec<Stage>,
    work: Work,
    /// For each write, its version.
    written: Vec<(u32, VersionId)>,
    /// For each read, what it should see.
    expected: Vec<(u32, Vec<(Extent, VersionId)>)>,
}

impl InFlight {
    /// Registers a barrier with every unfinished stage that it waits for; returns how many there are.
    pub(super) fn wait_for(&mut self, leaves: LeafSet, barrier: u32) -> u32 {
        let mut count = 0;
        for stage in &mut self.stages {
            if stage.ended.is_none() && leaves.has(stage.leaf) {
                stage.waiters.push(barrier);
                count += 1;
            }
        }
        count
    }
}

impl<'p> Machine<'p> {
    /// The front end takes a command up: its writes are the newest versions from here on.
    pub(super) fn issue(
        &mut self,
        queue: u32,
        block: u32,
        packet: &'p HwOp,
        work: Work,
        reached: Ps,
    ) {
        let launched = self.now + self.profile.time("launch.other_ns");
        let table = self.block(block);
        let stages: Vec<Stage> = work
            .tasks
            .of(&table.tasks)
            .iter()
            .map(|task| Stage {
                leaf: task.leaf,
                pool: task.pool,
                weight: task.weight,
                cost: task.cost,
                latency: task.latency,
                blockers: 0,
                released_by: None,
                ready: None,
                started: None,
                done: None,
                ended: None,
                waiters: Vec::new(),
            })
            .collect();
        let node = packet.origin.node;
        let accesses = work.accesses.of(&table.accesses);
        let expected = self.expectations(table, accesses);
        let written = self.new_versions(table, accesses, node);
        let flight = InFlight {
            op: packet.id,
            block,
            queue,
            node,
            queued: reached,
            launched,
            stages,
            work,
            written,
            expected,
        };
        let slot = match self.free_slots.pop() {
            Some(slot) => {
                self.slots[slot as usize] = flight;
                slot
            }
            None => {
                self.slots.push(flight);
                self.slots.len() as u32 - 1
            }
        };
        self.hold(slot, queue);
        let front = &mut self.fronts[queue as usize];
        front.work.push(slot);
        front.in_flight += 1;
        self.busy(queue, launched);
        if self.slots[slot as usize].stages.is_empty() {
            self.retire(slot);
            return;
        }
        let first = &mut self.slots[slot as usize].stages[0];
        let ready = launched + first.latency;
        first.ready = Some(ready);
        self.at(ready, Event::TaskStart(slot, 0));
    }

    /// Barriers in flight that hold stages of a new command.
    fn hold(&mut self, slot: u32, queue: u32) {
        for index in self.fronts[queue as usize].barriers.clone() {
            let (_, _, op) = self.barrier_op(index);
            for (task, stage) in self.slots[slot as usize].stages.iter_mut().enumerate() {
                if op.hold.has(stage.leaf) {
                    stage.blockers += 1;
                    self.barriers[index as usize].held.push((slot, task as u8));
                }
            }
        }
    }

    fn expectations(
        &self,
        block: &Block,
        accesses: &[Access],
    ) -> Vec<(u32, Vec<(Extent, VersionId)>)> {
        let mut expected = Vec::new();
        for (index, access) in accesses.iter().enumerate() {
            if access.mode != AccessMode::Read {
                continue;
            }
            let mut versions = Vec::new();
            for extent in access.extents.of(&block.extents) {
                self.issued[extent.memory.index()].pieces(
                    extent.start,
                    extent.end,
                    |start, end, version| {
                        versions.push((
                            Extent {
                                start,
                                end,
                                ..*extent
                            },
                            version.unwrap_or(0),
                        ));
                    },
                );
            }
            expected.push((index as u32, versions));
        }
        expected
    }

    fn new_versions(
        &mut self,
        block: &Block,
        accesses: &[Access],
        node: NodeId,
    ) -> Vec<(u32, VersionId)> {
        let mut written = Vec::new();
        for (index, access) in accesses.iter().enumerate() {
            if access.mode == AccessMode::Read {
                continue;
            }
            let id = self.versions.len() as VersionId;
            self.versions.push(Version {
                writer: Some(node),
                access: access.access,
                resource: Some(access.resource),
                finished: false,
                undefined: access.undefined,
            });
            for extent in access.extents.of(&block.extents) {
                self.issued[extent.memory.index()].set(extent.start, extent.end, id);
            }
            written.push((index as u32, id));
        }
        written
    }

    /// A barrier let a stage go.
    pub(super) fn unblock(&mut self, slot: u32, task: u8, barrier: OpId) {
        let stage = &mut self.slots[slot as usize].stages[task as usize];
        stage.blockers -= 1;
        stage.released_by = Some(barrier);
        if stage.blockers == 0
            && let Some(ready) = stage.ready
        {
            let at = ready.max(self.now);
            self.at(at, Event::TaskStart(slot, task));
        }
    }

    /// A stage may begin: nothing holds it and the stage before has begun.
    pub(super) fn task_start(&mut self, slot: u32, task: u8) {
        let now = self.now;
        let flight = &mut self.slots[slot as usize];
        let stage = &mut flight.stages[task as usize];
        if stage.started.is_some()
            || stage.blockers > 0
            || stage.ready.is_none_or(|ready| ready > now)
        {
            return;
        }
        stage.started = Some(now);
        let (pool, cost, weight, leaf, released_by) = (
            stage.pool,
            stage.cost,
            stage.weight,
            stage.leaf,
            stage.released_by,
        );
        if let Some(next) = flight.stages.get_mut(task as usize + 1) {
            let ready = now + next.latency;
            next.ready = Some(ready);
            self.at(ready, Event::TaskStart(slot, task + 1));
        }
        if let Some(barrier) = released_by {
            let timing = self.timing_of[barrier.index()];
            if timing != NONE {
                let timing = &mut self.trace.barriers[timing as usize];
                if timing.first_held_start.is_none() {
                    timing.first_held_start = Some(now);
                    timing.refill += now - timing.completed;
                }
            }
        }
        self.sample(slot, leaf);
        if pool == Pool::Fixed || cost == Ps::ZERO {
            self.stage_done_at(slot, task, now + cost);
        } else {
            let ticket = u64::from(slot) << 8 | u64::from(task);
            self.pools[pool.index()].begin(now, ticket, cost, weight);
            self.announce(pool.index());
        }
    }

    fn announce(&mut self, pool: usize) {
        if let Some(end) = self.pools[pool].next_end() {
            let generation = self.pools[pool].generation;
            self.at(end, Event::Pool(pool, generation));
        }
    }

    pub(super) fn pool_ends(&mut self, pool: usize, generation: u32) {
        if self.pools[pool].generation != generation {
            return;
        }
        let now = self.now;
        while let Some(ticket) = self.pools[pool].take_ended(now) {
            self.stage_done_at((ticket >> 8) as u32, (ticket & 0xff) as u8, now);
        }
        self.announce(pool);
    }

    /// A stage's own work is done at `time`: it ends then, or a latency after the stage before has ended.
    fn stage_done_at(&mut self, slot: u32, task: u8, time: Ps) {
        let stages = &mut self.slots[slot as usize].stages;
        stages[task as usize].done = Some(time);
        let latency = stages[task as usize].latency;
        let end = match (task as usize)
            .checked_sub(1)
            .map(|before| stages[before].ended)
        {
            None => Some(time),
            Some(Some(before)) => Some(time.max(before + latency)),
            // Not known yet: the stage before says so when it ends.
            Some(None) => None,
        };
        if let Some(end) = end {
            self.at(end, Event::TaskEnd(slot, task));
        }
    }

    pub(super) fn task_end(&mut self, slot: u32, task: u8) {
        let now = self.now;
        let flight = &mut self.slots[slot as usize];
        let stage = &mut flight.stages[task as usize];
        if stage.ended.is_some() {
            return;
        }
        stage.ended = Some(now);
        let leaf = stage.leaf;
        let waiters = std::mem::take(&mut stage.waiters);
        if let Some(next) = flight.stages.get(task as usize + 1)
            && let Some(done) = next.done
        {
            let end = done.max(now + next.latency);
            self.at(end, Event::TaskEnd(slot, task + 1));
        }
        self.commit(slot, leaf);
        for barrier in waiters {
            self.barrier_progress(barrier);
        }
        if self.slots[slot as usize]
            .stages
            .iter()
            .all(|s| s.ended.is_some())
        {
            self.retire(slot);
        }
    }

    fn retire(&mut self, slot: u32) {
        let now = self.now;
        let flight = &self.slots[slot as usize];
        let (queue, node) = (flight.queue, flight.node);
        let spans = spans_of(flight, now);
        let (op, queued) = (flight.op, flight.queued);
        let start = flight.stages.first().and_then(|s| s.started).unwrap_or(now);
        let end = spans.last().map_or(queued, |s| s.end).max(now);
        let written: Vec<(u32, VersionId)> = flight.written.clone();
        // Writes at stages that the command does not have (none of its tasks) are there when it retires.
        for (access, version) in written {
            if !self.versions[version as usize].finished {
                self.commit_write(slot, access, version);
            }
        }
        self.trace.record(op, queued, end, &spans);
        self.trace.commands[node.index()] = CommandTiming { start, end: now };
        self.trace.totals.work += 1;
        // Launching is work too, unless a barrier held the command behind it.
        let held = self.slots[slot as usize]
            .stages
            .first()
            .is_some_and(|s| s.released_by.is_some());
        let begins = if held {
            start
        } else {
            self.slots[slot as usize].launched.min(start)
        };
        self.work_runs.push((queue, begins, now, node));
        self.fronts[queue as usize]
            .work
            .retain(|other| *other != slot);
        self.free_slots.push(slot);
        self.retired(queue);
    }

    // ---- bytes ----------------------------------------------------------------------------------------------------

    /// Reads of the stage that begins.
    fn sample(&mut self, slot: u32, leaf: crate::api::Leaf) {
        let block = self.block(self.slots[slot as usize].block);
        let mut expected = std::mem::take(&mut self.slots[slot as usize].expected);
        for (index, versions) in &mut expected {
            let access =
                self.slots[slot as usize].work.accesses.of(&block.accesses)[*index as usize];
            if access.stages.has(leaf)
                && self.read(self.slots[slot as usize].node, &access, versions)
            {
                // Reported once.
                versions.clear();
            }
        }
        self.slots[slot as usize].expected = expected;
    }

    /// Reads through the access's path and compares. Returns whether something was wrong.
    fn read(&mut self, node: NodeId, access: &Access, expected: &[(Extent, VersionId)]) -> bool {
        let profile = self.profile;
        let path = profile.path(access.path);
        let mut wrong: Option<Observation> = None;
        for (extent, version) in expected {
            for piece in self.memory.read(path, *extent) {
                let Some(kind) = self.judge(access, *version, piece.cell) else {
                    continue;
                };
                let bytes = piece.end - piece.start;
                match &mut wrong {
                    Some(known) => known.bytes += bytes,
                    None => {
                        wrong = Some(Observation {
                            node,
                            use_node: access.use_node,
                            use_index: access.use_index,
                            resource: access.resource,
                            access: access.access,
                            kind,
                            bytes,
                            first_byte: piece.start,
                            saw: self.versions[piece.cell.version as usize].writer,
                            expected: self.versions[*version as usize].writer,
                            from: piece.from,
                            at: self.now,
                        });
                    }
                }
            }
        }
        if let Some(observation) = wrong {
            self.observe(observation);
        }
        wrong.is_some()
    }

    /// What is wrong with a cell that should hold a version, if anything.
    fn judge(&self, access: &Access, expected: VersionId, cell: Cell) -> Option<ObservationKind> {
        if cell.version == expected {
            let decoded = cell.encoding <= access.encoding;
            return if self.versions[expected as usize].undefined && cell.version != 0 {
                Some(ObservationKind::Undefined)
            } else if decoded {
                None
            } else {
                Some(ObservationKind::Undecoded)
            };
        }
        let wanted = &self.versions[expected as usize];
        let depth = BarrierAccess::DEPTH_STENCIL_READ | BarrierAccess::DEPTH_STENCIL_WRITE;
        let raster = access.access.intersects(depth)
            && wanted.access.intersects(depth)
            && wanted.resource == Some(access.resource);
        // Raster order makes depth tests of later draws see earlier ones, pixel by pixel (reading R18).
        if raster || access.independent {
            return None;
        }
        let early = !wanted.finished || cell.version > expected;
        Some(if early {
            ObservationKind::Early
        } else {
            ObservationKind::Stale
        })
    }

    /// Writes whose last stage has ended.
    fn commit(&mut self, slot: u32, leaf: crate::api::Leaf) {
        let flight = &self.slots[slot as usize];
        let block = self.block(flight.block);
        let mut ended: Vec<(u32, VersionId)> = Vec::new();
        for (index, version) in &flight.written {
            let access = &flight.work.accesses.of(&block.accesses)[*index as usize];
            let over = |stage: &Stage| stage.ended.is_some() || !access.stages.has(stage.leaf);
            if access.stages.has(leaf) && flight.stages.iter().all(over) {
                ended.push((*index, *version));
            }
        }
        for (index, version) in ended {
            self.commit_write(slot, index, version);
        }
    }

    fn commit_write(&mut self, slot: u32, index: u32, version: VersionId) {
        let block = self.block(self.slots[slot as usize].block);
        let access = self.slots[slot as usize].work.accesses.of(&block.accesses)[index as usize];
        self.write(block, &access, version);
    }

    fn write(&mut self, block: &Block, access: &Access, version: VersionId) {
        let profile = self.profile;
        let path = profile.path(access.path);
        let cell = Cell {
            version,
            encoding: access.encoding,
        };
        for extent in access.extents.of(&block.extents) {
            // Raster order and atomics: a later pixel or operation that is there already stays (readings R18, R19).
            let mut keep: Vec<(u64, u64)> = Vec::new();
            self.memory.beneath(path, *extent, |start, end, there| {
                if there > version && self.yields_to(access, there) {
                    keep.push((start, end));
                }
            });
            keep.sort_unstable();
            let mut at = extent.start;
            for (start, end) in keep {
                if at < start {
                    self.memory.write(
                        path,
                        Extent {
                            start: at,
                            end: start,
                            ..*extent
                        },
                        cell,
                    );
                }
                at = at.max(end);
            }
            if at < extent.end {
                self.memory.write(
                    path,
                    Extent {
                        start: at,
                        ..*extent
                    },
                    cell,
                );
            }
        }
        self.versions[version as usize].finished = true;
    }

    /// Whether a write must not replace a later one that was quicker.
    fn yields_to(&self, access: &Access, there: VersionId) -> bool {
        let depth = BarrierAccess::DEPTH_STENCIL_READ | BarrierAccess::DEPTH_STENCIL_WRITE;
        let other = &self.versions[there as usize];
        let both =
            |set: BarrierAccess| access.access.intersects(set) && other.access.intersects(set);
        other.resource == Some(access.resource)
            && (both(BarrierAccess::RENDER_TARGET)
                || both(depth)
                || access.mode == AccessMode::Atomic)
    }

    /// The CPU or the display reads or writes, all at once.
    pub(super) fn client_accesses(&mut self, block: &'p Block, op: &HwOp, client: ClientOp) {
        let accesses = client.accesses.of(&block.accesses);
        for (index, versions) in self.expectations(block, accesses) {
            self.read(op.origin.node, &accesses[index as usize], &versions);
        }
        for (index, version) in self.new_versions(block, accesses, op.origin.node) {
            self.write(block, &accesses[index as usize], version);
        }
    }
}

/// A command's life, tiled by reasons.
fn spans_of(flight: &InFlight, now: Ps) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut at = flight.queued;
    let mut push = |end: Ps, reason| {
        if end > at {
            spans.push(Span { end, reason });
            at = end;
        }
    };
    push(flight.launched, Reason::FrontEnd);
    for stage in &flight.stages {
        let (Some(started), Some(ended)) = (stage.started, stage.ended) else {
            continue;
        };
        let held = stage
            .released_by
            .filter(|_| stage.ready.is_some_and(|ready| ready < started));
        push(started, held.map_or(Reason::Latency, Reason::WaitBarrier));
        push(ended, Reason::Work(stage.leaf));
    }
    push(now, Reason::Latency);
    spans
}
