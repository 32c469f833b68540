//! A run told in beats: what happens, one thing after the other, each with its cause. Whoever steps through a run, on a page
//! or in a terminal, steps through these.
//!
//! A beat is one of these: work is *submitted*, a stage *starts*, something is *held*, or *released*; a command *reads*
//! a version of a resource, or its *write ends*; a version is *written back*, *dropped* or *rewritten*; a *fence* reaches a
//! value; a *hazard* is a fact. Waits that never end, and what never starts, come last.
//!
//! * Beats come in order of time, and of what happens at once, a cause before its effect ([`Beat::after`]).
//! * Every hazard that a report lists is one beat, whether the run shows it or not; every wrong read of the trace is one.
//! * Caches are told of only where that changes which version somebody reads later. Metadata is left out: it decides how
//!   a version is decoded, not which. Only a fast clear is told, whose version is in metadata and nowhere else.
//! * A sentence says what has happened up to its beat, never what comes later.
//!
//! `work.rs` reads spans and causes, `memory.rs` what was written and read, `moves.rs` what caches gave away, `order.rs` puts all in order, `words.rs` says it,
//! `ask.rs` asks before it is said. A run of more packets than causes are recorded for has no beats.

mod ask;
pub(crate) mod held;
mod memory;
mod moves;
mod order;
mod versions;
mod words;
mod work;

pub use ask::{Ask, Deleted, Without};
pub use versions::Versions;
pub use words::Teller;

use crate::api::Leaf;
use crate::finding::Finding;
use crate::hardware::Profile;
use crate::id::{CacheId, FenceId, NodeId, OpId, ResourceId, SubmissionId};
use crate::order::Timeline;
use crate::program::Program;
use crate::time::Ps;
use crate::trace::Trace;
use crate::trace::contents::{Contents, Writer};
use smallvec::SmallVec;

/// Beats that are told at most: a person reads some hundred.
pub const BEATS_MAX: usize = 100_000;

/// What beats are made of.
#[derive(Copy, Clone)]
pub struct Given<'a> {
    /// The scenario as it was executed.
    pub timeline: &'a Timeline<'a>,
    /// The machine.
    pub profile: &'a Profile,
    /// Its packets.
    pub program: &'a Program,
    /// What the machine did.
    pub trace: &'a Trace,
    /// What memory held along the same run.
    pub contents: &'a Contents,
    /// The report's findings.
    pub findings: &'a [Finding],
    /// From when on both uses of a hazard had begun, by the index of its finding, ascending; none if one never ran.
    pub met: &'a [(usize, Ps)],
}

/// A run as beats.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Beats {
    /// Beats in order.
    pub beats: Vec<Beat>,
    /// How versions are counted.
    pub versions: Versions,
    /// Number of beats that there would be without [`BEATS_MAX`].
    pub all: usize,
    /// Until when reads and caches are told of, if not to the end.
    pub memory_until: Option<Ps>,
}

/// Something happens.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Beat {
    /// When.
    pub at: Ps,
    /// What.
    pub kind: BeatKind,
    /// Whose: the packet; none of a submission, of a hazard and of what has no packet.
    pub op: Option<OpId>,
    /// The command, barrier call or submission that it is about.
    pub node: NodeId,
    /// Earlier beats that it is the effect of, by index.
    pub after: SmallVec<[u32; 2]>,
    /// What caches and memory hold is shown as after this many of [`Contents::moments`].
    pub moments: u32,
}

