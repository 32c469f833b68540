//! What some bytes have seen within one scope: versions, readers, the latest barriers.
//!
//! State lives for one scope: its end finishes and flushes everything on the queue (reading R22). A use that was found
//! uncovered enters the state as if it had been correct (reading R47).

use super::alike::Later;
use super::cover::{Row, Version, Writer};
use super::globals::Carried;
use super::tree::{Attempt, Operation, Tree};
use super::{ConflictKind, Side};
use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::id::{BarrierRef, NodeId, ResourceId};
use smallvec::SmallVec;
use std::rc::Rc;

/// A version of bytes with its maker.
#[derive(Clone, PartialEq, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts of one version that do not exclude each other"
)]
pub(super) struct Record {
    pub(super) version: Version,
    pub(super) side: Side,
    /// Only atomic operations.
    pub(super) atomics: bool,
    /// A copy, resolve or discard that is over before later work begins (reading R20).
    pub(super) synchronous: bool,
    /// A barrier with `AccessBefore NO_ACCESS` gave the contents up (reading R24).
    pub(super) given_up: bool,
    /// The same, and changed the layout: a later write need not name it.
    pub(super) replaced: bool,
    /// In memory, and a later transition of the bytes comes after it: a later write need not name it again.
    pub(super) settled: bool,
    /// Barriers on the bytes that picked the version up, and with that wrote it back.
    pub(super) flushed_by: SmallVec<[Flushed; 1]>,
    /// Positions of the latest barriers through each resource that picked it up and are one with their neighbours
    /// (reading R52).
    pub(super) run: SmallVec<[(ResourceId, u32); 1]>,
    /// An open split barrier whose first half had to name it.
    pub(super) begun: Option<Begun>,
}

/// The first half of a split barrier that met a version.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Begun {
    pub(super) resource: ResourceId,
    /// It picked the version up. If not, nothing had written the version back (reading R79).
    pub(super) picked_up: bool,
}

impl Record {
    /// A barrier of a call, through a resource, wrote the version back and held these stages.
    pub(super) fn flush(&mut self, by: Flushed) {
        let known = self
            .flushed_by
            .iter_mut()
            .find(|f| f.resource == by.resource);
        let Some(known) = known else {
            // In one order, whichever came first, so that states become alike.
            let at = self
                .flushed_by
                .partition_point(|f| f.resource < by.resource);
            self.flushed_by.insert(at, by);
            return;
        };
        known.held = known.held.union(by.held);
        if known.call == by.call {
            known.held_in_call = known.held_in_call.union(by.held_in_call);
            known.is_first &= by.is_first;
        } else {
            (known.call, known.held_in_call) = (by.call, by.held_in_call);
            known.is_first = by.is_first;
        }
    }

    /// A barrier that is one with its neighbours picked the version up.
    pub(super) fn run_on(&mut self, resource: ResourceId, position: u32) {
        if let Some((_, known)) = self.run.iter_mut().find(|(known, _)| *known == resource) {
            *known = position;
            return;
        }
        let at = self.run.partition_point(|(known, _)| *known < resource);
        self.run.insert(at, (resource, position));
    }

    /// Whether a barrier through a resource, one with its neighbours, picked the version up.
    pub(super) fn is_in_run(&self, barrier: &Latest, resource: ResourceId) -> bool {
        self.run.contains(&(resource, barrier.position))
    }

    /// Whether nothing before a call wrote the version back.
    pub(super) fn is_dirty_before(&self, call: NodeId, globals: &Carried) -> bool {
        !(self.synchronous
            || self.settled
            || self.version.has_grants()
            || globals.any() && globals.took(&self.version))
            && self.flushed_by.iter().all(|by| by.call == call)
    }

    /// Whether the bytes have been written back by now.
    pub(super) fn is_flushed(&self, globals: &Carried) -> bool {
        self.synchronous
            || self.settled
            || !self.flushed_by.is_empty()
            || globals.any() && globals.took(&self.version)
    }
}

