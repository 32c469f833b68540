//! Whose turn it is: for which barrier a queue waits.
//!
//! A queue waits for the oldest barrier that holds it and is not over: its operations have not ended, or what it let go has
//! not started again. If that one follows earlier barriers that hold nothing, the queue waits for the oldest. While a barrier
//! itself waits for work, the queue waits for the work. A front end that needs an idle queue waits for any barrier.
//!
//! A barrier's own wait begins with its turn: when no older barrier holds the queue. Entries of one call have it together.

use super::flight::Flight;
use super::{Actor, Engine, Front, Incomplete, NONE};
use crate::id::NodeId;
use crate::program::HwOpKind;
use crate::time::Ps;
use crate::trace::Reason;

/// A barrier entry that has completed, and whose held work has not started again.
pub(super) struct Resuming {
    pub(super) seq: u32,
    pub(super) node: NodeId,
    pub(super) timing: u32,
}

impl Engine<'_> {
    /// Charges what a time without any work was waited for. Comes before anything that changes that.
    pub(super) fn charge(&mut self) {
        let since = std::mem::replace(&mut self.charged_until, self.now);
        if self.active > 0 || since >= self.now {
            return;
        }
        let mut first = self.now;
        for actor in &self.actors {
            let from = since.max(actor.free_at);
            if actor.payer != NONE && from < self.now {
                self.exposure.of(actor.payer).timing.exposed += self.now - from;
                first = first.min(from);
            }
        }
        if first < self.now {
            self.exposure.stood_still(first, self.now);
        }
    }

    /// Something has changed of a queue's barriers.
    pub(super) fn look_at_barriers(&mut self, queue: usize) {
        let payer = self.payer(queue);
        if self.actors[queue].payer != payer {
            self.charge();
            self.actors[queue].payer = payer;
        }
        self.give_turns(queue);
    }

    /// The timing of the barrier that a queue waits for.
    fn payer(&self, queue: usize) -> u32 {
        let actor = &self.actors[queue];
        let (holding, resuming) = (actor.holding(), actor.resuming.first());
        match (holding, resuming) {
            (Some(barrier), _) if resuming.is_none_or(|r| barrier.seq < r.seq) => {
                self.pays(barrier)
            }
            (_, Some(resuming)) => resuming.timing,
            (..) => match actor.front {
                // The front end goes on when all is over, barriers that hold nothing too.
                Front::WaitIdle => {
                    let mut pay = actor.incomplete.iter().map(|b| self.pays(b));
                    pay.find(|timing| *timing != NONE).unwrap_or(NONE)
                }
                Front::Busy if actor.busy.is_empty() => actor.taken_timing,
                _ => NONE,
            },
        }
    }

    /// The timing of a barrier, or of the one that it follows; nobody's while that waits for work.
    fn pays(&self, barrier: &Incomplete) -> u32 {
        let mut f = &self.flights[barrier.flight as usize];
        while f.follows != NONE {
            f = match self.oldest_followed(f) {
                Some(oldest) => oldest,
                None => &self.flights[f.follows as usize],
            };
        }
        if f.drained { f.timing } else { NONE }
    }

    /// The oldest barrier that one follows and that is at work.
    fn oldest_followed(&self, f: &Flight<'_>) -> Option<&Flight<'_>> {
        let HwOpKind::Barrier(barrier) = &f.op.kind else {
            return None;
        };
        let after = barrier.after.of(&f.block.after);
        let earlier = self.actors[f.queue as usize].incomplete.iter();
        earlier
            .take_while(|b| b.seq < f.seq)
            .filter(|b| barrier.after_all || after.contains(&b.op))
            .map(|b| &self.flights[b.flight as usize])
            .find(|f| f.drained)
    }

    /// Notes of barriers that no older one holds the queue any more.
    fn give_turns(&mut self, queue: usize) {
        let now = self.now;
        let actor = &self.actors[queue];
        let holding = actor.holding().map(|b| (b.seq, self.node_of(b)));
        let resuming = actor.resuming.first().map(|r| (r.seq, r.node));
        let oldest = holding.into_iter().chain(resuming).min();
        let free_at = actor.free_at;
        for barrier in &actor.incomplete {
            let f = &mut self.flights[barrier.flight as usize];
            let is_next = oldest.is_none_or(|(seq, node)| {
                barrier.seq <= seq || f.timing != NONE && f.op.origin.node == node
            });
            if !is_next {
                break;
            }
            if f.turn != Ps::MAX {
                continue;
            }
            f.turn = f.life.queued.max(free_at);
            if !f.drained && f.follows == NONE {
                f.life.turn(now, Reason::Drain);
            }
        }
    }

    fn node_of(&self, barrier: &Incomplete) -> NodeId {
        self.flights[barrier.flight as usize].op.origin.node
    }

    /// A barrier has completed and let so many tasks go.
    pub(super) fn let_go(&mut self, flight: u32, released: usize) {
        let now = self.now;
        let f = &self.flights[flight as usize];
        let HwOpKind::Barrier(barrier) = &f.op.kind else {
            return;
        };
        let actor = &mut self.actors[f.queue as usize];
        if f.timing != NONE && released > 0 {
            let at = actor.resuming.partition_point(|r| r.seq < f.seq);
            let resuming = Resuming {
                seq: f.seq,
                node: f.op.origin.node,
                timing: f.timing,
            };
            actor.resuming.insert(at, resuming);
        } else if released > 0 {
            actor.free_at = actor.free_at.max(now + self.profile.costs.resume);
        } else if !barrier.hold.is_empty() {
            actor.free_at = actor.free_at.max(now);
        }
    }

    /// A task that a barrier had let go starts, or another barrier holds it.
    pub(super) fn resumed(&mut self, queue: usize, timing: u32) {
        let timed = self.exposure.of(timing);
        let is_over = timed.timing.first_held_start.is_some() || timed.released == 0;
        let actor = &self.actors[queue];
        let at = actor.resuming.iter().position(|r| r.timing == timing);
        if let Some(at) = at.filter(|_| is_over) {
            self.charge();
            let actor = &mut self.actors[queue];
            actor.resuming.remove(at);
            actor.free_at = actor.free_at.max(self.now);
            self.look_at_barriers(queue);
        }
    }
}

impl Actor<'_> {
    /// The oldest barrier that has not completed and holds anything.
    fn holding(&self) -> Option<&Incomplete> {
        self.incomplete.iter().find(|b| !b.hold.is_empty())
    }
}
