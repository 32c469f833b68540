//! What barriers cost: the time of each, and how much of it nothing else covered.
//!
//! A barrier's window is the time from its arrival (or the start of its scope) to the first start of work that it held,
//! or to its completion. Exposed is the part of windows in which nothing ran on any queue. Where no row is asked for, a
//! window is added up and forgotten once nothing earlier can come; so memory does not grow with the run.

use crate::id::narrow;
use crate::time::Ps;
use crate::trace::BarrierTiming;
use std::collections::VecDeque;

/// Number of timings, or of times in which nothing ran, after which those that are over are added up.
const SETTLE_EVERY: usize = 1024;

/// A barrier entry's timing in the making.
pub(super) struct Timed {
    pub(super) timing: BarrierTiming,
    /// Extra time of misses on lines that it dropped.
    pub(super) misses: Ps,
    /// When its scope had begun.
    pub(super) scope_begun: Ps,
    /// Tasks that it has let go and that have not begun.
    pub(super) released: u32,
}

impl Timed {
    /// What it waited for is over. Its own wait starts when it has arrived and its scope has started: what the start of a
    /// scope costs, with the restart of what that held, is not the barrier's.
    pub(super) fn drain(&mut self, now: Ps, scope_begun: Ps) {
        let timing = &mut self.timing;
        timing.arrival = timing.arrival.max(scope_begun).min(now);
        timing.drained = now;
        timing.drain = now - timing.arrival;
    }

    /// Its last operation is over, or a reset ends it.
    pub(super) fn complete(&mut self, now: Ps) {
        let timing = &mut self.timing;
        timing.completed = now;
        timing.operation = now - timing.drained;
    }

