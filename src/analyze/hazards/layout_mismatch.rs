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
use crate::analyze::names;
use crate::api::{BarrierAccess, Layout, QueueType, compat};
use crate::graph::{Conflict, ConflictKind};
use crate::order::Of;
use crate::scenario::geometry;

pub(super) static HAZARD: HazardRule =
    HazardRule::new(&RULE, &[ConflictKind::LayoutMismatch], message, help);

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

/// An access of the same command to the same subresources that no layout allows along with the second's.
fn contradicting(context: &Context<'_, '_>, conflict: &Conflict) -> Option<BarrierAccess> {
    let (timeline, side) = (context.timeline, conflict.second);
    let scenario = timeline.scenario;
    let own = names::used(timeline, &side)?;
    let (list, command) = timeline.place(side.node).command?;
    let command = &scenario.lists[list].commands[command as usize];
    let shape = scenario.resource(side.resource).texture()?;
    let sub = geometry::subresource_box(shape, &own.range).ok()?;
    let traits = scenario.traits(side.resource);
    let allows_both = |layout: &&Layout, other| {
        compat::creation_allows_layout(**layout, traits.flags)
            && compat::layout_allows(**layout, side.access, traits)
            && compat::layout_allows(**layout, other, traits)
    };
    let others = command.uses.iter().filter(|used| {
        let meets = geometry::subresource_box(shape, &used.range).is_ok_and(|it| it.meets(&sub));
        used.resource == side.resource && used.access != side.access && meets
    });
    let mut accesses = others.map(|used| used.access);
    accesses.find(|other| {
        !Layout::ALL
            .iter()
            .any(|layout| allows_both(&layout, *other))
    })
}

/// What to do where the queue of the use cannot take the texture out of its layout.
fn on_another_queue(context: &Context<'_, '_>, conflict: &Conflict) -> Option<String> {
    let (timeline, side) = (context.timeline, conflict.second);
    let submission = timeline.submission(timeline.submission_of(side.node));
    let queue = timeline.queue_type(submission)?;
    let layout = conflict.layout?;
    let can_leave = queue != QueueType::Copy && compat::queue_allows_layout(queue, layout);
    if can_leave || layout == Layout::Common {
        return None;
    }
    let name = timeline.scenario.resource_name(side.resource);
    let now = timeline.moment(side.node, None);
    let before = |of| timeline.touches(of, ..now).next().is_some();
    // What was there before the first use is what creation said.
    let is_created_so =
        !before(Of::Entries(Some(side.resource))) && !before(Of::Uses(side.resource));
    let elsewhere = "take it to COMMON with a barrier on another queue, before the signal that this queue waits for";
    Some(if is_created_so {
        format!(
            "a {queue} queue cannot take `{name}` out of {layout}: create it in COMMON, or {elsewhere}"
        )
    } else {
        format!("a {queue} queue cannot take `{name}` out of {layout}: {elsewhere}")
    })
}

/// Which layout to go to, if there is one for the use, and its queue can go there.
#[allow(
    clippy::unnecessary_wraps,
    reason = "the type that every hazard rule shares"
)]
fn help(context: &Context<'_, '_>, conflict: &Conflict) -> Option<String> {
    let access = conflict.second.access;
    if !access.is_empty() {
        if !has_layout(context, conflict) {
            return Some(format!(
                "no layout of this queue allows {access}: record the command in a list of another type"
            ));
        }
        if let Some(other) = contradicting(context, conflict) {
            return Some(format!(
                "no layout allows {access} and {other} at once: bind a copy for one of them, or drop one of the two views"
            ));
        }
        if let Some(elsewhere) = on_another_queue(context, conflict) {
            return Some(elsewhere);
        }
    }
    let wanted = if access.is_empty() {
        "COMMON".to_string()
    } else {
        format!("a layout that allows {access}")
    };
    Some(format!(
        "take the texture to {wanted} with a barrier before this use"
    ))
}
