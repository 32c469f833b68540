//! Judging an edited copy: which conflicts and errors has it that the original has not?
//!
//! Where the original has no conflict, any conflict of the copy is new, and the folded evaluation shows one if there is
//! one. Where it has some, a new pair may hide behind an old one (reading R42): then every pair is written out.

use crate::finding::Finding;
use crate::graph::{self, Conflict, ConflictKind, Evaluation, Part};
use crate::id::ResourceId;
use crate::legacy;
use crate::order::{SubmissionKind, Timeline};
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
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.wrong.is_empty()
    }

    pub(super) fn is_subset(&self, other: &Self) -> bool {
        self.keys.is_subset(&other.keys) && self.wrong.is_subset(&other.wrong)
    }
}

/// Compares copies with the original, as long as its budget lasts.
pub(super) struct Judge {
    rules: RuleSet,
    has_conflicts: bool,
    /// Conflicts of the original, folded where it has none.
    known: BTreeSet<Key>,
    /// Errors of the original without and with legacy barriers.
    wrong: [BTreeSet<Wrong>; 2],
    /// Steps of a folded and of an unfolded evaluation.
    cost: [u64; 2],
    budget: u64,
}

impl Judge {
    /// A judge with so many steps to spend; `None` if they do not reach for one copy.
    pub(super) fn new(
        source: &Scenario,
        timeline: &Timeline<'_>,
        base: &Evaluation,
        rules: RuleSet,
        budget: u64,
    ) -> Option<Self> {
        // Ordering the submissions of many queues may cost more than their commands.
        let order = timeline.submissions.len() as u64 * timeline.actor_count() as u64;
        let folded = (base.steps + order / 16).max(1) * 3;
        let cost = [folded, folded + pairs(timeline)];
        let has_conflicts = base.conflicts.iter().any(|c| c.kind.is_hazard());
        if cost[usize::from(has_conflicts)] > budget {
            return None;
        }
        let is_plain = std::ptr::eq(source, timeline.scenario);
        let wrong = errors(&validate::validate(timeline.scenario, timeline, rules));
        let mut judge = Self {
            rules,
            has_conflicts,
            known: BTreeSet::new(),
            wrong: [wrong.clone(), wrong],
            cost,
            budget,
        };
        if !is_plain {
            judge.wrong[1] = errors(&validate::validate(source, timeline, rules));
        }
        if has_conflicts {
            judge.known = keys(&evaluate(timeline, true));
        }
        Some(judge)
    }

    /// Whether the original has a hazard.
    pub(super) fn has_conflicts(&self) -> bool {
        self.has_conflicts
    }

    /// Whether a copy without legacy barriers has anything new; `None` beyond the budget.
    pub(super) fn adds(&mut self, copy: &Scenario) -> Option<bool> {
        let unfolded = self.has_conflicts;
        self.spend(unfolded)?;
        Some(!self.compare(copy, unfolded).is_empty())
    }

    /// Everything that a copy has anew; `None` beyond the budget.
    pub(super) fn added(&mut self, copy: &Scenario) -> Option<Added> {
        self.spend(true)?;
        Some(self.compare(copy, true))
    }

    /// Whether the budget reaches for one more copy.
    pub(super) fn can_go_on(&self) -> bool {
        self.budget >= self.cost[usize::from(self.has_conflicts)]
    }

    fn spend(&mut self, unfolded: bool) -> Option<()> {
        self.budget = self.budget.checked_sub(self.cost[usize::from(unfolded)])?;
        Some(())
    }

    fn compare(&self, copy: &Scenario, unfolded: bool) -> Added {
        let plain = legacy::translate(copy);
        let timeline = Timeline::new(&plain);
        let is_plain = std::ptr::eq(&raw const *plain, copy);
        let evaluation = evaluate(&timeline, unfolded);
        let found = validate::validate(copy, &timeline, self.rules);
        Added {
            keys: keys(&evaluation).difference(&self.known).copied().collect(),
            wrong: errors(&found)
                .difference(&self.wrong[usize::from(!is_plain)])
                .cloned()
                .collect(),
        }
    }
}

fn evaluate(timeline: &Timeline<'_>, unfolded: bool) -> Evaluation {
    let options = graph::Options {
        unfolded,
        ..graph::Options::default()
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
        let first = (!c.kind.is_race()).then_some((c.first.node.0, c.first.part));
        (
            c.kind,
            first,
            c.second.node.0,
            c.second.part,
            c.second.resource,
        )
    };
    // Writers that share no granule are a warning alone, and against the rules all the same: nothing may lead there.
    let counts = |c: &&Conflict| c.kind != ConflictKind::Inherited;
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
