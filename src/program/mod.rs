//! A lowered program: what the driver gives the machine, packet by packet.
//!
//! Nothing of D3D12 is left: a packet names leaf stages, caches, paths and bytes, never a sync bit or a layout. It also
//! names the command that it was made from ([`Origin`]), so that costs can be given back to the text. Nothing here knows
//! which machine it is: caches, paths and layout operations are ids of a hardware profile.
//!
//! Memory: packets are in per-block tables. A packet refers to its tasks, accesses, steps and extents by [`Slice`]s
//! of the block's tables, so that a program of a million packets is a handful of large allocations per block. Packets may
//! share entries: stages, thread groups and whole resources that several of them have alike.

mod compression;
mod counted;
mod intervals;
mod slice;
mod why;

pub use compression::{BlockOf, CompressionState, Decoded, Encoding, Form, LayoutAct};
pub use counted::{Counted, Part};
pub use intervals::{Interval, IntervalMap, Look, Runs};
pub use slice::Slice;
pub use why::Why;

use crate::api::{BarrierAccess, Leaf, LeafSet, QueueType};
use crate::id::{
    CacheId, Extent, FenceId, LayoutOpId, MemoryId, NodeId, OpId, PathId, QueueId, ResourceId,
    SubmissionId, Table,
};
use crate::time::Ps;

/// A lowered program: one block for each submission of the timeline, in the CPU's order of submission.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// Blocks; the index is the `SubmissionId`.
    pub blocks: Table<SubmissionId, Block>,
    /// Type of each queue.
    pub queues: Vec<QueueType>,
    /// Initial value of each fence.
    pub fences: Table<FenceId, u64>,
    /// Bytes of each independent block of memory; blocks of metadata follow those of texels, if any texture has some.
    pub memories: Table<MemoryId, u64>,
    /// Index of the first block of metadata: that of the first block of texels.
    pub metadata: Option<u32>,
    /// Each resource, as far as the machine's memory depends on it.
    pub resources: Table<ResourceId, ResourceInfo>,
    /// Number of nodes of the timeline.
    pub nodes: u32,
    /// Number of packets.
    pub ops: u32,
}

/// What the machine knows about a resource.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceInfo {
    /// A buffer: aliased buffers inherit each other's data, textures do not.
    pub is_buffer: bool,
    /// Its bytes, if it has any.
    pub extent: Option<Extent>,
    /// What its metadata says before anything runs; `None` if it has no metadata.
    pub initial: Option<CompressionState>,
}

/// The packets of one submission.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// The queue that carries it out; `None` is the CPU.
    pub queue: Option<QueueId>,
    /// Id of the first packet; the rest follow without gaps.
    pub first_op: OpId,
    /// Packets in order.
    pub ops: Vec<HwOp>,
    /// Stage tasks of the block's work.
    pub tasks: Vec<Task>,
    /// Thread groups of the block's work.
    pub groups: Vec<Groups>,
    /// Accesses of the block's work.
    pub accesses: Vec<Access>,
    /// Steps of the block's barriers.
    pub steps: Vec<Step>,
    /// Earlier packets that the block's barriers follow.
    pub after: Vec<OpId>,
    /// Bytes of accesses and steps.
    pub extents: Vec<Extent>,
    /// What of the block's barriers is to be added up, ascending by packet.
    pub counted: Vec<Counted>,
}

/// What a packet was made from.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Origin {
    /// The executed command, or the submission's own node.
    pub node: NodeId,
    /// The entry, if the packet stands for one of a `Barrier()` call.
    pub entry: Option<u32>,
}

/// One packet.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct HwOp {
    /// Its id: the block's first id plus its place in the block.
    pub id: OpId,
    /// What it was made from.
    pub origin: Origin,
    /// Time that the front end (or the CPU) spends on it before it takes effect.
    pub launch: Ps,
    /// Time that the front end spends on it afterwards: it launches thread groups while the first ones run.
    pub tail: Ps,
    /// What the packet does.
    pub kind: HwOpKind,
}

