//! *Needed* and *asked*: which pairs of uses touch the same bytes, and whether the application ordered them, made one
//! visible to the other and put the texture in the right layout.
//!
//! No hardware profile is known here, so that a hazard is portable. The result is data: pairs that are needed and not
//! asked ([`Conflict`]); naming them is left to `analyze/`.
//!
//! # The rules as equations
//!
//! They hold within one scope, a call of `ExecuteCommandLists`; brackets name the readings that they come from. `s`, `t` and
//! `h` are leaf stages. Commands and barrier entries have positions in the order of the text.
//!
//! ```text
//! state of the queue
//!   last[s]        position of the latest command with work at s
//!   later[s][t]    work at t up to this position comes before all later work at s
//! state of each byte
//!   version v      of a write at one leaf: leaf(v), access(v), position(v); carried(v), a set of leaves;
//!                  shown(v), a set of pairs of leaf and access
//!   reader r       a read at one leaf: leaf(r), position(r)
//!
//! barrier b: after work at stages S with accesses A, before work at stages S' with accesses A'
//!   awaited(b)     work at each s in S up to last[s], all that comes before that work, and awaited(c) of each earlier
//!                  barrier c with which b composes                                                            [R11]
//!   composes       S'(c) meets S(b), and c is the latest barrier of the same resource on the bytes, or b or c is
//!                  global, or S(b) is every stage of the queue                                                [R12]
//!   order          later[s'] := the later of later[s'] and awaited(b), for each s' in S'
//!   visibility     for each version v of its bytes, a global barrier's are all bytes:                    [R14, R45]
//!                  b takes v  iff  leaf(v) in S and access(v) in A, or carried(v) meets S
//!                  if it does: carried(v) := carried(v) + S', shown(v) := shown(v) + S' x A'
//!
//! use u at stages S with access a, by a command with work at the leaves L
//!   before(u, s)   the latest of later[h] for each h in L such that holding h holds s                         [R46]
//!   ordered(p, u)  iff  position(p) <= before(u, s)[leaf(p)] for all s in S;  p is a version or a reader
//!   visible(v, u)  iff  (s, a) in shown(v) for all s in S
//!
//! verdict
//!   needed(p, u)   iff  p is of a byte of u, p or u writes, another command made p, and no exception fits
//!                                                                                                  [R18, R19, R21]
//!   a hazard is    a version v with needed(v, u) and not (ordered(v, u) and visible(v, u)),
//!                  a reader r with needed(r, u) and not ordered(r, u),                                        [R15]
//!                  and a use whose access the layout of its bytes does not allow
//! ```
//!
//! After its verdict a use enters the state, as if it had been right (R47): a write as a version that is carried and shown
//! nowhere, a read as a reader. What later uses need not be compared with any more goes.
//!
//! A layout change is a version without a leaf (R17). Its barrier carries and shows it, must come after the versions and
//! readers of its bytes in order, and take each version that no barrier has taken before (R79). `ordered` asks of it whether that barrier, or one that composes with it, holds the
//! use or work that comes before the use. Further cases: halves of split barriers (R27), neighbours that act as one (R52),
//! synchronous copies (R20), contents that are given up (R24).
//!
//! # Files
//!
//! * `cover.rs` owns the rule of composition: order composes along any path, visibility and layout do not.
//! * `globals.rs` says what global barriers did to versions, without replaying them into ranges.
//! * `tree.rs` keeps state by bytes, so that aliases, subresources and byte ranges are one thing, and acts lazily on many
//!   ranges at once; `ranges.rs` is the plain map for what is seldom cut.
//! * `state.rs` is the state within a scope; `check.rs` compares a use with it, `apply.rs` a barrier; `alike.rs` says which
//!   states one operation changes alike.
//! * `content.rs` is what outlives a scope: aliases that overwrote, metadata, open splits, racing transitions.
//! * `undefined.rs` keeps the bytes whose contents are undefined, in one scope and in later ones; `lost.rs` is its map by
//!   bytes, with sums.
//! * `kept.rs` looks at the end for contents that `keep` asks for.
//! * `granules.rs` finds writers that share a granule but no byte, `shared_granules.rs` those of two queues.
//! * `walk.rs` walks the commands of one `ExecuteCommandLists` call after the other, `uses.rs` its uses, `barriers.rs` its barriers.
//! * `races.rs` compares submissions that no fence orders.
//! * `across.rs` finds what is needed across ordered submissions, for the graph only.
//! * `possible.rs` tells what rests on uses that may not be made.
//! * `replay.rs` answers one rare question exactly where the state keeps too little: what comes after a transition.
//!
//! *Asked* is kept as barriers with their before and after scopes, never as all pairs. A command costs O(L² + k · log n)
//! for L = 17 leaves, n boundaries of ranges and k kinds of state among those that it touches, however many they are
//! (`tree.rs` argues the bound and names the worst case); state is kept for one scope at a time, plus one entry a use of
//! memory that several actors touch.

