//! The links of a chain, judged together: what of the first use arrives at each, and which link is the one that breaks.
//!
//! Order and visibility are followed apart, each cumulatively: a link waits for (1) itself, or goes on from an earlier
//! link that (1) has reached. At most one link is marked for each: where what had arrived gets lost, or, if nothing
//! arrives anywhere, the link that comes closest to (2). What the chain as a whole asks is for `graph/` to say.

use super::super::names;
use super::chain::{Budget, Link, first_leaves};
use crate::api::{BarrierAccess, BarrierSync, LeafSet};
use crate::graph::{Conflict, ConflictKind};
use crate::id::NodeId;
use crate::order::{self, AdjacentBarriers, JoinedPart, Timeline};
use crate::scenario::{BarrierTarget, geometry};

/// What a link waits for and holds, with the run of adjacent entries that it belongs to (reading R52).
struct Reach {
    waits: LeafSet,
    holds: LeafSet,
    /// Index of the first link of its run.
    run: usize,
}

/// A chain of links.
pub(super) struct Links<'a, 's> {
    timeline: &'a Timeline<'s>,
    conflict: &'a Conflict,
    all: &'a [Link<'s>],
    reach: Vec<Reach>,
    /// Leaves of the first use, and of the second.
    from: LeafSet,
    to: LeafSet,
}

/// What is said of each link, for one effect.
struct Judgement {
    arrives: Vec<bool>,
    broken: Option<(usize, String)>,
}

impl Judgement {
    fn says(&self, at: usize, effect: &str) -> String {
        match &self.broken {
            Some((broken, why)) if *broken == at => format!("✗ {effect}: {why}"),
            Some((broken, _)) if *broken < at => format!("– {effect}: nothing arrives here"),
            _ if self.arrives[at] => format!("✓ {effect}"),
            _ => format!("– {effect}: not from (1)"),
        }
    }
}

