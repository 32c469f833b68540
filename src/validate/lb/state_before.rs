crate::finding::rule! {
    /// **What it finds.** A legacy transition whose `StateBefore` is not the state of the subresource, promotion and
    /// decay considered. In `COMMON`, every state that `COMMON` promotes to is right as well. On a copy queue the
    /// subresource must be in `COMMON` when the call begins.
    ///
    /// A UAV barrier on a resource that is not in `UNORDERED_ACCESS` is a warning.
    ///
    /// **Why it matters.** The driver undoes the compression of the layout that `StateBefore` stands for and flushes
    /// its caches. With a wrong state the next use reads garbage on some machines and happens to work on others.
    ///
    /// **Source.** Enhanced Barriers specification, "Resource State Promotion and Decay", "Legacy layouts", "Copy
    /// Queues", "UAV Barriers"; readings R23, R37.
    pub(crate) static RULE = "LB004", "state-before-mismatch", Error,
        "StateBefore is not the state that the subresource is in";
}

use super::track::known::Known;
use super::track::{At, Phase};
use crate::api::ResourceState;
use crate::finding::{Finding, Severity};
use crate::scenario::LegacySplit;

/// `StateBefore` is not what the subresource is in. `is_part`: other subresources of the entry are in other states.
pub(super) fn found(
    at: &At<'_>,
    phase: Phase,
    known: &Known,
    (before, after, split): (ResourceState, ResourceState, Option<LegacySplit>),
    is_part: bool,
) -> Finding {
    let (name, state) = (at.what(), known.state);
    let half = split.map_or_else(String::new, |split| format!(" {}", split.word()));
    let help = match state.named() {
        Some(now) if now == after && is_part => {
            format!("leave `{name}` out of the transition: it is in {state}")
        }
        Some(now) if now.is_empty() && after.is_empty() => {
            "leave the transition out: the resource is in COMMON".to_owned()
        }
        Some(now) if now == after && now == ResourceState::UNORDERED_ACCESS => {
            format!(
                "write `uav {}`: it orders unordered accesses in one state",
                at.name()
            )
        }
        Some(now) if now == after => format!("leave the transition out: `{name}` is in {state}"),
        _ if is_part => format!(
            "write `transition {name} {state} -> {after}{half}`, and the rest in entries of its own"
        ),
        _ => format!("write `transition {name} {state} -> {after}{half}`"),
    };
    mismatch(at, phase, known, before).help(help)
}

/// The same where another execution of the list finds what the entry says.
pub(super) fn at_one_time(at: &At<'_>, known: &Known, before: ResourceState) -> Finding {
    let (name, state) = (at.what(), known.state);
    mismatch(at, Phase::Execution, known, before).help(format!(
        "other executions of the list find `{name}` in {before}: bring it back before this one, with `transition {name} {state} -> {before}`"
    ))
}

fn mismatch(at: &At<'_>, phase: Phase, known: &Known, before: ResourceState) -> Finding {
    let (name, state) = (at.what(), known.state);
    at.finding(
        &RULE,
        phase,
        format!("`StateBefore` is {before}, but `{name}` is in {state}"),
    )
    .related(known.origin.span, known.origin.label(state))
}

/// Whether a finding says that `StateBefore` is another state than the known one: acting as if it were that one mends it.
pub(super) fn is_found(finding: &Finding) -> bool {
    finding.rule.id == RULE.id
}

/// A resource that enters a copy queue in a state of its own.
pub(super) fn on_copy_queue(
    at: &At<'_>,
    phase: Phase,
    known: &Known,
    before: ResourceState,
) -> Finding {
    let (name, state) = (at.name(), known.state);
    at.finding(
        &RULE,
        phase,
        format!(
            "`{name}` comes to the copy queue in {state}, not in COMMON (`StateBefore` is {before})"
        ),
    )
    .related(known.origin.span, known.origin.label(state))
    .help(format!(
        "end the earlier use with `transition {name} {state} -> COMMON`"
    ))
}

/// A UAV barrier on what is not in `UNORDERED_ACCESS`.
pub(super) fn of_uav(at: &At<'_>, phase: Phase, known: &Known) -> Finding {
    let (name, state) = (at.name(), known.state);
    at.finding(
        &RULE,
        phase,
        format!("a UAV barrier orders unordered accesses, but `{name}` is in {state}"),
    )
    .severity(Severity::Warning)
    .related(known.origin.span, known.origin.label(state))
    .help(format!(
        "transition `{name}` to UNORDERED_ACCESS, or leave the UAV barrier out"
    ))
}
