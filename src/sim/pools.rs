//! Parts of the machine that tasks share: processor sharing in virtual time.
//!
//! A task of weight w can fill w/1024 of its pool. While the weights of the running tasks add up to no more than the
//! pool, each runs at full speed; beyond, all slow down alike. Virtual time runs at that common speed, so a task ends at
//! a virtual moment known when it begins, and a begin or end costs O(log n) whatever else runs.
//!
//! Virtual time is kept in 2⁻²⁰ ps; a task's end is rounded up to whole picoseconds.

use crate::program::Pool;
use crate::time::Ps;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const FRACTION: u32 = 20;

/// Tasks running in one pool.
#[derive(Debug, Default)]
pub(super) struct PoolState {
    /// Virtual time in 2⁻²⁰ ps.
    virtual_now: u128,
    real_now: u64,
    weights: u64,
    /// (virtual end, ticket, weight).
    running: BinaryHeap<Reverse<(u128, u64, u16)>>,
    /// Counts changes, so that an announced end that no longer holds can be told.
    pub(super) generation: u32,
}

impl PoolState {
    fn advance(&mut self, now: Ps) {
        let elapsed = u128::from(now.0 - self.real_now);
        self.real_now = now.0;
        let full = u128::from(Pool::FULL);
        let weights = u128::from(self.weights).max(full);
        self.virtual_now += (elapsed << FRACTION) * full / weights;
    }

    /// Begins a task.
    pub(super) fn begin(&mut self, now: Ps, ticket: u64, cost: Ps, weight: u16) {
        self.advance(now);
        let end = self.virtual_now + (u128::from(cost.0) << FRACTION);
        self.running.push(Reverse((end, ticket, weight)));
        self.weights += u64::from(weight);
        self.generation += 1;
    }

    /// Takes a task that has ended by now.
    pub(super) fn take_ended(&mut self, now: Ps) -> Option<u64> {
        self.advance(now);
        let Reverse((end, ticket, weight)) = *self.running.peek()?;
        // Rounding up real time can only overshoot, never fall short by more than one step of virtual time.
        if end > self.virtual_now + u128::from(self.weights.max(1)) {
            return None;
        }
        self.running.pop();
        self.weights -= u64::from(weight);
        self.generation += 1;
        Some(ticket)
    }

    /// When the next task ends if nothing else begins.
    pub(super) fn next_end(&self) -> Option<Ps> {
        let Reverse((end, ..)) = self.running.peek()?;
        let left = end.saturating_sub(self.virtual_now);
        let full = u128::from(Pool::FULL);
        let weights = u128::from(self.weights).max(full);
        let real = (left * weights).div_ceil(full << FRACTION);
        Some(Ps(self.real_now + real as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_full_tasks_share_and_a_small_one_does_not_slow_another() {
        // 100 ps and 50 ps begin together on a full pool: each runs at half speed until the second has done its 50 ps
        // at 100 ps; then the first has 50 ps left and ends at 150 ps.
        let mut pool = PoolState::default();
        pool.begin(Ps(0), 1, Ps(100), Pool::FULL);
        pool.begin(Ps(0), 2, Ps(50), Pool::FULL);
        assert_eq!(pool.next_end(), Some(Ps(100)));
        assert_eq!(pool.take_ended(Ps(100)), Some(2));
        assert_eq!(pool.take_ended(Ps(100)), None);
        assert_eq!(pool.next_end(), Some(Ps(150)));
        assert_eq!(pool.take_ended(Ps(150)), Some(1));
        // Half and half fit together: neither slows the other.
        pool.begin(Ps(200), 3, Ps(10), 512);
        pool.begin(Ps(200), 4, Ps(20), 512);
        assert_eq!(pool.next_end(), Some(Ps(210)));
        assert_eq!(pool.take_ended(Ps(210)), Some(3));
        assert_eq!(pool.next_end(), Some(Ps(220)));
    }
}
