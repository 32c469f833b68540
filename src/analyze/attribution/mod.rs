//! Which finding let each wrong read of a run happen.
//!
//! A read is wrong because a link between two accesses of its bytes did not hold: between the write that it needed and
//! itself, between itself and a later write that it saw, or between two writes of which the wrong one stayed. Barriers on
//! those bytes are places of such a chain, so that a link may end at one: at its layout operation, whose order with the
//! use before or after nobody asked for. A hazard explains a wrong read if its pair is a link of that read's chain; a
//! missing operation if its barrier is a place of the chain.
//!
//! * This file asks for each wrong read, and keeps the answers by finding.
//! * `chain.rs` says how near a pair or a barrier comes to being the link that broke.
//!
//! Nothing here decides what a hazard is. A wrong read that no finding explains is a fault of a rule or of the machine:
//! [`Attribution::unexplained`] lists those.

mod chain;

use super::names;
use crate::ensure::Shortfall;
use crate::graph::{Conflict, Evaluation, Side};
use crate::id::{Extent, NodeId, SubmissionId, Table};
use crate::order::Timeline;
use crate::scenario::{Range, StatementKind};
use crate::trace::{Observation, ObservationKind, Trace, WrongPart};
use chain::{Chain, Rank};
use smallvec::SmallVec;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;

/// Pairs that one piece of a read is compared with: the latest before the read.
const CANDIDATES_MAX: usize = 1 << 12;
/// Comparisons of one run; what is left then is explained by direct pairs only.
const COMPARISONS_MAX: u64 = 1 << 26;

/// What explains a wrong read.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Cause {
    /// A pair of [`Evaluation::conflicts`], by its index.
    Conflict(usize),
    /// A missing operation, by its index in the list that was given.
    Missing(usize),
    /// A reset dropped the work of this node.
    Reset(NodeId),
}

/// What explains the wrong reads of a run.
#[derive(Clone, Debug, Default)]
pub struct Attribution<'a> {
    observations: &'a [Observation],
    /// Causes of each observation.
    causes: Vec<SmallVec<[Cause; 1]>>,
    /// The first wrong read that each cause explains.
    first: BTreeMap<Cause, usize>,
}

impl<'a> Attribution<'a> {
    /// Asks for each wrong read of a trace which pairs and missing operations let it happen.
    pub fn new(
        timeline: &Timeline<'_>,
        evaluation: &Evaluation,
        missing: &[Shortfall],
        trace: &'a Trace,
    ) -> Self {
        let mut attribution = Self {
            observations: &trace.observations,
            causes: vec![SmallVec::new(); trace.observations.len()],
            first: BTreeMap::new(),
        };
        if trace.observations.is_empty() {
            return attribution;
        }
        let judge = Judge::new(timeline, &evaluation.conflicts, missing);
        for part in &trace.wrong_parts {
            let index = part.observation as usize;
            let found = judge.explain(&trace.observations[index], part);
            let known = &mut attribution.causes[index];
            for cause in found {
                if !known.contains(&cause) {
                    known.push(cause);
                }
            }
        }
        for (index, causes) in attribution.causes.iter().enumerate() {
            for cause in causes {
                attribution.first.entry(*cause).or_insert(index);
            }
        }
        attribution
    }

    /// What explains a wrong read, by its index in [`Trace::observations`].
    pub fn causes(&self, observation: usize) -> &[Cause] {
        &self.causes[observation]
    }

    /// The first wrong read that a cause explains.
    pub fn shown_by(&self, cause: Cause) -> Option<&'a Observation> {
        self.first
            .get(&cause)
            .map(|index| &self.observations[*index])
    }

    /// Wrong reads that nothing explains.
    pub fn unexplained(&self) -> impl Iterator<Item = &'a Observation> + '_ {
        let reads = self.observations.iter().zip(&self.causes);
        reads
            .filter(|(_, causes)| causes.is_empty())
            .map(|(read, _)| read)
    }
}

/// A place in the order of evaluation.
type EvaluationPlace = (u32, u32);

/// Where everything is that may explain a read.
struct Judge<'a, 's> {
    timeline: &'a Timeline<'s>,
    conflicts: &'a [Conflict],
    missing: &'a [Shortfall],
    /// Place of each submission in the order of evaluation.
    ranks: Table<SubmissionId, u32>,
    /// Conflicts of ordered uses by the place of the second.
    by_second: Vec<(EvaluationPlace, u32)>,
    /// Races and writers of one granule, by either node.
    by_node: BTreeMap<NodeId, Vec<u32>>,
    /// Missing operations by the place of their barriers.
    barriers: Vec<(EvaluationPlace, u32)>,
    comparisons: Cell<u64>,
    /// What is asked of the sides of a conflict again and again, once it was asked.
    facts: Vec<OnceCell<Box<[Facts; 2]>>>,
}

