//! The placed scenario, read and judged like any other: what is wrong in it is repaired, and what is redundant goes.

use super::improve::{Policy, Score};
use super::{Machines, Options, Placing, Registry, Unusable, join, text};
use crate::analyze::hazards;
use crate::finding::{Finding, Severity, Source};
use crate::pipeline::front::{self, Prepared};
use crate::repair::{self, Changed};
use crate::run;
use crate::run::lesson::without_expectations;
use crate::scenario::edit::{self, EntryId, Next};
use crate::scenario::{self, Scenario};
use crate::validate::RuleSet;

/// Changes that the last step makes at most: each takes a barrier or a bit away, or halves one.
const CHANGES_MAX: usize = 200;
/// Commands of all runs that these changes cost.
const STEPS_MAX: usize = 20_000;
/// A text that is too long for so many is left as the search found it.
const CHANGES_MIN: usize = 20;

/// Errors and hazards that barriers may cause or mend, and what would be a hazard if a use that may not be made is made, or
/// contents that are lost.
pub(super) fn wrong(prepared: &Prepared<'_>, rules: RuleSet) -> Vec<Finding> {
    let timeline = prepared.timeline();
    let evaluation = front::needed_and_asked(&timeline);
    let mut wrong = prepared.legality(&timeline, rules);
    wrong.extend(hazards::findings(&timeline, &evaluation, None));
    wrong.retain(is_wrong);
    wrong
}

/// What an error or a hazard counts as, next to what is only possible.
const MISTAKE: usize = 1_000;

/// How wrong a scenario is.
pub(super) fn weight(scenario: &Scenario, rules: RuleSet) -> usize {
    let found = wrong(&Prepared::edited(scenario), rules);
    let each = found
        .iter()
        .map(|it| if it.severity.fails() { MISTAKE } else { 1 });
    each.sum()
}

fn is_wrong(finding: &Finding) -> bool {
    match finding.rule.family() {
        "HZ" => finding.severity >= Severity::Warning,
        "EB" | "LB" | "SC" => finding.severity.fails(),
        _ => false,
    }
}

/// Whether a barrier may mend it: it is about uses of one queue.
fn is_mendable(finding: &Finding) -> bool {
    finding.severity.fails() && finding.rule.id.starts_with("HZ1")
}

/// A placed scenario, repaired, and without what is too much; as it is if its text's own barriers stay.
pub(super) fn proved(
    original: &Source,
    (placed, is_bare): (&Scenario, bool),
    machines: &Machines<'_>,
    registry: &Registry,
    placing: &Placing<'_>,
) -> Result<Scenario, Unusable> {
    let options = machines.options;
    if !is_bare {
        // Barriers that stay are not to be changed.
        return Ok(placed.clone());
    }
    let text = without_expectations(&scenario::print(placed));
    let mut source = Source::new(original.name.clone(), text);
    let mut left = left_in(&source, options);
    if left.iter().any(is_mendable) {
        let repaired = repair::repair(&source, options.rules, is_mendable).source;
        // A repair may change a declaration or add a fence, too.
        if text::is_same_but_for_barriers(&understood(&repaired), &understood(&source)) {
            left = left_in(&repaired, options);
            source = repaired;
        }
    }
    let changes_max = (STEPS_MAX / super::commands(placed).max(1)).min(CHANGES_MAX);
    let is_searched = matches!(placing.policy, Policy::Search | Policy::Exact);
    // Of a text with mistakes nobody knows what is needed.
    if changes_max < CHANGES_MIN || !is_searched || left.iter().any(is_wrong) {
        return Ok(understood(&source));
    }
    let tidied = tidied(source, machines, registry, changes_max)?;
    Ok(join::joined(understood(&tidied), machines))
}

fn understood(source: &Source) -> Scenario {
    let (scenario, _) = scenario::parse(source);
    scenario
}

/// Errors and hazards of a text.
pub(super) fn left_in(source: &Source, options: &Options) -> Vec<Finding> {
    let mut findings = checked(source, options);
    findings.retain(|it| it.severity.fails());
    findings
}

/// What is found in a text; nobody asks how to mend it.
pub(super) fn checked(source: &Source, options: &Options) -> Vec<Finding> {
    let asked = Options {
        proposals: run::Proposals::None,
        ..options.clone()
    };
    run::check(source, &asked).findings
}

/// A text with each change made that a rule proposes for what is redundant or too wide, if no machine takes longer and only
/// barriers change.
fn tidied(
    mut source: Source,
    machines: &Machines<'_>,
    registry: &Registry,
    changes_max: usize,
) -> Result<Source, Unusable> {
    let mut asked = machines.options.clone();
    if let Some(first) = machines.names.first() {
        asked.profile = Some(first.clone());
    }
    asked.keep_changed = true;
    asked.without_path = true;
    asked.without_commands = true;
    asked.proposals = run::Proposals::None;
    let mut scenario = understood(&source);
    let mut worth = Score::of(&scenario, machines);
    let mistakes = weight(&scenario, asked.rules);
    for _ in 0..changes_max {
        let report = run::run(&source, registry, &asked)?;
        let changes = report.changed;
        let all = without_all(&scenario, &changes)
            .filter(|it| weight(it, asked.rules) <= mistakes)
            .map(|it| scenario::print(&it));
        let each = changes.into_iter().map(|it| it.text);
        let better = all.into_iter().chain(each).find_map(|text| {
            let next = Source::new(source.name.clone(), text);
            let read = understood(&next);
            if next.text == source.text || !text::is_same_but_for_barriers(&scenario, &read) {
                return None;
            }
            let takes = Score::of(&read, machines);
            (takes <= worth).then_some((next, read, takes))
        });
        let Some(better) = better else { break };
        (source, scenario, worth) = better;
    }
    Ok(source)
}

/// A scenario without every entry that is called redundant; `None` if these are fewer than two.
fn without_all(scenario: &Scenario, changes: &[Changed]) -> Option<Scenario> {
    let is_redundant = |entry: &EntryId| {
        let span = entry.span(scenario);
        let mut deleted = changes.iter().filter(|it| it.rule == "RD101");
        deleted.any(|it| span.is_some_and(|span| span.start == it.span.start))
    };
    let gone: Vec<EntryId> = edit::entries(scenario).filter(is_redundant).collect();
    let without = || edit::without(scenario, &gone, Next::Relinked);
    (gone.len() > 1).then(|| edit::pruned(without(), scenario))
}
