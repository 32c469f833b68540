//! Beats in the making, and their order: by time, and of what happens at once, causes before effects.

use super::{Beat, BeatKind};
use crate::id::{NodeId, OpId, narrow};
use crate::time::Ps;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Beats by number, in no order.
#[derive(Default)]
pub(super) struct Drafts {
    all: Vec<Draft>,
}

/// A beat in the making; its causes are numbers of drafts.
struct Draft {
    at: Ps,
    kind: BeatKind,
    op: Option<OpId>,
    node: NodeId,
    after: SmallVec<[usize; 2]>,
}

/// What comes first of what happens at once, where neither is a cause of the other: ends before beginnings, as in the machine.
fn rank(kind: &BeatKind) -> u8 {
    match kind {
        BeatKind::WriteEnds { .. } => 0,
        BeatKind::Cleaned(_) => 1,
        BeatKind::Dropped(_) => 2,
        BeatKind::Rewritten { .. } => 3,
        BeatKind::Fence { .. } => 4,
        BeatKind::Released { .. } => 5,
        BeatKind::Submitted(_) => 6,
        BeatKind::Starts(_) => 7,
        BeatKind::Reads(_) => 8,
        BeatKind::Held { .. } => 9,
        BeatKind::Hazard { .. } => 10,
        BeatKind::NeverEnds(_) => 11,
        BeatKind::NeverStarts => 12,
    }
}

impl Drafts {
    /// Adds a beat; the answer is its number.
    pub(super) fn add(
        &mut self,
        at: Ps,
        kind: BeatKind,
        (op, node): (Option<OpId>, NodeId),
        after: impl IntoIterator<Item = usize>,
    ) -> usize {
        let mut causes: SmallVec<[usize; 2]> = SmallVec::new();
        for cause in after {
            // What overlaps is no cause: a barrier may hold work that came before what it waits for has begun.
            if self.all[cause].at <= at && !causes.contains(&cause) {
                causes.push(cause);
            }
        }
        self.all.push(Draft {
            at,
            kind,
            op,
            node,
            after: causes,
        });
        self.all.len() - 1
    }

    /// Notes one more cause of a beat, unless it is later.
    pub(super) fn add_cause(&mut self, effect: usize, cause: usize) {
        let is_known = self.all[effect].after.contains(&cause);
        if effect != cause && !is_known && self.all[cause].at <= self.all[effect].at {
            self.all[effect].after.push(cause);
        }
    }

    /// The beats of each command so far, in order of time; of what happens at once, in their usual order.
    pub(super) fn by_node(&self) -> BTreeMap<NodeId, Vec<usize>> {
        let mut all: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
        for (number, draft) in self.all.iter().enumerate() {
            if !matches!(draft.kind, BeatKind::Submitted(_)) {
                all.entry(draft.node).or_default().push(number);
            }
        }
        for own in all.values_mut() {
            own.sort_by_key(|d| (self.all[*d].at, rank(&self.all[*d].kind), *d));
        }
        all
    }

    /// When a beat is.
    pub(super) fn at(&self, draft: usize) -> Ps {
        self.all[draft].at
    }

    /// All beats, in order. What has no order of its own keeps the order in which it was added.
    pub(super) fn in_order(self) -> Vec<Beat> {
        let mut order: Vec<usize> = (0..self.all.len()).collect();
        order.sort_by_key(|at| (self.all[*at].at, rank(&self.all[*at].kind), *at));
        let mut sorted = Vec::with_capacity(order.len());
        for group in order.chunk_by(|a, b| self.all[*a].at == self.all[*b].at) {
            self.at_once(group, &mut sorted);
        }
        let mut place = vec![0; self.all.len()];
        for (new, old) in sorted.iter().enumerate() {
            place[*old] = new;
        }
        let mut drafts: Vec<Option<Draft>> = self.all.into_iter().map(Some).collect();
        let beat = |old: &usize| {
            let draft = drafts[*old].take()?;
            let mut after: SmallVec<[u32; 2]> =
                draft.after.iter().map(|d| narrow(place[*d])).collect();
            after.sort_unstable();
            Some(Beat {
                at: draft.at,
                kind: draft.kind,
                op: draft.op,
                node: draft.node,
                after,
                moments: 0,
            })
        };
        sorted.iter().filter_map(beat).collect()
    }

    /// What happens at one time: always the first of those whose causes have been told.
    fn at_once(&self, group: &[usize], sorted: &mut Vec<usize>) {
        let at = |draft: usize| {
            let key = |d: usize| (self.all[d].at, rank(&self.all[d].kind), d);
            group.binary_search_by_key(&key(draft), |d| key(*d)).ok()
        };
        let mut effects: Vec<SmallVec<[usize; 2]>> = vec![SmallVec::new(); group.len()];
        let mut open = vec![0_usize; group.len()];
        for (place, draft) in group.iter().enumerate() {
            for cause in self.all[*draft].after.iter().filter_map(|d| at(*d)) {
                effects[cause].push(place);
                open[place] += 1;
            }
        }
        let ready = (0..group.len()).filter(|place| open[*place] == 0);
        let mut ready: BinaryHeap<Reverse<usize>> = ready.map(Reverse).collect();
        let before = sorted.len();
        while let Some(Reverse(place)) = ready.pop() {
            sorted.push(group[place]);
            for effect in &effects[place] {
                open[*effect] -= 1;
                if open[*effect] == 0 {
                    ready.push(Reverse(*effect));
                }
            }
        }
        // No beat is its own cause. If one were, the rest would come in the usual order: no run is worth less for it.
        debug_assert_eq!(
            sorted.len() - before,
            group.len(),
            "a beat is its own cause"
        );
        if sorted.len() - before < group.len() {
            let rest = (0..group.len()).filter(|place| open[*place] > 0);
            sorted.extend(rest.map(|place| group[place]));
        }
    }
}
