crate::finding::rule! {
    /// **What it finds.** A read of data whose writer a GPU reset drops: nothing orders the writer before the `reset`,
    /// so it may have ended, stopped halfway, or never begun.
    ///
    /// **Why it matters.** The reader is woken all the same: the reset signals the fence that the reader waits for to
    /// its greatest value. The data then has no defined contents. Only the fence's value `UINT64_MAX` tells the reader.
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`NoSignalMaxValueOnTdr`"; reading R40: what a reset drops is
    /// unfinished.
    pub(super) static RULE = "FN113", "read-of-lost-work", Warning,
        "a read of what a GPU reset has kept from being written";
}

use crate::analyze::names;
use crate::finding::Finding;
use crate::graph::{self, NeededPair, Part, Side};
use crate::order::{FenceProblemKind, ResetEffect, SubmissionKind, Timeline};

/// The reads of a timeline whose latest writer a reset has dropped.
pub(super) fn findings(timeline: &Timeline<'_>) -> Vec<Finding> {
    if timeline.resets.is_empty() {
        return Vec::new();
    }
    let mut lost: Vec<(NeededPair, &ResetEffect)> = graph::pairs_across(timeline)
        .into_iter()
        .filter(|pair| reads(timeline, &pair.second) && comes(timeline, &pair.second))
        .filter_map(|pair| Some((pair, dropping(timeline, &pair)?)))
        .collect();
    // One finding a use, whatever it reads it from.
    lost.sort_by_key(|(pair, _)| (pair.second.node, pair.second.part));
    lost.dedup_by_key(|(pair, _)| (pair.second.node, pair.second.part));
    let found = lost
        .iter()
        .map(|(pair, reset)| finding(timeline, pair, reset));
    found.collect()
}

/// The reset that drops the first side and not the second.
fn dropping<'t>(timeline: &'t Timeline<'_>, pair: &NeededPair) -> Option<&'t ResetEffect> {
    let (first, second) = (pair.first.node, pair.second.node);
    let (first, second) = (
        timeline.submission_of(first),
        timeline.submission_of(second),
    );
    timeline.resets.iter().find(|reset| {
        let is_dropped = |id| reset.dropped.binary_search(id).is_ok();
        is_dropped(&first) && !is_dropped(&second)
    })
}

/// Whether a side ever comes: no wait before it goes on for ever, which is a finding of its own.
fn comes(timeline: &Timeline<'_>, side: &Side) -> bool {
    let id = timeline.submission_of(side.node);
    let actor = timeline.submission(id).actor;
    !timeline.fence_problems.iter().any(|problem| {
        let wait = problem.submission;
        let is_before = timeline.submission(wait).actor == actor && wait < id;
        match problem.kind {
            FenceProblemKind::NeverSatisfied
            | FenceProblemKind::SetBack
            | FenceProblemKind::Lost
            | FenceProblemKind::Deadlock
            | FenceProblemKind::ReturnTrip => is_before || timeline.happens_before(wait, id),
            FenceProblemKind::Ambiguous | FenceProblemKind::DoesNotRaise => false,
        }
    })
}

/// Whether a side reads contents. A transition keeps them, whatever they are.
fn reads(timeline: &Timeline<'_>, side: &Side) -> bool {
    match side.part {
        Part::Use(_) => names::used(timeline, side).is_some_and(|used| used.reads()),
        Part::Whole => {
            let id = timeline.submission_of(side.node);
            !matches!(
                timeline.submission(id).kind,
                SubmissionKind::CpuWrite { .. }
            )
        }
        Part::Root { .. } | Part::Entry(_) => false,
    }
}

fn finding(timeline: &Timeline<'_>, pair: &NeededPair, reset: &ResetEffect) -> Finding {
    let resource = timeline.scenario.resource_name(pair.second.resource);
    let reader = names::node_label(timeline, pair.second.node);
    let message = format!("{reader} reads `{resource}`, but a reset drops the work that writes it");
    let reset = timeline.submission(reset.reset).statement.span;
    Finding::new(&RULE, names::side_span(timeline, &pair.second), message)
        .related(names::side_span(timeline, &pair.first), "may still be running at the reset")
        .related(reset, "this reset drops the work")
        .resource(resource)
        .help("wait for the work before the reset, or do not use its results after the reset (the fence's value is then UINT64_MAX)")
}
