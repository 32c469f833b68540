crate::finding::rule! {
    /// **What it finds.** A command uses a texture in a layout that does not allow the access, or presents one that is
    /// not in `COMMON`.
    ///
    /// **Why it matters.** The client may not be able to decode what the layout keeps compressed, or may leave metadata
    /// that contradicts the data.
    ///
    /// **Source.** Enhanced Barriers specification, "Layout Access Compatibility", "`COMMON` Layout"; readings R30,
    /// R42.
    static RULE = "HZ104", "layout-mismatch", Hazard,
        "a use of a texture in a layout that does not allow the access";
}

use super::{Context, HazardRule, USES};
use crate::api::{Layout, QueueType, compat};
use crate::graph::{Conflict, ConflictKind};

pub(super) static HAZARD: HazardRule = HazardRule {
    rule: &RULE,
    kinds: &[ConflictKind::LayoutMismatch],
    message,
    help,
};

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    let layout = conflict.layout.unwrap_or(Layout::Undefined);
    let access = if conflict.second.access.is_empty() {
        "presentation".to_string()
    } else {
        conflict.second.access.to_string()
    };
    let (who, what) = (context.side(&conflict.second), context.resource(conflict));
    let name = layout.name();
    let uses = context.second(conflict, USES);
    match queue_without(context, conflict, layout) {
        Some(queue) => {
            format!(
                "{who} {uses} {what} in the layout {name}, which work of a {queue} queue cannot use"
            )
        }
        None => format!("{who} {uses} {what} in the layout {name}, which does not allow {access}"),
    }
}

/// The type of the use's queue, if the layout allows the access elsewhere. Spec: "Queue type specific layouts".
fn queue_without(
    context: &Context<'_, '_>,
    conflict: &Conflict,
    layout: Layout,
) -> Option<QueueType> {
    let timeline = context.timeline;
    let side = conflict.second;
    let submission = timeline.submission(timeline.submission_of(side.node));
    let queue = timeline.queue_type(submission)?;
    let traits = timeline.scenario.traits(side.resource);
    let elsewhere = !side.access.is_empty()
        && compat::layout_allows(layout, side.access, traits)
        && !compat::queue_uses_layout(queue, layout);
    elsewhere.then_some(queue)
}

/// Whether work of the use's queue can use its texture in a layout that allows the access.
fn has_layout(context: &Context<'_, '_>, conflict: &Conflict) -> bool {
    let (timeline, side) = (context.timeline, conflict.second);
    let submission = timeline.submission(timeline.submission_of(side.node));
    let Some(queue) = timeline.queue_type(submission) else {
        return true;
    };
    let traits = timeline.scenario.traits(side.resource);
    // No work uses a texture in UNDEFINED.
    let mut layouts = Layout::ALL.iter().filter(|l| **l != Layout::Undefined);
    layouts.any(|layout| {
        compat::queue_allows_layout(queue, *layout)
            && compat::creation_allows_layout(*layout, traits.flags)
            && compat::layout_allows(*layout, side.access, traits)
    })
}

/// Which layout to go to, if the queue of the use has one for it.
#[allow(
    clippy::unnecessary_wraps,
    reason = "the type that every hazard rule shares"
)]
fn help(context: &Context<'_, '_>, conflict: &Conflict) -> Option<String> {
    let wanted = if conflict.second.access.is_empty() {
        "COMMON".to_string()
    } else if has_layout(context, conflict) {
        format!("a layout that allows {}", conflict.second.access)
    } else {
        return Some(format!(
            "no layout of this queue allows {}: record the command in a list of another type",
            conflict.second.access
        ));
    };
    Some(format!(
        "take the texture to {wanted} with a barrier before this use"
    ))
}
