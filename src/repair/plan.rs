//! The plan for a text: one change for each cause of errors and hazards, causes before symptoms. `check` shows the
//! changes of a plan, `fix` makes them: both say the same.

use super::edited::{apply, in_order};
use super::judge::waste_in;
use super::search::{Budget, Proved, Text};
use super::{Found, Key, is_mended};
use crate::analyze::hazards;
use crate::finding::{Edit, Finding, Source};
use crate::id::NodeId;
use crate::validate::RuleSet;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// What can be done about a text.
#[derive(Default)]
pub(super) struct Plan {
    /// Changes, each of which holds by itself.
    pub(super) steps: Vec<PlannedChange>,
    /// All of them in order of place: they hold together.
    pub(super) edits: Vec<Edit>,
    /// Findings that the change for another one removes, with the index of that change.
    pub(super) removed_by: Vec<(Key, usize)>,
    /// Findings whose change depends on whether another one is made, with its index: they are planned after it.
    pub(super) after: Vec<(Key, usize)>,
    /// Findings for which no change holds.
    pub(super) open: Vec<Found>,
    /// Findings that the budget did not reach.
    pub(super) untried: BTreeSet<Key>,
}

/// One change, and the finding for which it was found.
pub(super) struct PlannedChange {
    pub(super) target: Found,
    pub(super) edits: Vec<Edit>,
    pub(super) says: String,
    /// What is left of what was wrong with this change made; not known of one that was proved together with others.
    pub(super) rest: Option<BTreeSet<Key>>,
}

/// A change for each cause, up to so many. `wanted` says which findings to look at.
pub(super) fn plan(
    source: &Source,
    rules: RuleSet,
    found: &[Found],
    wanted: impl Fn(&Finding) -> bool,
    changes_max: usize,
    budget: &mut Budget<'_>,
) -> Plan {
    let waste: Option<BTreeSet<Key>> = budget
        .pay()
        .and_then(|()| waste_in(source, rules))
        .map(|findings| findings.iter().map(super::key).collect());
    let before = OnceCell::new();
    let mut plan = Plan::default();
    let mut taken = Vec::new();
    for target in by_rank(found, wanted) {
        let own = target.key();
        let mut steps = plan.steps.iter();
        let is_gone =
            |step: &PlannedChange| step.rest.as_ref().is_some_and(|rest| !rest.contains(&own));
        if let Some(by) = steps.position(is_gone) {
            plan.removed_by.push((own, by));
            continue;
        }
        if budget.is_spent() || plan.steps.len() >= changes_max {
            plan.untried.insert(own);
            continue;
        }
        let text = Text {
            source,
            rules,
            found,
            waste: waste.as_ref(),
            taken: &taken,
            before: &before,
        };
        match text.search(target, budget) {
            Some(proved) => match plan.joined(&text, target, &proved) {
                Ok(edits) => {
                    taken.extend(proved.declares);
                    plan.edits = edits;
                    plan.steps.push(PlannedChange {
                        target: target.clone(),
                        edits: proved.edits,
                        says: proved.says,
                        rest: Some(proved.rest),
                    });
                }
                Err(blocked) => plan.after.push((own, blocked)),
            },
            None if budget.is_spent() => {
                plan.untried.insert(own);
            }
            None => match plan.race_of(target) {
                Some(race) => plan.after.push((own, race)),
                None => plan.open.push(target.clone()),
            },
        }
    }
    plan.find_what_else_is_gone();
    plan
}

/// What is to be mended, causes before symptoms.
pub(super) fn by_rank(found: &[Found], wanted: impl Fn(&Finding) -> bool) -> Vec<&Found> {
    let is_wanted = |f: &&Found| is_mended(&f.finding) && wanted(&f.finding);
    let mut order: Vec<&Found> = found.iter().filter(is_wanted).collect();
    order.sort_by_key(|f| (rank(&f.finding), race_at(f), f.finding.span));
    order
}

/// When the second use of a race is: what orders an earlier one often orders the later ones too.
fn race_at(found: &Found) -> Option<NodeId> {
    let conflict = found.conflict.as_ref().filter(|c| c.kind.is_race());
    conflict.map(|conflict| conflict.second.node)
}

/// Causes come first: what a resource or device lacks, then what is illegal, then what no fence orders, then what that
/// leads to.
pub(super) fn rank(finding: &Finding) -> u8 {
    match finding.rule.id {
        "EB001" | "EB017" | "EB024" | "EB025" | "LB006" | "LB018" | "LB019" => 0,
        // Most often a hazard of the same use says more.
        "LB024" | "LB026" => 5,
        _ if finding.hazard.is_none() => 1,
        _ if !finding.severity.fails() => 4,
        _ if hazards::is_race(finding.rule) => 2,
        _ => 3,
    }
}

impl Plan {
    /// Notes which findings without a change of their own a later change removes.
    fn find_what_else_is_gone(&mut self) {
        let (steps, removed_by) = (&self.steps, &mut self.removed_by);
        self.open.retain(|found| {
            let own = found.key();
            let is_gone =
                |step: &PlannedChange| step.rest.as_ref().is_some_and(|rest| !rest.contains(&own));
            let by = steps.iter().position(is_gone);
            removed_by.extend(by.map(|by| (own.clone(), by)));
            by.is_none()
        });
    }

    /// The change that orders the queues which use a hazard's resource, if there is one.
    fn race_of(&self, target: &Found) -> Option<usize> {
        target.conflict.as_ref()?;
        self.steps.iter().position(|step| {
            let conflict = step.target.conflict.as_ref();
            conflict.is_some_and(|c| c.kind.is_race())
                && step.target.finding.resource == target.finding.resource
        })
    }

    /// The edits of the plan with those of one more change.
    ///
    /// # Errors
    /// The index of the change with which it does not hold together.
    fn joined(&self, text: &Text<'_>, target: &Found, proved: &Proved) -> Result<Vec<Edit>, usize> {
        // Of two insertions at one place the earlier change's comes first.
        let edits = in_order(self.edits.iter().chain(&proved.edits).cloned());
        let Some(last) = self.steps.len().checked_sub(1) else {
            return Ok(edits);
        };
        let meets = |step: &PlannedChange| {
            let mut theirs = step.edits.iter();
            theirs.any(|a| proved.edits.iter().any(|b| !apart(a, b)))
        };
        if let Some(blocked) = self.steps.iter().position(meets) {
            return Err(blocked);
        }
        let made = self.steps.iter().map(|step| step.target.key());
        let holds = text.holds(&edits, made.chain([target.key()]));
        if holds { Ok(edits) } else { Err(last) }
    }

    /// The text with all changes made.
    pub(super) fn make(&self, source: &Source) -> Source {
        Source::new(source.name.clone(), apply(&source.text, &self.edits))
    }
}

/// Whether two edits touch no common text.
pub(super) fn apart(a: &Edit, b: &Edit) -> bool {
    a.span.end <= b.span.start || b.span.end <= a.span.start
}