impl<'a, 's> Links<'a, 's> {
    pub(super) fn new(
        timeline: &'a Timeline<'s>,
        conflict: &'a Conflict,
        all: &'a [Link<'s>],
        budget: &mut Budget,
    ) -> Self {
        let mut chain = Self {
            timeline,
            conflict,
            all,
            reach: Vec::new(),
            from: first_leaves(timeline, conflict),
            to: conflict.second.stages,
        };
        chain.reach = chain.reaches(budget);
        chain
    }

    /// The text of each link.
    pub(super) fn texts(&self) -> Vec<Vec<String>> {
        let order = self.order();
        let is_access = matches!(
            self.conflict.kind,
            ConflictKind::ReadAfterWrite | ConflictKind::WriteAfterWrite
        );
        let access = is_access.then(|| self.access());
        (0..self.all.len())
            .map(|at| {
                let mut texts = vec![order.says(at, "order")];
                texts.extend(access.as_ref().map(|access| access.says(at, "access")));
                texts
            })
            .collect()
    }

    fn is_first(&self, at: usize) -> bool {
        self.conflict.first.barrier() == Some(self.all[at].id)
    }

    fn is_second(&self, at: usize) -> bool {
        self.conflict.second.barrier() == Some(self.all[at].id)
    }

    /// Reading R52: entries on one subresource with no command between them wait and hold together.
    fn reaches(&self, budget: &mut Budget) -> Vec<Reach> {
        let joined = self.joined(budget).unwrap_or_default();
        let mut reach: Vec<Reach> = Vec::new();
        for (at, link) in self.all.iter().enumerate() {
            let parts = joined.get(at).map_or(&[][..], Vec::as_slice);
            let stages = parts.iter().map(|part| (part.before, part.after));
            let stages = stages.reduce(|a, b| (a.0.union(b.0), a.1.union(b.1)));
            let (waits, holds) = stages.unwrap_or_else(|| {
                let barrier = link.barrier;
                (barrier.sync_before.leaves(), barrier.sync_after.leaves())
            });
            let own = link.barrier.resource();
            let before = (0..at)
                .rfind(|before| self.all[*before].barrier.resource() == own)
                .filter(|_| parts.iter().any(|part| part.extends));
            let run = before.map_or(at, |before| reach[before].run);
            reach.push(Reach { waits, holds, run });
        }
        reach
    }

    /// For each link its joined parts on what the second use touches; `None` beyond the budget, and for links of several
    /// scopes.
    fn joined(&self, budget: &mut Budget) -> Option<Vec<Vec<JoinedPart>>> {
        let timeline = self.timeline;
        let (first, last) = (self.all.first()?.id.node, self.all.last()?.id.node);
        let scope = timeline.submission_of(first);
        if self.all.len() < 2
            || timeline.submission_of(last) != scope
            || !self.all.is_sorted_by_key(|link| link.id)
        {
            return None;
        }
        budget.take(last.0 - timeline.submission(scope).first_node.0 + 1)?;
        let wanted = self.subresources();
        let mut adjacent = AdjacentBarriers::new(timeline);
        adjacent.enter(scope);
        let joined = self.all.iter().map(|link| {
            let mut parts = adjacent.parts(link.id);
            if let Some(wanted) = &wanted
                && link.barrier.resource() == Some(self.conflict.second.resource)
            {
                let meets = |(a, b): &(u32, u32)| wanted.iter().any(|(c, d)| a < d && c < b);
                parts.retain(|part| part.subresources.iter().any(meets));
            }
            parts
        });
        Some(joined.collect())
    }

    /// Subresources that the second side touches; `None` if it is not known.
    fn subresources(&self) -> Option<Vec<(u32, u32)>> {
        let (scenario, second) = (self.timeline.scenario, &self.conflict.second);
        if let Some(id) = second.barrier() {
            let barrier = names::entry(self.timeline, id)?;
            return Some(order::subresources(scenario, barrier));
        }
        let shape = scenario.resource(second.resource).texture()?;
        let used = names::used(self.timeline, second)?;
        let sub = geometry::subresource_box(shape, &used.range).ok()?;
        Some(sub.index_runs(shape))
    }

    /// Whether a link goes on from an earlier one: it waits for leaves that the other holds.
    fn goes_on(&self, from: usize, at: usize) -> bool {
        let (a, b) = (&self.reach[from], &self.reach[at]);
        let is_half = self.all[from].barrier.sync_after.is_split()
            && self.all[at].barrier.sync_before.is_split();
        a.run == b.run || is_half || a.holds.meets(b.waits)
    }

    /// Whether what a link orders is ordered by a later one too. Reading R12: two barriers compose on a common resource,
    /// if one is global, or if the later one waits for everything; otherwise only work between them that the first
    /// holds and the second waits for carries order on.
    fn composes(&self, from: usize, at: usize) -> bool {
        if !self.goes_on(from, at) {
            return false;
        }
        let (a, b) = (&self.all[from], &self.all[at]);
        let is_global = |link: &Link<'_>| matches!(link.barrier.target, BarrierTarget::Global);
        a.barrier.resource() == b.barrier.resource()
            || is_global(a)
            || is_global(b)
            || b.barrier.sync_before == BarrierSync::ALL
            || self.has_work_between(from, at)
    }

    fn has_work_between(&self, from: usize, at: usize) -> bool {
        let shared = self.reach[from].holds.intersection(self.reach[at].waits);
        let (first, last) = (self.all[from].id.node.0, self.all[at].id.node.0);
        let mut nodes = (first + 1..last).map(NodeId);
        nodes.any(|node| {
            self.timeline.command(node).is_some_and(|command| {
                let stages = command
                    .uses
                    .iter()
                    .fold(LeafSet::EMPTY, |sum, used| sum.union(used.stages));
                names::is_work(command) && stages.meets(shared)
            })
        })
    }

    fn order(&self) -> Judgement {
        let mut covered: Vec<LeafSet> = Vec::new();
        let mut arrives: Vec<bool> = Vec::new();
        for at in 0..self.all.len() {
            let earlier = (0..at).filter(|from| self.composes(*from, at));
            let (mut sum, mut any) = (self.from.intersection(self.reach[at].waits), false);
            for from in earlier {
                sum = sum.union(covered[from]);
                any |= arrives[from];
            }
            let all = !self.from.is_empty() && self.from.minus(sum).is_empty();
            arrives.push(self.is_first(at) || any || all);
            covered.push(if arrives[at] { self.from } else { sum });
        }
        let broken = if self.conflict.ordered {
            None
        } else {
            self.broken_order(&arrives, &covered)
        };
        Judgement { arrives, broken }
    }

    fn broken_order(&self, arrives: &[bool], covered: &[LeafSet]) -> Option<(usize, String)> {
        let held = (0..arrives.len())
            .filter(|at| arrives[*at])
            .fold(LeafSet::EMPTY, |sum, at| sum.union(self.reach[at].holds));
        let missing = self.to.minus(held);
        let last = arrives.iter().rposition(|arrives| *arrives);
        let leads = |at: usize| self.is_second(at) || self.reach[at].holds.meets(self.to);
        let from = last.map_or(0, |last| last + 1);
        let next = (from..arrives.len()).find(|at| leads(*at));
        let sync = |at: usize| self.all[at].barrier;
        if let Some(at) =
            next.or((last.is_none() && !arrives.is_empty()).then(|| arrives.len() - 1))
        {
            let before = sync(at).sync_before;
            if before.is_split() {
                return Some((
                    at,
                    "ends a split barrier that does not begin after (1)".into(),
                ));
            }
            let why = match last {
                None => format!(
                    "SyncBefore {before} does not wait for {} of (1)",
                    self.from.minus(covered[at])
                ),
                Some(last) if self.goes_on(last, at) => format!(
                    "barriers order work, not each other: {} holds {}, and no such work is there for SyncBefore \
                     {before} to wait for",
                    self.timeline.barrier_name(self.all[last].id),
                    self.reach[last].holds
                ),
                Some(last) => format!(
                    "SyncBefore {before} waits neither for (1) nor for what {} holds",
                    self.timeline.barrier_name(self.all[last].id)
                ),
            };
            return Some((at, why));
        }
        let last = last?;
        let after = sync(last).sync_after;
        if after.is_split() {
            return Some((
                last,
                "begins a split barrier that does not end before (2)".into(),
            ));
        }
        (!missing.is_empty()).then(|| {
            (
                last,
                format!("SyncAfter {after} does not hold {missing} of (2)"),
            )
        })
    }

    fn access(&self) -> Judgement {
        let write = self.conflict.first.access & BarrierAccess::WRITES;
        let mut arrives: Vec<bool> = Vec::new();
        for at in 0..self.all.len() {
            let own = names(self.all[at].barrier.access_before, write)
                && self.from.minus(self.reach[at].waits).is_empty()
                && !self.from.is_empty();
            let any = (0..at).any(|from| arrives[from] && self.goes_on(from, at));
            arrives.push(self.is_first(at) || own || any);
        }
        let broken = if self.conflict.visible {
            None
        } else {
            self.broken_access(&arrives, write)
        };
        Judgement { arrives, broken }
    }

    fn broken_access(&self, arrives: &[bool], write: BarrierAccess) -> Option<(usize, String)> {
        let barrier = |at: usize| self.all[at].barrier;
        let gives_up = |at: &usize| {
            self.conflict.given_up
                && barrier(*at).access_before.is_no_access()
                && !self.is_first(*at)
        };
        if let Some(at) = (0..arrives.len()).find(gives_up) {
            return Some((at, format!("AccessBefore NO_ACCESS gives up {write}")));
        }
        let wanted = self.conflict.second.access;
        let leads = |at: usize| self.is_second(at) || names(barrier(at).access_after, wanted);
        let last = arrives.iter().rposition(|arrives| *arrives);
        let from = last.map_or(0, |last| last + 1);
        let next = (from..arrives.len()).find(|at| leads(*at));
        if let Some(at) =
            next.or((last.is_none() && !arrives.is_empty()).then(|| arrives.len() - 1))
        {
            return Some((at, self.lacks(at, write)));
        }
        let last = last?;
        let after = barrier(last).access_after;
        let word = if self.conflict.kind == ConflictKind::ReadAfterWrite {
            "read"
        } else {
            "write"
        };
        if !names(after, wanted) {
            return Some((
                last,
                format!("visible to {after} only; this {word} is {wanted}"),
            ));
        }
        let seen = (0..arrives.len())
            .filter(|at| arrives[*at] && names(barrier(*at).access_after, wanted))
            .fold(LeafSet::EMPTY, |sum, at| sum.union(self.reach[at].holds));
        let missing = self.to.minus(seen);
        (!missing.is_empty()).then(|| {
            let after = barrier(last).sync_after;
            (
                last,
                format!("visible at {after} only; this {word} is also at {missing}"),
            )
        })
    }

    /// Why a link does not carry the write.
    fn lacks(&self, at: usize, write: BarrierAccess) -> String {
        let barrier = self.all[at].barrier;
        let before = barrier.access_before;
        if before.is_no_access() {
            format!("AccessBefore NO_ACCESS gives up {write}")
        } else if names(before, write) {
            format!(
                "names {write}, but SyncBefore {} does not wait for {}",
                barrier.sync_before,
                self.from.minus(self.reach[at].waits)
            )
        } else {
            format!("AccessBefore {before} does not name {write}")
        }
    }
}

/// Whether a mask names an access; `COMMON` names every one.
fn names(mask: BarrierAccess, access: BarrierAccess) -> bool {
    mask == BarrierAccess::COMMON || !mask.is_no_access() && mask.contains(access)
}
