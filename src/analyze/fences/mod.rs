//! Fences that cannot do what they are there for: waits without a signal, cycles, values that do not rise.
//!
//! Flags and object types are looked at by `validate/`; here it is the order of signals and waits on the timeline.

mod ambiguous_wait;
mod fence_deadlock;
mod fence_may_be_set_back;
mod lost_in_reset;
mod object_not_open;
mod objects;
mod open_unshared;
mod read_of_lost_work;
mod return_trip;
mod share_without_nt_security;
mod signal_does_not_raise;
mod undefined_fence_value;
mod unreachable_wait;

use super::names;
use crate::finding::{Finding, Rule, Severity, Span};
use crate::order::{CycleStep, FenceProblem, FenceProblemKind, Timeline};
use crate::trace::{Observation, Trace};

/// Rules of this family.
pub static RULES: &[&Rule] = &[
    &unreachable_wait::RULE,
    &fence_deadlock::RULE,
    &ambiguous_wait::RULE,
    &signal_does_not_raise::RULE,
    &lost_in_reset::RULE,
    &return_trip::RULE,
    &object_not_open::RULE,
    &share_without_nt_security::RULE,
    &open_unshared::RULE,
    &undefined_fence_value::RULE,
    &fence_may_be_set_back::RULE,
    &read_of_lost_work::RULE,
];

/// Findings about the timeline's fences.
pub fn findings(timeline: &Timeline<'_>) -> Vec<Finding> {
    let problems = timeline.fence_problems.iter();
    let mut found: Vec<Finding> = problems.filter_map(|p| one(timeline, p)).collect();
    found.extend(objects::findings(timeline));
    found.extend(fence_may_be_set_back::findings(timeline));
    found.extend(read_of_lost_work::findings(timeline));
    found
}

/// Findings about the timeline's fences, with what a run shows of them.
pub fn findings_of_run(timeline: &Timeline<'_>, trace: &Trace) -> Vec<Finding> {
    let mut found = findings(timeline);
    fence_may_be_set_back::escalate(timeline, trace, &mut found);
    found
}

fn one(timeline: &Timeline<'_>, problem: &FenceProblem) -> Option<Finding> {
    let fence = timeline.scenario.fence_name(problem.fence);
    let value = problem.value;
    let new = |rule, message: String| Finding::new(rule, problem.span, message);
    let places = |mut finding: Finding, label: &str| {
        for other in &problem.others {
            finding = finding.related(timeline.submission(*other).statement.span, label);
        }
        finding
    };
    let finding = match problem.kind {
        FenceProblemKind::NeverSatisfied => return unreachable(timeline, problem),
        FenceProblemKind::SetBack => places(
            new(
                &unreachable_wait::RULE,
                format!("a signal sets `{fence}` back below {value} before the wait, and no signal raises it again"),
            ),
            "sets the fence back",
        )
        .help(format!("signal `{fence}` with rising values only")),
        FenceProblemKind::Lost => places(
            new(
                &lost_in_reset::RULE,
                format!("a reset drops the signals that raise `{fence}` to {value}: the wait never ends"),
            ),
            "the reset drops this signal",
        )
        .help("leave out `NoSignalMaxValueOnTdr`, or wait for the signal before the reset"),
        FenceProblemKind::Deadlock => around(
            timeline,
            problem,
            new(
                &fence_deadlock::RULE,
                format!("only a signal after this wait can raise `{fence}` to {value}: the wait never ends"),
            ),
        )
        .help("submit the signal so that it does not wait for this wait"),
        FenceProblemKind::ReturnTrip => around(
            timeline,
            problem,
            new(
                &return_trip::RULE,
                format!("the wait barrier for `{fence}` = {value} waits for a queue that waits for the same call"),
            ),
        )
        .help("end the call after its signal barrier, and let the queue wait before the next one"),
        FenceProblemKind::Ambiguous => places(
            new(
                &ambiguous_wait::RULE,
                format!("several unordered signals raise `{fence}` to {value}: the wait comes after none of them for certain"),
            ),
            "may end the wait",
        )
        .help("give each signal its own fence or value"),
        FenceProblemKind::DoesNotRaise => places(
            new(
                &signal_does_not_raise::RULE,
                if value == 0 {
                    format!("`{fence}` is never below 0: a signal of 0 raises nothing")
                } else {
                    format!("`{fence}` has already reached {value} or more when this signal runs")
                },
            ),
            "reaches the value first",
        )
        .help("signal a greater value"),
    };
    Some(finding.resource(fence))
}

/// The rule that reports a read of work that a reset dropped, and where.
pub fn named_lost(timeline: &Timeline<'_>, read: &Observation) -> (&'static str, Span) {
    let used = timeline.command(read.use_node);
    let used = used.and_then(|command| command.uses.get(usize::from(read.use_index)));
    let span = used.map_or_else(|| timeline.span(read.node), |used| used.span);
    (read_of_lost_work::RULE.id, span)
}

/// A wait that no signal of the timeline satisfies: an error, unless somebody else may signal the fence.
fn unreachable(timeline: &Timeline<'_>, problem: &FenceProblem) -> Option<Finding> {
    let (name, value) = (timeline.scenario.fence_name(problem.fence), problem.value);
    let fence = &timeline.scenario.fences[problem.fence];
    // With processes in the text, there is nobody outside the text.
    let inside = timeline.scenario.has_processes() && fence.is_shared();
    let elsewhere = fence.is_signalled_elsewhere() && !inside;
    let (finding, help) = if !elsewhere {
        (
            format!("no signal raises the fence `{name}` to {value}: the wait never ends"),
            format!("signal `{name}` with at least {value} on another queue or on the CPU"),
        )
    } else if fence.is_shared() {
        (
            format!("only another process can raise the shared fence `{name}` to {value}"),
            format!("if no other process does, signal `{name}` with at least {value}"),
        )
    } else {
        return None;
    };
    let finding = Finding::new(&unreachable_wait::RULE, problem.span, finding).help(help);
    let finding = finding.resource(name);
    Some(if elsewhere {
        finding.severity(Severity::Advice)
    } else {
        finding
    })
}

/// Adds the waits of a cycle, each with the signal that would satisfy it and why that is not given.
fn around(timeline: &Timeline<'_>, problem: &FenceProblem, mut finding: Finding) -> Finding {
    let words = |step: &CycleStep, word: &str| {
        let submission = timeline.submission(step.submission);
        let actor = timeline.actor_name(submission.actor);
        match step.barrier {
            Some((fence, value)) => {
                let fence = timeline.scenario.fence_name(fence);
                format!("{actor} {word}-barrier {fence} {value}")
            }
            None => format!(
                "{actor} {}",
                names::node_label(timeline, submission.first_node)
            ),
        }
    };
    let actor = |step: &CycleStep| timeline.submission(step.submission).actor;
    let links = problem.cycle.iter().enumerate();
    let mut steps = Vec::new();
    for (index, (wait, signal)) in links {
        let number = index + 1;
        if wait.span != problem.span {
            finding = finding.related(wait.span, format!("({number}) waits"));
        }
        let blocked = if actor(wait) == actor(signal) {
            "comes after the wait".to_owned()
        } else {
            let next = &problem.cycle[(index + 1) % problem.cycle.len()].0;
            format!("comes after `{}`", words(next, "wait"))
        };
        finding = finding.related(
            signal.span,
            format!("this signal would end ({number}), but {blocked}"),
        );
        steps.push(format!(
            "`{}` → `{}`",
            words(wait, "wait"),
            words(signal, "signal")
        ));
    }
    finding.note(format!("the cycle: {}", steps.join(", ")))
}
