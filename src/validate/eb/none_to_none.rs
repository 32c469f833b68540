//! **What it finds.** A barrier from `SyncBefore NONE` to `SyncAfter NONE` that changes no texture's layout.
//!
//! **Why it matters.** The end of an `ExecuteCommandLists` finishes and flushes everything. A barrier that neither
//! waits, nor blocks, nor transitions has no effect.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB
//! queue q : direct
//!
//! list l : direct {
//!   barrier { buffer b { sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS } }
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
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS; layout COMMON -> SHADER_RESOURCE } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Barrier Sync Examples".

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::api::{BarrierAccess, BarrierSync};
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB044",
    name: "none-to-none",
    severity: Severity::Advice,
    summary: "a barrier that waits for nothing, blocks nothing and transitions nothing",
    file: include_str!("none_to_none.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Entry(check)],
};

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let barrier = entry.barrier;
    let none = BarrierSync::NONE;
    let nothing = (barrier.sync_before, barrier.sync_after) == (none, none)
        && barrier.access_before.contains(BarrierAccess::NO_ACCESS)
        && barrier.access_after.contains(BarrierAccess::NO_ACCESS)
        && entry
            .layouts()
            .is_none_or(|(before, after)| before == after);
    (nothing && entry.has_sides() && !entry.in_fence).then(|| {
        entry
            .finding(
                &RULE,
                "the barrier waits for nothing, blocks nothing and transitions nothing",
            )
            .help("leave the barrier out")
    })
}
