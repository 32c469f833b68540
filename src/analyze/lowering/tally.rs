//! What barrier entries lack and what they have beyond need, counted by their text: a run of any length has as many counts
//! as its text has entries. Submissions are not always checked in the order of the text.

use crate::analyze::names;
use crate::ensure::{Shortfall, Shortfalls, What};
use crate::finding::Span;
use crate::id::BarrierRef;
use crate::order::Timeline;
use crate::program::Counted;
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// Missing operations that are kept one by one, so that wrong reads can be explained by them.
const KEPT_MAX: usize = 1 << 16;

/// What the entries of a timeline lack, and what they have beyond need.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// Entries that lack something, by their place in the text.
    pub(super) lacking: IndexMap<Span, Lacking>,
    /// Entries that have something beyond need, by their place in the text.
    pub(super) wasteful: IndexMap<Span, Wasteful>,
    /// The first missing operations, each of one execution.
    pub missing: Vec<Shortfall>,
    /// Barrier entries checked.
    pub checked: u64,
    /// Sums that a run adds up.
    sums: u32,
}

/// Executions of one entry of the text.
#[derive(Copy, Clone, Debug)]
pub(super) struct Executions {
    /// The first of them.
    pub(super) first: BarrierRef,
    /// Number of executions.
    pub(super) count: u32,
}

impl Executions {
    /// None so far; the first is at most `barrier`.
    fn none_before(barrier: BarrierRef) -> Self {
        Self {
            first: barrier,
            count: 0,
        }
    }

    fn add(&mut self, barrier: BarrierRef) {
        self.count += 1;
        self.first = self.first.min(barrier);
    }
}

/// An entry of the text of which executions lack something.
#[derive(Clone, Debug)]
pub(super) struct Lacking {
    /// Executions that lack something.
    pub(super) executions: Executions,
    /// Those that lack each operation: waits, holds, then what is done to caches and layouts. With it: whether they have it
    /// too early.
    pub(super) missing: BTreeMap<(What, bool), Executions>,
}

/// An entry of the text of which executions do what nothing asked for.
#[derive(Clone, Debug)]
pub(super) struct Wasteful {
    /// Executions that do too much.
    pub(super) executions: Executions,
    /// By operation, the number of its sum.
    pub(super) extra: BTreeMap<What, u32>,
}

impl Tally {
    /// Counts what a check of some submissions found. Returns what a run is to add up: the parts of their packets that
    /// nothing asked for, ascending by packet.
    pub fn take(&mut self, timeline: &Timeline<'_>, found: &Shortfalls) -> Vec<Counted> {
        self.checked += found.checked;
        let room = KEPT_MAX.saturating_sub(self.missing.len());
        self.missing.extend(found.missing.iter().take(room));
        // What one execution lacks is found together, and so is what it has beyond need.
        for entry in found.missing.chunk_by(|a, b| a.barrier == b.barrier) {
            self.lack(timeline, entry);
        }
        let mut counted = Vec::new();
        for entry in found.extra.chunk_by(|a, b| a.barrier == b.barrier) {
            let barrier = entry[0].barrier;
            let place = self.wasteful.entry(span(timeline, barrier));
            let place = place.or_insert(Wasteful {
                executions: Executions::none_before(barrier),
                extra: BTreeMap::new(),
            });
            place.executions.add(barrier);
            for extra in entry {
                let next = self.sums;
                let sum = *place.extra.entry(extra.what).or_insert(next);
                self.sums += u32::from(sum == next);
                counted.push(Counted {
                    op: extra.op,
                    part: extra.part,
                    sum,
                });
            }
        }
        counted.sort_by_key(|part| part.op);
        counted
    }

    fn lack(&mut self, timeline: &Timeline<'_>, entry: &[Shortfall]) {
        let barrier = entry[0].barrier;
        let place = self.lacking.entry(span(timeline, barrier));
        let place = place.or_insert(Lacking {
            executions: Executions::none_before(barrier),
            missing: BTreeMap::new(),
        });
        place.executions.add(barrier);
        for shortfall in entry {
            let lack = place.missing.entry((shortfall.what, shortfall.early));
            lack.or_insert(Executions::none_before(barrier))
                .add(barrier);
        }
    }
}

/// Where a barrier entry is.
pub(super) fn span(timeline: &Timeline<'_>, barrier: BarrierRef) -> Span {
    names::entry(timeline, barrier).map_or_else(|| timeline.span(barrier.node), |e| e.span)
}
