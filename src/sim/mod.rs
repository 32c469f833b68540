//! The machine: runs a program and sees what happens.
//!
//! A discrete-event engine in integer picoseconds. Events are ordered by `(time, phase, sequence)`: at one time, what
//! ends comes before what begins, and that before what the front ends take up; so a write that ends at *t* is there for a
//! read that begins at *t*. Same program, same profile, same trace.
//!
//! How it runs:
//! * Each queue has a front end that takes up packets in order and spends their launch time. It stops only for a fence,
//!   for a packet that needs an idle queue, or when too many packets are in flight; **not** at a barrier: a barrier holds
//!   leaves, and only work that comes to a held leaf stops.
//! * Work flows through its stages. A stage begins when the stage before has begun and its latency has passed, and no
//!   earlier barrier holds its leaf; it ends no earlier than the stage before plus the latency.
//! * Depth tests and colour outputs of a queue end in the order of issue: that is raster order (reading R18). Other
//!   stages end as they can.
//! * Queues share pools (shader cores, render back-ends, memory bandwidth) by processor sharing.
//! * Reads are sampled when their stage begins, writes are there when their stage has ended.
//!
//! What a read *should* see is the latest version issued when its own command was issued; front ends stop at fences, so
//! that order respects them. The comparison happens at the sample: nothing is inferred from barriers. The engine does
//! not know the rule by which lowerings choose their operations.

mod barriers;
mod blocks;
mod causes;
mod cell;
mod compression;
mod exposure;
mod feed;
mod finish;
mod front;
mod ledger;
mod memory;
mod observe;
mod pool;
mod reset;
mod residency;
mod work;

pub use memory::Eviction;

use crate::api::{Leaf, LeafSet};
use crate::hardware::Profile;
use crate::id::{CacheId, Extent, NodeId, OpId};
use crate::program::{Blocks, CompressionState, HwOp, HwOpKind, IntervalMap, Pool, Program};
use crate::time::Ps;
use crate::trace::{self, LaneKind, Reason, Span, Trace};
use causes::Recorder;
use cell::{Cell, Content, INITIAL, Scale, VersionInfo};
use exposure::Exposure;
use feed::{Feed, Held};
use memory::{Memory, Refill, Seen};
use pool::SharedPool;
use residency::Residency;
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

/// How a simulation runs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Which lines leave caches by themselves.
    pub eviction: Eviction,
    /// Keep the spans of packets, not only the begin and end of their lives.
    pub spans: bool,
    /// Keep what concerns one packet, command, barrier or queue. Without it a trace has the makespan, the totals and
    /// the wrong reads alone, and a run's memory does not grow with its length.
    pub rows: bool,
    /// Keep why each moment came no earlier: some hundred bytes a packet.
    pub causes: bool,
}

impl Options {
    /// The makespan, the totals and the wrong reads.
    pub const TOTALS: Self = Self {
        eviction: Eviction::Oldest,
        spans: false,
        rows: false,
        causes: false,
    };
}

impl Default for Options {
    fn default() -> Self {
        Self {
            eviction: Eviction::default(),
            spans: true,
            rows: true,
            causes: false,
        }
    }
}

/// Runs a program to its end, or until nothing can go on.
pub fn simulate(program: &Program, profile: &Profile, options: &Options) -> Trace {
    simulate_watching(program, profile, options, &[])
}

/// The same, with a sample of all that some nodes read. `watched` is ascending.
pub fn simulate_watching(
    program: &Program,
    profile: &Profile,
    options: &Options,
    watched: &[NodeId],
) -> Trace {
    let feed = Feed::Program(&program.blocks);
    let mut engine = Engine::new(program, feed, profile, *options);
    engine.watched = watched;
    engine.run();
    engine.finish()
}

/// Runs a program whose blocks are made on the way; `setting` has everything but the blocks. A reset needs to know what
/// is never reached, and cannot be streamed.
pub fn simulate_blocks(
    setting: &Program,
    blocks: &mut dyn Blocks,
    profile: &Profile,
    options: &Options,
    watched: &[NodeId],
) -> Trace {
    assert!(!options.rows, "rows of a program need its packets");
    let mut engine = Engine::new(setting, Feed::Stream(blocks), profile, *options);
    engine.watched = watched;
    engine.run();
    engine.finish()
}

