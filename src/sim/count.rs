//! What chosen parts of barriers cost, added up while the simulation runs. It changes nothing of what happens.
//!
//! Parts of one packet overlap: steps of one batch run together, and so do waits for several leaves. What a part costs is
//! what its packet takes beyond the parts that are not chosen.

use super::flight::Flight;
use super::{Engine, NONE};
use crate::id::{OpId, narrow};
use crate::program::{BarrierOp, Block, Part};
use crate::time::Ps;
use crate::trace::Sum;
use std::cmp::Reverse;

/// A sum by its number.
fn sum(sums: &mut Vec<Sum>, number: u32) -> &mut Sum {
    let at = number as usize;
    if sums.len() <= at {
        sums.resize(at + 1, Sum::default());
    }
    &mut sums[at]
}

/// The sum of a step; `None` if it is not chosen.
fn sum_of(block: &Block, op: OpId, step: usize) -> Option<u32> {
    let part = Part::Step(narrow(step));
    let mut counted = block.counted(op).iter();
    counted.find(|c| c.part == part).map(|c| c.sum)
}

/// A wait is over: what it took since the leaves that are not chosen were free.
pub(super) fn add_wait(sums: &mut Vec<Sum>, f: &mut Flight<'_>, now: Ps) {
    let sum = sum(sums, f.waits_in);
    sum.times += 1;
    sum.time += now.saturating_sub(f.asked_at);
    f.waits_in = NONE;
}

/// Steps that run together.
#[derive(Default)]
pub(super) struct Batch {
    /// The longest that is not chosen.
    other: Ps,
    /// The longest that is, and its sum.
    own: Option<(Ps, u32)>,
}

impl Batch {
    pub(super) fn take(&mut self, block: &Block, op: OpId, step: usize, time: Ps) {
        match sum_of(block, op, step) {
            None => self.other = self.other.max(time),
            Some(sum) => {
                if self.own.is_none_or(|(longest, _)| time > longest) {
                    self.own = Some((time, sum));
                }
            }
        }
    }

    /// The time beyond the others belongs to the longest.
    pub(super) fn add(self, sums: &mut Vec<Sum>) {
        if let Some((time, number)) = self.own {
            sum(sums, number).time += time.saturating_sub(self.other);
        }
    }
}

impl Engine<'_> {
    /// A step has run.
    pub(super) fn count_step(&mut self, block: &Block, op: OpId, step: usize, bytes: u64) {
        if let Some(number) = sum_of(block, op, step) {
            let sum = sum(&mut self.trace.sums, number);
            sum.times += 1;
            sum.bytes += bytes;
        }
    }

    /// A barrier is in flight: if part of its wait is chosen, notes when the rest is over.
    pub(super) fn watch_wait(&mut self, flight: u32, barrier: &BarrierOp) {
        let now = self.now;
        let f = &mut self.flights[flight as usize];
        let counted = f.block.counted(f.op.id).iter();
        let mut chosen = counted.filter_map(|c| match c.part {
            Part::Wait(leaves) => Some((leaves, c.sum)),
            Part::Step(_) | Part::Hold(_) => None,
        });
        let Some((leaves, number)) = chosen.next_back() else {
            return;
        };
        let seq = f.seq;
        let actor = &mut self.actors[f.queue as usize];
        let mut left = 0;
        for leaf in barrier.wait.minus(leaves).intersection(actor.busy).iter() {
            let state = &mut actor.leaves[leaf.index()];
            if state.outstanding.front().is_some_and(|e| e.seq < seq) {
                state.watchers.push(Reverse((seq, flight)));
                left += 1;
            }
        }
        (f.waits_in, f.asked_left, f.asked_at) = (number, left, now);
    }

    /// The oldest work of a leaf has left it.
    pub(super) fn note_free(&mut self, queue: usize, leaf: usize) {
        let now = self.now;
        let state = &mut self.actors[queue].leaves[leaf];
        let oldest = state.outstanding.front().map_or(u32::MAX, |e| e.seq);
        while let Some(Reverse((seq, flight))) = state.watchers.peek().copied() {
            if seq >= oldest {
                return;
            }
            state.watchers.pop();
            let f = &mut self.flights[flight as usize];
            // A reset may have given the place to another.
            if (f.queue as usize, f.seq) == (queue, seq) && f.asked_left > 0 {
                f.asked_left -= 1;
                f.asked_at = now;
            }
        }
    }
}
