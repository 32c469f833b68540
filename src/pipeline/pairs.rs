//! Pairs that are not covered, each with its bytes, before anything is folded (reading R42).
//!
//! What is shown of a text folds the pairs of one use of a resource, and hides those behind another. So an edited copy
//! may show the same findings and still have a pair more, or more bytes of one: it is compared by these.

use crate::id::{Extent, MemoryId, ResourceId, Table};
use crate::lookup::LookupMap;
use crate::order::{SubmissionKind, Timeline};
use crate::program::IntervalMap;
use crate::scenario::{Range, Use, geometry};
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// Pairs by what makes one the same in an edited copy.
pub(crate) struct Pairs<K> {
    pairs: BTreeMap<K, BTreeMap<MemoryId, IntervalMap<()>>>,
}

impl<K: Ord> Pairs<K> {
    pub(crate) fn new(pairs: impl IntoIterator<Item = (K, Option<Extent>)>) -> Self {
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
    pub(crate) fn is_subset(&self, other: &Self) -> bool {
        self.pairs.iter().all(|(key, own)| {
            let Some(known) = other.pairs.get(key) else {
                return false;
            };
            own.iter().all(|(memory, own)| {
                let is_known = |start, end| {
                    let known = known.get(memory);
                    known.is_some_and(|known| known.whole(start, end).is_some())
                };
                own.runs().all(|run| is_known(run.start, run.end))
            })
        })
    }

    /// What is left of it without the bytes of the same pairs of another text.
    pub(crate) fn without(mut self, other: &Self) -> Self {
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

/// Ranges of a use that count as one: parts of a buffer, mips of a small texture.
const FEW_RANGES: u64 = 64;

/// Upper bound of the pairs that an unfolded evaluation looks at, in steps: the square of the uses of each memory in
/// each scope; of several actors, of all uses. A use of very many ranges counts as several.
pub(crate) fn most(timeline: &Timeline<'_>) -> u64 {
    let borders = borders(timeline);
    let mut sum = 0_u64;
    let mut uses = Table::filled(timeline.memory.memory_count(), (0_u64, 0_u64));
    let mut counts = Table::filled(timeline.memory.memory_count(), (0_u64, 0_u64));
    for id in timeline.evaluation.iter() {
        if timeline.submission(id).kind != SubmissionKind::Execute {
            continue;
        }
        for (_, _, command) in timeline.commands(id) {
            for usage in &command.uses {
                if let Some(whole) = timeline.memory.whole(usage.resource) {
                    let (count, parts) = &mut counts[whole.memory];
                    *count += 1;
                    *parts += ranges(timeline, &borders, usage).div_ceil(FEW_RANGES);
                }
            }
        }
        for (_, _, command) in timeline.commands(id) {
            for usage in &command.uses {
                if let Some(whole) = timeline.memory.whole(usage.resource) {
                    let (count, parts) = std::mem::take(&mut counts[whole.memory]);
                    let all = &mut uses[whole.memory];
                    *all = (all.0 + count, all.1 + parts);
                    sum = sum.saturating_add(count.saturating_mul(parts));
                }
            }
        }
    }
    let mut actors = timeline.submissions.iter().map(|s| s.actor);
    let first = actors.next();
    if actors.any(|actor| Some(actor) != first) {
        let squares = uses
            .iter()
            .map(|(count, parts)| count.saturating_mul(*parts));
        sum = squares.fold(sum, u64::saturating_add);
    }
    sum / 2
}

/// By buffer, where uses of parts of it begin and end, ascending.
type Borders = LookupMap<ResourceId, Vec<u64>>;

/// The borders of every list's uses.
fn borders(timeline: &Timeline<'_>) -> Borders {
    let mut borders: IndexMap<ResourceId, Vec<u64>> = IndexMap::new();
    let lists = timeline.scenario.lists.iter();
    let uses = lists.flat_map(|list| &list.commands).flat_map(|c| &c.uses);
    for usage in uses {
        if let Range::Bytes { start, end } = usage.range {
            borders
                .entry(usage.resource)
                .or_default()
                .extend([start, end]);
        }
    }
    let sorted = borders.into_iter().map(|(resource, mut borders)| {
        borders.sort_unstable();
        borders.dedup();
        (resource, borders)
    });
    sorted.collect()
}

/// Ranges of a use: of a buffer as many as borders cut it into; of a texture as many as layers and planes, where it is not
/// all mips of these.
fn ranges(timeline: &Timeline<'_>, borders: &Borders, usage: &Use) -> u64 {
    let scenario = timeline.scenario;
    if let Some(borders) = borders.get(&usage.resource) {
        let before = |at: u64| borders.partition_point(|border| *border < at);
        let inside = match usage.range {
            Range::Bytes { start, end } => before(end) - before(start),
            _ => borders.len(),
        };
        return inside.max(1) as u64;
    }
    if usage.range == Range::All {
        return 1;
    }
    let Some(shape) = scenario.resource(usage.resource).texture() else {
        return 1;
    };
    geometry::subresource_box(shape, &usage.range).map_or(1, |sub| {
        let (layers, planes) = (sub.layers.1 - sub.layers.0, sub.planes.1 - sub.planes.0);
        u64::from(layers) * u64::from(planes)
    })
}
