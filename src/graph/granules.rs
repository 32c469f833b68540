//! Writers of one subresource whose bytes do not overlap (reading R21): two that share a granule of 256 bytes can undo
//! each other's work, two that share none only break a rule.
//!
//! Only writes of a part of a subresource are kept: one of the whole overlaps every other. Of a write, only the granules
//! at the edges of its runs matter, because nobody else can be disjoint inside.

use super::cover::Precedes;
use super::state::Access;
use super::{Conflict, ConflictKind, Side};
use crate::id::{Extent, MemoryId, narrow};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Bytes that writers may share without overlapping. One size for every GPU, so that a hazard needs no profile.
pub(super) const GRANULE: u64 = 256;

/// A write of a part of a subresource.
struct Partial {
    side: Side,
    position: u32,
    atomics: bool,
    /// Bytes `(start, end)` in its memory, ascending.
    runs: Vec<(u64, u64)>,
}

/// One subresource: memory, resource, index.
pub(super) type SubresourceKey = (MemoryId, crate::id::ResourceId, u32);

/// Partial writes of one scope.
#[derive(Default)]
pub(super) struct Granules {
    writes: Vec<Partial>,
    /// Writers at the edges, by granule.
    edges: BTreeMap<(SubresourceKey, u64), SmallVec<[u32; 2]>>,
    /// The latest writer of each set of stages: enough for the warning.
    latest: BTreeMap<SubresourceKey, SmallVec<[u32; 2]>>,
}

impl Granules {
    /// Starts a scope.
    pub(super) fn reset(&mut self) {
        if !self.writes.is_empty() {
            self.writes.clear();
            self.edges.clear();
            self.latest.clear();
        }
    }

    /// Compares a partial write with the unordered ones before it. `warns` if the rule against concurrent writers of
    /// one subresource applies without a shared granule.
    pub(super) fn check(
        &self,
        place: SubresourceKey,
        access: &Access,
        runs: &[(u64, u64)],
        precedes: &Precedes,
        warns: bool,
        found: &mut Vec<Conflict>,
    ) {
        let mut push = |kind, first: &Partial| {
            found.push(Conflict {
                kind,
                first: first.side,
                second: access.side,
                ordered: false,
                visible: true,
                given_up: false,
                barrier: None,
                layout: None,
                bytes: hull(place.0, runs),
                may: false,
            });
        };
        for granule in edge_granules(runs) {
            for index in self.edges.get(&(place, granule)).into_iter().flatten() {
                let first = &self.writes[*index as usize];
                if first.is_concurrent(access, precedes) && are_disjoint(&first.runs, runs) {
                    push(ConflictKind::FalseSharing, first);
                }
            }
        }
        if !warns {
            return;
        }
        for index in self.latest.get(&place).into_iter().flatten() {
            let first = &self.writes[*index as usize];
            if first.is_concurrent(access, precedes)
                && are_disjoint(&widened(&first.runs), &widened(runs))
            {
                push(ConflictKind::ConcurrentWriters, first);
            }
        }
    }

    /// Enters a partial write. `keeps` what it stands for, for the unfolded comparison.
    pub(super) fn enter(
        &mut self,
        place: SubresourceKey,
        access: &Access,
        runs: Vec<(u64, u64)>,
        keeps: bool,
    ) {
        let index = narrow(self.writes.len());
        for granule in edge_granules(&runs) {
            let edge = self.edges.entry((place, granule)).or_default();
            if !keeps {
                // A later write of the same bytes at the same stages stands for the earlier one.
                edge.retain(|i| {
                    let known = &self.writes[*i as usize];
                    known.side.stages != access.side.stages || known.runs != runs
                });
            }
            if edge.last() != Some(&index) {
                edge.push(index);
            }
        }
        let latest = self.latest.entry(place).or_default();
        if !keeps {
            latest.retain(|i| self.writes[*i as usize].side.stages != access.side.stages);
        }
        latest.push(index);
        self.writes.push(Partial {
            side: access.side,
            position: access.position,
            atomics: access.atomics,
            runs,
        });
    }
}

impl Partial {
    fn is_concurrent(&self, access: &Access, precedes: &Precedes) -> bool {
        let ordered = precedes.contains_all(access.side.stages, self.side.stages, self.position);
        !ordered && self.side.node != access.side.node && !(self.atomics && access.atomics)
    }
}

/// From the first byte of ascending runs to the last one.
pub(super) fn hull(memory: MemoryId, runs: &[(u64, u64)]) -> Option<Extent> {
    let ((start, _), (_, end)) = (*runs.first()?, *runs.last()?);
    Some(Extent { memory, start, end })
}

/// Granules that a run covers in part.
pub(super) fn edge_granules(runs: &[(u64, u64)]) -> Vec<u64> {
    let mut granules = Vec::new();
    for (start, end) in runs {
        if start % GRANULE != 0 {
            granules.push(start / GRANULE);
        }
        if end % GRANULE != 0 {
            granules.push(end / GRANULE);
        }
    }
    granules.sort_unstable();
    granules.dedup();
    granules
}

/// Runs widened to whole granules, ascending and merged.
pub(super) fn widened(runs: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut wide: Vec<(u64, u64)> = Vec::with_capacity(runs.len());
    for (start, end) in runs {
        let run = (
            start / GRANULE * GRANULE,
            end.div_ceil(GRANULE).saturating_mul(GRANULE),
        );
        match wide.last_mut() {
            Some(last) if last.1 >= run.0 => last.1 = last.1.max(run.1),
            _ => wide.push(run),
        }
    }
    wide
}

/// Whether two ascending lists of runs share no byte.
pub(super) fn are_disjoint(a: &[(u64, u64)], b: &[(u64, u64)]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].1 <= b[j].0 {
            i += 1;
        } else if b[j].1 <= a[i].0 {
            j += 1;
        } else {
            return false;
        }
    }
    true
}
