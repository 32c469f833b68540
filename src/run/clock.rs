//! Wall time of each phase. The only clock of the real world; the machine's own is integer picoseconds.

use super::Timing;
use std::time::{Duration, Instant};

/// Measures one phase after the other.
pub(super) struct Clock {
    last: Instant,
    pub(super) laps: Vec<Timing>,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self {
            last: Instant::now(),
            laps: Vec::new(),
        }
    }

    /// Notes a phase that was part of the one that goes on, and takes its time off that.
    pub(super) fn part(&mut self, phase: &'static str, took: Duration, items: u64) {
        self.aside(phase, took, items);
        self.last += took;
    }

    /// Notes a phase that went on next to the others.
    pub(super) fn aside(&mut self, phase: &'static str, took: Duration, items: u64) {
        self.laps.push(Timing {
            phase,
            seconds: took.as_secs_f64(),
            items,
        });
    }

    /// Makes a value on the side while the other phases go on. It is noted at a place among the phases, with the time
    /// that it took itself: together the phases may take more than passed.
    pub(super) fn beside<A: Send, B: Send>(
        &mut self,
        (at, phase): (usize, &'static str),
        make: impl FnOnce() -> A + Send,
        items: impl FnOnce(&A) -> u64,
        others: impl FnOnce(&mut Self) -> B + Send,
    ) -> (A, B) {
        let timed = || {
            let start = Instant::now();
            (make(), start.elapsed())
        };
        let ((value, took), other) = rayon::join(timed, || others(&mut *self));
        let timing = Timing {
            phase,
            seconds: took.as_secs_f64(),
            items: items(&value),
        };
        self.laps.insert(at, timing);
        // Waiting for it is no phase.
        self.last = Instant::now();
        (value, other)
    }

    /// The place of the next phase.
    pub(super) fn place(&self) -> usize {
        self.laps.len()
    }

    /// Ends the phase that made a value.
    pub(super) fn note<T>(
        &mut self,
        phase: &'static str,
        made: T,
        items: impl FnOnce(&T) -> u64,
    ) -> T {
        self.lap(phase, items(&made));
        made
    }

    /// Ends a phase that worked on `items`.
    pub(super) fn lap(&mut self, phase: &'static str, items: u64) {
        let now = Instant::now();
        self.laps.push(Timing {
            phase,
            seconds: now.saturating_duration_since(self.last).as_secs_f64(),
            items,
        });
        self.last = now;
    }
}
