//! A trace: what one simulation saw. When each packet waited and for what, when each command ran, what each barrier
//! cost, and which reads did not see what they should have.
//!
//! Times are integer picoseconds from the first submission. A packet's life from queued to retired is tiled exactly by
//! its spans; that is asserted when a life is recorded.
//!
//! Memory: 16 bytes a span, 24 a packet, 16 a command; no text.

mod causes;
pub mod contents;

pub use causes::{Causes, Link, Moment, Why};
pub use contents::{Contents, Fill, ReadFound, WriteEnded, Writer};

use crate::api::{BarrierAccess, Leaf};
use crate::id::{
    BarrierRef, CacheId, Extent, FenceId, NodeId, OpId, QueueId, ResourceId, SubmissionId, Table,
    narrow,
};
use crate::time::Ps;

/// Everything that one simulation saw.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Trace {
    /// From the first submission to the end of the last packet.
    pub makespan: Ps,
    /// Lives of packets by `OpId`.
    pub ops: Table<OpId, OpLife>,
    /// Spans of all packets; [`OpLife`] says which belong to whom.
    pub spans: Vec<Span>,
    /// When each command ran, by `NodeId`. A node without work (a barrier, a marker, a signal) has the time of its
    /// packets; one that never ran or has none is [`CommandTiming::NEVER`].
    pub commands: Table<NodeId, CommandTiming>,
    /// When the CPU had handed each submission to its queue; `Ps::MAX` for one that it never came to, and for its own.
    pub submitted: Table<SubmissionId, Ps>,
    /// What each executed barrier entry cost, in the order of arrival of its queue's front end.
    pub barriers: Vec<BarrierTiming>,
    /// Reads that did not see what they should have, in order of time.
    pub observations: Vec<Observation>,
    /// The bytes of the wrong reads, each with who wrote what was read and what should have been read. A read of many
    /// pieces has its first.
    pub wrong_parts: Vec<WrongPart>,
    /// What the nodes read that were to be watched, right or wrong, by node and in order of time.
    pub samples: Vec<Sample>,
    /// What each queue did when, by `QueueId`.
    pub lanes: Vec<Vec<LaneSegment>>,
    /// Counts.
    pub totals: Totals,
    /// What the reads cost, in ranges that they looked at: a measure of the simulator, not of the machine.
    pub visits: u64,
    /// What was to be added up, by the number of the sum.
    pub sums: Vec<Sum>,
    /// Time in which nothing ran on any queue because of barriers (the union over queues, so at most the makespan): with one
    /// queue the sum over its barriers.
    pub exposed: Ps,
    /// When that was: disjoint, in order of time, together exactly [`Trace::exposed`]. Empty if no rows are kept.
    pub exposed_at: Vec<(Ps, Ps)>,
    /// Waits that were never satisfied: the simulation ended with them.
    pub stuck: Vec<Stuck>,
    /// The run is longer than [`CLOCK_END`]: what is later is not there.
    pub is_cut: bool,
    /// How long each stage of each queue had work, by `QueueId` and `Leaf`.
    pub stages: Vec<[Ps; Leaf::COUNT]>,
    /// How long each pool had work, and how long more was asked of it than it has, in the order of
    /// [`crate::program::Pool::ALL`]. Nothing is known of what shares nothing.
    pub pools: Vec<PoolUse>,
    /// Why each moment came no earlier, if that was to be kept.
    pub causes: Option<Box<Causes>>,
}

/// How much a pool was used.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolUse {
    /// Time in which it had work.
    pub busy: Ps,
    /// Time in which its work was slowed, because together it could have filled more than the pool.
    pub crowded: Ps,
}

/// Where the machine's clock ends: 2^63 ps, 106 days.
pub const CLOCK_END: Ps = Ps(1 << 63);

/// The life of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct OpLife {
    /// When the front end took it up.
    pub queued: Ps,
    /// When it had retired.
    pub retired: Ps,
    /// First of its spans.
    pub first_span: u32,
    /// Number of its spans; zero if it took no time or never ran.
    pub spans: u32,
}

/// Part of a packet's life. It starts where the one before ends; the first starts at [`OpLife::queued`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Span {
    /// When the span ends.
    pub end: Ps,
    /// Why the packet spent that time.
    pub reason: Reason,
}

