//! One use against the state of its bytes: which prior uses it is not covered against.

use super::alike::Later;
use super::cover::{Order, Precedes, Writer};
use super::globals::Globals;
use super::replay::Replay;
use super::state::{Access, Reader, Record, State, exempt, raster_exempt};
use super::tree::{Attempt, Operation};
use super::{Conflict, ConflictKind, NeededPair, Side};
use crate::api::Leaf;
use crate::id::{BarrierRef, Extent, MemoryId};
use smallvec::SmallVec;
use std::rc::Rc;

/// A prior use that does not cover the use.
#[derive(Copy, Clone)]
struct Uncovered {
    position: u32,
    kind: ConflictKind,
    first: Side,
    ordered: bool,
    visible: bool,
    given_up: bool,
}

/// Checks one use against states.
pub(super) struct Check<'a, 't, 's> {
    pub(super) access: &'a Access,
    pub(super) precedes: &'a Precedes,
    pub(super) globals: &'a Globals,
    pub(super) found: &'a mut Vec<Conflict>,
    pub(super) latest_global: Option<(u32, BarrierRef)>,
    pub(super) order: &'a Order,
    pub(super) pairs: Option<&'a mut Vec<NeededPair>>,
    /// Report every pair and grant nothing.
    pub(super) unfolded: bool,
    /// What was reported counts as asked for from then on (reading R47).
    pub(super) grants: bool,
    pub(super) replay: Replay<'t, 's>,
    pub(super) memory: MemoryId,
}

impl Operation<State> for Check<'_, '_, '_> {
    fn act(&mut self, start: u64, end: u64, state: &mut Rc<State>) -> bool {
        let memory = self.memory;
        let part = Extent { memory, start, end };
        let mut worst: Option<Uncovered> = None;
        let mut uncovered: SmallVec<[usize; 4]> = SmallVec::new();
        for (index, record) in state.versions.iter().enumerate() {
            if let Some(found) = self.version(record, Some(start)) {
                self.take(found, part, &mut worst);
                uncovered.push(index);
            }
        }
        if self.access.writes {
            for reader in &state.readers {
                if let Some(found) = self.reader(reader) {
                    self.take(found, part, &mut worst);
                }
            }
        }
        let Some(worst) = worst else { return false };
        self.push(&worst, part, state);
        if uncovered.is_empty() || !self.grants {
            return false;
        }
        let state = Rc::make_mut(state);
        for index in uncovered {
            state.versions[index].version.grant(
                self.access.side.access,
                self.access.side.stages,
                self.access.position,
            );
        }
        true
    }

    /// The uses of a kind are covered if those of its worst state are.
    fn attempt(&mut self, state: &State) -> Attempt<State> {
        let tells_each = self.unfolded || self.pairs.is_some();
        let mut versions = state.versions.iter();
        let mut readers = state.readers.iter().filter(|_| self.access.writes);
        if tells_each
            || versions.any(|record| self.version(record, None).is_some())
            || readers.any(|reader| self.reader(reader).is_some())
        {
            return Attempt::Refused;
        }
        Attempt::Nothing
    }

    fn later(&self) -> Option<Rc<Later>> {
        None
    }

    fn tells_apart(&self, worst: &State, best: &State) -> bool {
        worst.has_between(best, self.access.side.resource)
    }
}

