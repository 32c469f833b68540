//! Comparing an edited copy with the original: which conflicts, errors and warnings does the copy add?
//!
//! Where the original has no conflict, any of the copy is new, and what is shown of the copy tells it. Where it has some, an
//! old one may hide a new one (reading R42): then every pair is written out with its bytes. What else is wrong is compared in
//! `judge.rs`.

use super::Given;
use super::judge::{self, Form, Judge, Wrong};
use crate::analyze::names;
use crate::graph::{self, Conflict, ConflictKind, Evaluation, Part};
use crate::id::{BarrierRef, ResourceId};
use crate::order::Timeline;
use crate::order::subresources;
use crate::pipeline::asserted;
use crate::pipeline::front::Prepared;
use crate::pipeline::pairs::{self, Pairs};
use crate::scenario::{Scenario, edit};

/// Who a side of a conflict is: its node, and there a use, or a barrier entry by where it is written. Nodes of an edited copy
/// keep their numbers, entries of a legacy call do not.
type SideKey = (u32, Result<Part, u32>);

/// What makes a conflict the same conflict in an edited copy.
type Key = (ConflictKind, Option<SideKey>, SideKey, ResourceId);

/// What saying an error takes, in steps, beyond so many.
const FINDING_STEPS: u64 = 6;
const TOLD_FREE: u64 = 1_000;

/// What a copy has that the original has not.
pub(super) struct Added {
    pairs: Pairs<Key>,
    wrong: Wrong,
}

impl Added {
    pub(super) fn is_subset(&self, other: &Self) -> bool {
        self.pairs.is_subset(&other.pairs) && judge::are_known(&self.wrong, &other.wrong)
    }
}

/// Compares copies with the original, as long as its budget lasts.
pub(super) struct Comparer {
    judge: Judge,
    /// The original has a hazard, or something else that is against the rules.
    has_conflicts: bool,
    /// Pairs of the original.
    known: Pairs<Key>,
    /// Steps of a folded and of an unfolded evaluation.
    cost: [u64; 2],
    budget: u64,
}

impl Comparer {
    /// One with so many steps to spend; `None` if they are too few for one copy.
    pub(super) fn new(given: &Given<'_>, budget: u64) -> Option<Self> {
        let (timeline, base) = (given.timeline, given.evaluation);
        // Ordering the submissions of many queues may cost more than their commands.
        let order = timeline.submissions.len() as u64 * timeline.actor_count() as u64;
        let told = told_at_most(given);
        let assertions = asserted::count(timeline.scenario);
        let folded = (base.work() + order / 16 + told * FINDING_STEPS).max(1);
        let folded = folded * (3 + assertions * ASSERTION_EVALUATIONS);
        if folded > budget {
            return None;
        }
        let cost = [folded, folded + pairs::most(timeline)];
        let has_conflicts = base.conflicts.iter().any(|c| c.kind.is_wrong());
        if cost[usize::from(has_conflicts)] > budget {
            return None;
        }
        let known = if has_conflicts {
            pairs_of(timeline, &evaluate(timeline, true))
        } else {
            Pairs::new([])
        };
        Some(Self {
            judge: Judge::new(given),
            has_conflicts,
            known,
            cost,
            budget,
        })
    }

    /// Whether the original has a hazard, or something else that is against the rules.
    pub(super) fn has_conflicts(&self) -> bool {
        self.has_conflicts
    }

    /// Whether a copy has anything new; `None` beyond the budget.
    pub(super) fn adds(&mut self, copy: &Scenario, form: Form) -> Option<bool> {
        self.spend(self.has_conflicts)?;
        let copy = Prepared::edited(copy);
        let timeline = copy.timeline();
        let pairs = pairs_of(&timeline, &evaluate(&timeline, self.has_conflicts));
        let is_new = !pairs.is_subset(&self.known);
        Some(is_new || !self.judge.new_wrong(&copy, &timeline, form).is_empty())
    }

    /// [`Self::adds`] of a copy that was compared before; `None` beyond the budget, of which it takes what comparing takes.
    pub(super) fn adds_known(&mut self, adds: bool) -> Option<bool> {
        self.spend(self.has_conflicts)?;
        Some(adds)
    }

    /// Everything that a copy of the text as written has anew; `None` beyond the budget.
    pub(super) fn added(&mut self, copy: &Scenario) -> Option<Added> {
        self.spend(true)?;
        let copy = Prepared::edited(copy);
        let timeline = copy.timeline();
        Some(Added {
            pairs: pairs_of(&timeline, &evaluate(&timeline, true)).without(&self.known),
            wrong: self.judge.new_wrong(&copy, &timeline, Form::Written),
        })
    }

    /// Whether the budget reaches for one more copy.
    pub(super) fn can_go_on(&self) -> bool {
        self.budget >= self.cost[usize::from(self.has_conflicts)]
    }

    fn spend(&mut self, unfolded: bool) -> Option<()> {
        self.budget = self.budget.checked_sub(self.cost[usize::from(unfolded)])?;
        Some(())
    }
}

/// Evaluations that judging one assertion of an access may take, about: one for each stage that has the access.
const ASSERTION_EVALUATIONS: u64 = 4;

/// What legality says of the original at most, where it says much: each error of an entry once for each of its ranges.
fn told_at_most(given: &Given<'_>) -> u64 {
    let errors = given.legality.iter().filter(|f| judge::counts(f));
    let errors: u64 = errors.map(|f| u64::from(f.repeats) + 1).sum();
    if errors == 0 {
        return 0;
    }
    let scenario = given.timeline.scenario;
    let barriers = edit::barriers(scenario);
    let ranges = barriers.map(|(_, barrier)| subresources(scenario, barrier).len() as u64);
    let told = errors.saturating_mul(ranges.max().unwrap_or(1));
    told.saturating_sub(TOLD_FREE)
}

/// Evaluates a timeline: every pair, or only whether there is one.
fn evaluate(timeline: &Timeline<'_>, unfolded: bool) -> Evaluation {
    let options = graph::Request {
        unfolded,
        until_conflict: !unfolded,
        ..graph::Request::default()
    };
    graph::evaluate(timeline, options)
}

fn pairs_of(timeline: &Timeline<'_>, evaluation: &Evaluation) -> Pairs<Key> {
    let side = |side: &graph::Side| {
        let entry = |entry| {
            let node = side.node;
            names::entry(timeline, BarrierRef { node, entry }).map(|barrier| barrier.span.start)
        };
        let place = side.part.entry().and_then(entry);
        (side.node.0, place.map_or(Ok(side.part), Err))
    };
    let key = |c: &Conflict| {
        // A read of undefined contents is the same, whoever dropped them last.
        let has_first = c.kind != ConflictKind::UndefinedContents;
        let first = has_first.then(|| side(&c.first));
        ((c.kind, first, side(&c.second), c.second.resource), c.bytes)
    };
    // Writers that share no granule are only a warning, and against the rules all the same: no change may lead there.
    let wrong = evaluation.conflicts.iter().filter(|c| c.kind.is_wrong());
    Pairs::new(wrong.map(key))
}