    /// Begin and end of the window.
    fn window(&self) -> (Ps, Ps) {
        let end = self
            .timing
            .first_held_start
            .unwrap_or(self.timing.completed);
        // What the start of the scope costs is not the barrier's.
        (self.timing.arrival.max(self.scope_begun).min(end), end)
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

/// Timings of barriers, and when nothing ran.
#[derive(Default)]
pub(super) struct Exposure {
    timed: VecDeque<Timed>,
    /// Number of the first of them.
    first: u32,
    /// When nothing ran: disjoint, ascending.
    idle: Vec<(Ps, Ps)>,
    /// How many of these there may be before it is worth to look which are needed.
    idle_limit: usize,
    /// Windows that are over and not added up.
    windows: Vec<(Ps, Ps)>,
    /// Up to here the windows are added up.
    covered: Ps,
    total: Ps,
}

impl Exposure {
    /// Notes a time in which nothing ran.
    pub(super) fn idle(&mut self, start: Ps, end: Ps) {
        self.idle.push((start, end));
    }

    /// A barrier arrives; returns its number.
    pub(super) fn arrive(&mut self, timing: BarrierTiming) -> u32 {
        self.timed.push_back(Timed {
            timing,
            misses: Ps::ZERO,
            scope_begun: Ps::ZERO,
            released: 0,
        });
        self.first + narrow(self.timed.len()) - 1
    }

    /// A barrier's timing by its number.
    pub(super) fn of(&mut self, number: u32) -> &mut Timed {
        &mut self.timed[(number - self.first) as usize]
    }

    /// Whether it is time to [`Exposure::settle`].
    pub(super) fn is_long(&self) -> bool {
        self.timed.len() >= SETTLE_EVERY || self.idle.len() >= self.idle_limit.max(SETTLE_EVERY)
    }

    /// Adds up windows that are over. A window that starts before `reached` and is still to come has a timing already.
    pub(super) fn settle(&mut self, reached: Ps) {
        while let Some(front) = self.timed.front().filter(|front| front.is_over()) {
            self.windows.push(front.window());
            self.timed.pop_front();
            self.first += 1;
        }
        let arrivals = self.timed.iter().map(|t| t.timing.arrival);
        self.add_up(arrivals.min().map_or(reached, |first| first.min(reached)));
    }

    fn add_up(&mut self, until: Ps) {
        self.windows.sort_unstable();
        let count = self.windows.partition_point(|(start, _)| *start < until);
        let idle = Idle::new(&self.idle);
        for (start, end) in self.windows.drain(..count) {
            let start = start.max(self.covered);
            if start < end {
                self.total += idle.between(start, end);
                self.covered = end;
            }
        }
        let needed = until.max(self.covered);
        self.idle.retain(|(_, end)| *end > needed);
        self.idle_limit = 2 * self.idle.len();
    }

    /// At the end: the exposed time in all, and, if rows are to be kept, every timing complete and when that time was.
    ///
    /// # Panics
    /// If a barrier has arrived and not completed: only front ends can be stuck.
    pub(super) fn finish(mut self, rows: bool) -> Exposed {
        let idle = Idle::new(&self.idle);
        let mut barriers = Vec::with_capacity(if rows { self.timed.len() } else { 0 });
        for timed in &mut self.timed {
            let timing = &mut timed.timing;
            assert!(
                timing.completed != Ps::MAX,
                "every barrier that arrives completes: only front ends can be stuck"
            );
            let (start, end) = timed.window();
            let timing = &mut timed.timing;
            timing.refill = (end - timing.completed) + timed.misses;
            timing.exposed = idle.between(start, end);
            self.windows.push((start, end));
            if rows {
                barriers.push(*timing);
            }
        }
        let times = if rows { self.times() } else { Vec::new() };
        self.add_up(Ps::MAX);
        Exposed {
            total: self.total,
            times,
            barriers,
        }
    }

    /// The times in which nothing ran under the windows that are not added up yet: disjoint, ascending.
    fn times(&mut self) -> Vec<(Ps, Ps)> {
        self.windows.sort_unstable();
        let mut times: Vec<(Ps, Ps)> = Vec::new();
        let mut covered = self.covered;
        for (start, end) in &self.windows {
            let start = covered.max(*start);
            covered = covered.max(*end);
            let first = self.idle.partition_point(|(_, until)| *until <= start);
            let under = self.idle[first..].iter().take_while(|(from, _)| from < end);
            for (from, until) in under.map(|(from, until)| (start.max(*from), *end.min(until))) {
                match times.last_mut() {
                    _ if from >= until => {}
                    Some(last) if last.1 == from => last.1 = until,
                    _ => times.push((from, until)),
                }
            }
        }
        times
    }
}

/// When nothing ran on any queue: disjoint, ascending, with the sum of those before each.
struct Idle {
    spans: Vec<(Ps, Ps, Ps)>,
}

impl Idle {
    fn new(spans: &[(Ps, Ps)]) -> Self {
        let mut before = Ps::ZERO;
        let spans = spans
            .iter()
            .map(|(start, end)| {
                let entry = (*start, *end, before);
                before += *end - *start;
                entry
            })
            .collect();
        Self { spans }
    }

    /// Idle time before a moment.
    fn before(&self, moment: Ps) -> Ps {
        let at = self.spans.partition_point(|(start, ..)| *start < moment);
        match at.checked_sub(1).map(|i| self.spans[i]) {
            Some((start, end, before)) => before + (end.min(moment) - start),
            None => Ps::ZERO,
        }
    }

    fn between(&self, start: Ps, end: Ps) -> Ps {
        self.before(end) - self.before(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exposure() -> Exposure {
        let mut exposure = Exposure::default();
        exposure.idle(Ps(10), Ps(20));
        exposure.idle(Ps(30), Ps(35));
        exposure
    }

    #[test]
    fn idle_time_under_windows_is_counted_once() {
        let idle = Idle::new(&exposure().idle);
        assert_eq!(idle.between(Ps(0), Ps(40)), Ps(15));
        assert_eq!(idle.between(Ps(12), Ps(31)), Ps(9));
        let windows = [(Ps(0), Ps(15)), (Ps(12), Ps(31)), (Ps(13), Ps(14))];
        let mut all = exposure();
        all.windows.extend(windows);
        let all = all.finish(true);
        assert_eq!(all.total, Ps(11));
        let times = [(Ps(10), Ps(20)), (Ps(30), Ps(31))];
        assert_eq!(all.times, times, "windows that overlap are one");
        // The same in two steps: first the windows that start before 13.
        let mut parts = exposure();
        parts.windows.extend(&windows[..2]);
        parts.add_up(Ps(13));
        assert_eq!((parts.total, parts.idle.len()), (Ps(11), 1));
        parts.windows.push(windows[2]);
        assert_eq!(parts.finish(false).total, Ps(11));
    }
}
