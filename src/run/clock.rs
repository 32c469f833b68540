//! Wall time of each phase. The only clock of the real world; the machine's own is integer picoseconds.

use super::Timing;
use std::time::{Duration, Instant};

/// One of two phases that go on side by side.
pub(super) struct Side<Make, Items> {
    pub(super) phase: &'static str,
    pub(super) make: Make,
    /// Counts what was worked on.
    pub(super) items: Items,
}

fn timed<T>(make: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let made = make();
    (made, start.elapsed())
}

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
        self.laps.push(Timing {
            phase,
            seconds: took.as_secs_f64(),
            items,
        });
        self.last += took;
    }

    /// Does two things side by side, and ends the phase that they were. Each is noted with the time that it took itself:
    /// together that may be more than passed.
    pub(super) fn both<A: Send, B: Send>(
        &mut self,
        one: Side<impl FnOnce() -> A + Send, impl FnOnce(&A) -> u64>,
        other: Side<impl FnOnce() -> B + Send, impl FnOnce(&B) -> u64>,
    ) -> (A, B) {
        let ((a, a_took), (b, b_took)) = rayon::join(|| timed(one.make), || timed(other.make));
        self.part(one.phase, a_took, (one.items)(&a));
        self.part(other.phase, b_took, (other.items)(&b));
        self.last = Instant::now();
        (a, b)
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
