//! One barrier entry against the state of its bytes: what it picks up, what it writes itself, what it is not ordered
//! against.

use super::alike::Later;
use super::cover::{BarrierScopes, BarrierStep, Order, Row, Version, Writer, raise};
use super::globals::Carried;
use super::replay::Replay;
use super::state::{Begun, Flushed, Kept, Latest, Reader, Record, State};
use super::tree::{Attempt, Operation};
use super::{Conflict, ConflictKind, NeededPair, Part, Side};
use crate::id::{BarrierRef, Extent, MemoryId};
use smallvec::SmallVec;
use std::rc::Rc;

/// One barrier entry, with all that decides what it does to the state of its bytes.
#[derive(Clone)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts of one entry that do not exclude each other"
)]
pub(super) struct Entry {
    pub(super) id: BarrierRef,
    pub(super) side: Side,
    pub(super) position: u32,
    pub(super) scopes: BarrierScopes,
    /// What it waits for on all of its bytes.
    pub(super) base: Row,
    pub(super) begins: bool,
    pub(super) ends: bool,
    /// Changes the layout or discards: a write (readings R17, R26).
    pub(super) acts: bool,
    /// One with barriers next to it (reading R52).
    pub(super) joined: bool,
    /// The latest barrier of the resource on these bytes is one of them.
    pub(super) extends: bool,
    pub(super) gives_up: bool,
    /// What the global barriers before it carried.
    pub(super) globals: Rc<Carried>,
    /// The latest barrier of its resource before it.
    pub(super) latest: Kept,
}

/// What an entry meets on some bytes.
pub(super) struct Met {
    /// The latest barrier of its resource.
    latest: Option<Latest>,
    /// Of a second half, the first one.
    first: Option<Latest>,
    /// What it waits for there.
    row: Row,
}

/// Applies one barrier entry to states.
pub(super) struct Apply<'a, 't, 's> {
    pub(super) entry: &'a Entry,
    /// What it waits for on any of its bytes: what its `SyncAfter` comes after.
    pub(super) awaited: Row,
    /// Bytes of which it gave a write up that nothing had flushed, with the write.
    pub(super) given_up: &'a mut Vec<(Extent, Side)>,
    pub(super) order: &'a Order,
    pub(super) found: &'a mut Vec<Conflict>,
    /// Where pairs are collected that this change is the second side of.
    pub(super) pairs: Option<&'a mut Vec<NeededPair>>,
    pub(super) unfolded: bool,
    pub(super) replay: Replay<'t, 's>,
    pub(super) memory: MemoryId,
}

/// A prior use that the change does not come after, or does not name.
#[derive(Copy, Clone)]
struct Unordered {
    position: u32,
    kind: ConflictKind,
    first: Side,
    ordered: bool,
    visible: bool,
}

impl Operation<State> for Apply<'_, '_, '_> {
    fn act(&mut self, start: u64, end: u64, state: &mut Rc<State>) -> bool {
        let (entry, state) = (self.entry, Rc::make_mut(state));
        let met = entry.meet(state);
        raise(&mut self.awaited, &met.row);
        let memory = self.memory;
        let part = Extent { memory, start, end };
        if entry.acts && !entry.ends {
            self.note(start, state, &met);
            self.check(part, state, &met);
        }
        if let Some(first) = met.first {
            self.check_names(part, state, first.barrier);
        }
        if let Some(write) = entry.change(state, &met, self.unfolded) {
            self.given_up.push((part, write));
        }
        true
    }

    /// What it gives up and what it is not ordered after is told range by range.
    fn attempt(&mut self, state: &State) -> Attempt<State> {
        if self.unfolded || self.pairs.is_some() {
            return Attempt::Refused;
        }
        let (entry, mut state) = (self.entry, state.clone());
        let met = entry.meet(&mut state);
        raise(&mut self.awaited, &met.row);
        let is_wrong = if entry.ends {
            // Whatever it does itself: what its first half does counts.
            let mut versions = state.versions.iter();
            versions.any(|record| entry.is_unnamed_half(record))
        } else {
            entry.acts && !self.follows_all(&state, &met)
        };
        if is_wrong {
            return Attempt::Refused;
        }
        entry.change(&mut state, &met, false);
        if entry.gives_up && state.versions.iter().any(|record| record.given_up) {
            return Attempt::Refused;
        }
        Attempt::Becomes(state)
    }

    fn later(&self) -> Option<Rc<Later>> {
        Some(Rc::new(Later::Barrier(Box::new(self.entry.clone()))))
    }

    fn tells_apart(&self, worst: &State, best: &State) -> bool {
        worst.has_between(best, self.entry.side.resource)
    }
}

