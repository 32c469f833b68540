//! Comparing an edited copy with the original: which conflicts, errors and warnings does the copy add?
//!
//! Every family that `check` asks is asked of the copy too, and the rules of legacy barriers read it as it is written
//! (reading R74). Where the original has none, any of the copy is new, and what is shown of the copy tells it. Where it has
//! some, an old one may hide a new one (reading R42): then every pair is written out with its bytes, and every error with
//! its subresources.

use super::Given;
use crate::analyze::{fences, names};
use crate::finding::{Finding, Severity};
use crate::graph::{self, Conflict, ConflictKind, Evaluation, Part};
use crate::id::{BarrierRef, ResourceId};
use crate::order::Timeline;
use crate::order::subresources;
use crate::run::asserted;
use crate::run::front::Prepared;
use crate::run::pairs::{self, Pairs};
use crate::scenario::{CommandKind, Scenario, edit};
use crate::validate::{self, RuleSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Who a side of a conflict is: its node, and there a use, or a barrier entry by where it is written. Nodes of an edited copy
/// keep their numbers, entries of a legacy call do not.
type SideKey = (u32, Result<Part, u32>);

/// What makes a conflict the same conflict in an edited copy.
type Key = (ConflictKind, Option<SideKey>, SideKey, ResourceId);

/// What makes something that is wrong the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct WrongKey {
    rule: &'static str,
    /// The first byte of its place.
    start: u32,
    resource: Option<Arc<str>>,
    message: Arc<str>,
    severity: Severity,
}

/// What is wrong apart from conflicts, and how often each was found.
type Wrong = BTreeMap<WrongKey, u32>;

/// What saying an error takes, in steps, beyond so many.
const FINDING_STEPS: u64 = 6;
const TOLD_FREE: u64 = 1_000;

/// What a copy has that the original has not.
pub(in crate::run) struct Added {
    pairs: Pairs<Key>,
    wrong: Wrong,
}

impl Added {
    pub(super) fn is_subset(&self, other: &Self) -> bool {
        self.pairs.is_subset(&other.pairs) && are_known(&self.wrong, &other.wrong)
    }

    /// Rules that are broken at one of some places, apart from hazards: each once. Warnings break none.
    pub(in crate::run) fn broken_at(&self, places: &BTreeSet<u32>) -> BTreeSet<&'static str> {
        let errors = self.wrong.keys().filter(|key| key.severity.fails());
        let broken = errors.filter(|key| places.contains(&key.start));
        broken.map(|key| key.rule).collect()
    }
}

/// Which form of a scenario a copy is one of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(in crate::run) enum Form {
    /// As written, with its legacy barriers.
    Written,
    /// Without them.
    Translated,
}

/// Compares copies with the original, as long as its budget lasts.
pub(in crate::run) struct Comparer {
    rules: RuleSet,
    /// The original has a hazard, or something else that is against the rules.
    has_conflicts: bool,
    /// Pairs of the original.
    known: Pairs<Key>,
    /// What is wrong in the original as written, and without legacy barriers.
    wrong: [Wrong; 2],
    /// There are assertions of accesses, which are judged by copies of their own.
    asserts: bool,
    /// Steps of a folded and of an unfolded evaluation.
    cost: [u64; 2],
    budget: u64,
}

impl Comparer {
    /// One with so many steps to spend; `None` if they are too few for one copy.
    pub(in crate::run) fn new(given: &Given<'_>, budget: u64) -> Option<Self> {
        let (timeline, base, rules) = (given.timeline, given.evaluation, given.rules);
        // Ordering the submissions of many queues may cost more than their commands.
        let order = timeline.submissions.len() as u64 * timeline.actor_count() as u64;
        let told = told_at_most(given);
        let assertions = assertions(timeline.scenario);
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
        let mut it = Self {
            rules,
            has_conflicts,
            known,
            wrong: [Wrong::new(), Wrong::new()],
            asserts: assertions > 0,
            cost,
            budget,
        };
        let others = it.others(timeline);
        let wrong_in = |scenario, has: bool| {
            let findings = if has {
                validate::validate_unfolded(scenario, timeline, rules)
            } else {
                Vec::new()
            };
            wrong(findings.iter().chain(&others))
        };
        let written = wrong_in(given.source, given.legality.iter().any(counts));
        let is_plain = std::ptr::eq(given.source, timeline.scenario);
        let translated = if is_plain {
            written.clone()
        } else {
            wrong_in(timeline.scenario, true)
        };
        it.wrong = [written, translated];
        Some(it)
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
        Some(is_new || !self.new_wrong(&copy, &timeline, form).is_empty())
    }

