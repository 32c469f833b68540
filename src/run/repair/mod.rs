//! Changes that remove findings, each proved on an edited copy of the text: the finding disappears and no other appears.
//!
//! `analyze::repair` says what might help, the smallest first, and [`fields`] what else a wrong entry could say; here it
//! is applied to the text, the text is read and checked again, and what adds an error or hazard anywhere is dropped.
//! Where a change only makes a barrier elsewhere wrong (a layout that the next one expects), the search goes one step
//! further and mends that too (`search.rs`).
//!
//! Cost: a parse, a validation and an evaluation per candidate, and once more to find the candidates. Within
//! [`STEPS_MAX`] steps a run proves one change for each group of equal causes; findings beyond have no proved change.
//! [`repair`] is asked for one text and has no such limit.

mod edited;
mod fields;
mod search;

use super::clock::Clock;
use super::front::{self, Kernels, Prepared};
use super::{asserted, fences, hazards};
use crate::analyze::repair::{self, Candidate};
use crate::finding::{Finding, Fix, Source};
use crate::graph::Conflict;
use crate::validate::RuleSet;
use search::{Budget, search};
use std::collections::{BTreeMap, BTreeSet};

/// Steps (commands and barrier entries, over all evaluations) that proofs may take in one run.
const STEPS_MAX: u64 = 400_000;
/// Candidates that are tried on a copy for one finding.
const CANDIDATES_MAX: usize = 400;
/// Changes that one repair makes at most; a text has fewer findings, or the repairs go in circles.
const CHANGES_MAX: usize = 2_000;

/// What makes a finding the same finding in an edited copy. The place is of the text before the edits; what is in
/// inserted text has none.
type Key = (&'static str, Option<u32>, Option<String>);

/// An error or hazard, and the pair that it was made of.
#[derive(Clone)]
struct Found {
    finding: Finding,
    conflict: Option<Conflict>,
}

impl Found {
    fn key(&self) -> Key {
        key(&self.finding)
    }
}

fn key(finding: &Finding) -> Key {
    (
        finding.rule.id,
        Some(finding.span.start),
        finding.resource.clone(),
    )
}

/// What a repair did to a text.
#[derive(Clone, Debug)]
pub struct Repair {
    /// The repaired text.
    pub source: Source,
    /// The changes in the order in which they were made.
    pub changes: Vec<RepairStep>,
    /// Errors and hazards for which no change was found, at their places in the repaired text.
    pub left: Vec<Finding>,
}

/// One proved change.
#[derive(Clone, Debug)]
pub struct RepairStep {
    /// The finding that it removes.
    pub finding: Finding,
    /// Line of that finding in the text as it was before this change.
    pub line: u32,
    /// What was done, in words.
    pub says: String,
}

/// Removes errors and hazards of the families `HZ`, `EB` and `LB` from a text, one proved change after the other.
/// `wanted` says which findings to look at. A text with `SC` errors is left as it is.
pub fn repair(source: &Source, rules: RuleSet, wanted: impl Fn(&Finding) -> bool) -> Repair {
    let mut text = source.clone();
    let mut changes = Vec::new();
    let mut hopeless: Vec<Key> = Vec::new();
    while changes.len() < CHANGES_MAX {
        let Some(found) = wrong_in(&text, rules) else {
            break;
        };
        let next = found
            .iter()
            .find(|f| wanted(&f.finding) && !hopeless.contains(&f.key()));
        let Some(target) = next else { break };
        let mut budget = Budget {
            left: u64::MAX,
            cost: 1,
        };
        match search(&text, rules, &found, target, true, &mut budget) {
            Some(proved) => {
                changes.push(RepairStep {
                    line: text.line(target.finding.span.start),
                    finding: target.finding.clone(),
                    says: proved.says,
                });
                text = proved.source;
                // Places moved, and what was hopeless may not be so any more.
                hopeless.clear();
            }
            None => hopeless.push(target.key()),
        }
    }
    let mut left: Vec<Finding> = wrong_in(&text, rules)
        .unwrap_or_default()
        .into_iter()
        .map(|found| {
            let lost = found
                .conflict
                .as_ref()
                .is_some_and(repair::hazards::is_lost);
            if lost {
                found.finding.note(LOST)
            } else {
                found.finding
            }
        })
        .filter(&wanted)
        .collect();
    left.sort_by_key(|f| f.span);
    Repair {
        source: text,
        changes,
        left,
    }
}

/// Why nothing helps.
const LOST: &str =
    "the contents are already lost: no barrier brings them back; they must be written again";

/// Gives errors and hazards the smallest change that was proved to remove them, one for each group of equal causes.
pub(super) fn fixes(source: &Source, steps: u64, findings: &mut [Finding], rules: RuleSet) {
    let is_wrong = |f: &Finding| is_repairable(f) && f.severity.fails();
    if !findings.iter().any(is_wrong) {
        return;
    }
    // A parse, a validation and an evaluation; a command of the text has about 64 bytes.
    let cost = steps.max(source.text.len() as u64 / 64).max(1) * 4;
    let mut budget = Budget {
        left: STEPS_MAX,
        cost,
    };
    if budget.pay().is_none() || budget.is_spent() {
        return;
    }
    let Some(found) = wrong_in(source, rules) else {
        return;
    };
    let by_key: BTreeMap<Key, &Found> = found.iter().map(|f| (f.key(), f)).collect();
    // What a change for another finding removes as well.
    let mut solved: Vec<(BTreeSet<Key>, u32)> = Vec::new();
    for finding in findings.iter_mut().filter(|f| is_wrong(f)) {
        let own = key(finding);
        let Some(target) = by_key.get(&own) else {
            continue;
        };
        if target
            .conflict
            .as_ref()
            .is_some_and(repair::hazards::is_lost)
        {
            finding.help = Some(LOST.into());
            continue;
        }
        if let Some((_, line)) = solved.iter().find(|(rest, _)| !rest.contains(&own)) {
            finding.help = Some(format!("what is proposed for line {line} removes this too"));
            continue;
        }
        if budget.is_spent() {
            continue;
        }
        if let Some(proved) = search(source, rules, &found, target, false, &mut budget) {
            solved.push((proved.rest, source.line(finding.span.start)));
            if finding.hazard.is_some() {
                // What is proved says more than what such a barrier must do in general.
                finding.help = None;
            }
            finding.fix = Some(Box::new(Fix {
                edits: proved.edits,
                says: proved.says,
            }));
        }
    }
}

fn is_repairable(finding: &Finding) -> bool {
    matches!(finding.rule.family(), "HZ" | "EB" | "LB") && finding.span.end > 0
}

/// A text, prepared for reading barriers; `None` if it cannot be read. What kernels cost does not matter here.
fn prepared(source: &Source) -> Option<Prepared<'static>> {
    let clock = &mut Clock::start();
    let parsed = front::read(source, clock).ok()?;
    Some(parsed.prepare(Kernels::LeftOut, clock))
}