impl Entry {
    /// What it meets on some bytes. A second half closes the first one.
    pub(super) fn meet(&self, state: &mut State) -> Met {
        // Direct composition is with the latest barrier of the resource on these bytes, if the stages meet; a second
        // half goes on where its first one began (readings R12, R13, R27).
        let resource = self.side.resource;
        let latest = match self.latest {
            Kept::InBytes => state.latest_of(resource).copied(),
            Kept::Whole(latest) => latest,
        };
        let first = self.ends.then(|| state.end(resource)).flatten();
        let chained = if self.ends {
            first
        } else {
            latest.filter(|l| self.extends || l.after.meets(self.scopes.before.stages))
        };
        let mut row = self.base;
        if let Some(chained) = chained {
            raise(&mut row, &chained.row);
        }
        Met { latest, first, row }
    }

    /// What remains of it for later barriers of its resource, with what it waited for.
    pub(super) fn as_latest(&self, row: Row) -> Latest {
        Latest {
            barrier: self.id,
            position: self.position,
            after: self.scopes.after.stages,
            row,
        }
    }

    /// What it does to the state. Returns the write that it gave up, if that was written last.
    pub(super) fn change(&self, state: &mut State, met: &Met, unfolded: bool) -> Option<Side> {
        let resource = self.side.resource;
        let mut taken: SmallVec<[bool; 4]> = SmallVec::new();
        // What was written last is what there is to lose.
        let mut last: Option<(u32, bool, Side)> = None;
        for record in &mut state.versions {
            let before = if self.ends { met.first } else { met.latest };
            taken.push(self.record(record, before, &met.row));
            if matches!(record.version.writer, Writer::Work(_)) {
                let this = (record.version.position, record.given_up);
                if last.is_none_or(|(position, given_up, _)| this >= (position, given_up)) {
                    last = Some((this.0, this.1, record.side));
                }
            }
        }
        if self.acts && !self.begins {
            self.transition(state, &taken, unfolded);
        }
        let latest = self.as_latest(met.row);
        match self.latest {
            Kept::InBytes => state.set_latest(resource, latest),
            Kept::Whole(_) => state.latest_whole = Some((self.position, self.id)),
        }
        if self.begins {
            state.end(resource);
            state.begun.push((resource, latest));
        }
        let gone = last.filter(|(_, given_up, _)| self.gives_up && *given_up);
        gone.map(|(.., write)| write)
    }

    /// What the barrier does to one version. Returns whether it picked it up.
    fn record(&self, record: &mut Record, latest: Option<Latest>, row: &Row) -> bool {
        let begun = record
            .begun
            .filter(|half| half.resource == self.side.resource);
        let taken = if self.ends {
            begun.is_some_and(|half| half.picked_up)
        } else {
            self.takes(record, latest)
        };
        let ordered = self.follows(record, latest, row);
        let is_dirty = record.is_dirty_before(self.id.node, &self.globals);
        if ordered && matches!(record.version.writer, Writer::Transition(_)) {
            record.version.link(self.position);
        }
        if self.begins {
            let half = Begun {
                resource: self.side.resource,
                picked_up: taken,
            };
            record.begun = (taken || self.leaves_unnamed(record, latest)).then_some(half);
        } else if begun.is_some() && self.ends {
            record.begun = None;
        }
        if taken && !self.begins {
            record
                .version
                .carry(self.scopes.after, self.position, Some(self.id), ordered);
            if self.joined {
                record.run_on(self.side.resource, self.position);
            }
            record.flush(Flushed {
                resource: self.side.resource,
                held: self.scopes.after.stages,
                call: self.id.node,
                held_in_call: self.scopes.after.stages,
                is_first: is_dirty && !self.acts,
            });
        }
        // A transition stands for what is in memory: a later write need not name it again. What is not is left beneath
        // it, or given up.
        if !self.ends && (self.acts || self.gives_up) {
            if taken || record.is_flushed(&self.globals) {
                record.settled |= self.acts;
            } else if self.gives_up && matches!(record.version.writer, Writer::Work(_)) {
                record.given_up = true;
                record.replaced |= self.acts;
            }
        }
        taken
    }

    /// Whether it picks a version up (readings R14, R52). Of a second half, the first one did or did not.
    fn takes(&self, record: &Record, latest: Option<Latest>) -> bool {
        record.version.is_taken_by(&self.scopes, &self.globals)
            || self.extends && latest.is_some_and(|l| record.is_in_run(&l, self.side.resource))
    }

