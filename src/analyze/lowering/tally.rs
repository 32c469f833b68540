//! What barrier entries lack, counted by their text: a run of any length has as many counts as its text has entries.

use crate::analyze::names;
use crate::ensure::{Shortfall, Shortfalls, What};
use crate::finding::Span;
use crate::id::BarrierRef;
use crate::order::Timeline;
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// Missing operations that are kept one by one, so that wrong reads can be explained by them.
const KEPT_MAX: usize = 1 << 16;

/// What the entries of a timeline lack.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// Entries by their place in the text, in the order of the check.
    pub(super) places: IndexMap<Span, Place>,
    /// The first missing operations, each of one execution.
    pub missing: Vec<Shortfall>,
    /// Barrier entries checked.
    pub checked: u64,
}

/// One entry of the text.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Its first execution that lacks something.
    pub(super) first: BarrierRef,
    /// Executions that lack something.
    pub(super) executions: u32,
    /// By operation: waits, holds, then what is done to caches and layouts.
    pub(super) missing: BTreeMap<What, Lack>,
}

/// An operation that executions of an entry lack.
#[derive(Copy, Clone, Debug)]
pub(super) struct Lack {
    /// The first of them.
    pub(super) first: BarrierRef,
    /// How many.
    pub(super) executions: u32,
}

impl Tally {
    /// Counts what a check found.
    pub fn take(&mut self, timeline: &Timeline<'_>, found: &Shortfalls) {
        self.checked += found.checked;
        let room = KEPT_MAX.saturating_sub(self.missing.len());
        self.missing.extend(found.missing.iter().take(room));
        // What one execution lacks is found together.
        for entry in found.missing.chunk_by(|a, b| a.barrier == b.barrier) {
            let barrier = entry[0].barrier;
            let place = self.places.entry(span(timeline, barrier)).or_insert(Place {
                first: barrier,
                executions: 0,
                missing: BTreeMap::new(),
            });
            place.executions += 1;
            // Submissions are not always checked in the order of the text.
            place.first = place.first.min(barrier);
            for shortfall in entry {
                let lack = place.missing.entry(shortfall.what).or_insert(Lack {
                    first: barrier,
                    executions: 0,
                });
                lack.executions += 1;
                lack.first = lack.first.min(barrier);
            }
        }
    }
}

/// Where a barrier entry is.
pub(super) fn span(timeline: &Timeline<'_>, barrier: BarrierRef) -> Span {
    names::entry(timeline, barrier).map_or_else(|| timeline.span(barrier.node), |e| e.span)
}
