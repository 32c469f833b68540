//! The machine: runs a program and sees what happens.
//!
//! A discrete-event engine in integer picoseconds. Events are ordered by `(time, phase, sequence)`: at one time, what
//! ends comes before what starts, and that before what the front ends take up; so a read that starts at *t* sees a write
//! that ends at *t*. Same program, same profile, same trace.
//!
//! How it runs:
//! * Each queue has a front end that takes up packets in order and spends their launch time. It stops only for a fence,
//!   for a packet that needs an idle queue, or when too many packets are in flight; **not** at a barrier: a barrier holds
//!   leaves, and only work that comes to a held leaf stops.
//! * Work flows through its stages. A stage starts when the stage before has started and its latency has passed, and no
//!   earlier barrier holds its leaf; it ends no earlier than the stage before plus the latency.
//! * Depth tests and colour outputs of a queue end in the order of issue: that is raster order (reading R18). Other
//!   stages end as they can.
//! * Queues share pools (shader cores, render back-ends, memory bandwidth) by processor sharing.
//! * Reads are sampled when their stage starts, and go on until it ends; writes land when their stage ends.
//!
//! What a read *should* see is the latest version issued when its own command was issued; front ends stop at fences, so
//! that order respects them. The comparison happens at the sample: nothing is inferred from barriers. The engine does
//! not know the rule by which lowerings choose their operations.

mod actor;
mod ahead;
mod barriers;
mod blocks;
mod causes;
mod cell;
mod compression;
mod contents;
mod count;
mod deeds;
mod event;
mod exposure;
mod feed;
mod finish;
mod flight;
mod front;
mod issue;
mod joined;
mod late;
mod ledger;
mod memory;
mod observe;
mod pool;
mod readers;
mod reset;
mod residency;
mod turns;
mod work;

pub use memory::Eviction;

use crate::api::LeafSet;
use crate::hardware::Profile;
use crate::id::{
    CacheId, Extent, FenceId, MemoryId, NodeId, OpId, PathId, ResourceId, Table, narrow,
};
use crate::program::{Blocks, CompressionState, HwOp, IntervalMap, Pool, Program};
use crate::time::Ps;
use crate::trace::{self, Trace};
use actor::{Actor, Front, Incomplete, Outstanding};
use causes::Recorder;
use cell::{Cell, Content, INITIAL, Scale, VersionInfo};
use deeds::Deeds;
use event::{Due, Event};
use exposure::Exposure;
use feed::{Feed, Held};
use flight::{Flight, Part};
use joined::Joins;
use late::Ongoing;
use memory::{Memory, Refill, Seen};
use pool::SharedPool;
use readers::Reader;
use residency::Residency;
use std::collections::BinaryHeap;

/// How a simulation runs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option by itself")]
pub struct SimOptions {
    /// Which lines leave caches by themselves.
    pub eviction: Eviction,
    /// Keep the spans of packets, not only the start and end of their lives.
    pub spans: bool,
    /// Keep what concerns one packet, command, barrier or queue. Without it a trace has only the makespan, the
    /// totals and the wrong reads, and a run's memory does not grow with its length.
    pub rows: bool,
    /// Keep why each moment came no earlier: some hundred bytes a packet.
    pub causes: bool,
    /// Look at ranges one by one, however many there are: the same trace, later. A reference for the other way.
    pub eager: bool,
}

impl SimOptions {
    /// The makespan, the totals and the wrong reads.
    pub const TOTALS: Self = Self {
        eviction: Eviction::Oldest,
        spans: false,
        rows: false,
        causes: false,
        eager: false,
    };
}

impl Default for SimOptions {
    fn default() -> Self {
        Self {
            eviction: Eviction::default(),
            spans: true,
            rows: true,
            causes: false,
            eager: false,
        }
    }
}

/// Runs a program to its end, or until nothing can go on.
pub fn simulate(program: &Program, profile: &Profile, options: &SimOptions) -> Trace {
    simulate_watching(program, profile, options, &NOTHING)
}

/// What a run is asked to look at.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Watch {
    /// Nodes of whose reads it keeps a sample, ascending, and of which bytes.
    pub nodes: Vec<(NodeId, Extent)>,
    /// Reads of undefined contents, ascending. Which they are follows from the commands, on every machine alike (reading
    /// R57): the machine only says that they happened.
    pub undefined: Vec<UndefinedRead>,
    /// Uses that are wrong by the specification, ascending. Only they can be shown to read what an alias has left: to
    /// anyone else that is what the memory holds, and defined (reading R57).
    pub wrong: Vec<UseAt>,
}

/// Nothing is to be looked at.
pub static NOTHING: Watch = Watch {
    nodes: Vec::new(),
    undefined: Vec::new(),
    wrong: Vec::new(),
};

/// A use as it is executed.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct UseAt {
    /// The command.
    pub node: NodeId,
    /// The command that declares the use: a `set-root`, or the same.
    pub use_node: NodeId,
    /// Index of the use there.
    pub use_index: u32,
}

