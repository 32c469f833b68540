//! **What it finds.** A texture barrier on a copy list whose layouts are neither both `COMMON` nor both
//! `UNDEFINED`.
//!
//! **Why it matters.** Copy queues cannot transition layouts: a texture used there is in `COMMON` before and after.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64
//! queue q : copy
//!
//! list l : copy {
//!   barrier { texture t { sync COPY -> COPY; access COPY_DEST -> COPY_SOURCE; layout COMMON -> COPY_SOURCE } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64
//! queue q : copy
//!
//! list l : copy {
//!   barrier { texture t { sync COPY -> COPY; access COPY_DEST -> COPY_SOURCE; layout COMMON -> COMMON } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Copy Queues"; reading R30.

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::api::{Layout, QueueType};
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB022",
    name: "copy-queue-layout",
    severity: Severity::Error,
    summary: "a layout transition on a copy queue",
    file: include_str!("copy_queue.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Entry(check)],
};

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let (before, after) = entry.layouts()?;
    let legal = before == after && matches!(before, Layout::Common | Layout::Undefined);
    (entry.queue() == QueueType::Copy && !legal).then(|| {
        entry
            .finding(
                &RULE,
                format!("a copy list cannot make the layout transition {before} -> {after}"),
            )
            .help("make the transition on a direct or compute queue; in a copy list both layouts are COMMON, or both UNDEFINED")
    })
}