mod across;
mod alike;
mod apply;
mod barriers;
mod check;
mod constants;
mod content;
mod cover;
mod dependency;
mod feedback;
mod globals;
mod granules;
mod kept;
mod known;
mod lost;
mod possible;
mod races;
mod ranges;
mod reduction;
mod replay;
mod shared_granules;
mod splits;
mod state;
mod tree;
mod undefined;
mod uses;
mod walk;

pub use across::pairs as pairs_across;
pub use dependency::{DependencyGraph, Edge, Effect, Node, Reason, Relation};
pub use state::raster_exempt;

use crate::api::{BarrierAccess, LeafSet};
use crate::id::{BarrierRef, Extent, NodeId, ResourceId};
use crate::order::{LayoutTracker, SubmissionKind, Timeline};

/// One side of a pair.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// The executed command, or the `Barrier()` call of an entry that acts on memory itself.
    pub node: NodeId,
    /// What of it: a use or an entry.
    pub part: Part,
    /// The resource through which it touches the bytes.
    pub resource: ResourceId,
    /// Its access; empty for a layout transition.
    pub access: BarrierAccess,
    /// Its leaf stages; empty for a transition, a present and the CPU.
    pub stages: LeafSet,
}

impl Side {
    /// What makes no access: a layout transition, a present, the CPU.
    fn without_access(node: NodeId, part: Part, resource: ResourceId) -> Self {
        Self {
            node,
            part,
            resource,
            access: BarrierAccess::empty(),
            stages: LeafSet::EMPTY,
        }
    }

    /// The barrier entry, if that is what acts.
    pub fn barrier(&self) -> Option<BarrierRef> {
        match self.part {
            Part::Entry(entry) => Some(BarrierRef::new(self.node, entry)),
            Part::Use(_) | Part::Root { .. } | Part::Whole => None,
        }
    }
}

/// Which part of a node acts.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// A use, by its index in the command.
    Use(u32),
    /// A use by a descriptor that a `set-root` before the command set (reading R38).
    Root {
        /// The `set-root`.
        set: NodeId,
        /// Index of the use in it.
        index: u32,
    },
    /// A barrier entry, by its index in the call.
    Entry(u32),
    /// The node itself: a present, a CPU access.
    Whole,
}

impl Part {
    /// The entry, for a barrier.
    pub fn entry(self) -> Option<u32> {
        match self {
            Self::Entry(entry) => Some(entry),
            Self::Use(_) | Self::Root { .. } | Self::Whole => None,
        }
    }
}

/// What kind of pair is not covered. The names follow readings R17, R21, R23, R25, R27, R41, R42.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum ConflictKind {
    /// First writes, second reads.
    ReadAfterWrite,
    /// First only reads, second writes.
    WriteAfterRead,
    /// Both write, second does not read.
    WriteAfterWrite,
    /// A use in a layout that does not allow its access.
    LayoutMismatch,
    /// A use between the halves of a split barrier.
    UseWhileSplit,
    /// A use of a deactivated subresource.
    UseInactive,
    /// An ordered read of memory that another resource wrote since it was last activated or written.
    UseOverwritten,
    /// The same between two buffers: data inheritance, which is allowed.
    Inherited,
    /// A use in a compressed layout while nobody has initialised the metadata.
    MetadataUninitialised,
    /// A certain read of contents that were dropped and not written since.
    UndefinedContents,
    /// Contents that `keep` asks for were dropped or overwritten and not written since; both sides are what did it.
    KeptUndefined,
    /// Contents that `keep` asks for were given up: a write, and the barrier that did it.
    KeptGivenUp,
    /// Concurrent writers of one subresource whose bytes share a granule and do not overlap.
    FalseSharing,
    /// Concurrent writers of one subresource that share no granule: against the rules, and harmless.
    ConcurrentWriters,
    /// Two uses of one command, through different accesses; one side writes (reading R65).
    FeedbackInCommand,
    /// Unordered queues; one side writes.
    RaceReadWrite,
    /// Unordered queues; both sides write.
    RaceWriteWrite,
    /// Unordered queues; one side is a layout transition or discard.
    RaceLayout,
}