    /// [`Self::adds`] of a copy that was compared before; `None` beyond the budget, of which it takes what comparing takes.
    pub(super) fn adds_known(&mut self, adds: bool) -> Option<bool> {
        self.spend(self.has_conflicts)?;
        Some(adds)
    }

    /// Everything that a copy of the text as written has anew; `None` beyond the budget.
    pub(super) fn added(&mut self, copy: &Scenario) -> Option<Added> {
        self.spend(true)?;
        Some(self.added_by(copy))
    }

    /// The same, whatever that takes.
    pub(in crate::run) fn added_by(&self, copy: &Scenario) -> Added {
        let copy = Prepared::edited(copy);
        let timeline = copy.timeline();
        Added {
            pairs: pairs_of(&timeline, &evaluate(&timeline, true)).without(&self.known),
            wrong: self.new_wrong(&copy, &timeline, Form::Written),
        }
    }

    /// Whether the budget reaches for one more copy.
    pub(super) fn can_go_on(&self) -> bool {
        self.budget >= self.cost[usize::from(self.has_conflicts)]
    }

    fn spend(&mut self, unfolded: bool) -> Option<()> {
        self.budget = self.budget.checked_sub(self.cost[usize::from(unfolded)])?;
        Some(())
    }

    /// What is wrong in a copy, apart from conflicts, and was not, or more often.
    fn new_wrong(&self, copy: &Prepared<'_>, timeline: &Timeline<'_>, form: Form) -> Wrong {
        let known = &self.wrong[usize::from(form == Form::Translated)];
        let validate = if known.is_empty() {
            validate::validate
        } else {
            validate::validate_unfolded
        };
        let legality = validate(copy.written(), timeline, self.rules);
        let mut wrong = wrong(legality.iter().chain(&self.others(timeline)));
        wrong.retain(|key, times| known.get(key).is_none_or(|known| *times > *known));
        wrong
    }

    /// What `check` finds beyond legality and conflicts.
    fn others(&self, timeline: &Timeline<'_>) -> Vec<Finding> {
        let mut found = fences::findings(timeline);
        if self.asserts {
            let steps = evaluate(timeline, false).steps;
            found.extend(asserted::findings(timeline.scenario, steps));
        }
        found
    }
}

/// Evaluations that judging one assertion of an access may take, about: one for each stage that has the access.
const ASSERTION_EVALUATIONS: u64 = 4;

/// Assertions of accesses in a text.
fn assertions(scenario: &Scenario) -> u64 {
    let commands = scenario.lists.iter().flat_map(|list| &list.commands);
    let asserts = commands.filter(|c| matches!(c.kind, CommandKind::AssertAccess { .. }));
    asserts.count() as u64
}

/// What legality says of the original at most, where it says much: each error of an entry once for each of its ranges.
fn told_at_most(given: &Given<'_>) -> u64 {
    let errors = given.legality.iter().filter(|f| counts(f));
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

/// Whether something is said against a text: advice is not. That an entry which was deleted is an empty group in a copy is
/// not news.
fn counts(finding: &Finding) -> bool {
    finding.severity > Severity::Advice && !validate::is_of_empty_group(finding.rule)
}

/// Errors and warnings. A change that makes another barrier illegal is not free.
fn wrong<'f>(findings: impl Iterator<Item = &'f Finding>) -> Wrong {
    let mut wrong = Wrong::new();
    for f in findings.filter(|f| counts(f)) {
        let key = WrongKey {
            rule: f.rule.id,
            start: f.span.start,
            resource: f.resource.clone(),
            message: f.message.clone(),
            severity: f.severity,
        };
        *wrong.entry(key).or_default() += f.repeats;
    }
    wrong
}

/// Whether errors are all known, and none is found more often.
fn are_known(errors: &Wrong, known: &Wrong) -> bool {
    let mut errors = errors.iter();
    errors.all(|(key, times)| known.get(key).is_some_and(|known| times <= known))
}
