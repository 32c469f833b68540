//! Typed ids and byte extents: how values refer to each other.
//!
//! An id is an index into the table of its kind, never a pointer. Ids carry no name; the value that owns the table
//! (a scenario, a timeline, a profile) turns them into text. In a panic or a log an id is
//! `kind.number`: `list.2`, `cache.3`, `layout_op.0`.

mod named;
mod table;

pub use named::NamedTable;
pub use table::Table;

use smallvec::SmallVec;
use std::fmt;

/// A number of entries, or a place in a text, as the 32 bits in which tables keep it.
///
/// # Panics
/// If it does not fit: texts and tables have limits below 2^32, which are checked where they are read or made.
#[inline]
pub fn narrow(count: usize) -> u32 {
    u32::try_from(count).expect("a table is limited to 2^32 entries")
}

/// What a table is indexed by: one of the ids below.
pub trait Id: Copy {
    /// The id of the table's entry `index`.
    fn new(index: usize) -> Self;

    /// The entry's index in its table.
    fn index(self) -> usize;
}

macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident $kind:literal) => {
        $(#[$doc])*
        #[derive(Copy, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id of the table's entry `index`.
            ///
            /// # Panics
            /// If the index does not fit 32 bits: every table has a limit far below that.
            #[inline]
            pub fn new(index: usize) -> Self {
                Self(narrow(index))
            }

            /// The entry's index in its table.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl Id for $name {
            #[inline]
            fn new(index: usize) -> Self {
                Self::new(index)
            }

            #[inline]
            fn index(self) -> usize {
                self.index()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($kind, ".{}"), self.0)
            }
        }
    };
}

typed_id!(
    /// A texture or buffer of a scenario, in order of declaration.
    ResourceId "resource"
);
typed_id!(
    /// A heap of a scenario.
    HeapId "heap"
);
typed_id!(
    /// A fence of a scenario.
    FenceId "fence"
);
typed_id!(
    /// A command queue of a scenario.
    QueueId "queue"
);
typed_id!(
    /// A command list of a scenario, named or written in place.
    ListId "list"
);
typed_id!(
    /// One submission of the timeline: an `ExecuteCommandLists` call, a signal, a wait, a present, a CPU operation.
    SubmissionId "submission"
);
typed_id!(
    /// One executed command (or one executed `Barrier()` call): distinct for each execution of its list.
    ///
    /// Nodes are numbered in the order in which the timeline submits them, so that comparing two nodes of one queue
    /// compares their order of execution.
    NodeId "node"
);
typed_id!(
    /// An independent block of memory: a heap, or the own memory of a committed or reserved resource.
    MemoryId "memory"
);
typed_id!(
    /// A cache of a hardware profile.
    CacheId "cache"
);
typed_id!(
    /// A path of caches through which a hardware profile serves an access.
    PathId "path"
);
typed_id!(
    /// A layout operation of a hardware profile.
    LayoutOpId "layout_op"
);
typed_id!(
    /// One packet of a lowered program.
    OpId "op"
);

typed_id!(
    /// A moment of a simulation at which something starts or ends.
    MomentId "moment"
);
typed_id!(
    /// A UAV or groupshared variable of a litmus test, in order of declaration.
    LocationId "location"
);

/// One entry of an executed `Barrier()` call.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BarrierRef {
    /// The executed call.
    pub node: NodeId,
    /// Index of the entry in the call, counted over all its groups.
    pub entry: u32,
}

impl BarrierRef {
    /// An entry of a call.
    pub const fn new(node: NodeId, entry: u32) -> Self {
        Self { node, entry }
    }
}

/// Bytes `start..end` of one block of memory. Never empty.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Extent {
    /// The block.
    pub memory: MemoryId,
    /// First byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

impl Extent {
    /// Bytes of a block.
    #[inline]
    pub fn new(memory: MemoryId, start: u64, end: u64) -> Self {
        Self { memory, start, end }
    }

    /// Other bytes of the same block.
    #[inline]
    #[must_use]
    pub fn at(self, start: u64, end: u64) -> Self {
        Self::new(self.memory, start, end)
    }

    /// Number of bytes.
    pub fn len(self) -> u64 {
        self.end - self.start
    }

    /// Whether it has no bytes; a well-formed extent has at least one.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// The bytes that two extents share.
    pub fn intersection(self, other: Self) -> Option<Self> {
        let start = self.start.max(other.start);
        let end = self.end.min(other.end);
        (self.memory == other.memory && start < end).then_some(self.at(start, end))
    }

    /// The bytes that two lists of extents have in common, both ascending.
    pub fn common(a: &[Self], b: &[Self]) -> SmallVec<[Self; 2]> {
        let (mut at, mut of) = (0, 0);
        let mut common = SmallVec::new();
        while let (Some(x), Some(y)) = (a.get(at), b.get(of)) {
            common.extend(x.intersection(*y));
            if (x.memory, x.end) <= (y.memory, y.end) {
                at += 1;
            } else {
                of += 1;
            }
        }
        common
    }

    /// The bytes of a list of extents that another one lacks, both ascending.
    pub fn minus(a: &[Self], b: &[Self]) -> SmallVec<[Self; 2]> {
        let mut rest = SmallVec::new();
        let mut of = 0;
        for x in a {
            while b
                .get(of)
                .is_some_and(|y| (y.memory, y.end) <= (x.memory, x.start))
            {
                of += 1;
            }
            let mut start = x.start;
            for y in b[of..].iter().map_while(|y| x.intersection(*y)) {
                if start < y.start {
                    rest.push(x.at(start, y.start));
                }
                start = y.end;
            }
            if start < x.end {
                rest.push(x.at(start, x.end));
            }
        }
        rest
    }
}

/// Places of the ones of a word, ascending: a small set of ids is a word.
#[inline]
pub fn ones(word: u64) -> impl Iterator<Item = u32> {
    let first = Some(word).filter(|word| *word != 0);
    let rest = |left: &u64| Some(left & (left - 1)).filter(|left| *left != 0);
    std::iter::successors(first, rest).map(u64::trailing_zeros)
}
