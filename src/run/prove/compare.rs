//! Comparing an edited copy with the original: which conflicts and errors does the copy add?
//!
//! Where the original has no conflict, any conflict of the copy is new, and the folded evaluation shows one if there is
//! one. Where it has some, an old pair may hide a new one (reading R42): then every pair is written out.

use super::Given;
use crate::finding::Finding;
use crate::graph::{self, Conflict, ConflictKind, Evaluation, Part};
use crate::id::ResourceId;
use crate::order::{SubmissionKind, Timeline};
use crate::run::front::Prepared;
use crate::scenario::Scenario;
use crate::validate::{self, RuleSet};
use std::collections::BTreeSet;

/// What makes a conflict the same conflict in an edited copy, whose nodes keep their numbers. A race stands for all
/// races of its second side, because barriers never order two queues.
type Key = (ConflictKind, Option<(u32, Part)>, u32, Part, ResourceId);

/// What makes an error of legality the same error.
type Wrong = (&'static str, u32, Option<String>);

/// What a copy has that the original has not.
#[derive(PartialEq, Eq, Default)]
pub(super) struct Added {
    keys: BTreeSet<Key>,
    wrong: BTreeSet<Wrong>,
}

impl Added {
    pub(super) fn is_subset(&self, other: &Self) -> bool {
        self.keys.is_subset(&other.keys) && self.wrong.is_subset(&other.wrong)
    }
}

/// Compares copies with the original, as long as its budget lasts.
pub(super) struct Comparer {
    rules: RuleSet,
    has_conflicts: bool,
    /// What [`Self::adds`] says of the original itself.
    adds_unchanged: bool,
    /// Conflicts of the original; where it has no hazard, only reads of undefined contents.
    known: BTreeSet<Key>,
    /// Errors of the original without and with legacy barriers.
    wrong: [BTreeSet<Wrong>; 2],
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
        let folded = (base.steps + order / 16).max(1) * 3;
        if folded > budget {
            return None;
        }
        let cost = [folded, folded + pairs(timeline)];
        let has_conflicts = base.conflicts.iter().any(|c| c.kind.is_hazard());
        if cost[usize::from(has_conflicts)] > budget {
            return None;
        }
        let own = errors(given.legality);
        let is_plain = std::ptr::eq(given.source, timeline.scenario);
        let plain = if is_plain {
            own.clone()
        } else {
            errors(&validate::validate(timeline.scenario, timeline, rules))
        };
        let known = if has_conflicts {
            keys(&evaluate(timeline, true, false))
        } else {
            // Only these are alike whether anything is folded or not.
            let is_lone = |key: &Key| key.0 == ConflictKind::UndefinedContents;
            keys(base).into_iter().filter(is_lone).collect()
        };
        Some(Self {
            rules,
            has_conflicts,
            adds_unchanged: !has_conflicts && !keys(base).is_subset(&known),
            known,
            wrong: [plain, own],
            cost,
            budget,
        })
    }

    /// Whether the original has a hazard.
    pub(super) fn has_conflicts(&self) -> bool {
        self.has_conflicts
    }

    /// Whether a copy without legacy barriers has anything new; `None` beyond the budget.
    pub(super) fn adds(&mut self, copy: &Scenario) -> Option<bool> {
        let unfolded = self.has_conflicts;
        self.spend(unfolded)?;
        let copy = Prepared::edited(copy);
        let timeline = copy.timeline();
        let is_new = self.has_new_keys(&timeline, unfolded);
        Some(is_new || !self.new_errors(&copy, &timeline).is_empty())
    }

    /// [`Self::adds`] of the original; `None` beyond the budget.
    pub(super) fn adds_unchanged(&mut self) -> Option<bool> {
        self.adds_known(self.adds_unchanged)
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
            keys: self.new_keys(&timeline),
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

    fn has_new_keys(&self, timeline: &Timeline<'_>, unfolded: bool) -> bool {
        let any_is_new = self.known.is_empty();
        let keys = keys(&evaluate(timeline, unfolded, any_is_new));
        !keys.is_subset(&self.known)
    }

    fn new_keys(&self, timeline: &Timeline<'_>) -> BTreeSet<Key> {
        let keys = keys(&evaluate(timeline, true, false));
        keys.difference(&self.known).copied().collect()
    }

    fn new_errors(&self, copy: &Prepared<'_>, timeline: &Timeline<'_>) -> BTreeSet<Wrong> {
        let is_plain = std::ptr::eq(copy.plain(), copy.written());
        let errors = errors(&copy.legality(timeline, self.rules));
        let known = &self.wrong[usize::from(!is_plain)];
        errors.difference(known).cloned().collect()
    }
}

fn evaluate(timeline: &Timeline<'_>, unfolded: bool, until_conflict: bool) -> Evaluation {
    let options = graph::Request {
        unfolded,
        until_conflict,
        ..graph::Request::default()
    };
    graph::evaluate(timeline, options)
}

/// Upper bound of the pairs that an unfolded evaluation looks at, in steps: the square of the uses of each memory in
/// each scope.
fn pairs(timeline: &Timeline<'_>) -> u64 {
    let mut sum = 0_u64;
    let mut counts = vec![0_u64; timeline.memory.memory_count()];
    for id in &timeline.evaluation {
        if timeline.submission(*id).kind != SubmissionKind::Execute {
            continue;
        }
        for (_, _, command) in timeline.commands(*id) {
            for usage in &command.uses {
                if let Some(whole) = timeline.memory.whole(usage.resource) {
                    counts[whole.memory.index()] += 1;
                }
            }
        }
        for (_, _, command) in timeline.commands(*id) {
            for usage in &command.uses {
                if let Some(whole) = timeline.memory.whole(usage.resource) {
                    let count = std::mem::take(&mut counts[whole.memory.index()]);
                    sum = sum.saturating_add(count.saturating_mul(count));
                }
            }
        }
    }
    sum / 8
}

fn keys(evaluation: &Evaluation) -> BTreeSet<Key> {
    let key = |c: &Conflict| {
        // A read of undefined contents is the same, whoever dropped them last.
        let has_first = !c.kind.is_race() && c.kind != ConflictKind::UndefinedContents;
        let first = has_first.then_some((c.first.node.0, c.first.part));
        (
            c.kind,
            first,
            c.second.node.0,
            c.second.part,
            c.second.resource,
        )
    };
    // Writers that share no granule are only a warning, and against the rules all the same: no change may lead there.
    let counts = |c: &&Conflict| c.kind.is_wrong();
    evaluation
        .conflicts
        .iter()
        .filter(counts)
        .map(key)
        .collect()
}

/// Errors of legality, as rule, place and resource. A change that makes another barrier illegal is not free.
fn errors(findings: &[Finding]) -> BTreeSet<Wrong> {
    let wrong = findings.iter().filter(|f| f.severity.fails());
    wrong
        .map(|f| (f.rule.id, f.span.start, f.resource.clone()))
        .collect()
}
