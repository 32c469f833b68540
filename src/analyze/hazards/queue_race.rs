//! What the three races between queues say in common.

use super::{CHANGES, Context, USES};
use crate::graph::{Conflict, Side};
use crate::order::Timeline;

pub(super) fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    let timeline = context.timeline;
    let queue = |side: &Side| {
        timeline.actor_name(timeline.submission(timeline.submission_of(side.node)).actor)
    };
    let waits = never_runs(timeline, &conflict.second);
    let second = match (conflict.second.barrier(), waits) {
        (Some(_), true) => "would change the layout of".to_owned(),
        (Some(_), false) => format!("{} the layout of", context.second(conflict, CHANGES)),
        (None, true) => "would use".to_owned(),
        (None, false) => context.second(conflict, USES).to_owned(),
    };
    let first = match (
        conflict.first.barrier(),
        never_runs(timeline, &conflict.first),
    ) {
        (Some(_), true) => "would change its layout if its wait ended",
        (Some(_), false) => "changes its layout",
        (None, true) => "would use it if its wait ended",
        (None, false) => context.first(("uses it", "may use it")),
    };
    format!(
        "{} on `{}` {second} {} while {} on `{}` {first}: no fence orders them",
        context.side(&conflict.second),
        queue(&conflict.second),
        context.resource(conflict),
        context.side(&conflict.first),
        queue(&conflict.first),
    )
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "the type that every hazard rule shares"
)]
pub(super) fn help(context: &Context<'_, '_>, conflict: &Conflict) -> Option<String> {
    let timeline = context.timeline;
    let queue = |side: &Side| {
        timeline.actor_name(timeline.submission(timeline.submission_of(side.node)).actor)
    };
    Some(format!(
        "signal a fence on `{}` after the first and wait for it on `{}` before the second",
        queue(&conflict.first),
        queue(&conflict.second)
    ))
}

/// Whether a side comes after a wait of its queue that never ends: another finding says why.
fn never_runs(timeline: &Timeline<'_>, side: &Side) -> bool {
    let own = timeline.submission(timeline.submission_of(side.node));
    timeline.fence_problems.iter().any(|problem| {
        let at = timeline.submission(problem.submission);
        problem.kind.is_endless() && at.actor == own.actor && at.sequence < own.sequence
    })
}
