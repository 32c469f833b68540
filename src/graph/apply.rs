//! One barrier entry against the state of its bytes: what it picks up, what it writes itself, what it is not ordered
//! against.

use super::cover::{BarrierScopes, Order, Row, Step, Version, Writer, raise};
use super::globals::Globals;
use super::replay::Replay;
use super::state::{Flushed, Latest, Record, State};
use super::{Conflict, ConflictKind, Side};
use crate::id::{BarrierRef, Extent};
use smallvec::SmallVec;

/// Applies one barrier entry to states.
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts of one entry that do not exclude each other"
)]
pub(super) struct Apply<'a, 't, 's> {
    pub(super) id: BarrierRef,
    pub(super) side: Side,
    pub(super) position: u32,
    pub(super) scopes: BarrierScopes,
    /// What it waits for on all of its bytes.
    pub(super) base: &'a Row,
    /// What it waits for on any of its bytes: what its `SyncAfter` comes after.
    pub(super) awaited: Row,
    pub(super) begins: bool,
    pub(super) ends: bool,
    /// Changes the layout or discards: a write (readings R17, R26).
    pub(super) acts: bool,
    /// One with barriers next to it (reading R52).
    pub(super) joined: bool,
    /// The latest barrier of the resource on these bytes is one of them.
    pub(super) extends: bool,
    pub(super) gives_up: bool,
    /// Bytes of which it gave a write up that nothing had flushed, with the write.
    pub(super) given_up: Vec<(Extent, Side)>,
    pub(super) order: &'a Order,
    pub(super) globals: &'a Globals,
    pub(super) found: &'a mut Vec<Conflict>,
    pub(super) unfolded: bool,
    pub(super) replay: Replay<'t, 's>,
}

/// An unordered prior use.
#[derive(Copy, Clone)]
struct Unordered {
    position: u32,
    kind: ConflictKind,
    first: Side,
}