impl Check<'_, '_, '_> {
    /// Keeps the latest of a state, or reports each.
    fn take(&mut self, found: Uncovered, part: Extent, worst: &mut Option<Uncovered>) {
        if self.unfolded {
            self.found
                .push(found.conflict(self.access.side, None, part));
        } else if worst.is_none_or(|w| found.position > w.position) {
            *worst = Some(found);
        }
    }

    fn push(&mut self, worst: &Uncovered, part: Extent, state: &State) {
        let specific = state
            .latest
            .iter()
            .map(|(_, latest)| (latest.position, latest.barrier))
            .chain(state.latest_whole)
            .filter(|(position, _)| *position > worst.position)
            .max();
        let global = self
            .latest_global
            .filter(|(position, _)| *position > worst.position);
        let barrier = specific.max(global).map(|(_, barrier)| barrier);
        self.found
            .push(worst.conflict(self.access.side, barrier, part));
    }

    /// Whether a prior version of the byte `at` conflicts with the use; without a byte, of all bytes of a kind. Returns
    /// what is missing if it is not covered.
    fn version(&mut self, record: &Record, at: Option<u64>) -> Option<Uncovered> {
        let access = self.access;
        let side = access.side;
        // What was given up is gone for every later read: raster order does not bring it back (readings R18, R24).
        let in_raster_order = raster_exempt(&record.side, &side);
        let is_lost = in_raster_order && record.given_up && access.reads;
        if record.side.node == side.node
            || exempt(record, access) && !is_lost
            || access.independent && !access.writes
        {
            return None;
        }
        let ordered = record.synchronous || is_lost || self.is_ordered(record);
        let visible = self.is_visible(record);
        let ordered = ordered || visible && self.is_ordered_after_all(record, at);
        let asked = ordered && visible;
        let through = self.pairs.is_some().then(|| self.through(record));
        if let Some((pairs, through)) = self.pairs.as_mut().zip(through) {
            pairs.push(NeededPair {
                first: record.side,
                second: side,
                through,
                asked,
            });
        }
        (!asked).then_some(Uncovered {
            position: record.version.position,
            kind: access.after_write(),
            first: record.side,
            ordered,
            visible,
            given_up: record.given_up,
        })
    }

    /// The barrier that made a version visible to the use, or else one that orders the two.
    fn through(&self, record: &Record) -> Option<BarrierRef> {
        let (side, version) = (self.access.side, &record.version);
        let shown = || {
            let mut stages = side.stages.iter();
            stages.find_map(|l| version.shown_by(side.access, l))
        };
        let globally = || {
            let mut stages = side.stages.iter();
            stages.find_map(|l| self.globals.shown_by(version, side.access, l))
        };
        let ordered = || match version.writer {
            Writer::Work(leaf) if !record.synchronous => self.ordered_by(leaf, version.position),
            Writer::Work(_) | Writer::Transition(_) => None,
        };
        shown().or_else(globally).or_else(ordered)
    }

    /// A barrier that makes the use come after work at a leaf up to a position.
    fn ordered_by(&self, leaf: Leaf, position: u32) -> Option<BarrierRef> {
        let (seconds, leaves) = (self.access.side.stages, self.precedes.leaves());
        let mut seconds = seconds.iter();
        seconds.find_map(|second| self.order.held_for(second, leaves, (leaf, position)))
    }

    fn is_ordered(&self, record: &Record) -> bool {
        let mut stages = self.access.side.stages.iter();
        stages.all(|leaf| {
            record
                .version
                .precedes(self.precedes, leaf, self.globals.carried())
        })
    }

    /// What the state cannot tell of a transition.
    fn is_ordered_after_all(&self, record: &Record, at: Option<u64>) -> bool {
        match (record.version.writer, record.side.barrier(), at) {
            (Writer::Transition(_), Some(barrier), Some(at)) => {
                let sub = self.replay.subresource(record.side.resource, at);
                let side = self.access.side;
                self.replay
                    .precedes_use((barrier, sub), side.node, side.stages)
            }
            _ => false,
        }
    }

    /// Whether the use sees the version, as far as it needs to (readings R14, R15, R20, R24).
    fn is_visible(&self, record: &Record) -> bool {
        let access = self.access;
        let shown = || {
            let mut stages = access.side.stages.iter();
            stages.all(|l| {
                record
                    .version
                    .is_visible(access.side.access, l, self.globals)
            })
        };
        if record.given_up && access.reads {
            return false;
        }
        if record.replaced {
            return true;
        }
        if record.synchronous {
            // Over and in memory; only a read by other work needs to be made visible.
            return !access.reads || access.synchronous || shown();
        }
        record.settled && !access.reads || shown()
    }

    /// Whether a prior read conflicts with the use, which writes. Order is enough (reading R15).
    fn reader(&mut self, reader: &Reader) -> Option<Uncovered> {
        let access = self.access;
        if reader.side.node == access.side.node || raster_exempt(&reader.side, &access.side) {
            return None;
        }
        let ordered = reader.synchronous
            || access
                .side
                .stages
                .iter()
                .all(|leaf| self.precedes.contains(leaf, reader.leaf, reader.position));
        let through = || {
            let by = self.ordered_by(reader.leaf, reader.position);
            by.filter(|_| !reader.synchronous)
        };
        let through = self.pairs.is_some().then(through);
        if let Some((pairs, through)) = self.pairs.as_mut().zip(through) {
            pairs.push(NeededPair {
                first: reader.side,
                second: access.side,
                through,
                asked: ordered,
            });
        }
        (!ordered).then_some(Uncovered {
            position: reader.position,
            kind: ConflictKind::WriteAfterRead,
            first: reader.side,
            ordered: false,
            visible: true,
            given_up: false,
        })
    }
}

impl Uncovered {
    fn conflict(&self, second: Side, barrier: Option<BarrierRef>, bytes: Extent) -> Conflict {
        Conflict {
            kind: self.kind,
            first: self.first,
            second,
            ordered: self.ordered,
            visible: self.visible,
            given_up: self.given_up,
            barrier,
            layout: None,
            bytes: Some(bytes),
            may: false,
        }
    }
}