/// Barriers through one resource that wrote a version back.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Flushed {
    pub(super) resource: ResourceId,
    /// What they held back.
    pub(super) held: LeafSet,
    /// The latest call with one of them, and what those of that call held.
    pub(super) call: NodeId,
    pub(super) held_in_call: LeafSet,
    /// That call wrote the version back at last, by memory barriers only.
    pub(super) is_first: bool,
}

/// The latest read of bytes at one leaf.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Reader {
    pub(super) side: Side,
    pub(super) leaf: Leaf,
    pub(super) position: u32,
    /// Over before later work begins (reading R20).
    pub(super) synchronous: bool,
}

/// The latest barrier on bytes.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Latest {
    pub(super) barrier: BarrierRef,
    pub(super) position: u32,
    pub(super) after: LeafSet,
    /// What it waited for on these bytes.
    pub(super) row: Row,
}

/// Where the latest barrier through a resource is kept.
#[derive(Copy, Clone, Debug)]
pub(super) enum Kept {
    /// In the state of its bytes: barriers may be about parts of them.
    InBytes,
    /// By the walk, once for all of its bytes.
    Whole(Option<Latest>),
}

/// State of some bytes within a scope.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct State {
    /// The last versions: several only where they need no order among themselves (readings R18, R19), or where an
    /// older one was never written back.
    pub(super) versions: SmallVec<[Record; 1]>,
    pub(super) readers: SmallVec<[Reader; 1]>,
    /// The latest barrier through each resource, by resource: several only where resources alias. None of buffers, whose
    /// barriers are all about all of their bytes: the walk keeps them.
    pub(super) latest: SmallVec<[(ResourceId, Latest); 1]>,
    /// The latest of those that the walk keeps.
    pub(super) latest_whole: Option<(u32, BarrierRef)>,
    /// First halves of split barriers that wait for their second, one a resource.
    pub(super) begun: Vec<(ResourceId, Latest)>,
}

/// State of a block of memory.
pub(super) struct Memory {
    /// Scope in which the state was last touched.
    epoch: u32,
    bytes: Tree<State>,
}

impl Memory {
    pub(super) fn new(size: u64, lazy_from: u32) -> Self {
        Self {
            epoch: 0,
            bytes: Tree::new(size, lazy_from),
        }
    }

    /// The state of its bytes, emptied if it is of an earlier scope.
    pub(super) fn at(&mut self, epoch: u32) -> &mut Tree<State> {
        if self.epoch != epoch {
            self.epoch = epoch;
            self.bytes.clear();
        }
        &mut self.bytes
    }

    /// What its state has cost.
    pub(super) fn visits(&self) -> u64 {
        self.bytes.visits()
    }
}

/// A use that enters the state of its bytes.
pub(super) struct Enter<'a> {
    pub(super) access: &'a Access,
    /// Everything before it stays, for the unfolded comparison.
    pub(super) keeps: bool,
}

impl Operation<State> for Enter<'_> {
    fn act(&mut self, _: u64, _: u64, state: &mut Rc<State>) -> bool {
        Rc::make_mut(state).enter(self.access, self.keeps);
        true
    }

    fn attempt(&mut self, state: &State) -> Attempt<State> {
        if self.keeps {
            return Attempt::Refused;
        }
        let mut entered = state.clone();
        entered.enter(self.access, false);
        Attempt::Becomes(entered)
    }

    fn later(&self) -> Option<Rc<Later>> {
        Some(Rc::new(Later::Use(*self.access)))
    }

    fn tells_apart(&self, worst: &State, best: &State) -> bool {
        worst.has_between(best, self.access.side.resource)
    }
}

/// A use with what its command adds to it.
#[derive(Copy, Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts of one use that do not exclude each other"
)]
pub(super) struct Access {
    pub(super) side: Side,
    pub(super) reads: bool,
    /// Reads whatever the command does: not only may (reading R57).
    pub(super) certain: bool,
    pub(super) writes: bool,
    pub(super) atomics: bool,
    pub(super) independent: bool,
    pub(super) synchronous: bool,
    pub(super) position: u32,
}