impl Apply<'_, '_, '_> {
    pub(super) fn state(&mut self, part: Extent, state: &mut State) {
        let resource = self.side.resource;
        // Direct composition is with the latest barrier of the resource on these bytes, if the stages meet; a second
        // half goes on where its first one began (readings R12, R13, R27).
        let latest = state.latest_of(resource).copied();
        let first = self.ends.then(|| state.end(resource)).flatten();
        let chained = if self.ends {
            first
        } else {
            latest.filter(|l| self.extends || l.after.meets(self.scopes.before.stages))
        };
        let mut row = *self.base;
        if let Some(chained) = chained {
            raise(&mut row, &chained.row);
        }
        raise(&mut self.awaited, &row);
        if self.acts && !self.ends {
            self.check(part, state, &row);
        }
        let mut taken: SmallVec<[bool; 4]> = SmallVec::new();
        // What was written last is what there is to lose.
        let mut last: Option<(u32, bool, Side)> = None;
        for record in &mut state.versions {
            let before = if self.ends { first } else { latest };
            taken.push(self.record(record, before, &row));
            if matches!(record.version.writer, Writer::Work(_)) {
                let this = (record.version.position, record.given_up);
                if last.is_none_or(|(position, given_up, _)| this >= (position, given_up)) {
                    last = Some((this.0, this.1, record.side));
                }
            }
        }
        let gone = last.filter(|(_, given_up, _)| self.gives_up && *given_up);
        self.given_up.extend(gone.map(|(.., write)| (part, write)));
        if self.acts && !self.begins {
            self.transition(state, &taken);
        }
        let latest = Latest {
            barrier: self.id,
            position: self.position,
            after: self.scopes.after.stages,
            row,
        };
        state.set_latest(resource, latest);
        if self.begins {
            state.end(resource);
            state.begun.push((resource, latest));
        }
    }

    /// What the barrier does to one version. Returns whether it picked it up.
    fn record(&self, record: &mut Record, latest: Option<Latest>, row: &Row) -> bool {
        let begun = record.begun == Some(self.side.resource);
        let taken = if self.ends {
            begun
        } else {
            record.version.is_taken_by(&self.scopes, self.globals)
                || self.extends && latest.is_some_and(|l| record.is_in_run(&l, self.side.resource))
        };
        let ordered = self.follows(record, latest, row);
        let is_dirty = record.is_dirty_before(self.id.node, self.globals);
        if ordered && matches!(record.version.writer, Writer::Transition(_)) {
            record.version.link(self.position);
        }
        if self.begins {
            record.begun = taken.then_some(self.side.resource);
        } else if begun && self.ends {
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
            if taken || record.is_flushed(self.globals) {
                record.settled |= self.acts;
            } else if self.gives_up && matches!(record.version.writer, Writer::Work(_)) {
                record.given_up = true;
                record.replaced |= self.acts;
            }
        }
        taken
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
        let step = Step {
            scopes: &self.scopes,
            awaited: row,
            latest: latest.map(|l| (l.position, l.after)),
            extends: self.extends,
            own: record.side.resource == self.side.resource,
        };
        record.version.composes(&step, self.globals)
    }

    /// The transition's own version stands for every version that it picked up, and for every earlier transition:
    /// those complete in queued order. Work that it did not pick up stays beneath it.
    fn transition(&mut self, state: &mut State, taken: &[bool]) {
        let unfolded = self.unfolded;
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

    /// A transition must come after what touched the bytes (reading R17).
    fn check(&mut self, part: Extent, state: &mut State, row: &Row) {
        let mut worst: Option<Unordered> = None;
        let mut ordered: SmallVec<[bool; 4]> = SmallVec::new();
        for record in &state.versions {
            ordered.push(self.is_ordered(record, part.start, row));
            if !ordered[ordered.len() - 1] {
                let found = Unordered {
                    position: record.version.position,
                    kind: ConflictKind::WriteAfterWrite,
                    first: record.side,
                };
                self.take(found, part, &mut worst);
            }
        }
        for reader in &state.readers {
            if !reader.synchronous
                && !self
                    .order
                    .precedes_barrier(row, reader.leaf, reader.position)
            {
                let found = Unordered {
                    position: reader.position,
                    kind: ConflictKind::WriteAfterRead,
                    first: reader.side,
                };
                self.take(found, part, &mut worst);
            }
        }
        let Some(worst) = worst else { return };
        self.push(worst, part);
        // As if it had been correct: the transition stands for what it should have waited for.
        let mut ordered = ordered.iter();
        state
            .versions
            .retain(|_| ordered.next().copied().unwrap_or(true));
        state.readers.clear();
    }

    fn take(&mut self, found: Unordered, part: Extent, worst: &mut Option<Unordered>) {
        if self.unfolded {
            self.push(found, part);
        } else if worst.is_none_or(|w| found.position > w.position) {
            *worst = Some(found);
        }
    }

    fn push(&mut self, found: Unordered, bytes: Extent) {
        self.found.push(Conflict {
            kind: found.kind,
            first: found.first,
            second: self.side,
            ordered: false,
            visible: true,
            given_up: false,
            barrier: Some(self.id),
            layout: None,
            bytes: Some(bytes),
        });
    }

    fn is_ordered(&self, record: &Record, at: u64, row: &Row) -> bool {
        let version = &record.version;
        let (own, after) = (
            record.side.resource == self.side.resource,
            self.scopes.after.stages,
        );
        match version.writer {
            Writer::Work(_) if self.is_flushed_beside(record) => false,
            Writer::Work(leaf) => {
                record.synchronous
                    || self
                        .order
                        .precedes_barrier(row, leaf, version.position)
                    || version.is_granted_before(self.scopes.before.stages, self.globals)
                    // What a barrier through an alias wrote back is done before this one acts, if both hold the
                    // same stage (reading R12, "Barrier Ordering").
                    || record.flushed_by.iter().any(|by| {
                        by.resource != self.side.resource && by.held.meets(after)
                    })
            }
            // Barriers on one subresource complete in queued order; on aliases only where their SyncAfter share a
            // leaf, or where they compose (reading R12).
            Writer::Transition(its) => {
                own || its.meets(after) || {
                    let first = record.side.barrier().expect("a transition is a barrier");
                    let sub = |resource| self.replay.subresource(resource, at);
                    let second = (self.id, sub(self.side.resource));
                    self.replay
                        .precedes_barrier((first, sub(record.side.resource)), second)
                }
            }
        }
    }

    /// Whether another entry of this call writes the version back through an alias, and nothing orders the two: each
    /// may write the memory, and they hold no common stage (readings R12, R26).
    fn is_flushed_beside(&self, record: &Record) -> bool {
        !self.scopes.waits_for_all
            && record.flushed_by.iter().any(|by| {
                by.resource != self.side.resource
                    && by.call == self.id.node
                    && by.is_first
                    && !by.held_in_call.meets(self.scopes.after.stages)
            })
    }
}