impl ConflictKind {
    /// Whether it is a hazard, not a warning or advice.
    pub fn is_hazard(self) -> bool {
        !matches!(
            self,
            Self::Inherited
                | Self::ConcurrentWriters
                | Self::UndefinedContents
                | Self::KeptUndefined
                | Self::FeedbackInCommand
        )
    }

    /// Whether it is against the rules, be it harmless: more than advice.
    pub fn is_wrong(self) -> bool {
        self != Self::Inherited
    }

    /// Whether it is about a pair of uses of the same bytes by one queue.
    pub fn is_data(self) -> bool {
        matches!(
            self,
            Self::ReadAfterWrite | Self::WriteAfterRead | Self::WriteAfterWrite
        )
    }

    /// Whether it is about a pair of uses that no fence orders.
    pub fn is_race(self) -> bool {
        matches!(
            self,
            Self::RaceReadWrite | Self::RaceWriteWrite | Self::RaceLayout
        )
    }

    /// Whether it says of a use that it cannot have read the contents that it needs (reading R57).
    fn says_contents_are_lost(self) -> bool {
        self.replaces_others() || matches!(self, Self::ReadAfterWrite | Self::MetadataUninitialised)
    }

    /// Whether it replaces every other conflict of the same use and resource (reading R42).
    fn replaces_others(self) -> bool {
        matches!(
            self,
            Self::UseWhileSplit | Self::UseInactive | Self::UseOverwritten
        )
    }
}

/// A pair that is needed and not asked.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Conflict {
    /// What makes the pair a conflict.
    pub kind: ConflictKind,
    /// The earlier use.
    pub first: Side,
    /// The later use.
    pub second: Side,
    /// Whether order was asked.
    pub ordered: bool,
    /// Whether visibility was asked. True where order is enough.
    pub visible: bool,
    /// The first use's contents were given up by a barrier with `AccessBefore NO_ACCESS` (reading R24).
    pub given_up: bool,
    /// The latest barrier between the two on the same bytes: the one that fell short.
    pub barrier: Option<BarrierRef>,
    /// The layout that does not allow the use, for a layout mismatch.
    pub layout: Option<crate::api::Layout>,
    /// Bytes of which it was found; of a folded one, some of them.
    pub bytes: Option<Extent>,
    /// It is there only if a use is made that may not be, or is not made.
    pub may: bool,
}

/// A conflict that nothing more is known of.
fn lone(kind: ConflictKind, first: Side, second: Side) -> Conflict {
    Conflict {
        kind,
        first,
        second,
        ordered: false,
        visible: false,
        given_up: false,
        barrier: None,
        layout: None,
        bytes: None,
        may: false,
    }
}

/// A pair that is needed, asked or not.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct NeededPair {
    /// The earlier use.
    pub first: Side,
    /// The later use.
    pub second: Side,
    /// The barrier on the bytes that made the first visible to the second; where barriers are named, also a global one, or
    /// one that orders the two where that is enough. `None` if there is none, or order is missing.
    pub through: Option<BarrierRef>,
    /// Whether it was asked.
    pub asked: bool,
}

/// A certain read of undefined contents.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct UndefinedRead {
    /// The read.
    pub side: Side,
    /// The first undefined bytes of those that it reads.
    pub first: Extent,
    /// Number of undefined bytes among those that it reads.
    pub bytes: u64,
}

/// Which needed pairs are collected.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Collected {
    /// No pair.
    #[default]
    Nothing,
    /// Those whose second side is a use.
    Uses,
    /// Those too whose second side is a barrier that changes a layout or discards.
    UsesAndChanges,
    /// The same, each with the barrier between the two, also if it is a global one or only orders. What was reported once
    /// is missing for later uses too. Costs a look at the barriers since the first.
    Named,
}

