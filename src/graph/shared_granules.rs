//! Writers on different queues that no fence orders, of different bytes in one granule (reading R61): either queue's cache
//! may write its line back over the other's bytes. As within one queue (`granules.rs`), only that no byte is shared and
//! nothing orders the two is decided otherwise: by submissions, in the timeline's order.

use super::granules::{SubresourceKey, are_disjoint, edge_granules, hull, widened};
use super::{Conflict, ConflictKind, Evaluation, Side, lone};
use crate::id::{SubmissionId, narrow};
use crate::order::Timeline;
use std::collections::{BTreeMap, BTreeSet};

/// A write of a part of a subresource that several actors touch.
#[derive(Clone, Debug)]
pub(super) struct SharedPart {
    pub(super) submission: SubmissionId,
    pub(super) side: Side,
    pub(super) place: SubresourceKey,
    /// Bytes `(start, end)` in its memory, ascending.
    pub(super) runs: Vec<(u64, u64)>,
    pub(super) atomics: bool,
    /// The rule against concurrent writers of one subresource applies, whatever granules they share (reading R21).
    pub(super) warns: bool,
}

/// Writes of one queue, in order: for each set of runs, the writes of it.
type Writes = BTreeMap<Vec<(u64, u64)>, Vec<u32>>;

/// What one subresource has seen.
#[derive(Default)]
struct Seen {
    /// By granule at an edge and actor.
    edges: BTreeMap<(u64, usize), Writes>,
    /// By actor, atomic writes apart: the latest write of each submission.
    latest: BTreeMap<(usize, bool), Vec<u32>>,
}

/// The pass over all of them.
struct Pass<'a, 's> {
    timeline: &'a Timeline<'s>,
    parts: &'a [SharedPart],
}

/// Finds the pairs among shared partial writes.
pub(super) fn find(timeline: &Timeline<'_>, parts: &[SharedPart], out: &mut Evaluation) {
    let mut order: Vec<u32> = (0..narrow(parts.len())).collect();
    // Nodes are numbered in the timeline's order.
    order.sort_by_key(|at| (parts[*at as usize].place, parts[*at as usize].side.node));
    let pass = Pass { timeline, parts };
    let mut found: Vec<Conflict> = Vec::new();
    for place in order.chunk_by(|a, b| pass.part(*a).place == pass.part(*b).place) {
        let mut seen = Seen::default();
        for command in place.chunk_by(|a, b| pass.part(*a).side.node == pass.part(*b).side.node) {
            for at in command {
                pass.check(*at, &seen, &mut found);
            }
            for at in command {
                pass.enter(*at, &mut seen);
            }
        }
    }
    // One finding per second use and kind; a shared granule says more than none (reading R42).
    let key = |c: &Conflict| (c.second.node, c.second.resource);
    found.sort_by_key(|c| (key(c), c.kind, std::cmp::Reverse(c.first.node)));
    found.dedup_by_key(|c| key(c));
    // A warning says nothing where something worse was found.
    let warned: BTreeSet<_> = found
        .iter()
        .filter(|c| !c.kind.is_hazard())
        .map(key)
        .collect();
    let worse = out.conflicts.iter().filter(|c| c.kind.is_hazard()).map(key);
    let worse: BTreeSet<_> = worse.filter(|at| warned.contains(at)).collect();
    found.retain(|c| c.kind.is_hazard() || !worse.contains(&key(c)));
    out.conflicts.append(&mut found);
}

impl Pass<'_, '_> {
    fn part(&self, at: u32) -> &SharedPart {
        &self.parts[at as usize]
    }

    fn actor(&self, at: u32) -> usize {
        let submission = self.timeline.submission(self.part(at).submission);
        self.timeline.actor_index(submission.actor)
    }

    fn sequence(&self, at: u32) -> u32 {
        let submission = self.part(at).submission;
        self.timeline.submission(submission).sequence
    }

    /// The latest of an actor's writes that nothing orders with a later one of the timeline; both ways, since a wait may
    /// be submitted before its signal.
    fn latest_unordered(&self, writes: &[u32], at: u32, actor: usize) -> Option<u32> {
        let own = self.actor(at);
        let over = self.timeline.clock(self.part(at).submission).over(actor);
        let own_sequence = self.sequence(at);
        let end = writes.partition_point(|first| {
            self.timeline.clock(self.part(*first).submission).over(own) <= own_sequence
        });
        let latest = writes[..end].last().copied();
        latest.filter(|first| self.sequence(*first) >= over)
    }

    fn check(&self, at: u32, seen: &Seen, found: &mut Vec<Conflict>) {
        let (second, own) = (self.part(at), self.actor(at));
        let concerns = |first: u32| !(self.part(first).atomics && second.atomics);
        let mut worst: Option<(ConflictKind, u32)> = None;
        let mut take = |kind, first: u32| {
            let node = |at: u32| std::cmp::Reverse(self.part(at).side.node);
            if worst.is_none_or(|(known, at)| (kind, node(first)) < (known, node(at))) {
                worst = Some((kind, first));
            }
        };
        for granule in edge_granules(&second.runs) {
            let others = seen.edges.range((granule, 0)..=(granule, usize::MAX));
            for ((_, actor), writes) in others.filter(|((_, actor), _)| *actor != own) {
                for (runs, writes) in writes {
                    if are_disjoint(runs, &second.runs)
                        && let Some(first) = self.latest_unordered(writes, at, *actor)
                        && concerns(first)
                    {
                        take(ConflictKind::FalseSharing, first);
                    }
                }
            }
        }
        if second.warns {
            let others = seen.latest.iter();
            for ((actor, _), writes) in others.filter(|((actor, _), _)| *actor != own) {
                if let Some(first) = self.latest_unordered(writes, at, *actor)
                    && concerns(first)
                    && are_disjoint(&widened(&self.part(first).runs), &widened(&second.runs))
                {
                    take(ConflictKind::ConcurrentWriters, first);
                }
            }
        }
        if let Some((kind, first)) = worst {
            found.push(Conflict {
                bytes: hull(second.place.0, &second.runs),
                ..lone(kind, self.part(first).side, second.side)
            });
        }
    }

    fn enter(&self, at: u32, seen: &mut Seen) {
        let (part, actor) = (self.part(at), self.actor(at));
        for granule in edge_granules(&part.runs) {
            let writes = seen.edges.entry((granule, actor)).or_default();
            self.push(at, writes.entry(part.runs.clone()).or_default());
        }
        let latest = seen.latest.entry((actor, part.atomics)).or_default();
        self.push(at, latest);
    }

    /// Keeps the latest of each submission.
    fn push(&self, at: u32, writes: &mut Vec<u32>) {
        match writes.last_mut() {
            Some(last) if self.part(*last).submission == self.part(at).submission => *last = at,
            _ => writes.push(at),
        }
    }
}
