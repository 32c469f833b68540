//! Pairs that are not covered, each with its bytes, before anything is folded (reading R42).
//!
//! What is shown of a text folds the pairs of one use of a resource, and hides those behind another. So an edited copy
//! may show the same findings and still have a pair more, or more bytes of one: it is compared by these.

use crate::id::{Extent, MemoryId};
use crate::order::{SubmissionKind, Timeline};
use crate::program::IntervalMap;
use std::collections::BTreeMap;

/// Pairs by what makes one the same in an edited copy.
pub(super) struct Pairs<K> {
    pairs: BTreeMap<K, BTreeMap<MemoryId, IntervalMap<()>>>,
}

impl<K: Ord> Pairs<K> {
    pub(super) fn new(pairs: impl IntoIterator<Item = (K, Option<Extent>)>) -> Self {
        let mut all: BTreeMap<K, BTreeMap<MemoryId, IntervalMap<()>>> = BTreeMap::new();
        for (key, bytes) in pairs {
            let known = all.entry(key).or_default();
            if let Some(bytes) = bytes {
                let known = known.entry(bytes.memory).or_default();
                known.set(bytes.start, bytes.end, ());
            }
        }
        Self { pairs: all }
    }

    /// Whether all of its bytes are bytes of the same pair of another text.
    pub(super) fn is_subset(&self, other: &Self) -> bool {
        self.pairs.iter().all(|(key, own)| {
            let Some(known) = other.pairs.get(key) else {
                return false;
            };
            own.iter().all(|(memory, own)| {
                let is_known = |start, end| {
                    let known = known.get(memory);
                    known.is_some_and(|known| known.whole(start, end).is_some())
                };
                own.runs().iter().all(|run| is_known(run.start, run.end))
            })
        })
    }

    /// What is left of it without the bytes of the same pairs of another text.
    pub(super) fn without(mut self, other: &Self) -> Self {
        self.pairs.retain(|key, own| {
            let Some(known) = other.pairs.get(key) else {
                return true;
            };
            own.retain(|memory, own| {
                for run in known.get(memory).into_iter().flat_map(IntervalMap::runs) {
                    own.remove(run.start, run.end);
                }
                !own.is_empty()
            });
            !own.is_empty()
        });
        self
    }
}

/// Upper bound of the pairs that an unfolded evaluation looks at, in steps: the square of the uses of each memory in
/// each scope; of several actors, of all uses.
pub(super) fn most(timeline: &Timeline<'_>) -> u64 {
    let mut sum = 0_u64;
    let mut uses = vec![0_u64; timeline.memory.memory_count()];
    let mut counts = vec![0_u64; timeline.memory.memory_count()];
    for id in timeline.evaluation.iter() {
        if timeline.submission(id).kind != SubmissionKind::Execute {
            continue;
        }
        for (_, _, command) in timeline.commands(id) {
            for usage in &command.uses {
                if let Some(whole) = timeline.memory.whole(usage.resource) {
                    counts[whole.memory.index()] += 1;
                }
            }
        }
        for (_, _, command) in timeline.commands(id) {
            for usage in &command.uses {
                if let Some(whole) = timeline.memory.whole(usage.resource) {
                    let count = std::mem::take(&mut counts[whole.memory.index()]);
                    uses[whole.memory.index()] += count;
                    sum = sum.saturating_add(count.saturating_mul(count));
                }
            }
        }
    }
    let mut actors = timeline.submissions.iter().map(|s| s.actor);
    let first = actors.next();
    if actors.any(|actor| Some(actor) != first) {
        let squares = uses.iter().map(|count| count.saturating_mul(*count));
        sum = squares.fold(sum, u64::saturating_add);
    }
    sum / 2
}