/// Why a packet spent time.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The front end worked on it.
    FrontEnd,
    /// The front end had taken it up, but too many packets were in flight.
    WaitSlot,
    /// A barrier held it.
    WaitBarrier(OpId),
    /// It waited for a fence.
    WaitFence(FenceId),
    /// It waited for all earlier packets of its queue.
    WaitIdle,
    /// It flowed from one stage to the next.
    Latency,
    /// A stage worked on it; if several did, the latest.
    Work(Leaf),
    /// A barrier waited for earlier barriers.
    WaitEarlierBarrier,
    /// A barrier waited for earlier work of its queue.
    Drain,
    /// A barrier's wait itself: events and their fixed cost.
    WaitCost,
    /// A barrier wrote a cache's dirty lines back.
    Clean(CacheId),
    /// A barrier dropped a cache's lines.
    Invalidate(CacheId),
    /// A barrier rewrote a texture's encoding.
    Layout(ResourceId),
    /// A render pass began: attachments were loaded into tile memory.
    TileLoad(CacheId),
    /// A render pass ended: tile memory was stored.
    TileStore(CacheId),
    /// A barrier synchronised the front end.
    FrontEndSync,
    /// The queue went from one engine to another.
    EngineSwitch,
    /// The CPU or the display worked.
    Client,
    /// A fence was set.
    Signal,
    /// Work that a barrier had held starts again. Only links have it; in a packet's spans that time belongs to the wait.
    Resume,
}

/// When a command ran.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CommandTiming {
    /// Start of its first stage.
    pub start: Ps,
    /// End of its last stage.
    pub end: Ps,
}

impl CommandTiming {
    /// It did not run.
    pub const NEVER: Self = Self {
        start: Ps::MAX,
        end: Ps::MAX,
    };

    /// Whether it ran.
    pub fn ran(self) -> bool {
        self.end != Ps::MAX
    }
}

/// What a barrier entry cost.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BarrierTiming {
    /// The entry.
    pub barrier: BarrierRef,
    /// The packet.
    pub op: OpId,
    /// When the queue's front end had reached it and its scope had started; what the start of the scope costs is not the
    /// barrier's.
    pub arrival: Ps,
    /// From when on it was the oldest barrier that held its queue and was not over (reading R75); at most `drained`.
    /// Entries of one call have their turn together.
    pub turn: Ps,
    /// When the work and the barriers that it waited for had ended.
    pub drained: Ps,
    /// When its last operation had ended.
    pub completed: Ps,
    /// When the first work began that it had held; `None` if it held none.
    pub first_held_start: Option<Ps>,
    /// `drained - turn`: before its turn the queue waited for others.
    pub drain: Ps,
    /// `completed - drained`.
    pub operation: Ps,
    /// From completion to the first start of work that it held, and the extra time of misses on lines that it dropped:
    /// one latency of the next level a read, and the bytes at that level's bandwidth.
    pub refill: Ps,
    /// Time in which nothing ran on any queue and its queue waited for this barrier and no other, so that times add up;
    /// what the start of its scope took is not counted.
    pub exposed: Ps,
}

/// What a read saw that it should not have seen.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Observation {
    /// The command that read.
    pub node: NodeId,
    /// The command whose text has the use: itself, or the `set-root` in effect.
    pub use_node: NodeId,
    /// Index of the use in that command.
    pub use_index: u16,
    /// The resource.
    pub resource: ResourceId,
    /// The access bit; empty for the CPU and the display.
    pub access: BarrierAccess,
    /// What was wrong with the read.
    pub kind: ObservationKind,
    /// Number of bytes that were wrong.
    pub bytes: u64,
    /// First wrong byte, counted from the start of the block of memory.
    pub first_byte: u64,
    /// Who wrote what was read; `None`: initial contents.
    pub saw: Option<NodeId>,
    /// Whose write should have been read; `None`: initial contents.
    pub expected: Option<NodeId>,
    /// The cache that answered; `None`: memory.
    pub from: Option<CacheId>,
    /// When the bytes were read; of a read that a write overtook, when it ended.
    pub at: Ps,
    /// How long a read went on after a write had landed in it; zero of any other.
    pub went_on: Ps,
}

/// Some bytes of a wrong read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrongPart {
    /// Index in [`Trace::observations`].
    pub observation: u32,
    /// The bytes.
    pub extent: Extent,
    /// Who wrote what was read; `None`: initial contents.
    pub saw: Option<NodeId>,
    /// Whose write should have been read; `None`: initial contents.
    pub expected: Option<NodeId>,
}

/// Some bytes that a watched node read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sample {
    /// The command that read.
    pub node: NodeId,
    /// The bytes.
    pub extent: Extent,
    /// Who wrote what was read; `None`: initial contents.
    pub saw: Option<NodeId>,
}

impl Sample {
    /// Whether another one says the same of the bytes after these.
    pub fn goes_on_in(&self, next: &Self) -> bool {
        (self.node, self.saw, self.extent.memory) == (next.node, next.saw, next.extent.memory)
            && self.extent.end == next.extent.start
    }
}

/// Kinds of wrong reads. Reading R44.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ObservationKind {
    /// An older version, although the newer one was complete.
    Stale,
    /// The needed write had not finished; or a later one had, before the read.
    Early,
    /// Part of the needed write was lost: a neighbour's line overwrote it.
    Torn,
    /// Contents without a defined value.
    Undefined,
    /// Compressed bytes, read as if they were plain, or the reverse.
    Undecoded,
    /// A write landed while the read still went on: it was seen in part. Reading R76.
    Late,
}