impl Access {
    /// What an unordered use after a write is called (reading R42).
    pub(super) fn after_write(&self) -> ConflictKind {
        if self.reads {
            ConflictKind::ReadAfterWrite
        } else {
            ConflictKind::WriteAfterWrite
        }
    }
}

impl State {
    /// Enters a use that was checked. `keeps` everything before it, for the unfolded comparison.
    pub(super) fn enter(&mut self, access: &Access, keeps: bool) {
        if access.writes {
            if !keeps && !access.atomics {
                self.readers
                    .retain(|reader| reader.side.node == access.side.node);
            }
            if !keeps {
                self.versions.retain(|record| is_kept(record, access));
            }
            for leaf in access.side.stages.iter() {
                self.versions.push(Record {
                    version: Version::written(leaf, access.side.access, access.position),
                    side: access.side,
                    atomics: access.atomics,
                    synchronous: access.synchronous,
                    given_up: false,
                    replaced: false,
                    settled: false,
                    flushed_by: SmallVec::new(),
                    run: SmallVec::new(),
                    begun: None,
                });
            }
        } else if !access.independent {
            for leaf in access.side.stages.iter() {
                let reader = Reader {
                    side: access.side,
                    leaf,
                    position: access.position,
                    synchronous: access.synchronous,
                };
                let same = |r: &&mut Reader| {
                    r.leaf == leaf
                        && r.side.resource == access.side.resource
                        && r.synchronous == access.synchronous
                };
                match self.readers.iter_mut().find(same) {
                    Some(known) if !keeps => *known = reader,
                    _ => self.readers.push(reader),
                }
            }
        }
    }

    /// The latest barrier through a resource.
    pub(super) fn latest_of(&self, resource: ResourceId) -> Option<&Latest> {
        let at = self.latest.binary_search_by_key(&resource, |(id, _)| *id);
        at.ok().map(|at| &self.latest[at].1)
    }

    /// Takes the open first half of a split barrier.
    pub(super) fn end(&mut self, resource: ResourceId) -> Option<Latest> {
        let at = self
            .begun
            .iter()
            .position(|(known, _)| *known == resource)?;
        Some(self.begun.swap_remove(at).1)
    }

    /// Enters a barrier as the latest through its resource.
    pub(super) fn set_latest(&mut self, resource: ResourceId, latest: Latest) {
        match self.latest.binary_search_by_key(&resource, |(id, _)| *id) {
            Ok(at) => self.latest[at].1 = latest,
            Err(at) => self.latest.insert(at, (resource, latest)),
        }
    }
}

/// Whether a version still counts after a write. What the write covers is over for everything that comes after
/// the write; only another atomic operation needs no order to an atomic one, and must look further back.
fn is_kept(record: &Record, access: &Access) -> bool {
    // A later write of the same class stands for the earlier one: every barrier that covers it covers both.
    let same_class = || {
        record.version.access == access.side.access
            && record.side.resource == access.side.resource
            && record.atomics == access.atomics
            && access
                .side
                .stages
                .iter()
                .any(|leaf| record.version.writer == Writer::Work(leaf))
    };
    // Of what was given up nothing is left after it.
    record.side.node == access.side.node
        || !record.given_up && (exempt(record, access) || access.atomics) && !same_class()
}

/// Whether two uses need no order: raster order (reading R18), atomics on atomics (reading R19).
pub(super) fn exempt(record: &Record, access: &Access) -> bool {
    raster_exempt(&record.side, &access.side) && matches!(record.version.writer, Writer::Work(_))
        || record.atomics && access.atomics
}

/// Accesses to a depth buffer by its own hardware.
pub(super) const DEPTH: BarrierAccess =
    BarrierAccess::DEPTH_STENCIL_READ.union(BarrierAccess::DEPTH_STENCIL_WRITE);

/// Reading R18: render target on render target, depth-stencil on depth-stencil, through one resource.
pub fn raster_exempt(first: &Side, second: &Side) -> bool {
    let both = |set: BarrierAccess| first.access.intersects(set) && second.access.intersects(set);
    first.resource == second.resource && (both(BarrierAccess::RENDER_TARGET) || both(DEPTH))
}
