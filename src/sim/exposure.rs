//! What barriers cost: the time of each, and how much of it nothing else covered.
//!
//! At every moment in which nothing runs on any queue, a queue that waits for a barrier charges it, and no other (reading
//! R75). So what the barriers of one queue are charged adds up to the time that is exposed in all. Who is waited for,
//! [`turns`](super::turns) knows.
//!
//! Where no row is asked for, a timing is forgotten when it is over; so memory does not grow with the run.

use crate::id::narrow;
use crate::time::Ps;
use crate::trace::BarrierTiming;
use std::collections::VecDeque;

/// A barrier entry's timing in the making.
pub(super) struct Timed {
    pub(super) timing: BarrierTiming,
    /// Extra time of misses on lines that it dropped.
    pub(super) misses: Ps,
    /// Tasks that it has let go and that have not begun.
    pub(super) released: u32,
}

impl Timed {
    /// What it waited for is over. What the start of a scope costs, with the restart of what that held, is not the
    /// barrier's; nor is the time before its turn.
    pub(super) fn drain(&mut self, now: Ps, scope_begun: Ps, turn: Ps) {
        let timing = &mut self.timing;
        timing.arrival = timing.arrival.max(scope_begun).min(now);
        timing.turn = turn.max(timing.arrival).min(now);
        timing.drained = now;
        timing.drain = now - timing.turn;
    }

    /// Its last operation is over, or a reset ends it.
    pub(super) fn complete(&mut self, now: Ps) {
        let timing = &mut self.timing;
        timing.completed = now;
        timing.operation = now - timing.drained;
    }

    fn is_over(&self) -> bool {
        self.timing.completed != Ps::MAX && self.released == 0
    }
}

/// What barriers cost in the end.
pub(super) struct Exposed {
    /// The exposed time in all.
    pub(super) total: Ps,
    /// When that was: disjoint, ascending; empty if no rows are kept.
    pub(super) times: Vec<(Ps, Ps)>,
    /// Each barrier; empty if no rows are kept.
    pub(super) barriers: Vec<BarrierTiming>,
}

/// Timings of barriers, and when nothing ran because of them.
pub(super) struct Exposure {
    /// All are kept to the end.
    rows: bool,
    timed: VecDeque<Timed>,
    /// Number of the first of them.
    first: u32,
    total: Ps,
    times: Vec<(Ps, Ps)>,
}

impl Exposure {
    pub(super) fn new(rows: bool) -> Self {
        Self {
            rows,
            timed: VecDeque::new(),
            first: 0,
            total: Ps::ZERO,
            times: Vec::new(),
        }
    }

    /// A barrier arrives; returns its number.
    pub(super) fn arrive(&mut self, timing: BarrierTiming) -> u32 {
        while !self.rows && self.timed.front().is_some_and(Timed::is_over) {
            self.timed.pop_front();
            self.first += 1;
        }
        self.timed.push_back(Timed {
            timing,
            misses: Ps::ZERO,
            released: 0,
        });
        self.first + narrow(self.timed.len()) - 1
    }

    /// A barrier's timing by its number.
    pub(super) fn of(&mut self, number: u32) -> &mut Timed {
        &mut self.timed[(number - self.first) as usize]
    }

    /// Nothing ran, because of the barriers that were charged. Comes in order of time.
    pub(super) fn stood_still(&mut self, from: Ps, to: Ps) {
        self.total += to - from;
        match self.times.last_mut() {
            _ if !self.rows => {}
            Some(last) if last.1 == from => last.1 = to,
            _ => self.times.push((from, to)),
        }
    }

    /// At the end: the exposed time in all, and, if rows are to be kept, every timing complete and when that time was.
    ///
    /// # Panics
    /// If a barrier has arrived and not completed: only front ends can be stuck.
    pub(super) fn finish(self) -> Exposed {
        let whole = |timed: Timed| {
            let mut timing = timed.timing;
            assert!(
                timing.completed != Ps::MAX,
                "every barrier that arrives completes: only front ends can be stuck"
            );
            let end = timing.first_held_start.unwrap_or(timing.completed);
            timing.refill = (end - timing.completed) + timed.misses;
            timing
        };
        let barriers = self.timed.into_iter().map(whole);
        Exposed {
            total: self.total,
            times: self.times,
            barriers: if self.rows {
                barriers.collect()
            } else {
                Vec::new()
            },
        }
    }
}