/// Errors and hazards of a text, once a rule, place and resource; `None` if it cannot be read.
fn wrong_in(source: &Source, rules: RuleSet) -> Option<Vec<Found>> {
    let prepared = prepared(source)?;
    let timeline = prepared.timeline();
    let evaluation = front::needed_and_asked(&timeline);
    let lone = |finding| Found {
        finding,
        conflict: None,
    };
    let mut found: Vec<Found> = prepared
        .legality(&timeline, rules)
        .into_iter()
        .chain(fences::findings(&timeline))
        .chain(asserted::findings(prepared.plain(), evaluation.steps))
        .map(lone)
        .collect();
    let pairs = hazards::findings(&timeline, &evaluation, None);
    for (finding, conflict) in pairs.into_iter().zip(&evaluation.conflicts) {
        found.push(Found {
            finding,
            conflict: Some(conflict.clone()),
        });
    }
    found.retain(|f| f.finding.severity.fails());
    let mut seen = BTreeSet::new();
    found.retain(|f| seen.insert(f.key()));
    found.sort_by_key(|f| f.finding.span);
    Some(found)
}

/// What might remove a finding.
fn candidates(source: &Source, target: &Found, rules: RuleSet) -> Vec<Candidate> {
    let Some(prepared) = prepared(source) else {
        return Vec::new();
    };
    let mut candidates = match &target.conflict {
        Some(conflict) => {
            let make = if conflict.kind.is_race() {
                repair::races::candidates
            } else {
                repair::hazards::candidates
            };
            make(source, prepared.written(), &prepared.timeline(), conflict)
        }
        None => fields::candidates(source, &prepared, &target.finding, rules),
    };
    candidates.truncate(CANDIDATES_MAX);
    candidates
}