/// A conflict with what is known of its sides.
#[derive(Copy, Clone)]
struct Pair<'j> {
    conflict: &'j Conflict,
    first: Sided<'j>,
    second: Sided<'j>,
}

/// One side of a conflict.
#[derive(Copy, Clone)]
struct Sided<'j> {
    side: &'j Side,
    facts: &'j Facts,
}

/// Where a side is in the order of evaluation, and which bytes it touches.
struct Facts {
    place: EvaluationPlace,
    /// From the first to the last of its bytes, and whether it touches all between; nothing where they are in several
    /// blocks of memory.
    hull: Option<(Extent, bool)>,
}

impl Facts {
    fn new(judge: &Judge<'_, '_>, side: &Side) -> Self {
        let own = extents(judge.timeline, side);
        let hull = own.first().map(|first| {
            let whole = own.iter().fold(*first, |whole, extent| {
                whole.at(whole.start.min(extent.start), whole.end.max(extent.end))
            });
            (whole, own.len() == 1)
        });
        let is_one_block = own.windows(2).all(|pair| pair[0].memory == pair[1].memory);
        Self {
            place: judge.place(side.node),
            hull: hull.filter(|_| is_one_block),
        }
    }
}

impl Sided<'_> {
    /// Whether the side touches some bytes.
    fn meets(self, timeline: &Timeline<'_>, bytes: Extent) -> bool {
        if let Some((hull, is_all)) = self.facts.hull {
            let meets = hull.intersection(bytes).is_some();
            if !meets || is_all {
                return meets;
            }
        }
        let own = extents(timeline, self.side);
        own.iter()
            .any(|extent| extent.intersection(bytes).is_some())
    }
}

impl<'a, 's> Judge<'a, 's> {
    fn new(
        timeline: &'a Timeline<'s>,
        conflicts: &'a [Conflict],
        missing: &'a [Shortfall],
    ) -> Self {
        let mut ranks = Table::filled(timeline.submissions.len(), 0);
        for (rank, id) in timeline.evaluation.iter().enumerate() {
            ranks[id] = crate::id::narrow(rank);
        }
        let mut judge = Self {
            timeline,
            conflicts,
            missing,
            ranks,
            by_second: Vec::new(),
            by_node: BTreeMap::new(),
            barriers: Vec::new(),
            comparisons: Cell::new(0),
            facts: Vec::new(),
        };
        judge.facts.resize_with(conflicts.len(), OnceCell::new);
        for (index, conflict) in conflicts.iter().enumerate() {
            let index = crate::id::narrow(index);
            if chain::is_concurrent(conflict.kind) {
                for node in [conflict.first.node, conflict.second.node] {
                    judge.by_node.entry(node).or_default().push(index);
                }
            } else {
                judge
                    .by_second
                    .push((judge.place(conflict.second.node), index));
            }
        }
        judge.by_second.sort_unstable();
        for (index, shortfall) in missing.iter().enumerate() {
            let place = judge.place(shortfall.barrier.node);
            judge.barriers.push((place, crate::id::narrow(index)));
        }
        judge.barriers.sort_unstable();
        judge
    }

    fn place(&self, node: NodeId) -> EvaluationPlace {
        (self.ranks[self.timeline.submission_of(node)], node.0)
    }

    /// What explains some bytes of a wrong read: what comes nearest to being the link that broke.
    fn explain(&self, read: &Observation, part: &WrongPart) -> SmallVec<[Cause; 2]> {
        if let Some(node) = part.expected.filter(|node| self.is_dropped(*node)) {
            return SmallVec::from_slice(&[Cause::Reset(node)]);
        }
        let chain = Chain::new(self, read, part);
        let mut best = Rank::FAR;
        let mut found: SmallVec<[Cause; 2]> = SmallVec::new();
        let mut take = |rank: Option<Rank>, cause: Cause| {
            if let Some(rank) = rank {
                if rank < best {
                    best = rank;
                    found.clear();
                }
                if rank == best && !found.contains(&cause) {
                    found.push(cause);
                }
            }
        };
        let (from, until) = chain.range();
        let start = self.by_second.partition_point(|(place, _)| *place < from);
        let end = self.by_second.partition_point(|(place, _)| *place <= until);
        let start = start.max(end.saturating_sub(CANDIDATES_MAX));
        let near = self.by_second[start..end].iter().map(|(_, index)| *index);
        let ends = [Some(read.node), part.saw, part.expected];
        let own = ends.into_iter().flatten();
        let own = own.filter_map(|node| self.by_node.get(&node)).flatten();
        let candidates: SmallVec<[u32; 8]> = near.chain(own.copied()).collect();
        let compared = self.comparisons.get() + candidates.len() as u64;
        self.comparisons.set(compared);
        let is_spent = compared > COMPARISONS_MAX;
        for index in candidates {
            let index = index as usize;
            if is_spent && self.conflicts[index].second.node != read.node {
                continue;
            }
            take(chain.rank(self.pair(index)), Cause::Conflict(index));
        }
        let start = self.barriers.partition_point(|(place, _)| *place < from);
        let end = self.barriers.partition_point(|(place, _)| *place <= until);
        let start = start.max(end.saturating_sub(CANDIDATES_MAX));
        for (_, index) in &self.barriers[start..end] {
            let index = *index as usize;
            take(
                chain.rank_of_missing(&self.missing[index]),
                Cause::Missing(index),
            );
        }
        found
    }