/// What happens at one moment, after what ends in the pools. The order of phases is that of the numbers.
#[derive(Copy, Clone, Debug)]
enum Event {
    /// Thread groups end: their places are free.
    Places { batch: u32 },
    /// A task that shares nothing ends.
    FixedEnd { flight: u32, task: u8 },
    /// The latency after the end of the stage before has passed.
    EndCheck { flight: u32, task: u8 },
    /// A step of a barrier ends.
    StepEnd { flight: u32 },
    /// A task's stage can begin; `released` is the timing of the barrier that held it.
    Start {
        flight: u32,
        task: u8,
        released: u32,
    },
    /// The front end has spent a packet's launch time.
    FrontEnd { actor: u32 },
}

impl Event {
    fn phase(self) -> u64 {
        match self {
            Self::Places { .. }
            | Self::FixedEnd { .. }
            | Self::EndCheck { .. }
            | Self::StepEnd { .. } => 0,
            Self::Start { .. } => 1,
            Self::FrontEnd { .. } => 2,
        }
    }
}

/// An event and its place among all: the earliest is the greatest.
struct Due {
    time: Ps,
    /// Its phase in the upper bits, and when it was made.
    order: u64,
    event: Event,
}

impl Due {
    fn key(&self) -> u128 {
        u128::from(self.time.0) << 64 | u128::from(self.order)
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Due {}

/// Number of versions that are kept in any case.
const VERSIONS_MIN: usize = 1 << 14;
/// No barrier timing.
const NONE: u32 = u32::MAX;
/// Most stages of one command: front end, index input, and the four of a draw, with room.
const TASKS: usize = 8;

/// Bytes with what should be read from them, or will be written there.
struct Part {
    /// The access, or the step of a barrier.
    index: u32,
    /// The stages at which it is read, or that at whose end it is written, a bit each.
    stages: u8,
    extent: Extent,
    cell: Cell,
}

/// A packet in flight.
struct Flight<'p> {
    op: HwOp,
    block: Held<'p>,
    queue: u32,
    /// Order of issue on its queue.
    seq: u32,
    life: Life,
    tasks: [TaskState; TASKS],
    /// Tasks that run now, and that have ended.
    running: u8,
    ended: u8,
    /// Counted as running: it has begun and is not held between stages.
    active: bool,
    first_start: Ps,
    /// Stages at which it reads, and at whose end it has written, a bit each.
    reads_at: u8,
    writes_at: u8,
    /// What its reads should see, in order of access and bytes.
    expected: Vec<Part>,
    /// What its writes will leave, in order of access.
    writes: Vec<Part>,
    /// What a barrier's waits cost, whether there was no work before it, and its operations that cost nothing, a bit
    /// each.
    due: Ps,
    idle: bool,
    free_steps: u64,
    /// Barriers that wait for this one.
    dependants: Vec<u32>,
    /// A barrier's next step, and the end of those that run.
    step: u32,
    step_end: u32,
    /// Its number among the timed barriers.
    timing: u32,
}

impl<'p> Flight<'p> {
    fn new(block: Held<'p>, op: HwOp) -> Self {
        Self {
            op,
            block,
            queue: u32::MAX,
            seq: 0,
            life: Life::default(),
            tasks: [TaskState::default(); TASKS],
            running: 0,
            ended: 0,
            active: false,
            first_start: Ps::MAX,
            reads_at: 0,
            writes_at: 0,
            expected: Vec::new(),
            writes: Vec::new(),
            due: Ps::ZERO,
            idle: false,
            free_steps: 0,
            dependants: Vec::new(),
            step: 0,
            step_end: 0,
            timing: NONE,
        }
    }

    /// A packet takes this place; the tables of the one before are used again.
    fn begin(&mut self, block: Held<'p>, op: HwOp, queue: u32, seq: u32) {
        if let HwOpKind::Work(work) = &op.kind {
            self.tasks[..work.tasks.len as usize].fill(TaskState::default());
        }
        (self.op, self.block, self.queue, self.seq) = (op, block, queue, seq);
        (self.running, self.ended, self.active) = (0, 0, false);
        self.first_start = Ps::MAX;
        (self.reads_at, self.writes_at) = (0, 0);
        self.expected.clear();
        self.writes.clear();
        (self.due, self.idle, self.free_steps) = (Ps::ZERO, false, 0);
        self.dependants.clear();
        (self.step, self.step_end, self.timing) = (0, 0, NONE);
    }
}

/// The spans of a packet so far.
#[derive(Default)]
struct Life {
    queued: Ps,
    spans: Vec<Span>,
    reason: Option<Reason>,
    since: Ps,
}

impl Life {
    fn begin(&mut self, now: Ps, reason: Reason) {
        self.queued = now;
        self.since = now;
        self.reason = Some(reason);
        self.spans.clear();
    }

