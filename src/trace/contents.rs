//! What memory and caches held along a run: the versions of bytes, place by place, whenever something changed.
//!
//! Only kept for runs that are shown in this detail. Runs of bytes ascend; neighbours that say the same are one.

use crate::id::{CacheId, Extent, MemoryId, NodeId, OpId, PathId, ResourceId};
use crate::time::Ps;

/// The state of metadata that stands for texels that are not written.
pub(crate) const CLEAR: &str = "clear";

/// What every place held, from change to change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// Caches, then memory itself.
    pub places: Vec<Holder>,
    /// Moments at which something changed, in order.
    pub moments: Vec<ContentsChange>,
    /// What reads found, right or wrong, in order of time; of texels, not of metadata.
    pub reads: Vec<ReadFound>,
    /// Writes that ended, in order of time. A fast clear is one of metadata.
    pub writes: Vec<WriteEnded>,
    /// Until when all of this is known: the end of the run, unless it is cut.
    pub until: Ps,
    /// There was more than there is room for: what is later is not there.
    pub is_cut: bool,
}

/// Whose write some bytes are.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Writer {
    /// The command.
    pub node: NodeId,
    /// The resource that it wrote: of aliases, perhaps another than the one that is read.
    pub resource: ResourceId,
}

/// Bytes that a read found alike: one writer, one place.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ReadFound {
    /// When they were read.
    pub at: Ps,
    /// The packet.
    pub op: OpId,
    /// The command whose text has the use: its own, or the `set-root` in effect.
    pub use_node: NodeId,
    /// Index of the use in that command.
    pub use_index: u16,
    /// The resource that was read.
    pub resource: ResourceId,
    /// The caches that the read goes through.
    pub path: PathId,
    /// The bytes.
    pub extent: Extent,
    /// Whose they are; `None`: initial contents.
    pub writer: Option<Writer>,
    /// The cache that answered; `None`: memory.
    pub from: Option<CacheId>,
}

/// Bytes that a write left where they are first kept.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct WriteEnded {
    /// When.
    pub at: Ps,
    /// The packet.
    pub op: OpId,
    /// The resource.
    pub resource: ResourceId,
    /// The caches that the write goes through.
    pub path: PathId,
    /// The bytes: texels, or of a fast clear, which is nowhere else, the metadata of the texels.
    pub extent: Extent,
}

/// How much every cache held, from change to change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fill {
    /// Caches; never memory.
    pub places: Vec<Holder>,
    /// In order of time; a cache has at most one for a moment: what it holds at the end of that moment.
    pub points: Vec<FillPoint>,
    /// When there was no room for more points: what is later is not there.
    pub cut_at: Option<Ps>,
}

/// How much a cache holds from a moment on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FillPoint {
    /// Time from which on it holds that much.
    pub at: Ps,
    /// Index in [`Fill::places`].
    pub place: u32,
    /// Bytes that it holds, dirty ones among them; metadata counts.
    pub held: u64,
    /// Bytes that are not written back yet.
    pub dirty: u64,
}

/// Somewhere that bytes can be.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Holder {
    /// The cache; `None`: memory.
    pub cache: Option<CacheId>,
    /// Of a private write-back cache: the instance that writers run in.
    pub of_writers: bool,
}

/// What was different after an event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContentsChange {
    /// Time of the event.
    pub at: Ps,
    /// The packet that the event was of, if it was of one.
    pub op: Option<OpId>,
    /// Of an event that ends writes, the resource whose write is there with this change; such an event is a change for each of
    /// its resources, in the order of [`Contents::writes`], and the last one has all else that it did.
    pub ends: Option<ResourceId>,
    /// What blocks hold now where they held something else.
    pub blocks: Vec<BlockNow>,
}

/// What a block of memory holds, or a cache of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockNow {
    /// Index in [`Contents::places`].
    pub place: u32,
    /// The block.
    pub memory: MemoryId,
    /// What all of the block's bytes are.
    pub runs: Vec<HeldRun>,
}

/// Bytes that are alike.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct HeldRun {
    /// First byte.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// What the bytes are.
    pub held: Held,
}

/// What some bytes are.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Held {
    /// Whose write they are; `None`: what was there before anything ran.
    pub writer: Option<NodeId>,
    /// The resource that it wrote.
    pub resource: Option<ResourceId>,
    /// Not written back yet.
    pub dirty: bool,
    /// Texels: `plain`, `compressed`, `garbage`; metadata: the state that it states; empty where nothing is known.
    pub state: &'static str,
}

impl Held {
    /// Metadata that says that all of its texels have the clear value: their version is nowhere else.
    pub fn is_clear(self) -> bool {
        self.state == CLEAR
    }

    /// Whose version they are; `None`: initial contents.
    pub fn whose(self) -> Option<Writer> {
        let (node, resource) = (self.writer?, self.resource?);
        Some(Writer { node, resource })
    }
}