impl ObservationKind {
    /// All of them, in the order of the glossary.
    pub const ALL: [Self; 6] = [
        Self::Stale,
        Self::Early,
        Self::Late,
        Self::Torn,
        Self::Undefined,
        Self::Undecoded,
    ];

    /// What a bad read of the kind saw, for people.
    pub fn means(self) -> &'static str {
        match self {
            Self::Stale => "an older version, although the newer one was complete",
            Self::Early => "bytes of a write that had not ended, or of a later one",
            Self::Late => "part of a later write, which landed while the read went on",
            Self::Torn => "bytes of which a neighbouring line's write-back destroyed a part",
            Self::Undefined => "bytes without a defined value",
            Self::Undecoded => "compressed texels read as plain ones, or the reverse",
        }
    }

    /// The word that reports print.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Early => "early",
            Self::Torn => "torn",
            Self::Undefined => "undefined",
            Self::Undecoded => "undecoded",
            Self::Late => "late",
        }
    }

    /// What a bad read of the kind saw, in two words: `early data`.
    pub fn data(self) -> String {
        format!("{} data", self.word())
    }
}

/// What a queue did for a while.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaneSegment {
    /// When the segment starts.
    pub start: Ps,
    /// When the segment ends.
    pub end: Ps,
    /// What the queue did.
    pub kind: LaneKind,
    /// The first command that ran, or what was waited for.
    pub node: NodeId,
}

/// What a queue did.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LaneKind {
    /// Commands ran.
    Work,
    /// Nothing ran: a barrier waited or operated.
    Barrier,
    /// Nothing ran: the front end waited for a fence.
    Fence,
    /// Nothing ran: submission, launch, start and end of a scope, the display.
    Submit,
}

/// Counts of what the machine did.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Totals {
    /// Work packets retired.
    pub work: u64,
    /// Barrier entries completed.
    pub barriers: u64,
    /// Cache cleans.
    pub cleans: u64,
    /// Bytes that cleans and invalidates wrote back.
    pub cleaned_bytes: u64,
    /// Cache invalidates.
    pub invalidates: u64,
    /// Bytes that they dropped.
    pub invalidated_bytes: u64,
    /// Layout operations.
    pub layout_operations: u64,
    /// Layout operations that rewrote a whole surface.
    pub decompressions: u64,
    /// Render passes whose attachments were loaded into tile memory.
    pub tile_loads: u64,
    /// Render passes that were stored.
    pub tile_stores: u64,
    /// Times that a cache held more than it can, and lines left it. Without any, it does not matter which would leave.
    pub evictions: u64,
    /// Bytes that reads fetched from memory.
    pub memory_read_bytes: u64,
    /// Bytes that were written to memory.
    pub memory_written_bytes: u64,
    /// Reads that did not see what they should have.
    pub bad_reads: u64,
    /// Events that the simulation processed.
    pub events: u64,
}

/// What parts of barrier packets cost together.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Sum {
    /// How often they were carried out.
    pub times: u64,
    /// Bytes that they wrote back, dropped or rewrote.
    pub bytes: u64,
    /// Time that they took beyond what their packets took without them.
    pub time: Ps,
}

/// A wait that was never satisfied.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stuck {
    /// The queue; `None`: the CPU.
    pub queue: Option<QueueId>,
    /// The node of the wait.
    pub node: NodeId,
    /// The fence.
    pub fence: FenceId,
    /// The value waited for.
    pub value: u64,
    /// The value that it had at the end.
    pub reached: u64,
    /// Since when it was waited for.
    pub since: Ps,
}

impl Trace {
    /// Spans of a packet with their starts.
    pub fn spans(&self, op: OpId) -> impl Iterator<Item = (Ps, Span)> + '_ {
        let life = self.ops[op];
        let spans = &self.spans[life.first_span as usize..][..life.spans as usize];
        let mut start = life.queued;
        spans.iter().map(move |span| {
            let from = start;
            start = span.end;
            (from, *span)
        })
    }

    /// When a command ran.
    pub fn command(&self, node: NodeId) -> CommandTiming {
        self.commands
            .get(node)
            .copied()
            .unwrap_or(CommandTiming::NEVER)
    }

    /// Records a packet's life if lives are to be kept (`rows`), and its spans if they are.
    ///
    /// # Panics
    /// If the spans do not tile it: they must end in order and the last at `retired`.
    pub fn record(
        &mut self,
        op: OpId,
        queued: Ps,
        retired: Ps,
        spans: &[Span],
        rows: bool,
        keep: bool,
    ) {
        if !rows {
            return;
        }
        let mut at = queued;
        for span in spans {
            assert!(span.end > at, "a span of {op:?} ends before it starts");
            at = span.end;
        }
        assert!(at == retired, "the spans of {op:?} do not tile its life");
        let spans = if keep { spans } else { &[] };
        self.ops[op] = OpLife {
            queued,
            retired,
            first_span: u32::try_from(self.spans.len()).expect("a trace is limited to 2^32 spans"),
            spans: narrow(spans.len()),
        };
        self.spans.extend_from_slice(spans);
    }
}
