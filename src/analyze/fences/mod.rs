//! Fences that cannot do what they are there for: waits without a signal, cycles, values that do not rise.

use crate::finding::{Finding, Rule, Severity};
use crate::order::{FenceProblemKind, SubmissionKind, Timeline};

/// A wait that no signal of the timeline can satisfy.
///
/// **Source.** Reading R23: a wait on v is satisfied while the fence's value is at least v.
static UNREACHABLE: Rule = Rule {
    id: "FN101",
    name: "unreachable-wait",
    severity: Severity::Error,
    summary: "a wait that no signal of the timeline can satisfy",
};

/// Waits that wait for each other, or a wait that only later work of its own queue could satisfy.
///
/// **Source.** Reading R23.
static DEADLOCK: Rule = Rule {
    id: "FN102",
    name: "fence-deadlock",
    severity: Severity::Error,
    summary: "waits that wait for each other, or for what comes after them",
};

/// A wait that several unordered signals could satisfy, so that none of them orders it.
///
/// **Source.** Reading R23.
static AMBIGUOUS: Rule = Rule {
    id: "FN103",
    name: "ambiguous-wait",
    severity: Severity::Warning,
    summary: "a wait that several unordered signals could satisfy: none of them orders it",
};

/// A signal that does not raise the fence's value.
///
/// **Source.** Reading R23.
static NOT_RISING: Rule = Rule {
    id: "FN104",
    name: "signal-does-not-raise",
    severity: Severity::Warning,
    summary: "a signal that does not raise the fence's value",
};

/// A GPU reset, which this version does not model.
static RESET: Rule = Rule {
    id: "FN105",
    name: "reset-not-modelled",
    severity: Severity::Warning,
    summary: "a `reset` statement: its effect on work and fences is not modelled yet",
};

/// Rules of this family.
pub static RULES: &[&Rule] = &[&UNREACHABLE, &DEADLOCK, &AMBIGUOUS, &NOT_RISING, &RESET];

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
        findings.push(Finding::new(&RESET, submission.statement.span, message));
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
            &UNREACHABLE,
            problem.span,
            format!("no signal raises the fence `{fence}` to {value}: the wait never ends"),
        )
        .help(format!("signal `{fence}` with at least {value} on another queue or on the CPU")),
        FenceProblemKind::Deadlock => places(
            Finding::new(
                &DEADLOCK,
                problem.span,
                format!("the wait for `{fence}` = {value} can only be satisfied by what comes after it"),
            ),
            "takes part",
        )
        .help("submit the signal where it does not come after the wait"),
        FenceProblemKind::Ambiguous => places(
            Finding::new(
                &AMBIGUOUS,
                problem.span,
                format!("several unordered signals raise `{fence}` to {value}: the wait is ordered after none of them"),
            ),
            "could satisfy it",
        )
        .help("use a fence, or a value, of its own for each signal"),
        FenceProblemKind::DoesNotRaise => places(
            Finding::new(
                &NOT_RISING,
                problem.span,
                format!("`{fence}` has already reached {value} or more when this signal runs"),
            ),
            "reached before",
        )
        .help("signal a greater value"),
    }
    .resource(fence)
}