    /// From now on it is for this reason.
    fn turn(&mut self, now: Ps, reason: Reason) {
        if self.reason == Some(reason) {
            return;
        }
        self.close(now);
        self.reason = Some(reason);
    }

    fn close(&mut self, now: Ps) {
        if let Some(reason) = self.reason
            && now > self.since
        {
            match self.spans.last_mut() {
                Some(last) if last.reason == reason => last.end = now,
                _ => self.spans.push(Span { end: now, reason }),
            }
        }
        self.since = now;
    }
}

#[derive(Copy, Clone, Default)]
struct TaskState {
    started: bool,
    /// Its pool has done its part.
    served: bool,
    ended: Option<Ps>,
}

/// What a queue's front end (or the CPU) does.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Front {
    /// Nothing; the next packet can be taken up.
    Idle,
    /// It spends a packet's launch time.
    Busy,
    /// Too many packets are in flight.
    WaitSlot,
    /// The packet needs an idle queue.
    WaitIdle,
    /// The packet waits for a fence.
    WaitFence,
    /// A reset ended it.
    Ended,
}

/// A barrier that has been issued and has not completed.
struct Incomplete {
    seq: u32,
    op: OpId,
    flight: u32,
    /// Leaves that it holds.
    hold: LeafSet,
}

/// A task that has not left its leaf, or that an earlier one has not left before.
struct Outstanding {
    seq: u32,
    flight: u32,
    task: u8,
    ended: bool,
}

/// One leaf of a queue's pipeline.
#[derive(Default)]
struct LeafState {
    /// Work in it or on its way to it, by order of issue.
    outstanding: VecDeque<Outstanding>,
    /// Until then what was held starts again, and later work does not overtake it.
    resumes: Ps,
    /// Barriers that wait for work in it: `(order of issue, flight)`. Each waits at one place at a time.
    drainers: BinaryHeap<Reverse<(u32, u32)>>,
    /// Held tasks: `(order of issue, flight, task)`.
    held: BinaryHeap<Reverse<(u32, u32, u8)>>,
    /// Tasks that run, since when some do, and how long some did before.
    running: u32,
    since: Ps,
    busy: Ps,
}

/// A queue, or the CPU.
struct Actor<'p> {
    /// Blocks that were submitted and not begun.
    submitted: VecDeque<u32>,
    block: Option<Held<'p>>,
    next: usize,
    front: Front,
    /// The packet that the front end has taken up.
    taken: Option<(Held<'p>, HwOp)>,
    life: Life,
    in_flight: u32,
    next_seq: u32,
    leaves: Vec<LeafState>,
    /// Barriers that have not completed, by order of issue.
    incomplete: Vec<Incomplete>,
    /// Leaves with work in them or on its way to them, and leaves before which tasks are held.
    busy: LeafSet,
    held: LeafSet,
    /// Flights that run.
    active: u32,
    lane: Option<(Ps, LaneKind, NodeId)>,
    /// When the latest scope had begun.
    scope_begun: Ps,
    /// The leaves that work of this queue can have: waits for others cost nothing.
    possible: LeafSet,
    /// The leaves that had work since they were last waited for.
    worked: LeafSet,
    /// For each leaf the stages whose prices a wait for that work costs.
    prices: [LeafSet; Leaf::COUNT],
    /// Caches that were dropped since the latest work.
    fresh: Vec<bool>,
}

impl Actor<'_> {
    /// The earliest barrier that holds a leaf.
    fn holder(&self, leaf: Leaf) -> Option<&Incomplete> {
        self.incomplete.iter().find(|b| b.hold.has(leaf))
    }
}

