//! **What it finds.** A command writes bytes, or a barrier changes their layout, while an earlier read of the same
//! scope may still be running.
//!
//! **Why it matters.** The read may see the new contents. Only order is missing: a write after a read needs no cache
//! written back or dropped.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b writes }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> UNORDERED_ACCESS } }
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b writes }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Synchronization", "Layout Transitions"; readings R15, R17, R42.

use super::{CHANGES, Context, HazardRule, READS, WRITES, barrier_help};
use crate::finding::{Rule, Severity};
use crate::graph::{Conflict, ConflictKind};

static RULE: Rule = Rule {
    id: "HZ102",
    name: "write-after-read",
    severity: Severity::Hazard,
    summary: "a write or layout transition that does not wait for an earlier read",
    file: include_str!("write_after_read.rs"),
};

pub(super) static HAZARD: HazardRule = HazardRule {
    rule: &RULE,
    kinds: &[ConflictKind::WriteAfterRead],
    message,
    help,
};

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    let does = if conflict.second.barrier().is_some() {
        format!("{} the layout of", context.second(conflict, CHANGES))
    } else {
        context.second(conflict, WRITES).to_owned()
    };
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
