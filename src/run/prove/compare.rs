//! Comparing an edited copy with the original: which conflicts and errors does the copy add?
//!
//! Where the original has none, any of the copy is new, and what is shown of the copy tells it. Where it has some, an old
//! one may hide a new one (reading R42): then every pair is written out with its bytes, and every error with its
//! subresources.

use super::Given;
use crate::finding::Finding;
use crate::graph::{self, Conflict, ConflictKind, Evaluation, Part};
use crate::id::ResourceId;
use crate::order::Timeline;
use crate::order::subresources;
use crate::run::front::Prepared;
use crate::run::pairs::{self, Pairs};
use crate::scenario::Scenario;
use crate::validate::{self, RuleSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What makes a conflict the same conflict in an edited copy, whose nodes keep their numbers.
type Key = (ConflictKind, Option<(u32, Part)>, u32, Part, ResourceId);

/// What makes an error of legality the same error: its rule, place, resource and message.
type WrongKey = (&'static str, u32, Option<Arc<str>>, Arc<str>);

/// Errors of legality, and how often each was found.
type Wrong = BTreeMap<WrongKey, u32>;

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
        self.pairs.is_subset(&other.pairs) && are_known(&self.wrong, &other.wrong)
    }
}

/// Compares copies with the original, as long as its budget lasts.
pub(super) struct Comparer {
    rules: RuleSet,
    /// The original has a hazard, or something else that is against the rules.
    has_conflicts: bool,
    /// Pairs of the original.
    known: Pairs<Key>,
    /// Errors of the original without and with legacy barriers.
    wrong: [Wrong; 2],
    /// Steps of a folded and of an unfolded evaluation.
    cost: [u64; 2],
    budget: u64,
}

impl Comparer {
    /// One with so many steps to spend; `None` if they are too few for one copy.
    pub(super) fn new(given: &Given<'_>, budget: u64) -> Option<Self> {
        let (timeline, base, rules) = (given.timeline, given.evaluation, given.rules);
        // Ordering the submissions of many queues may cost more than their commands.
        let order = timeline.submissions.len() as u64 * timeline.actor_count() as u64;
        let told = told_at_most(given);
        let folded = (base.work() + order / 16 + told * FINDING_STEPS).max(1) * 3;
        if folded > budget {
            return None;
        }
        let cost = [folded, folded + pairs::most(timeline)];
        let has_conflicts = base.conflicts.iter().any(|c| c.kind.is_wrong());
        if cost[usize::from(has_conflicts)] > budget {
            return None;
        }
        let errors_of = |scenario| errors(&validate::validate_unfolded(scenario, timeline, rules));
        let own = if given.legality.iter().any(|f| f.severity.fails()) {
            errors_of(given.source)
        } else {
            Wrong::new()
        };
        let is_plain = std::ptr::eq(given.source, timeline.scenario);
        let plain = if is_plain {
            own.clone()
        } else {
            errors_of(timeline.scenario)
        };
        let known = if has_conflicts {
            pairs_of(&evaluate(timeline, true))
        } else {
            Pairs::new([])
        };
        Some(Self {
            rules,
            has_conflicts,
            known,
            wrong: [plain, own],
            cost,
            budget,
        })
    }

    /// Whether the original has a hazard, or something else that is against the rules.
    pub(super) fn has_conflicts(&self) -> bool {
        self.has_conflicts
    }

    /// Whether a copy without legacy barriers has anything new; `None` beyond the budget.
    pub(super) fn adds(&mut self, copy: &Scenario) -> Option<bool> {
        self.spend(self.has_conflicts)?;
        let copy = Prepared::edited(copy);
        let timeline = copy.timeline();
        let is_new = self.has_new_pairs(&timeline);
        Some(is_new || !self.new_errors(&copy, &timeline).is_empty())
    }

    /// [`Self::adds`] of a copy that was compared before; `None` beyond the budget, of which it takes what comparing takes.
    pub(super) fn adds_known(&mut self, adds: bool) -> Option<bool> {
        self.spend(self.has_conflicts)?;
        Some(adds)
    }

    /// Everything that a copy has anew; `None` beyond the budget.
    pub(super) fn added(&mut self, copy: &Scenario) -> Option<Added> {
        self.spend(true)?;
        let copy = Prepared::edited(copy);
        let timeline = copy.timeline();
        Some(Added {
            pairs: pairs_of(&evaluate(&timeline, true)).without(&self.known),
            wrong: self.new_errors(&copy, &timeline),
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

    fn has_new_pairs(&self, timeline: &Timeline<'_>) -> bool {
        let pairs = pairs_of(&evaluate(timeline, self.has_conflicts));
        !pairs.is_subset(&self.known)
    }

    fn new_errors(&self, copy: &Prepared<'_>, timeline: &Timeline<'_>) -> Wrong {
        let is_plain = std::ptr::eq(copy.plain(), copy.written());
        let known = &self.wrong[usize::from(!is_plain)];
        let validate = if known.is_empty() {
            validate::validate
        } else {
            validate::validate_unfolded
        };
        let mut errors = errors(&validate(copy.written(), timeline, self.rules));
        errors.retain(|key, times| known.get(key).is_none_or(|known| *times > *known));
        errors
    }
}

/// What legality says of the original at most, where it says much: each error of an entry once for each of its ranges.
fn told_at_most(given: &Given<'_>) -> u64 {
    let errors = given.legality.iter().filter(|f| f.severity.fails());
    let errors: u64 = errors.map(|f| u64::from(f.repeats) + 1).sum();
    if errors == 0 {
        return 0;
    }
    let scenario = given.timeline.scenario;
    let commands = scenario.lists.iter().flat_map(|list| &list.commands);
    let barriers = commands.flat_map(|command| command.kind.barriers());
    let ranges = barriers.map(|barrier| subresources(scenario, barrier).len() as u64);
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

fn pairs_of(evaluation: &Evaluation) -> Pairs<Key> {
    let key = |c: &Conflict| {
        // A read of undefined contents is the same, whoever dropped them last.
        let has_first = c.kind != ConflictKind::UndefinedContents;
        let first = has_first.then_some((c.first.node.0, c.first.part));
        let (second, resource) = (c.second.node.0, c.second.resource);
        ((c.kind, first, second, c.second.part, resource), c.bytes)
    };
    // Writers that share no granule are only a warning, and against the rules all the same: no change may lead there.
    let wrong = evaluation.conflicts.iter().filter(|c| c.kind.is_wrong());
    Pairs::new(wrong.map(key))
}

/// Errors of legality. A change that makes another barrier illegal is not free.
fn errors(findings: &[Finding]) -> Wrong {
    let mut wrong = Wrong::new();
    for f in findings.iter().filter(|f| f.severity.fails()) {
        let key = (
            f.rule.id,
            f.span.start,
            f.resource.clone(),
            f.message.clone(),
        );
        *wrong.entry(key).or_default() += f.repeats;
    }
    wrong
}

/// Whether errors are all known, and none is found more often.
fn are_known(errors: &Wrong, known: &Wrong) -> bool {
    let mut errors = errors.iter();
    errors.all(|(key, times)| known.get(key).is_some_and(|known| times <= known))
}