/// What happens.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BeatKind {
    /// The CPU has handed a submission to its queue.
    Submitted(SubmissionId),
    /// A stage starts; none: what has no stages begins (a present, the CPU).
    Starts(Option<Leaf>),
    /// It cannot go on.
    Held {
        /// What holds it first; other barriers may hold it next.
        by: Hold,
        /// The stage that is held, if others of the command have started.
        stage: Option<Leaf>,
    },
    /// It goes on, or a barrier is over.
    Released {
        /// What held it last; none of a barrier that waited for nothing.
        by: Option<Hold>,
        /// How long it was held.
        waited: Ps,
    },
    /// A command reads a resource.
    Reads(Box<Read>),
    /// What a command wrote is there.
    WriteEnds {
        /// The resource.
        resource: ResourceId,
        /// The cache that has it first; none: memory.
        place: Option<CacheId>,
        /// Where parts of it are, if that place has no room for all: indices in [`Contents::places`], else nothing.
        parts: SmallVec<[u32; 3]>,
        /// A fast clear: it is in metadata only.
        is_fast: bool,
    },
    /// A place writes a version back to where its lines go.
    Cleaned(Moved),
    /// A place does not have a version any more.
    Dropped(Moved),
    /// A layout operation has rewritten how a texture is stored.
    Rewritten {
        /// The texture.
        resource: ResourceId,
        /// The profile's name of the operation.
        operation: Box<str>,
    },
    /// A fence has reached a value.
    Fence {
        /// The fence.
        fence: FenceId,
        /// The value.
        value: u64,
    },
    /// A hazard is a fact: both of its uses have begun.
    Hazard {
        /// Index of the report's finding.
        finding: usize,
        /// Whether both uses ran at all.
        met: bool,
    },
    /// A wait begins that never ends: index in [`Trace::stuck`].
    NeverEnds(usize),
    /// Its queue never comes to it.
    NeverStarts,
}

impl BeatKind {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Submitted(_) => "submitted",
            Self::Starts(_) => "starts",
            Self::Held { .. } => "held",
            Self::Released { .. } => "released",
            Self::Reads(_) => "reads",
            Self::WriteEnds { .. } => "write-ends",
            Self::Cleaned(_) => "cleaned",
            Self::Dropped(_) => "dropped",
            Self::Rewritten { .. } => "rewritten",
            Self::Fence { .. } => "fence",
            Self::Hazard { .. } => "hazard",
            Self::NeverEnds(_) => "never-ends",
            Self::NeverStarts => "never-starts",
        }
    }
}

/// What holds something.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Hold {
    /// A barrier packet, which waits for the work, if that still goes on.
    Barrier(OpId, Option<Stage>),
    /// A stage of other work: a barrier waits for it.
    Work(Stage),
    /// A fence that has not reached a value.
    Fence(FenceId, u64),
    /// Its queue must be idle.
    Idle,
    /// Too many packets are in flight.
    Slot,
    /// A wait for a fence that a GPU reset has dropped.
    Reset,
}

/// A stage of a packet.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// The packet.
    pub op: OpId,
    /// The stage; none: all of it.
    pub leaf: Option<Leaf>,
}

/// What a command reads.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Read {
    /// The resource.
    pub resource: ResourceId,
    /// What it found, in the order of the bytes, each once: whose write, and the cache that answered.
    pub found: SmallVec<[Found; 1]>,
    /// What is wrong with it.
    pub wrong: Option<Wrong>,
}

/// A version that a read found.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Whose; `None`: initial contents.
    pub writer: Option<Writer>,
    /// The cache that answered; `None`: memory.
    pub from: Option<CacheId>,
}

/// What is wrong with a read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Wrong {
    /// Index in [`Trace::observations`].
    pub observation: usize,
    /// What it should have found.
    pub expected: Option<Writer>,
    /// Where that is at this moment: indices in [`Contents::places`].
    pub places: SmallVec<[u32; 2]>,
    /// The write that it should have found has not ended.
    pub is_unwritten: bool,
}

/// A version that a place gives away.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Moved {
    /// The place: index in [`Contents::places`].
    pub place: u32,
    /// The resource.
    pub resource: ResourceId,
    /// Whose version; `None`: initial contents.
    pub writer: Option<Writer>,
    /// The place keeps more of it: of a write-back, dirty bytes.
    pub is_part: bool,
}

/// A run as beats. Empty for a run that is too long for causes to be recorded.
pub fn beats(given: Given<'_>) -> Beats {
    let mut beats = Beats {
        versions: Versions::new(given.program),
        ..Beats::default()
    };
    if given.trace.causes.is_none() {
        return beats;
    }
    let mut drafts = order::Drafts::default();
    let told = work::tell(given, &mut drafts);
    let ends = memory::tell(given, &beats.versions, &told, &mut drafts);
    moves::tell(given, &told, &ends, &mut drafts);
    memory::rewrites(given, &told, &mut drafts);
    work::hazards(given, &mut drafts);
    let is_cut = given.contents.is_cut;
    beats.memory_until = is_cut.then_some(given.contents.until);
    beats.beats = drafts.in_order();
    beats.all = beats.beats.len();
    beats.beats.truncate(BEATS_MAX);
    memory::count_moments(given.contents, &mut beats.beats);
    beats
}
