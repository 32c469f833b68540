crate::finding::rule! {
    /// **What it finds.** Two writes of the same bytes in one scope, or a write and a layout transition, without a
    /// barrier that orders them and names both accesses.
    ///
    /// A transition reads and writes on its own: what it does not name in `AccessBefore`, and no barrier wrote back before,
    /// may be written back over it.
    ///
    /// **Why it matters.** Two write caches may write back in either order, so the older contents may win.
    ///
    /// **Source.** Enhanced Barriers specification, "Barrier-Free Access", "Barrier Ordering"; readings R12, R15, R17,
    /// R26, R42, R79.
    static RULE = "HZ103", "write-after-write", Hazard,
        "two writes of the same bytes that are not ordered, or whose caches may write back in either order";
}

use super::{Context, HazardRule, WRITES, barrier_help};
use crate::analyze::names;
use crate::graph::{Conflict, ConflictKind};
use crate::id::BarrierRef;

pub(super) static HAZARD: HazardRule =
    HazardRule::new(&RULE, &[ConflictKind::WriteAfterWrite], message, help);

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    let does = context.second_writes(conflict);
    let what = if conflict.ordered && conflict.second.barrier().is_some() {
        let write = context.first(("that write", "what that may have written"));
        format!("but its AccessBefore does not name {write}")
    } else if conflict.ordered {
        let earlier = context.first(("that earlier write", "what that may have written"));
        format!("but nothing makes {earlier} visible to it")
    } else {
        format!("which {} it too", context.first(WRITES))
    };
    format!(
        "{} {does} {} {} {}, {what}",
        context.side(&conflict.second),
        context.resource(conflict),
        if conflict.ordered {
            "after"
        } else {
            "without waiting for"
        },
        context.side(&conflict.first),
    )
}

fn help(context: &Context<'_, '_>, conflict: &Conflict) -> Option<String> {
    if let Some(id) = open_split(context, conflict) {
        let name = context.timeline.barrier_name(id);
        return Some(format!(
            "move the second half of {name} before this: until then nobody knows whether it has acted"
        ));
    }
    if conflict.second.barrier().is_some() {
        let access = format!("{} to its AccessBefore", conflict.first.access);
        return Some(if conflict.ordered {
            format!("add {access}")
        } else {
            format!(
                "add {} to its SyncBefore and {access}",
                conflict.first.stages
            )
        });
    }
    barrier_help(context, conflict)
}

/// The first half of an alias's split barrier, in the middle of which the second side comes (reading R27).
fn open_split(context: &Context<'_, '_>, conflict: &Conflict) -> Option<BarrierRef> {
    let id = conflict.first.barrier()?;
    let begins = names::entry(context.timeline, id)?.sync_after.is_split();
    (begins && conflict.first.resource != conflict.second.resource).then_some(id)
}
