crate::finding::rule! {
    /// **What it finds.** A command writes bytes, or a barrier changes their layout, while an earlier read of the same
    /// scope may still be running.
    ///
    /// **Why it matters.** The read may see the new contents. Only order is missing: a write after a read needs no
    /// cache written back or dropped.
    ///
    /// **Source.** Enhanced Barriers specification, "Synchronization", "Layout Transitions"; readings R15, R17, R42.
    static RULE = "HZ102", "write-after-read", Hazard,
        "a write or layout transition that does not wait for an earlier read";
}

use super::{Context, HazardRule, READS, barrier_help};
use crate::graph::{Conflict, ConflictKind};

pub(super) static HAZARD: HazardRule =
    HazardRule::new(&RULE, &[ConflictKind::WriteAfterRead], message, help);

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    let does = context.second_writes(conflict);
    format!(
        "{} {does} {} without waiting for {}, which {} it",
        context.side(&conflict.second),
        context.resource(conflict),
        context.side(&conflict.first),
        context.first(READS),
    )
}

fn help(context: &Context<'_, '_>, conflict: &Conflict) -> Option<String> {
    if conflict.second.barrier().is_some() {
        return Some(format!("add {} to its SyncBefore", conflict.first.stages));
    }
    barrier_help(context, conflict)
        .map(|help| format!("{help} (order is enough; this needs no cache operation)"))
}