struct Engine<'p> {
    program: &'p Program,
    feed: Feed<'p>,
    profile: &'p Profile,
    options: Options,
    /// Nodes whose reads are kept, ascending.
    watched: &'p [NodeId],
    now: Ps,
    sequence: u64,
    events: BinaryHeap<Due>,
    memory: Memory,
    /// The latest version issued, by block of memory.
    latest: Vec<IntervalMap<Cell>>,
    versions: Vec<VersionInfo>,
    /// Number of versions at which those that nothing refers to are forgotten.
    versions_limit: usize,
    pools: Vec<SharedPool>,
    residency: Residency,
    /// When the next task of each pool ends if nothing is added before.
    pool_ends: [Ps; Pool::COUNT],
    flights: Vec<Flight<'p>>,
    free: Vec<u32>,
    /// The queues, then the CPU.
    actors: Vec<Actor<'p>>,
    fences: Vec<u64>,
    /// Actors that wait for a fence, by fence.
    fence_waiters: Vec<Vec<u32>>,
    /// The CPU's next block.
    cpu_block: usize,
    /// Flights that run on any queue, and since when none does.
    active: u32,
    idle_since: Ps,
    exposure: Exposure,
    trace: Trace,
    /// The timing of a barrier packet that completed and may be blamed for misses, by packet.
    timing_of: Vec<u32>,
    /// Tables that are used again.
    seen: Vec<Seen>,
    lost: Vec<Refill>,
    /// Why each moment came no earlier, if that is wanted.
    causes: Option<Box<Recorder>>,
}

impl<'p> Engine<'p> {
    fn new(program: &'p Program, feed: Feed<'p>, profile: &'p Profile, options: Options) -> Self {
        let actor = |possible| Actor {
            submitted: VecDeque::new(),
            block: None,
            next: 0,
            front: Front::Idle,
            taken: None,
            life: Life::default(),
            in_flight: 0,
            next_seq: 0,
            leaves: (0..Leaf::COUNT).map(|_| LeafState::default()).collect(),
            incomplete: Vec::new(),
            busy: LeafSet::EMPTY,
            held: LeafSet::EMPTY,
            active: 0,
            lane: None,
            scope_begun: Ps::ZERO,
            possible,
            worked: LeafSet::EMPTY,
            prices: [LeafSet::EMPTY; Leaf::COUNT],
            fresh: vec![false; profile.caches.len()],
        };
        let mut actors: Vec<_> = program
            .queues
            .iter()
            .map(|queue| actor(queue.leaves()))
            .collect();
        actors.push(actor(LeafSet::EMPTY));
        let causes = options.causes.then(|| {
            let blocks = program.blocks.len();
            let recorder =
                Recorder::new(program.ops as usize, actors.len(), blocks, &program.fences);
            Box::new(recorder)
        });
        let initial = VersionInfo {
            op: OpId(u32::MAX),
            node: NodeId(u32::MAX),
            queue: u32::MAX,
            resource: crate::id::ResourceId(u32::MAX),
            access: crate::api::BarrierAccess::empty(),
            atomic: false,
            undefined: false,
            lost: false,
            present: true,
        };
        let rows = |count: u32| if options.rows { count as usize } else { 0 };
        Self {
            program,
            feed,
            profile,
            options,
            watched: &[],
            now: Ps::ZERO,
            sequence: 0,
            events: BinaryHeap::new(),
            memory: Memory::new(
                profile,
                &program.memories,
                Scale::new(program.metadata, profile.costs.metadata_covers),
                options.eviction,
            ),
            latest: vec![IntervalMap::new(); program.memories.len()],
            versions: vec![initial],
            versions_limit: VERSIONS_MIN,
            pools: Pool::ALL.iter().map(|_| SharedPool::default()).collect(),
            residency: Residency::new(program.queues.len()),
            pool_ends: [Ps::MAX; Pool::COUNT],
            flights: Vec::new(),
            free: Vec::new(),
            actors,
            fences: program.fences.clone(),
            fence_waiters: vec![Vec::new(); program.fences.len()],
            cpu_block: 0,
            active: 0,
            idle_since: Ps::ZERO,
            exposure: Exposure::default(),
            trace: Trace {
                ops: vec![trace::OpLife::default(); rows(program.ops)],
                commands: vec![trace::CommandTiming::NEVER; rows(program.nodes)],
                lanes: vec![Vec::new(); program.queues.len()],
                ..Trace::default()
            },
            timing_of: vec![NONE; rows(program.ops)],
            seen: Vec::new(),
            lost: Vec::new(),
            causes,
        }
    }

