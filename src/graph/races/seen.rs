//! What some bytes have seen of each actor, and which of it counts as over.

use super::super::tree::{Bound, Lazy, Likeness};
use crate::id::NodeId;
use smallvec::SmallVec;

/// A use that was entered. Of one actor, later uses are greater.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Past {
    /// Number of the submission among those of its actor.
    pub(super) sequence: u32,
    pub(super) node: NodeId,
    /// Index of the use.
    pub(super) index: u32,
}

/// Which uses of one kind by one actor count.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Keeps {
    /// The latest.
    Latest,
    /// Every one, because every pair is reported.
    All,
}

/// Uses of one kind by one actor on some bytes, in order.
pub(super) type History = SmallVec<[Past; 1]>;

/// What some bytes have seen of one actor.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Acts {
    pub(super) actor: usize,
    /// Writes and transitions.
    pub(super) writes: History,
    /// Reads that depend on what they read.
    pub(super) reads: History,
}

impl Acts {
    /// The latest use with which a write can race, or a read.
    pub(super) fn latest(&self, writes: bool) -> Option<Past> {
        let read = self.reads.last().filter(|_| writes);
        let both = [self.writes.last(), read].into_iter().flatten();
        both.max_by_key(|past| past.node).copied()
    }
}

/// Submissions of one actor that count as over for another one, because races between the two were reported.
#[derive(Clone, PartialEq, Debug)]
struct Grant {
    /// The actor whose submissions count as over.
    earlier: usize,
    /// Submissions with a smaller number count as over for every use.
    before: u32,
    /// Submissions with a smaller number count as over for every use but those of `node`.
    until: u32,
    /// The node with the latest reported race: its other uses are still compared.
    node: NodeId,
}

/// Grants for one actor.
#[derive(Clone, PartialEq, Debug)]
struct Granted {
    /// The actor for which submissions count as over.
    later: usize,
    /// One for each actor whose submissions do, ascending.
    grants: SmallVec<[Grant; 1]>,
}

/// What the bytes have seen so far.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Seen {
    pub(super) acts: SmallVec<[Acts; 2]>,
    /// By the later actor, ascending.
    granted: SmallVec<[Granted; 2]>,
}

/// A use to be entered.
#[derive(Copy, Clone)]
pub(super) struct Entered {
    pub(super) actor: usize,
    pub(super) past: Past,
    pub(super) writes: bool,
    /// It reads and depends on what it reads.
    pub(super) reads: bool,
}

/// What a use has told so far of the ranges that it was compared with.
#[derive(Clone, Debug)]
pub(super) struct Told {
    /// The actor of the use.
    pub(super) later: usize,
    pub(super) node: NodeId,
    /// It writes, so that earlier reads count.
    pub(super) writes: bool,
    /// The latest uses with which races were told, at most one of each actor.
    pub(super) races: SmallVec<[(usize, Past); 2]>,
}

/// What remains to be done with other ranges.
pub(super) enum Later {
    Enter(Entered),
    /// Races that were told count as told of these ranges as well.
    Tell(Told),
}

impl Told {
    pub(super) fn tell(&mut self, actor: usize, past: Past) {
        match self.races.iter_mut().find(|(known, _)| *known == actor) {
            Some((_, known)) => *known = past,
            None => self.races.push((actor, past)),
        }
    }

    /// Whether a race with this use of an actor was the latest that was told of that actor.
    pub(super) fn has(&self, actor: usize, past: Past) -> bool {
        self.races.contains(&(actor, past))
    }
}

impl Seen {
    pub(super) fn of(&self, actor: usize) -> Option<&Acts> {
        let found = self.acts.binary_search_by_key(&actor, |acts| acts.actor);
        found.ok().map(|at| &self.acts[at])
    }

    fn to(&self, later: usize) -> &[Grant] {
        let found = self.granted.binary_search_by_key(&later, |to| to.later);
        found.map_or(&[], |at| &self.granted[at].grants)
    }

    /// Submissions of `earlier` that count as over for a use at `node` by `later`.
    pub(super) fn granted(&self, later: usize, earlier: usize, node: NodeId) -> u32 {
        let grants = self.to(later);
        let found = grants.binary_search_by_key(&earlier, |grant| grant.earlier);
        match found.map(|at| &grants[at]) {
            Ok(grant) if grant.node == node => grant.before,
            Ok(grant) => grant.before.max(grant.until),
            Err(_) => 0,
        }
    }

    /// Whether a race of the node was reported for an actor.
    pub(super) fn has_granted(&self, later: usize, node: NodeId) -> bool {
        self.to(later).iter().any(|grant| grant.node == node)
    }

