//! What the three races between queues say in common.

use super::{CHANGES, Context, USES};
use crate::graph::Conflict;

pub(super) fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    let timeline = context.timeline;
    let queue = |side: &crate::graph::Side| {
        timeline.actor_name(timeline.submission(timeline.submission_of(side.node)).actor)
    };
    let second = if conflict.second.barrier().is_some() {
        format!("{} the layout of", context.second(conflict, CHANGES))
    } else {
        context.second(conflict, USES).to_owned()
    };
    let first = if conflict.first.barrier().is_some() {
        "changes its layout"
    } else {
        context.first(("uses it", "may use it"))
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
    let queue = |side: &crate::graph::Side| {
        timeline.actor_name(timeline.submission(timeline.submission_of(side.node)).actor)
    };
    Some(format!(
        "signal a fence on `{}` after the first and wait for it on `{}` before the second",
        queue(&conflict.first),
        queue(&conflict.second)
    ))
}
