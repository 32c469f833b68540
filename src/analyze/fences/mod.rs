//! Fences that cannot do what they are there for: waits without a signal, cycles, values that do not rise.

mod ambiguous_wait;
mod fence_deadlock;
mod reset_not_modelled;
mod signal_does_not_raise;
mod unreachable_wait;

use crate::finding::{Finding, Rule};
use crate::order::{FenceProblemKind, SubmissionKind, Timeline};

/// Rules of this family.
pub static RULES: &[&Rule] = &[
    &unreachable_wait::RULE,
    &fence_deadlock::RULE,
    &ambiguous_wait::RULE,
    &signal_does_not_raise::RULE,
    &reset_not_modelled::RULE,
];

/// Findings about the timeline's fences.
pub fn findings(timeline: &Timeline<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = timeline
        .fence_problems
        .iter()
        .map(|p| one(timeline, p))
        .collect();
    for submission in timeline
        .submissions
        .iter()
        .filter(|s| s.kind == SubmissionKind::Reset)
    {
        let message = "the reset is ignored: its effect on work and fences is not modelled yet";
        findings.push(Finding::new(
            &reset_not_modelled::RULE,
            submission.statement.span,
            message,
        ));
    }
    findings
}

fn one(timeline: &Timeline<'_>, problem: &crate::order::FenceProblem) -> Finding {
    let fence = timeline.scenario.fence_name(problem.fence);
    let value = problem.value;
    let places = |mut finding: Finding, label: &str| {
        for other in &problem.others {
            finding = finding.related(timeline.submission(*other).statement.span, label);
        }
        finding
    };
    match problem.kind {
        FenceProblemKind::NeverSatisfied => Finding::new(
            &unreachable_wait::RULE,
            problem.span,
            format!("no signal raises the fence `{fence}` to {value}: the wait never ends"),
        )
        .help(format!("signal `{fence}` with at least {value} on another queue or on the CPU")),
        FenceProblemKind::Deadlock => places(
            Finding::new(
                &fence_deadlock::RULE,
                problem.span,
                format!("the wait for `{fence}` = {value} can only be satisfied by what comes after it"),
            ),
            "takes part",
        )
        .help("submit the signal where it does not come after the wait"),
        FenceProblemKind::Ambiguous => places(
            Finding::new(
                &ambiguous_wait::RULE,
                problem.span,
                format!("several unordered signals raise `{fence}` to {value}: the wait is ordered after none of them"),
            ),
            "could satisfy it",
        )
        .help("use a fence, or a value, of its own for each signal"),
        FenceProblemKind::DoesNotRaise => places(
            Finding::new(
                &signal_does_not_raise::RULE,
                problem.span,
                format!("`{fence}` has already reached {value} or more when this signal runs"),
            ),
            "reached before",
        )
        .help("signal a greater value"),
    }
    .resource(fence)
}