    /// As if it had been correct: a fence after the first use's submission (reading R47).
    pub(super) fn take_for_granted(
        &mut self,
        (later, earlier): (usize, usize),
        until: u32,
        node: NodeId,
    ) {
        let found = self.granted.binary_search_by_key(&later, |to| to.later);
        let at = found.unwrap_or_else(|at| {
            let grants = SmallVec::new();
            self.granted.insert(at, Granted { later, grants });
            at
        });
        let grants = &mut self.granted[at].grants;
        match grants.binary_search_by_key(&earlier, |grant| grant.earlier) {
            Ok(at) if grants[at].node == node => grants[at].until = grants[at].until.max(until),
            Ok(at) => {
                let grant = &mut grants[at];
                grant.before = grant.before.max(grant.until);
                (grant.until, grant.node) = (until, node);
            }
            Err(at) => {
                let grant = Grant {
                    earlier,
                    before: 0,
                    until,
                    node,
                };
                grants.insert(at, grant);
            }
        }
    }

    /// Takes the races that were told for granted, where it is these uses that are the latest.
    pub(super) fn tell(&mut self, told: &Told) {
        for (earlier, past) in &told.races {
            let Some(acts) = self.of(*earlier) else {
                continue;
            };
            let granted = self.granted(told.later, *earlier, told.node);
            if acts.latest(told.writes) == Some(*past) && past.sequence >= granted {
                self.take_for_granted((told.later, *earlier), past.sequence + 1, told.node);
            }
        }
    }

    /// All grants, each with the actor that it is for.
    fn grants(&self) -> impl Iterator<Item = (usize, &Grant)> {
        let all = self.granted.iter();
        all.flat_map(|to| to.grants.iter().map(|grant| (to.later, grant)))
    }

    /// Enters a use next to those of its actor that are kept.
    pub(super) fn enter(&mut self, entered: &Entered, keeps: Keeps) {
        let actor = entered.actor;
        let at = self.acts.partition_point(|acts| acts.actor < actor);
        if self.acts.get(at).is_none_or(|acts| acts.actor != actor) {
            let acts = Acts {
                actor,
                ..Acts::default()
            };
            self.acts.insert(at, acts);
        }
        let push = |history: &mut History| match history.last_mut() {
            Some(last) if keeps == Keeps::Latest => *last = entered.past,
            _ => history.push(entered.past),
        };
        let acts = &mut self.acts[at];
        if entered.writes {
            push(&mut acts.writes);
            if keeps == Keeps::Latest {
                // Whatever races with an earlier read of the actor races with this write.
                acts.reads.retain(|read| read.node == entered.past.node);
            }
        }
        if entered.reads {
            push(&mut acts.reads);
        }
        if entered.writes && keeps == Keeps::Latest {
            self.forget_grants(entered);
        }
    }

    /// What counts as over of an actor that has written since is of no use any more.
    fn forget_grants(&mut self, entered: &Entered) {
        for to in &mut self.granted {
            to.grants.retain(|grant| {
                let sequence = entered.past.sequence;
                grant.earlier != entered.actor || grant.before.max(grant.until) > sequence
            });
        }
        self.granted.retain(|to| !to.grants.is_empty());
    }
}

impl Lazy for Seen {
    type Later = Later;

    fn redo(&mut self, later: &Later) {
        match later {
            Later::Enter(entered) => self.enter(entered, Keeps::Latest),
            Later::Tell(told) => self.tell(told),
        }
    }

    fn is_same_slot(first: &Later, second: &Later) -> bool {
        match (first, second) {
            (Later::Enter(one), Later::Enter(two)) => {
                (one.actor, one.writes, one.reads) == (two.actor, two.writes, two.reads)
            }
            (Later::Tell(one), Later::Tell(two)) => one.later == two.later,
            _ => false,
        }
    }

    /// Which uses there were, and which of them count as over, is compared.
    fn likeness(&self, other: &Self) -> Likeness {
        let acts = |seen: &Self| -> SmallVec<[_; 2]> {
            let count = |acts: &Acts| (acts.actor, acts.writes.len(), acts.reads.len());
            seen.acts.iter().map(count).collect()
        };
        let grants = |seen: &Self| -> SmallVec<[_; 2]> {
            let over = |(later, grant): (usize, &Grant)| {
                let acts = seen.of(grant.earlier);
                let latest = acts.map(|acts| [&acts.writes, &acts.reads].map(|h| h.last()));
                let is_over = |past: &Past| past.sequence < grant.before.max(grant.until);
                let over = latest.map(|latest| latest.map(|past| past.is_some_and(is_over)));
                (later, grant.earlier, over)
            };
            seen.grants().map(over).collect()
        };
        if acts(self) == acts(other) && grants(self) == grants(other) {
            Likeness::Full
        } else {
            Likeness::None
        }
    }

    /// Uses and grants alike: those that are later.
    fn widen(&mut self, by: &Self, bound: Bound) {
        for (known, by) in self.acts.iter_mut().zip(&by.acts) {
            let writes = known.writes.iter_mut().zip(&by.writes);
            for (known, by) in writes.chain(known.reads.iter_mut().zip(&by.reads)) {
                *known = bound.of(*known, *by);
            }
        }
        let grants = self.granted.iter_mut().flat_map(|to| &mut to.grants);
        for (known, (_, by)) in grants.zip(by.grants()) {
            known.before = bound.of(known.before, by.before);
            known.until = bound.of(known.until, by.until);
            known.node = bound.of(known.node, by.node);
        }
    }
}
