//! A part of the machine that commands share.
//!
//! Processor sharing in virtual time: while the weights of the tasks in a pool add up to no more than the pool, each runs
//! as fast as it would by itself; beyond that all are slowed alike. So one clock, which runs slower the more is asked
//! for, serves all tasks: a task ends when the clock has advanced by its cost. Adding and ending a task costs O(log n).
//!
//! Thread groups that keep their places ([`super::residency`]) take part of a pool away; what is left is shared.
//!
//! Rounding: the clock counts 2^-32 picoseconds and is rounded down, ends are rounded up to whole picoseconds, so a task
//! never ends early and is late by less than a picosecond.

use crate::program;
use crate::time::Ps;
use crate::trace::PoolUse;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bits of the clock below a picosecond.
const FRACTION: u32 = 32;
const FULL: u128 = program::Pool::FULL as u128;

/// A task in a pool. The order is that of the fields: who ends first, and of those who came first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Sharer {
    /// The clock at its end.
    end: u128,
    arrival: u64,
    flight: u32,
    task: u8,
    weight: u16,
}

/// One shared part of the machine.
#[derive(Debug, Default)]
pub(super) struct SharedPool {
    clock: u128,
    at: Ps,
    load: u128,
    /// What is taken away from the pool.
    taken: u128,
    /// The one that ends first is on top.
    tasks: BinaryHeap<Reverse<Sharer>>,
    arrivals: u64,
    /// How much it was used so far.
    pub(super) used: PoolUse,
}

impl SharedPool {
    fn advance(&mut self, now: Ps) {
        if now == self.at {
            return;
        }
        let passed = now - self.at;
        let left = FULL - self.taken;
        if self.load > 0 {
            self.used.busy += passed;
        }
        if self.load > left {
            self.used.crowded += passed;
        }
        let passed = u128::from(passed.0) << FRACTION;
        self.clock += if self.load <= left {
            passed
        } else {
            // Mostly it fits in half the bits, which divide much quicker.
            let asked = passed * left;
            match (u64::try_from(asked), u64::try_from(self.load)) {
                (Ok(asked), Ok(load)) => u128::from(asked / load),
                _ => asked / self.load,
            }
        };
        self.at = now;
    }

    /// What its tasks ask for.
    pub(super) fn load(&self) -> u64 {
        u64::try_from(self.load).unwrap_or(u64::MAX)
    }

    /// From now on so much of the pool is taken away. Says whether that is new.
    pub(super) fn take_away(&mut self, now: Ps, taken: u64) -> bool {
        let taken = u128::from(taken).min(FULL);
        if self.taken == taken {
            return false;
        }
        self.advance(now);
        self.taken = taken;
        true
    }

    /// Adds a task.
    pub(super) fn add(&mut self, now: Ps, flight: u32, task: u8, weight: u16, cost: Ps) {
        self.advance(now);
        self.load += u128::from(weight);
        self.arrivals += 1;
        let end = self.clock + (u128::from(cost.0) << FRACTION);
        self.tasks.push(Reverse(Sharer {
            end,
            arrival: self.arrivals,
            flight,
            task,
            weight,
        }));
    }

    /// Takes out a task that has ended by now.
    pub(super) fn pop(&mut self, now: Ps) -> Option<(u32, u8)> {
        self.advance(now);
        let Reverse(first) = *self.tasks.peek()?;
        if first.end > self.clock {
            return None;
        }
        self.tasks.pop();
        self.load -= u128::from(first.weight);
        Some((first.flight, first.task))
    }

    /// Takes out tasks that a reset drops.
    pub(super) fn drop_tasks(&mut self, now: Ps, is_dropped: impl Fn(u32) -> bool) {
        self.advance(now);
        let load = &mut self.load;
        self.tasks.retain(|Reverse(sharer)| {
            let drops = is_dropped(sharer.flight);
            if drops {
                *load -= u128::from(sharer.weight);
            }
            !drops
        });
    }

    /// When the next task ends if nothing is added before.
    pub(super) fn next_end(&self) -> Option<Ps> {
        let Reverse(first) = self.tasks.peek()?;
        let left = first.end.saturating_sub(self.clock);
        let share = FULL - self.taken;
        let wait = if self.load <= share || left == 0 {
            left.div_ceil(1 << FRACTION)
        } else if share == 0 {
            return None;
        } else {
            // Rounded up twice is the same as once; mostly what is left then fits in half the bits.
            let picoseconds = (left * self.load).div_ceil(1 << FRACTION);
            match (u64::try_from(picoseconds), u64::try_from(share)) {
                (Ok(picoseconds), Ok(share)) => u128::from(picoseconds.div_ceil(share)),
                _ => picoseconds.div_ceil(share),
            }
        };
        Some(self.at + Ps(u64::try_from(wait).unwrap_or(u64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two full tasks of 10 and 4: both at half speed until the short one ends at 8, then the long one has 6 left.
    #[test]
    fn full_tasks_share_evenly() {
        let mut pool = SharedPool::default();
        pool.add(Ps(0), 0, 0, 1024, Ps(10));
        pool.add(Ps(0), 1, 0, 1024, Ps(4));
        assert_eq!(pool.next_end(), Some(Ps(8)));
        assert_eq!(pool.pop(Ps(7)), None);
        assert_eq!(pool.pop(Ps(8)), Some((1, 0)));
        assert_eq!(pool.next_end(), Some(Ps(14)));
        assert_eq!(pool.pop(Ps(14)), Some((0, 0)));
        assert_eq!(pool.next_end(), None);
    }

    /// Three half tasks: 3/2 of the pool are asked for, so each runs at 2/3 until one ends.
    #[test]
    fn small_tasks_run_beside_each_other() {
        let mut pool = SharedPool::default();
        pool.add(Ps(0), 0, 0, 512, Ps(10));
        pool.add(Ps(0), 1, 0, 512, Ps(10));
        assert_eq!(pool.next_end(), Some(Ps(10)));
        pool.add(Ps(4), 2, 0, 512, Ps(6));
        // All three have 6 left: 6 · 3/2 = 9 later.
        assert_eq!(pool.next_end(), Some(Ps(13)));
        for flight in 0..3 {
            assert_eq!(pool.pop(Ps(13)), Some((flight, 0)));
        }
    }
}