/// Kinds of packets.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum HwOpKind {
    /// Work that flows through pipeline stages.
    Work(Work),
    /// Waits, cache and layout operations, and what they hold.
    Barrier(BarrierOp),
    /// Sets a fence when everything earlier of the queue has retired.
    SignalFence {
        /// The fence.
        fence: FenceId,
        /// The value.
        value: u64,
    },
    /// Stops the queue's front end (or the CPU) until a fence has reached a value.
    WaitFence {
        /// The fence.
        fence: FenceId,
        /// The value.
        value: u64,
    },
    /// An access by the CPU or the display, after everything earlier of the queue has retired.
    Client(ClientOp),
    /// A GPU timeout: queues stop, and what they have started ends. The signals after it say what it does to fences.
    Reset {
        /// The queue; `None` is every queue.
        queue: Option<QueueId>,
    },
}

/// Work of one command.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Work {
    /// Stage tasks, front of the pipeline first.
    pub tasks: Slice<Task>,
    /// What it reads and writes.
    pub accesses: Slice<Access>,
    /// The `set-root` whose uses are among the accesses.
    pub root: Option<NodeId>,
    /// Thread groups of the stage that has them: one entry, or none.
    pub groups: Slice<Groups>,
}

/// The part of a command that one pipeline stage carries out.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The stage.
    pub leaf: Leaf,
    /// What carries it out.
    pub pool: Pool,
    /// How much of the pool it can fill, in 1/1024.
    pub weight: u16,
    /// Time on an otherwise idle machine.
    pub cost: Ps,
    /// Time from the start (and from the end) of the stage before until this stage can start (and end). For the first
    /// stage, time from the launch.
    pub latency: Ps,
    /// The stage whose price a wait for it costs.
    pub price: Leaf,
    /// Its time is that of its bytes, what it misses in caches included.
    pub streams: bool,
    /// It is the stage of the command's thread groups, on a machine where each keeps its place until it ends.
    pub has_groups: bool,
    /// No use of the command is at this stage. A barrier that holds the stage holds what comes after it (reading R46), but
    /// there is no work: it takes no time, and nothing waits for it to end.
    pub passes: bool,
}

/// Equal thread groups.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Groups {
    /// Number of groups.
    pub count: u64,
    /// The time of each.
    pub each: Ps,
    /// From the launch of one to the launch of the next.
    pub apart: Ps,
    /// The same into places that others have left while the machine was full.
    pub refill_apart: Ps,
    /// From the launch of the last group of the dispatch before to that of the first.
    pub after_another: Ps,
    /// How many the machine holds at once.
    pub at_once: u64,
    /// The same while groups take the places of others.
    pub refilled: u64,
}

/// Parts of the machine that queues share.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pool {
    /// Nothing shared: the task takes its time whatever else runs.
    Fixed,
    /// Shader cores.
    Shader,
    /// Render back-ends: depth tests and colour output.
    RenderBackEnd,
    /// Memory bandwidth of copies, clears and resolves.
    Memory,
    /// The video engines.
    Video,
}

impl Pool {
    /// Number of pools.
    pub const COUNT: usize = 5;
    /// Every pool.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Fixed,
        Self::Shader,
        Self::RenderBackEnd,
        Self::Memory,
        Self::Video,
    ];
    /// A task of this weight fills its pool.
    pub const FULL: u16 = 1024;

    /// Position in [`Pool::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// What an access does with its bytes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AccessMode {
    /// Reads at the start of its stages.
    Read,
    /// Writes at the end of its last stage.
    Write,
}

/// One read or write of one resource. A use that does both is two accesses.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "independent facts, most of them of few uses"
)]
pub struct Access {
    /// Read or write.
    pub mode: AccessMode,
    /// The D3D12 access bit that it stands for; empty for the CPU and the display.
    pub access: BarrierAccess,
    /// Stages at which it happens: a read is sampled at each, a write is there when the last has ended.
    pub stages: LeafSet,
    /// The caches that it goes through.
    pub path: PathId,
    /// The resource.
    pub resource: ResourceId,
    /// The caches that it reads or writes the metadata of its bytes through; `None` if it ignores metadata.
    pub metadata: Option<PathId>,
    /// How the client encodes what it writes, or the most that it can decode when it reads.
    pub encoding: Encoding,
    /// The write is a clear value, in metadata only.
    pub clears: bool,
    /// What is written has no defined value (`discard`).
    pub undefined: bool,
    /// The write covers whole subresources in a way that initialises their metadata (reading R25).
    pub initialises: bool,
    /// Atomic operations only: concurrent ones do not disturb each other.
    pub atomic: bool,
    /// The read does not depend on a concurrent write.
    pub independent: bool,
    /// The use is of the `set-root` in effect ([`Work::root`]), not of the packet's own command.
    pub of_root: bool,
    /// Index of the use in its command.
    pub use_index: u16,
    /// The bytes, ascending.
    pub extents: Slice<Extent>,
}