    /// Whether it acts over a write that is in a cache, does not name it and does not give it up (readings R24, R79).
    fn leaves_unnamed(&self, record: &Record, latest: Option<Latest>) -> bool {
        self.acts
            && !self.gives_up
            && !record.given_up
            && matches!(record.version.writer, Writer::Work(_))
            && !record.is_flushed(&self.globals)
            && !record.version.has_grants()
            && !self.takes(record, latest)
    }

    /// The same of the pair that this second half ends.
    fn is_unnamed_half(&self, record: &Record) -> bool {
        record
            .begun
            .is_some_and(|half| half.resource == self.side.resource && !half.picked_up)
    }

    /// Whether this barrier comes after the version, as far as composition of later barriers needs to know.
    fn follows(&self, record: &Record, latest: Option<Latest>, row: &Row) -> bool {
        let Writer::Transition(_) = record.version.writer else {
            return true;
        };
        if self.ends {
            // The halves are one barrier: the first one composed or did not.
            return latest.is_some_and(|first| record.version.is_linked(first.position));
        }
        let step = BarrierStep {
            scopes: &self.scopes,
            awaited: row,
            latest: latest.map(|l| (l.position, l.after)),
            extends: self.extends,
            own: record.side.resource == self.side.resource,
        };
        record.version.composes(&step, &self.globals)
    }

    /// The transition's own version stands for every version that it picked up, and for every earlier transition:
    /// those complete in queued order. Work that it did not pick up stays beneath it.
    fn transition(&self, state: &mut State, taken: &[bool], unfolded: bool) {
        let mut taken = taken.iter();
        state.versions.retain(|record| {
            let taken = taken.next().copied().unwrap_or(false);
            // What was given up does not come back with a later barrier (reading R24).
            matches!(record.version.writer, Writer::Work(_))
                && (unfolded || !taken || record.given_up)
        });
        if !unfolded {
            state.readers.clear();
        }
        let mut record = Record {
            version: Version::transition(self.scopes.after, self.position, self.id),
            side: self.side,
            atomics: false,
            synchronous: false,
            given_up: false,
            replaced: false,
            settled: false,
            flushed_by: SmallVec::new(),
            run: SmallVec::new(),
            begun: None,
        };
        if self.joined {
            record.run_on(self.side.resource, self.position);
        }
        state.versions.push(record);
    }
}

