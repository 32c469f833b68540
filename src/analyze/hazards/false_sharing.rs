crate::finding::rule! {
    /// **What it finds.** Two concurrent writers of one subresource whose bytes do not overlap, on one queue without a
    /// barrier or on two queues without a fence between them. A hazard if they share a granule of 256 bytes; otherwise
    /// a warning for buffers and simultaneous-access textures, because the specification forbids concurrent writers of
    /// one subresource even where no line is shared.
    ///
    /// **Why it matters.** Two write caches that hold the same line may each write back all of it: one of them takes
    /// the other's bytes with it.
    ///
    /// **Source.** Enhanced Barriers specification, "Single-Queue Simultaneous Access"; readings R21, R42,
    /// R49, R61.
    static RULE = "HZ106", "false-sharing", Hazard,
        "concurrent writers of one subresource, in one granule or at least against the rules";
}

use super::{Context, HazardRule, WRITES, barrier_help, queue_race};
use crate::analyze::names;
use crate::graph::{Conflict, ConflictKind};

pub(super) static HAZARD: HazardRule = HazardRule::new(
    &RULE,
    &[ConflictKind::FalseSharing, ConflictKind::ConcurrentWriters],
    message,
    help,
);

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    let why = if conflict.kind == ConflictKind::FalseSharing {
        "in a granule of 256 bytes that both write"
    } else {
        "which the specification forbids for one subresource, although they share no granule"
    };
    format!(
        "{} {} other bytes of {} without waiting for {}{}, {why}",
        context.side(&conflict.second),
        context.second(conflict, WRITES),
        context.resource(conflict),
        context.side(&conflict.first),
        context.first(("", ", which may write")),
    )
}

/// Between queues a barrier is no help.
fn help(context: &Context<'_, '_>, conflict: &Conflict) -> Option<String> {
    if names::is_between_queues(context.timeline, conflict) {
        queue_race::help(context, conflict)
    } else {
        barrier_help(context, conflict)
    }
}