/// Waits, operations and holds of one barrier, a half of a split barrier, or the end of a scope.
///
/// In order: it arrives; the packets in `after` have completed and all earlier work of the leaves in `wait` on this
/// queue has ended; the steps run one after the other; it has completed. Later work of the queue at the leaves in `hold`
/// does not start before that.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct BarrierOp {
    /// The barrier entry, or other cause, that the packet stands for.
    pub role: BarrierRole,
    /// Leaves whose earlier work it waits for.
    pub wait: LeafSet,
    /// Packets that must have completed.
    pub after: Slice<OpId>,
    /// Every earlier barrier packet of the queue must have completed.
    pub after_all: bool,
    /// Operations in order. Adjacent cleans run together, and so do adjacent invalidates.
    pub steps: Slice<Step>,
    /// Leaves whose later work it holds.
    pub hold: LeafSet,
    /// What the front end fetches ahead for these leaves is held like their work. A barrier that asks for such fetches is
    /// judged by its step instead: it holds them only with [`StepKind::FrontEnd`].
    pub holds_fetches: bool,
}

impl BarrierOp {
    /// A packet that waits for all earlier work and holds all that is later.
    pub(crate) fn of_everything(role: BarrierRole, steps: Slice<Step>) -> Self {
        Self {
            role,
            wait: LeafSet::ALL,
            after: Slice::EMPTY,
            after_all: true,
            steps,
            hold: LeafSet::ALL,
            holds_fetches: true,
        }
    }

    /// Whether a front end that waits where a barrier does waits at this packet. One that holds nothing is an event that a
    /// later packet waits for; starts and ends of scopes and passes have ways of their own.
    pub fn waits_in_order(&self) -> bool {
        let is_own = matches!(
            self.role,
            BarrierRole::Whole
                | BarrierRole::SplitBegin
                | BarrierRole::SplitEnd
                | BarrierRole::Synchronous
                | BarrierRole::Unasked
        );
        is_own && !self.hold.is_empty() && !self.is_order_of_engine()
    }

    /// Whether it says no more than that an engine does one piece of work after the other.
    pub fn is_order_of_engine(&self) -> bool {
        self.role == BarrierRole::Synchronous && self.hold != LeafSet::ALL
    }
}

/// What a barrier packet stands for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum BarrierRole {
    /// A whole barrier entry.
    Whole,
    /// First half of a split barrier.
    SplitBegin,
    /// Second half.
    SplitEnd,
    /// Start of an `ExecuteCommandLists` scope.
    ScopeBegin,
    /// End of an `ExecuteCommandLists` scope.
    ScopeEnd,
    /// What a synchronous copy, resolve or discard promises (reading R20).
    Synchronous,
    /// What a present needs.
    Present,
    /// A barrier entry inside a render pass, by region: it orders tile by tile, and its wait costs nothing beyond the work.
    ByRegion,
    /// Start of a render pass: attachments go to tile memory.
    PassBegin,
    /// End of a render pass that no barrier entry carries: attachments are stored.
    PassEnd,
    /// What a driver wrote where no barrier is: before work, at the end of a list, at submission.
    Unasked,
}

/// Bytes that a step concerns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Reach {
    /// The whole cache.
    Everything,
    /// Lines of these bytes.
    Extents(Slice<Extent>),
}

/// One operation of a barrier.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The operation.
    pub kind: StepKind,
    /// Why the step is needed: accesses, or a reason in words.
    pub why: Why,
}

/// Kinds of steps.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StepKind {
    /// Writes dirty lines back to the cache's parent and keeps them.
    Clean {
        /// The cache.
        cache: CacheId,
        /// The lines that are written back.
        reach: Reach,
    },
    /// Drops lines; dirty ones are written back first.
    Invalidate {
        /// The cache.
        cache: CacheId,
        /// The lines that are dropped.
        reach: Reach,
    },
    /// Rewrites a texture's bytes or metadata in another encoding.
    Layout {
        /// The profile's operation.
        op: LayoutOpId,
        /// The texture.
        resource: ResourceId,
        /// The bytes that are rewritten.
        extents: Slice<Extent>,
        /// What it does to each block.
        act: LayoutAct,
        /// Contents are dropped: only metadata is written.
        initialise: bool,
    },
    /// Attachments are loaded into tile memory.
    TileLoad {
        /// Tile memory.
        cache: CacheId,
        /// The bytes that are loaded.
        extents: Slice<Extent>,
    },
    /// What was written in tile memory is stored, and tile memory is free again.
    TileStore {
        /// Tile memory.
        cache: CacheId,
        /// The bytes that are stored.
        extents: Slice<Extent>,
    },
    /// The front end forgets what it has prefetched.
    FrontEnd,
    /// Something that a driver does and that takes its time; the machine has no further model of it.
    Driver {
        /// Name of the operation.
        op: &'static str,
        /// How long it takes.
        takes: Ps,
    },
    /// The queue goes from one engine to another.
    EngineSwitch,
}