impl Collected {
    /// Whether changes of layouts are second sides too.
    fn has_changes(self) -> bool {
        matches!(self, Self::UsesAndChanges | Self::Named)
    }
}

/// What an evaluation computes.
#[derive(Copy, Clone, Debug, Default)]
pub struct Request {
    /// Which of [`Evaluation::pairs`] to collect.
    pub pairs: Collected,
    /// Report every pair that is not covered with its bytes, also those that another one implies, and keep every use in
    /// the state: for comparison with an edited copy, or with a reference. Costs the square of the uses of the same bytes.
    pub unfolded: bool,
    /// Stop at the first conflict that is more than advice: whether there is one is all that is asked.
    pub until_conflict: bool,
    /// Ranges from which an operation on all of them acts lazily; `None` for as many as pay off, `u32::MAX` for never. Changes
    /// nothing but the cost, and of which bytes a folded conflict tells.
    pub lazy_from: Option<u32>,
}

impl Request {
    fn lazy_from(self) -> u32 {
        // Every pair is told with its bytes: range by range.
        let eager = self.unfolded.then_some(u32::MAX);
        self.lazy_from.or(eager).unwrap_or(tree::LAZY_FROM)
    }
}

/// Visits that a step makes where it looks at a few ranges.
const VISITS_A_STEP: u64 = 64;

/// What an evaluation finds.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// Pairs that are needed and not asked, in order of evaluation; folded as reading R42 says.
    pub conflicts: Vec<Conflict>,
    /// Needed pairs: each use with the latest prior uses of its bytes. Empty unless asked for.
    pub pairs: Vec<NeededPair>,
    /// Certain reads of undefined contents, in order of evaluation (reading R57).
    pub undefined_reads: Vec<UndefinedRead>,
    /// Commands evaluated, and of a barrier call every entry.
    pub steps: u64,
    /// Ranges, nodes and kinds of state looked at: what the evaluation costs, without a clock.
    pub visits: u64,
}

impl Evaluation {
    /// What one more evaluation of the text costs, in steps: a step that looks at thousands of ranges is as many.
    pub fn work(&self) -> u64 {
        self.steps.max(self.visits / VISITS_A_STEP)
    }
}

/// The pairs of uses, and of uses and changes of layouts, that are needed, asked or not.
pub fn needed_pairs(timeline: &Timeline<'_>) -> Vec<NeededPair> {
    let pairs = Collected::UsesAndChanges;
    let request = Request {
        pairs,
        ..Request::default()
    };
    evaluate(timeline, request).pairs
}

/// Evaluates a timeline. If uses of it may not be made, it is walked a second time without them.
pub fn evaluate(timeline: &Timeline<'_>, request: Request) -> Evaluation {
    let mut evaluation = evaluate_uses(timeline, request, false);
    if !possible::has_any(timeline.scenario) {
        return evaluation;
    }
    if request.unfolded {
        // Every pair is told: those of certain uses too.
        possible::mark(timeline, &mut evaluation);
    } else if !(request.until_conflict && evaluation.conflicts.iter().any(|c| c.kind.is_wrong())) {
        let request = Request {
            pairs: Collected::Nothing,
            ..request
        };
        let certain = evaluate_uses(timeline, request, true);
        possible::merge(&mut evaluation, certain);
    }
    evaluation
}

/// One walk over the timeline: of every use, or only of the uses that are certainly made.
fn evaluate_uses(timeline: &Timeline<'_>, request: Request, certain: bool) -> Evaluation {
    let layouts = LayoutTracker::new(timeline.scenario, LayoutTracker::declared);
    let mut walk = walk::Walk::new(timeline, layouts, request);
    walk.only_certain = certain;
    for id in timeline.evaluation.iter() {
        if timeline.submission(id).kind == SubmissionKind::Execute {
            walk.execute(id);
        } else {
            walk.single(id);
        }
        if walk.told.has_stopped() {
            return walk.finish().0;
        }
    }
    walk.check_kept();
    let (mut evaluation, between) = walk.finish();
    races::find(timeline, &between.uses, request, &mut evaluation);
    shared_granules::find(timeline, &between.parts, &mut evaluation);
    evaluation.conflicts.shrink_to_fit();
    evaluation
}
