//! What a lowering decides, and the words that it has for it: entries in, drafts of packets out.
//!
//! Nothing here emits anything; that is the session's.

use super::session::Session;
use crate::api::{BarrierAccess, LeafSet, QueueType, Scope};
use crate::hardware::VariantSet;
use crate::id::{BarrierRef, CacheId, Extent, LayoutOpId, NodeId, ResourceId};
use crate::program::{LayoutAct, Slice, Why};
use crate::scenario::{Barrier, Command};
use crate::time::Ps;

/// What a lowering decides: what a barrier entry becomes.
///
/// Each method gets the [`Session`] that emits packets, and that knows what came before.
pub trait Policy {
    /// Emits the packet of one entry with [`Session::barrier`], or keeps it for later with [`Session::defer`]. Each entry
    /// gets a packet, an empty one if there is nothing to do. It may get several: each follows those before it of the same
    /// bytes. Entries that are kept get one together, [`Session::emit_deferred`]. What a policy remembers from one call to the
    /// next is in [`Session::state`].
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>);

    /// Whether render passes stay in tile memory across barriers by region. If not, this policy decides about those
    /// barriers too.
    fn keeps_passes(&self) -> bool {
        true
    }

    /// Called before each command that works. Emits what was deferred and must not come later than its stages,
    /// [`Session::stages_of`].
    fn before_work(&self, _session: &mut Session<'_, '_>, _node: NodeId, _command: &Command) {}

    /// Called before the end of each `ExecuteCommandLists` scope. Emits everything that was deferred.
    fn before_end(&self, _session: &mut Session<'_, '_>) {}

    /// Called at the end of each scope, after [`before_end`](Self::before_end): decides what its start and its end do to whole
    /// caches. `scope` is what the work of the scope asks for; more is allowed, and less is for the policy to answer for.
    fn scope(&self, _session: &mut Session<'_, '_>, _scope: &mut ScopeDraft) {}
}

/// What the start and the end of an `ExecuteCommandLists` scope do to whole caches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScopeDraft {
    /// Caches that the start drops, written back before where that would lose lines.
    pub drops: Vec<CacheId>,
    /// Caches that the end writes back, in any order.
    pub cleans: Vec<CacheId>,
}

/// One barrier entry, with everything that a policy needs to know.
#[derive(Clone)]
#[non_exhaustive]
pub struct Entry<'a> {
    /// The entry's id.
    pub id: BarrierRef,
    /// The entry itself.
    pub barrier: &'a Barrier,
    /// Type of the queue.
    pub queue: QueueType,
    /// What its before side means. For a second split half whose first half is in the same scope, the first half's.
    pub before: Scope,
    /// What its after side means. For a first split half, empty stages.
    pub after: Scope,
    /// Accesses whose writes are given up (reading R24): `AccessBefore` names none, and `SyncBefore` waits for some. What
    /// they left dirty must still not be written back over what is written next. Of a second split half: as of `before`.
    pub given_up: BarrierAccess,
    /// The resource; `None` for a global barrier.
    pub resource: Option<ResourceId>,
    /// The layout operation that it needs.
    pub layout: Option<LayoutDraft>,
    /// Caches in which lines of an earlier alias may be left.
    pub leftovers: Vec<CacheId>,
    /// The sets of paths through the caches that its bytes take.
    pub variants: VariantSet,
    /// Which of its sides touch metadata.
    pub metadata: MetadataSides,
    /// It is the first half of a split pair: `SyncAfter` is `SPLIT`.
    pub is_split_begin: bool,
    /// It is the second half: `SyncBefore` is `SPLIT`.
    pub is_split_end: bool,
    pub(super) extents: Slice<Extent>,
}

