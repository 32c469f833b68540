crate::finding::rule! {
    /// **What it finds.** A command reads bytes that an earlier command of the same scope wrote, and no barrier both
    /// orders the two and makes the write visible to that access at that stage. `keep` reads, too: a write that a barrier
    /// gives up is found at that barrier.
    ///
    /// **Why it matters.** The read may run before the write has finished, or find an older copy in a cache that
    /// nothing invalidated. Whether that happens depends on the GPU and on timing. A barrier makes the write visible
    /// only to the accesses that it names.
    ///
    /// **Source.** Enhanced Barriers specification, "Access Transitions", "Synchronization", "Single-Queue Simultaneous
    /// Access"; readings R14, R20, R32, R42, R68.
    static RULE = "HZ101", "read-after-write", Hazard,
        "a read of bytes whose write is not ordered before it, or not visible to it";
}

use super::{Context, HazardRule, READS, barrier_help};
use crate::analyze::names;
use crate::graph::{Conflict, ConflictKind};
use crate::id::BarrierRef;

pub(super) static HAZARD: HazardRule = HazardRule::new(
    &RULE,
    &[ConflictKind::ReadAfterWrite, ConflictKind::KeptGivenUp],
    message,
    help,
);

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    if conflict.kind == ConflictKind::KeptGivenUp {
        return format!(
            "{} {} what {} {} to {}, which `keep` asks for at the end of the timeline",
            context.side(&conflict.second),
            context.second(conflict, ("gives up", "may give up")),
            context.side(&conflict.first),
            context.first(("wrote", "may have written")),
            context.resource(conflict),
        );
    }
    let what = match (conflict.ordered, conflict.visible) {
        (true, _) => "but nothing makes that write visible to this read",
        (false, true) => "but does not wait for that write",
        (false, false) => "but does not wait for that write, and nothing makes it visible",
    };
    format!(
        "{} {} {} as {} after {} {} it, {what}",
        context.side(&conflict.second),
        context.second(conflict, READS),
        context.resource(conflict),
        conflict.second.access,
        context.side(&conflict.first),
        context.first(("wrote", "may have written")),
    )
}

/// Contents that were given up are kept where that was said, in whatever scope they are read (reading R53).
fn help(context: &Context<'_, '_>, conflict: &Conflict) -> Option<String> {
    if !conflict.given_up {
        return barrier_help(context, conflict);
    }
    let timeline = context.timeline;
    let gives_up = |id: &BarrierRef| {
        names::entry(timeline, *id).is_some_and(|entry| entry.access_before.is_no_access())
    };
    let which = match conflict.barrier.filter(gives_up) {
        Some(id) => timeline.barrier_name(id),
        None => "the barrier that gives the contents up".into(),
    };
    let access = conflict.first.access;
    Some(format!(
        "name {access} instead of NO_ACCESS in AccessBefore of {which}"
    ))
}