impl StepKind {
    /// Whether the front end waits until it is over, on a machine on which it waits for operations of some caches.
    pub fn stops_fetches(&self, caches: &[CacheId]) -> bool {
        match self {
            Self::FrontEnd => true,
            Self::Clean { cache, .. } | Self::Invalidate { cache, .. } => caches.contains(cache),
            _ => false,
        }
    }
}

/// An access by a client outside the pipeline.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ClientOp {
    /// The CPU or the display.
    pub client: Client,
    /// What it reads or writes when its time ([`HwOp::launch`]) is over; nothing for `cpu work`.
    pub accesses: Slice<Access>,
}

/// Clients outside the pipeline.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Client {
    /// The CPU.
    Host,
    /// The display.
    Display,
}

/// Blocks that are made as the machine comes to them, so that a long timeline is never in memory as packets.
pub trait Blocks {
    /// Number of blocks.
    fn count(&self) -> usize;

    /// The queue that carries a block out; `None` is the CPU.
    fn queue(&self, index: usize) -> Option<QueueId>;

    /// A block; each is asked for once, those of one queue in order.
    fn take(&mut self, index: usize) -> Block;

    /// Whether nobody wants to know any more what becomes of them.
    fn is_dropped(&self) -> bool {
        false
    }
}

impl HwOp {
    /// The command whose text has the use that an access of this packet stands for.
    pub fn use_node(&self, access: &Access) -> NodeId {
        let root = match &self.kind {
            HwOpKind::Work(work) if access.of_root => work.root,
            _ => None,
        };
        root.unwrap_or(self.origin.node)
    }
}

impl Block {
    /// A packet of this block.
    pub fn op(&self, id: OpId) -> &HwOp {
        &self.ops[(id.0 - self.first_op.0) as usize]
    }

    /// Bytes that a step concerns; `None` means the whole cache.
    pub fn reach(&self, reach: Reach) -> Option<&[Extent]> {
        match reach {
            Reach::Everything => None,
            Reach::Extents(slice) => Some(slice.of(&self.extents)),
        }
    }
}

impl Program {
    /// Where the metadata of some bytes is: a block of its own for each block of texels, at the same places, so that the
    /// metadata of two resources overlaps where they do. A byte of it describes many (the profile's `metadata.covers_bytes`).
    pub fn metadata_of(&self, extent: Extent) -> Option<Extent> {
        let memory = MemoryId(extent.memory.0 + self.metadata?);
        Some(Extent { memory, ..extent })
    }

    /// Whether a block is one of metadata.
    pub fn is_metadata(&self, memory: MemoryId) -> bool {
        self.metadata.is_some_and(|first| memory.0 >= first)
    }

    /// The block that holds a packet.
    pub fn block_of(&self, op: OpId) -> &Block {
        let blocks: &[Block] = &self.blocks;
        let after = blocks.partition_point(|b| b.first_op <= op);
        // Empty blocks share their first id with the next one: the last block that starts at or before `op` holds it.
        &blocks[after - 1]
    }

    /// Whether a packet is what takes its queue from one engine to another.
    pub fn switches_engine(&self, op: OpId) -> bool {
        let block = self.block_of(op);
        let HwOpKind::Barrier(barrier) = block.op(op).kind else {
            return false;
        };
        let mut steps = barrier.steps.of(&block.steps).iter();
        steps.any(|step| step.kind == StepKind::EngineSwitch)
    }

    /// A packet by id.
    pub fn op(&self, op: OpId) -> &HwOp {
        self.block_of(op).op(op)
    }

    /// Every packet with its block.
    pub fn ops(&self) -> impl Iterator<Item = (&Block, &HwOp)> {
        self.blocks
            .iter()
            .flat_map(|block| block.ops.iter().map(move |op| (block, op)))
    }
}