    /// A conflict by its index.
    fn pair(&self, index: usize) -> Pair<'_> {
        let conflict = &self.conflicts[index];
        let facts = self.facts[index].get_or_init(|| {
            let sides = [&conflict.first, &conflict.second];
            Box::new(sides.map(|side| Facts::new(self, side)))
        });
        let [first, second] = &**facts;
        Pair {
            conflict,
            first: Sided {
                side: &conflict.first,
                facts: first,
            },
            second: Sided {
                side: &conflict.second,
                facts: second,
            },
        }
    }

    /// Whether a reset drops what a node does.
    fn is_dropped(&self, node: NodeId) -> bool {
        let id = self.timeline.submission_of(node);
        let mut resets = self.timeline.resets.iter();
        resets.any(|reset| reset.dropped.binary_search(&id).is_ok())
    }

    fn submission(&self, node: NodeId) -> SubmissionId {
        self.timeline.submission_of(node)
    }
}

/// The bytes of one side of a pair.
pub fn extents(timeline: &Timeline<'_>, side: &Side) -> SmallVec<[Extent; 2]> {
    let mut extents = SmallVec::new();
    let scenario = timeline.scenario;
    if let Some(barrier) = side.barrier().and_then(|id| names::entry(timeline, id)) {
        let memory = &timeline.memory;
        memory.for_each_barrier_extent(scenario, barrier, |e| extents.push(e));
        return extents;
    }
    let submission = timeline.submission(timeline.submission_of(side.node));
    let range = match (names::used(timeline, side), &submission.statement.kind) {
        (Some(used), _) => &used.range,
        (None, StatementKind::CpuWrite { range, .. } | StatementKind::CpuRead { range, .. }) => {
            range
        }
        (None, _) => &Range::All,
    };
    let memory = &timeline.memory;
    memory.for_each_extent(scenario, side.resource, range, |e| extents.push(e));
    extents
}

/// Takes those reads out of a trace that the machine counts as early, but that need not have seen the write: the write
/// comes later in the text, and no fence orders the two. The machine knows only in which order it issued them (reading R42).
pub fn acquit(timeline: &Timeline<'_>, evaluation: &Evaluation, trace: &mut Trace) {
    let races = || evaluation.conflicts.iter().filter(|c| c.kind.is_race());
    if trace.observations.is_empty() || races().next().is_none() {
        return;
    }
    let kept = {
        let attribution = Attribution::new(timeline, evaluation, &[], trace);
        let mut kept = vec![true; trace.observations.len()];
        for (index, read) in trace.observations.iter().enumerate() {
            let causes = attribution.causes(index).iter();
            let mut causes = causes.map(|cause| match cause {
                Cause::Conflict(index) => evaluation.conflicts[*index].kind.is_race(),
                Cause::Missing(_) | Cause::Reset(_) => false,
            });
            kept[index] = read.kind != ObservationKind::Early || !causes.all(|is_race| is_race);
        }
        for part in &trace.wrong_parts {
            let index = part.observation as usize;
            let reader = trace.observations[index].node;
            let later = |write: NodeId| write > reader && is_unordered(timeline, write, reader);
            let saw_it = part.saw.is_some_and(later);
            kept[index] |= saw_it || !part.expected.is_some_and(later);
        }
        kept
    };
    let mut names = vec![None; kept.len()];
    let left = names.iter_mut().zip(&kept).filter(|(_, kept)| **kept);
    for (next, (name, _)) in (0..).zip(left) {
        *name = Some(next);
    }
    let gone = kept.iter().filter(|kept| !**kept).count() as u64;
    trace.totals.bad_reads = trace.totals.bad_reads.saturating_sub(gone);
    let mut all = kept.iter();
    trace.observations.retain(|_| all.next() == Some(&true));
    trace.wrong_parts.retain_mut(|part| {
        let name = names[part.observation as usize];
        part.observation = name.unwrap_or_default();
        name.is_some()
    });
}

/// Whether no fence orders two nodes.
fn is_unordered(timeline: &Timeline<'_>, first: NodeId, second: NodeId) -> bool {
    let (first, second) = (
        timeline.submission_of(first),
        timeline.submission_of(second),
    );
    first != second
        && !timeline.happens_before(first, second)
        && !timeline.happens_before(second, first)
}