impl Entry<'_> {
    /// Whether its operations happen with it: those of a split pair happen with the first half.
    pub fn acts(&self) -> bool {
        !self.is_split_end
    }

    /// What it waits for and holds. A split pair acts once: its first half waits, its second half holds.
    pub fn asked(&self) -> (LeafSet, LeafSet) {
        let unless = |is_other: bool, stages| if is_other { LeafSet::EMPTY } else { stages };
        (
            unless(self.is_split_end, self.before.stages),
            unless(self.is_split_begin, self.after.stages),
        )
    }

    /// A packet for it that waits for `wait`, does nothing, and holds `hold`.
    pub fn draft(&self, wait: LeafSet, hold: LeafSet) -> Draft {
        Draft {
            wait,
            hold,
            after_all: false,
            steps: Vec::new(),
        }
    }
}

/// Which accesses of a barrier read or write metadata: those in a layout that stores texels compressed, and those in a layout
/// that is not known.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct MetadataSides {
    /// Accesses before the barrier do.
    pub before: bool,
    /// Those after it. If only these do, the latest metadata is what a layout operation wrote.
    pub after: bool,
}

/// The layout operation of an entry, [`Entry::layout`]: to be placed among the steps of its draft.
#[derive(Copy, Clone, Debug)]
#[non_exhaustive]
pub struct LayoutDraft {
    pub(super) op: LayoutOpId,
    pub(super) resource: ResourceId,
    pub(super) extents: Slice<Extent>,
    pub(super) act: LayoutAct,
    pub(super) initialise: bool,
    /// What asked for it, if not the layouts alone.
    pub(super) why: Option<Why>,
}

impl LayoutDraft {
    /// The operation, of [`Profile::layout_ops`](crate::hardware::Profile::layout_ops).
    pub fn op(&self) -> LayoutOpId {
        self.op
    }

    /// Whether it gives new metadata to discarded contents instead of rewriting what was there.
    pub fn initialises(&self) -> bool {
        self.initialise
    }
}

/// A barrier packet in the making: first it waits, then it does its steps one after the other, until then it holds.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Stages whose earlier work must end first.
    pub wait: LeafSet,
    /// Stages whose later work must not start before its end.
    pub hold: LeafSet,
    /// It comes after every earlier barrier packet of the scope, not only after those that reading R12 asks for.
    pub after_all: bool,
    /// What it does, in this order.
    pub steps: Vec<StepDraft>,
}

impl Draft {
    /// Makes every drop one of a whole cache.
    pub fn drop_whole_caches(&mut self) {
        for step in &mut self.steps {
            if let StepDraft::Invalidate { everything, .. } = step {
                *everything = true;
            }
        }
    }

    /// Makes every write-back and every drop one of a whole cache.
    pub fn take_whole_caches(&mut self) {
        self.drop_whole_caches();
        for step in &mut self.steps {
            if let StepDraft::Clean { everything, .. } = step {
                *everything = true;
            }
        }
    }
}

/// A step of a draft.
#[derive(Copy, Clone, Debug)]
#[non_exhaustive]
pub enum StepDraft {
    /// Write a cache back: the entry's bytes, or everything (a global barrier always means everything).
    Clean {
        /// The cache.
        cache: CacheId,
        /// Every line of the cache, not the entry's bytes only.
        everything: bool,
        /// Why the step is needed: accesses, or a reason in words.
        why: Why,
    },
    /// Drop a cache's lines: the entry's bytes, or everything.
    Invalidate {
        /// The cache.
        cache: CacheId,
        /// Every line of the cache, not the entry's bytes only.
        everything: bool,
        /// Why the step is needed: accesses, or a reason in words.
        why: Why,
    },
    /// The entry's layout operation.
    Layout(LayoutDraft),
    /// The front end forgets what it has prefetched.
    FrontEnd {
        /// Why the step is needed: accesses, or a reason in words.
        why: Why,
    },
    /// Something that only takes time.
    Driver {
        /// Name of the operation.
        op: &'static str,
        /// How long it takes, in picoseconds.
        takes: Ps,
        /// Why the step is needed: accesses, or a reason in words.
        why: Why,
    },
}