    /// Index of the CPU among the actors.
    fn cpu(&self) -> usize {
        self.actors.len() - 1
    }

    fn run(&mut self) {
        self.pump(self.cpu());
        loop {
            let next = self.events.peek().map_or(Ps::MAX, |due| due.time);
            let ends = self.pool_ends.iter().enumerate();
            if let Some((pool, end)) = ends.min_by_key(|(_, end)| **end)
                && *end <= next
                && *end < trace::CLOCK_END
            {
                self.now = *end;
                self.trace.totals.events += 1;
                self.pool_end(pool);
                continue;
            }
            let Some(Due { time, event, .. }) = self.events.pop() else {
                break;
            };
            if time >= trace::CLOCK_END {
                self.trace.is_cut = true;
                break;
            }
            self.now = time;
            self.trace.totals.events += 1;
            match event {
                Event::Places { batch } => self.places_free(batch),
                Event::FixedEnd { flight, task } => self.served(flight, task),
                Event::EndCheck { flight, task } => self.try_end(flight, task),
                Event::StepEnd { flight } => self.step_end(flight),
                Event::Start {
                    flight,
                    task,
                    released,
                } => self.start(flight, task, released),
                Event::FrontEnd { actor } => self.front_end(actor as usize),
            }
        }
    }

    fn schedule(&mut self, at: Ps, event: Event) {
        self.sequence += 1;
        self.events.push(Due {
            time: at,
            order: event.phase() << 60 | self.sequence,
            event,
        });
    }

    /// A place for a packet in flight; its tables are used again.
    fn take_off(&mut self, block: Held<'p>, op: HwOp, queue: usize) -> u32 {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                self.flights.push(Flight::new(block.clone(), op));
                self.flights.len() as u32 - 1
            }
        };
        if let Some(causes) = &mut self.causes {
            causes.take_off(queue, slot, op.id);
        }
        let actor = &mut self.actors[queue];
        let seq = actor.next_seq;
        actor.next_seq += 1;
        actor.in_flight += 1;
        let f = &mut self.flights[slot as usize];
        f.begin(block, op, queue as u32, seq);
        std::mem::swap(&mut f.life, &mut actor.life);
        actor.life.reason = None;
        slot
    }

    /// A packet's life is over.
    fn retire(&mut self, flight: u32) {
        let now = self.now;
        self.set_active(flight, false);
        let f = &mut self.flights[flight as usize];
        f.life.close(now);
        let (queue, op) = (f.queue as usize, f.op.id);
        self.trace.record(
            op,
            f.life.queued,
            now,
            &f.life.spans,
            self.options.rows,
            self.options.spans,
        );
        if let Some(causes) = &mut self.causes {
            causes.retire(queue, flight);
        }
        // The place is empty until the next packet takes off.
        f.queue = u32::MAX;
        self.free.push(flight);
        self.actors[queue].in_flight -= 1;
        self.trace.makespan = now;
        self.wake(queue);
        self.update_lane(queue);
    }

    /// Counts a flight as running or not.
    fn set_active(&mut self, flight: u32, active: bool) {
        let f = &mut self.flights[flight as usize];
        if f.active == active {
            return;
        }
        f.active = active;
        let queue = f.queue as usize;
        if active {
            self.note_idle();
            self.active += 1;
            self.actors[queue].active += 1;
            self.settle();
        } else {
            self.active -= 1;
            self.actors[queue].active -= 1;
            if self.active == 0 {
                self.idle_since = self.now;
            }
        }
        self.update_lane(queue);
    }

    /// What metadata says of a resource's bytes. Before anything ran it says what the resource was created with; what another
    /// resource has left there says nothing true.
    fn state(&self, cell: Cell, resource: crate::id::ResourceId) -> CompressionState {
        match cell.content {
            Content::Metadata(state) => {
                let version = cell.version;
                let foreign =
                    version != INITIAL && self.versions[version as usize].resource != resource;
                if foreign {
                    CompressionState::Invalid
                } else {
                    state
                }
            }
            Content::Untouched | Content::Texels(_) => self.program.resources[resource.index()]
                .initial
                .unwrap_or(CompressionState::PassThrough),
        }
    }

    /// The caches of a path.
    fn path(&self, path: crate::id::PathId) -> &'p [CacheId] {
        let profile: &'p Profile = self.profile;
        profile.path(path)
    }
}
