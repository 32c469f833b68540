//! Wall time of each phase. Nothing here reads a clock: what tells the time comes from whoever calls. The machine's own clock
//! is integer picoseconds.

use serde::Serialize;
use std::time::Duration;

/// Tells the time: what has passed since some moment, always the same one.
pub type WallClock = fn() -> Duration;

/// Time from a moment on.
#[derive(Copy, Clone, Debug)]
pub struct Stopwatch {
    clock: WallClock,
    start: Duration,
}

impl Stopwatch {
    /// From now on, as the clock tells it.
    pub fn start(clock: WallClock) -> Self {
        Self {
            clock,
            start: clock(),
        }
    }

    /// What has passed since.
    pub fn elapsed(self) -> Duration {
        (self.clock)().saturating_sub(self.start)
    }
}

/// Measures one phase after the other. Without a clock, phases are counted and take no time.
pub(crate) struct Clock {
    /// Whether the times mean something.
    is_told: bool,
    phase: Stopwatch,
    pub(crate) laps: Vec<Timing>,
}

impl Clock {
    pub(crate) fn start(clock: Option<WallClock>) -> Self {
        Self {
            is_told: clock.is_some(),
            phase: Stopwatch::start(clock.unwrap_or(|| Duration::ZERO)),
            laps: Vec::new(),
        }
    }

    /// For whoever does not tell how long it took.
    pub(crate) fn untold() -> Self {
        Self::start(None)
    }

    /// What tells the time.
    pub(crate) fn clock(&self) -> WallClock {
        self.phase.clock
    }

    fn timing(&self, phase: &'static str, took: Duration, items: u64) -> Timing {
        Timing {
            phase,
            seconds: self.is_told.then_some(took.as_secs_f64()),
            items,
        }
    }

    /// Notes a phase that was part of the one that goes on, and takes its time off that.
    pub(crate) fn part(&mut self, phase: &'static str, took: Duration, items: u64) {
        self.aside(phase, took, items);
        self.phase.start += took;
    }

    /// Notes a phase that went on next to the others.
    pub(crate) fn aside(&mut self, phase: &'static str, took: Duration, items: u64) {
        self.laps.push(self.timing(phase, took, items));
    }

    /// Makes a value on the side while the other phases go on. It is noted at a place among the phases, with the time
    /// that it took itself: together the phases may take more than passed.
    pub(crate) fn beside<A: Send, B: Send>(
        &mut self,
        (at, phase): (usize, &'static str),
        make: impl FnOnce() -> A + Send,
        items: impl FnOnce(&A) -> u64,
        others: impl FnOnce(&mut Self) -> B + Send,
    ) -> (A, B) {
        let clock = self.clock();
        let timed = || {
            let start = Stopwatch::start(clock);
            (make(), start.elapsed())
        };
        let ((value, took), other) = crate::parallel::join(timed, || others(&mut *self));
        let timing = self.timing(phase, took, items(&value));
        self.laps.insert(at, timing);
        // Waiting for it is no phase.
        self.phase = Stopwatch::start(clock);
        (value, other)
    }

    /// The place of the next phase.
    pub(crate) fn place(&self) -> usize {
        self.laps.len()
    }

    /// Ends the phase that made a value.
    pub(crate) fn note<T>(
        &mut self,
        phase: &'static str,
        made: T,
        items: impl FnOnce(&T) -> u64,
    ) -> T {
        self.lap(phase, items(&made));
        made
    }

    /// Ends a phase that worked on `items`.
    pub(crate) fn lap(&mut self, phase: &'static str, items: u64) {
        let took = self.phase.elapsed();
        self.part(phase, took, items);
    }
}

/// Wall time of a phase.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Timing {
    /// Name of the phase.
    pub phase: &'static str,
    /// Seconds.
    #[cfg_attr(test, schemars(with = "f64"))]
    pub seconds: Option<f64>,
    /// What it worked on.
    pub items: u64,
}