/// A read of contents that nobody may read.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct UndefinedRead {
    /// The read.
    pub at: UseAt,
    /// The first undefined bytes of those that it reads.
    pub first: Extent,
    /// Number of undefined bytes among those that it reads.
    pub bytes: u64,
}

/// The same, with what is to be looked at.
pub fn simulate_watching(
    program: &Program,
    profile: &Profile,
    options: &SimOptions,
    watch: &Watch,
) -> Trace {
    let feed = Feed::Program(&program.blocks);
    let mut engine = Engine::new(program, feed, profile, *options);
    engine.watch = watch;
    engine.run(&mut ());
    engine.finish()
}

/// The same once more, with what every cache and memory held along it, what reads found and where writes ended: up to `most`
/// runs of bytes, at which it ends. Costs a look after every event at what the event reached for.
pub fn contents(
    program: &Program,
    profile: &Profile,
    options: &SimOptions,
    most: usize,
) -> trace::Contents {
    // Ranges one by one: a range that stands for several says not who wrote each.
    let options = SimOptions {
        eager: true,
        spans: false,
        ..*options
    };
    let mut engine = Engine::new(program, Feed::Program(&program.blocks), profile, options);
    let mut looks = contents::Looks::new(profile, &mut engine, most);
    engine.deeds = Some(Box::new(Deeds::new(most)));
    engine.run(&mut looks);
    let mut seen = looks.seen;
    seen.until = engine.now;
    if let Some(deeds) = engine.deeds.take() {
        deeds.take_into(&mut seen);
    }
    seen
}

/// Runs a program, and keeps how much each cache held whenever that changed, until there are `most` such points.
pub fn fill(
    program: &Program,
    profile: &Profile,
    options: &SimOptions,
    most: usize,
) -> trace::Fill {
    let options = SimOptions {
        eager: true,
        spans: false,
        ..*options
    };
    let mut engine = Engine::new(program, Feed::Program(&program.blocks), profile, options);
    let mut levels = contents::Levels::new(profile, &mut engine, most);
    engine.run(&mut levels);
    levels.seen
}

/// Who looks on while events happen. Nobody, in an ordinary run: then nothing is left of the calls.
trait Onlooker {
    fn before(&mut self, _: &Engine<'_>, _: Option<u32>) {}
    fn after(&mut self, _: &Engine<'_>) {}
    fn has_seen_enough(&self) -> bool {
        false
    }
}

impl Onlooker for () {}

/// Runs a program whose blocks are made on the way; `setting` has everything but the blocks. A reset needs to know what
/// is never reached, and cannot be streamed. If the blocks are dropped on the way, the trace is empty.
///
/// # Panics
/// If the options ask for rows: those of a program need its packets.
pub fn simulate_blocks(
    setting: &Program,
    blocks: &mut dyn Blocks,
    profile: &Profile,
    options: &SimOptions,
    watch: &Watch,
) -> Trace {
    assert!(!options.rows, "rows of a program need its packets");
    let mut engine = Engine::new(setting, Feed::Stream(blocks), profile, *options);
    engine.watch = watch;
    engine.run(&mut ());
    if engine.feed.is_dropped() {
        return Trace::default();
    }
    engine.finish()
}

/// Events after which it is asked again whether anybody wants to know what comes.
const ASK_EVERY: u64 = 4096;

/// Number of versions that are kept in any case.
const VERSIONS_MIN: usize = 1 << 14;
/// No barrier timing.
const NONE: u32 = u32::MAX;
/// Most stages of one command: front end, index input, and the four of a draw, with room.
const TASKS: usize = 8;

struct Engine<'p> {
    program: &'p Program,
    feed: Feed<'p>,
    profile: &'p Profile,
    options: SimOptions,
    watch: &'p Watch,
    now: Ps,
    sequence: u64,
    events: BinaryHeap<Due>,
    memory: Memory,
    /// The latest version issued, by block of memory.
    latest: Table<MemoryId, IntervalMap<Cell>>,
    versions: Vec<VersionInfo>,
    joins: Joins,
    ongoing: Ongoing,
    /// Reads that a write has reached, while they are looked at.
    reached: Vec<Reader>,
    /// Number of versions at which those that nothing refers to are forgotten.
    versions_limit: usize,
    pools: Vec<SharedPool>,
    residency: Residency,
    /// When the next task of each pool ends if nothing is added before.
    pool_ends: [Ps; Pool::COUNT],
    /// The first of these, and when that is.
    next_pool: (usize, Ps),
    flights: Vec<Flight<'p>>,
    free: Vec<u32>,
    /// The queues, then the CPU.
    actors: Vec<Actor<'p>>,
    fences: Table<FenceId, u64>,
    /// Actors that wait for a fence, by fence.
    fence_waiters: Table<FenceId, Vec<u32>>,
    /// The CPU's next block.
    cpu_block: usize,
    /// Flights that run on any queue.
    active: u32,
    /// Until when it is charged that nothing ran.
    charged_until: Ps,
    exposure: Exposure,
    trace: Trace,
    /// The timing of a barrier packet that completed and may be blamed for misses, by packet.
    timing_of: Table<OpId, u32>,
    /// Tables that are used again.
    seen: Vec<Seen>,
    lost: Vec<Refill>,
    /// Why each moment came no earlier, if that is wanted.
    causes: Option<Box<Recorder>>,
    /// What reads found and where writes ended, if that is wanted.
    deeds: Option<Box<Deeds>>,
}

impl<'p> Engine<'p> {
    fn new(
        program: &'p Program,
        feed: Feed<'p>,
        profile: &'p Profile,
        options: SimOptions,
    ) -> Self {
        let caches = profile.caches.len();
        let mut actors: Vec<_> = program
            .queues
            .iter()
            .map(|queue| Actor::new(queue.leaves(), caches))
            .collect();
        actors.push(Actor::new(LeafSet::EMPTY, caches));
        let causes = options.causes.then(|| {
            let blocks = program.blocks.len();
            let recorder =
                Recorder::new(program.ops as usize, actors.len(), blocks, &program.fences);
            Box::new(recorder)
        });
        let rows = |count: u32| if options.rows { count as usize } else { 0 };
        Self {
            program,
            feed,
            profile,
            options,
            watch: &NOTHING,
            now: Ps::ZERO,
            sequence: 0,
            events: BinaryHeap::new(),
            memory: Memory::new(
                profile,
                &program.memories,
                Scale::new(program.metadata, profile.costs.metadata_covers),
                options.eviction,
            ),
            latest: Table::filled(program.memories.len(), IntervalMap::new()),
            versions: vec![VersionInfo::INITIAL],
            joins: Joins::new(program, profile, &options),
            ongoing: Ongoing::default(),
            reached: Vec::new(),
            versions_limit: VERSIONS_MIN,
            pools: Pool::ALL.iter().map(|_| SharedPool::default()).collect(),
            residency: Residency::new(program.queues.len()),
            pool_ends: [Ps::MAX; Pool::COUNT],
            next_pool: (0, Ps::MAX),
            flights: Vec::new(),
            free: Vec::new(),
            actors,
            fences: program.fences.clone(),
            fence_waiters: Table::filled(program.fences.len(), Vec::new()),
            cpu_block: 0,
            active: 0,
            charged_until: Ps::ZERO,
            exposure: Exposure::new(options.rows),
            trace: Trace {
                ops: Table::filled(rows(program.ops), trace::OpLife::default()),
                commands: Table::filled(rows(program.nodes), trace::CommandTiming::NEVER),
                lanes: vec![Vec::new(); program.queues.len()],
                submitted: Table::filled(rows(narrow(program.blocks.len())), Ps::MAX),
                ..Trace::default()
            },
            timing_of: Table::filled(rows(program.ops), NONE),
            seen: Vec::new(),
            lost: Vec::new(),
            causes,
            deeds: None,
        }
    }

