//! What barrier entries lack and what they have beyond need, counted by their text: a run of any length has as many counts
//! as its text has entries. Submissions are not always checked in the order of the text.

use super::needed::{Judged, Lack};
use crate::analyze::names;
use crate::ensure::{Shortfall, What};
use crate::finding::Span;
use crate::graph::Side;
use crate::id::{BarrierRef, NodeId};
use crate::order::Timeline;
use crate::program::Counted;
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// Missing operations that are kept one by one, so that wrong reads can be explained by them.
const KEPT_MAX: usize = 1 << 16;

/// What the entries of a timeline lack, and what they have beyond need.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// Entries that lack something that a needed pair rests on, by their place in the text.
    pub(super) lacking: IndexMap<Span, Lacking>,
    /// Entries that lack something that no needed pair rests on.
    pub(super) less: IndexMap<Span, Lacking>,
    /// Entries that have something beyond need, by their place in the text.
    pub(super) wasteful: IndexMap<Span, Wasteful>,
    /// The first missing operations, each of one execution.
    pub missing: Vec<Shortfall>,
    /// Barrier entries checked.
    pub checked: u64,
    /// Sums that a run adds up.
    sums: u32,
}

/// Executions of one entry of the text; none by default.
#[derive(Copy, Clone, Debug)]
pub(super) struct Executions {
    /// The first of them.
    pub(super) first: BarrierRef,
    /// Number of executions.
    pub(super) count: u32,
}

impl Default for Executions {
    fn default() -> Self {
        Self {
            first: BarrierRef {
                node: NodeId(u32::MAX),
                entry: u32::MAX,
            },
            count: 0,
        }
    }
}

impl Executions {
    fn add(&mut self, barrier: BarrierRef) {
        self.count += 1;
        self.first = self.first.min(barrier);
    }
}

/// An entry of the text of which executions lack something.
#[derive(Clone, Default, Debug)]
pub(super) struct Lacking {
    /// Executions that lack something.
    pub(super) executions: Executions,
    /// Those that lack each operation: waits, holds, then what is done to caches and layouts. With it: whether they have it
    /// too early.
    pub(super) missing: BTreeMap<(What, bool), Executions>,
    /// Uses that rest on each operation, of the first execution that was found.
    pub(super) uses: BTreeMap<(What, bool), (Side, Side)>,
}

impl Lacking {
    /// Counts what one execution lacks.
    fn add<'a>(&mut self, lacks: impl Iterator<Item = (&'a Shortfall, Option<(Side, Side)>)>) {
        let mut is_first = true;
        for (shortfall, uses) in lacks {
            let barrier = shortfall.barrier;
            if std::mem::take(&mut is_first) {
                self.executions.add(barrier);
            }
            let key = (shortfall.what, shortfall.early);
            self.missing.entry(key).or_default().add(barrier);
            if let Some(uses) = uses {
                self.uses.entry(key).or_insert(uses);
            }
        }
    }
}

/// An entry of the text of which executions do what nothing asked for.
#[derive(Clone, Default, Debug)]
pub(super) struct Wasteful {
    /// Executions that do too much.
    pub(super) executions: Executions,
    /// By operation, the number of its sum.
    pub(super) extra: BTreeMap<What, u32>,
}

impl Tally {
    /// Counts what a check of some submissions found. Returns what a run is to add up: the parts of their packets that
    /// nothing asked for, ascending by packet.
    pub fn take(&mut self, timeline: &Timeline<'_>, found: &Judged) -> Vec<Counted> {
        self.checked += found.checked;
        let room = KEPT_MAX.saturating_sub(self.missing.len());
        let missing = found.missing.iter().map(|lack| lack.shortfall);
        self.missing.extend(missing.take(room));
        // What one execution lacks is found together, and so is what it has beyond need.
        let lacks = |lack: &Lack| lack.shortfall.barrier;
        for entry in found.missing.chunk_by(|a, b| lacks(a) == lacks(b)) {
            let place = self.lacking.entry(span(timeline, lacks(&entry[0])));
            let missing = entry.iter().map(|lack| (&lack.shortfall, Some(lack.uses)));
            place.or_default().add(missing);
        }
        for entry in found.less.chunk_by(|a, b| a.barrier == b.barrier) {
            let place = self.less.entry(span(timeline, entry[0].barrier));
            place.or_default().add(entry.iter().map(|it| (it, None)));
        }
        let mut counted = Vec::new();
        for entry in found.extra.chunk_by(|a, b| a.barrier == b.barrier) {
            let barrier = entry[0].barrier;
            let place = self.wasteful.entry(span(timeline, barrier));
            let place = place.or_default();
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
}

/// Where a barrier entry is.
pub(super) fn span(timeline: &Timeline<'_>, barrier: BarrierRef) -> Span {
    names::entry(timeline, barrier).map_or_else(|| timeline.span(barrier.node), |e| e.span)
}