impl Apply<'_, '_, '_> {
    /// Notes the pairs of what touched the bytes and this change.
    fn note(&mut self, at: u64, state: &State, met: &Met) {
        let Some(pairs) = self.pairs.take() else {
            return;
        };
        let mut add = |first, asked| {
            pairs.push(NeededPair {
                first,
                second: self.entry.side,
                through: None,
                asked,
            });
        };
        for record in &state.versions {
            let names = self.entry.begins || !self.entry.leaves_unnamed(record, met.latest);
            let asked = names && self.is_ordered(record, Some(at), &met.row);
            add(record.side, asked);
        }
        for reader in &state.readers {
            add(reader.side, self.is_read_before(reader, &met.row));
        }
        self.pairs = Some(pairs);
    }

    /// A transition must come after what touched the bytes (reading R17), and name what was written (reading R79).
    fn check(&mut self, part: Extent, state: &mut State, met: &Met) {
        let mut worst: Option<Unordered> = None;
        let mut right: SmallVec<[bool; 4]> = SmallVec::new();
        // Whether the pair of a split barrier is in one scope, and its accesses count, its second half shows.
        let names = !self.entry.begins;
        for record in &state.versions {
            let ordered = self.is_ordered(record, Some(part.start), &met.row);
            let visible = !(names && self.entry.leaves_unnamed(record, met.latest));
            right.push(ordered && visible);
            if !(ordered && visible) {
                let found = Unordered {
                    position: record.version.position,
                    kind: ConflictKind::WriteAfterWrite,
                    first: record.side,
                    ordered,
                    visible,
                };
                self.take(found, part, &mut worst);
            }
        }
        for reader in &state.readers {
            if !self.is_read_before(reader, &met.row) {
                let found = Unordered {
                    position: reader.position,
                    kind: ConflictKind::WriteAfterRead,
                    first: reader.side,
                    ordered: false,
                    visible: true,
                };
                self.take(found, part, &mut worst);
            }
        }
        let Some(worst) = worst else { return };
        self.push(worst, self.entry.side, part);
        // As if it had been correct: the transition stands for what it should have waited for.
        let mut right = right.iter();
        state
            .versions
            .retain(|_| right.next().copied().unwrap_or(true));
        state.readers.clear();
    }

    /// The second half of a split barrier whose first half, in this scope, did not name what it is about.
    fn check_names(&mut self, part: Extent, state: &mut State, first: BarrierRef) {
        let unnamed = |record: &&Record| self.entry.is_unnamed_half(record);
        let side = Side {
            node: first.node,
            part: Part::Entry(first.entry),
            ..self.entry.side
        };
        let mut found: SmallVec<[Unordered; 1]> = SmallVec::new();
        found.extend(
            state
                .versions
                .iter()
                .filter(unnamed)
                .map(|record| Unordered {
                    position: record.version.position,
                    kind: ConflictKind::WriteAfterWrite,
                    first: record.side,
                    ordered: true,
                    visible: false,
                }),
        );
        if found.is_empty() {
            return;
        }
        if self.unfolded {
            found
                .into_iter()
                .for_each(|found| self.push(found, side, part));
            return;
        }
        let worst = found.into_iter().max_by_key(|found| found.position);
        self.push(worst.expect("one of several"), side, part);
        state
            .versions
            .retain(|record| !self.entry.is_unnamed_half(record));
    }

    /// Whether it comes after all that touched bytes of a kind, as far as that can be told of a kind.
    fn follows_all(&self, state: &State, met: &Met) -> bool {
        let mut versions = state.versions.iter();
        versions.all(|record| {
            self.is_ordered(record, None, &met.row)
                && !self.entry.leaves_unnamed(record, met.latest)
        }) && state
            .readers
            .iter()
            .all(|r| self.is_read_before(r, &met.row))
    }

    fn is_read_before(&self, reader: &Reader, row: &Row) -> bool {
        let (leaf, position) = (reader.leaf, reader.position);
        reader.synchronous || self.order.precedes_barrier(row, leaf, position)
    }

    fn take(&mut self, found: Unordered, part: Extent, worst: &mut Option<Unordered>) {
        if self.unfolded {
            self.push(found, self.entry.side, part);
        } else if worst.is_none_or(|w| found.position > w.position) {
            *worst = Some(found);
        }
    }

    fn push(&mut self, found: Unordered, second: Side, bytes: Extent) {
        self.found.push(Conflict {
            kind: found.kind,
            first: found.first,
            second,
            ordered: found.ordered,
            visible: found.visible,
            given_up: false,
            barrier: second.barrier(),
            layout: None,
            bytes: Some(bytes),
            may: false,
        });
    }

    /// Whether it comes after a version of the byte `at`; without a byte, of all bytes of a kind.
    fn is_ordered(&self, record: &Record, at: Option<u64>, row: &Row) -> bool {
        let version = &record.version;
        let (own, after) = (
            record.side.resource == self.entry.side.resource,
            self.entry.scopes.after.stages,
        );
        match version.writer {
            Writer::Work(_) if self.is_flushed_beside(record) => false,
            Writer::Work(leaf) => {
                record.synchronous
                    || self
                        .order
                        .precedes_barrier(row, leaf, version.position)
                    || version.is_granted_before(self.entry.scopes.before.stages, &self.entry.globals)
                    // What a barrier through an alias wrote back is done before this one acts, if both hold the
                    // same stage (reading R12, "Barrier Ordering").
                    || record.flushed_by.iter().any(|by| {
                        by.resource != self.entry.side.resource && by.held.meets(after)
                    })
            }
            // Barriers on one subresource complete in queued order; on aliases only where their SyncAfter share a
            // leaf, or where they compose (reading R12).
            Writer::Transition(its) => {
                let composes = |at| {
                    let first = record.side.barrier().expect("a transition is a barrier");
                    let sub = |resource| self.replay.subresource(resource, at);
                    let second = (self.entry.id, sub(self.entry.side.resource));
                    self.replay
                        .precedes_barrier((first, sub(record.side.resource)), second)
                };
                own || its.meets(after) || at.is_some_and(composes)
            }
        }
    }

    /// Whether another entry of this call writes the version back through an alias, and nothing orders the two: each
    /// may write the memory, and they hold no common stage (readings R12, R26).
    fn is_flushed_beside(&self, record: &Record) -> bool {
        !self.entry.scopes.waits_for_all
            && record.flushed_by.iter().any(|by| {
                by.resource != self.entry.side.resource
                    && by.call == self.entry.id.node
                    && by.is_first
                    && !by.held_in_call.meets(self.entry.scopes.after.stages)
            })
    }
}