    /// Index of the CPU among the actors.
    fn cpu(&self) -> usize {
        self.actors.len() - 1
    }

    fn run(&mut self, onlooker: &mut impl Onlooker) {
        self.pump(self.cpu());
        while !onlooker.has_seen_enough() {
            if self.trace.totals.events.is_multiple_of(ASK_EVERY) && self.feed.is_dropped() {
                return;
            }
            let next = self.events.peek().map_or(Ps::MAX, |due| due.time);
            let (pool, end) = self.next_pool;
            if end <= next && end < trace::CLOCK_END {
                self.now = end;
                self.trace.totals.events += 1;
                onlooker.before(self, None);
                self.pool_end(pool);
                onlooker.after(self);
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
            onlooker.before(self, event.flight());
            match event {
                Event::Places { batch } => self.places_free(batch),
                Event::Kernel { flight, task } => self.launch_kernel(flight, task),
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
            onlooker.after(self);
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
        let slot = self.free.pop().unwrap_or_else(|| {
            self.flights.push(Flight::new(block.clone(), op));
            narrow(self.flights.len()) - 1
        });
        if let Some(causes) = &mut self.causes {
            causes.take_off(queue, slot, op.id);
        }
        let actor = &mut self.actors[queue];
        let seq = actor.next_seq;
        actor.next_seq += 1;
        actor.in_flight += 1;
        let f = &mut self.flights[slot as usize];
        f.begin(block, op, narrow(queue), seq);
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
        self.charge();
        if active {
            self.active += 1;
            self.actors[queue].active += 1;
        } else {
            self.active -= 1;
            self.actors[queue].active -= 1;
        }
        self.update_lane(queue);
    }

    /// What metadata says of a resource's bytes. Before anything ran it says what the resource was created with; what another
    /// resource has left there says nothing true.
    fn state(&self, cell: Cell, resource: ResourceId) -> CompressionState {
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
            Content::Untouched | Content::Texels(_) => self.program.resources[resource]
                .initial
                .unwrap_or(CompressionState::PassThrough),
        }
    }

    /// The caches of a path.
    fn path(&self, path: PathId) -> &'p [CacheId] {
        let profile: &'p Profile = self.profile;
        profile.path(path)
    }
}
