//! **What it finds.** A barrier on subresources for which an earlier barrier of the same `ExecuteCommandLists` scope
//! said `SyncAfter NONE`.
//!
//! **Why it matters.** `SyncAfter NONE` promises that nothing follows in the scope. The earlier barrier lets nobody
//! wait for it, so the later one is not ordered after it.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; mips 2; initial RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   clear-rtv t
//!   barrier { texture t { sync RENDER_TARGET -> NONE; access RENDER_TARGET -> NO_ACCESS; layout RENDER_TARGET -> COMMON } }
//!   barrier { texture t { sync ALL -> COPY; access NO_ACCESS -> COPY_SOURCE; layout COMMON -> COPY_SOURCE } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; mips 2 }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS; layout COMMON -> COPY_SOURCE } }
//! }
//!
//! list m : direct {
//!   barrier { texture t { sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS; layout COPY_SOURCE -> COMMON } }
//! }
//!
//! timeline {
//!   q execute l
//!   q execute m
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Synchronization", "`D3D12_BARRIER_SYNC_NONE`"; reading R24.

use crate::validate::state::Before;
use crate::validate::{Check, ValidationRule};

use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB030",
    name: "barrier-after-none",
    severity: Severity::Error,
    summary: "a barrier after SyncAfter NONE in the same scope",
    file: include_str!("barrier_after_none.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Before(check)],
};

fn check(it: &Before<'_, '_, '_>) -> Option<Finding> {
    let left = it.left().filter(|left| left.ends)?;
    if it.is_split() {
        return None;
    }
    let name = it.facts.scenario.resource_name(it.entry.resource_id()?);
    let place = it.place();
    Some(
        it.finding(
            &RULE,
            Some(left.origin),
            "this barrier has `SyncAfter` NONE",
            format!(
                "an earlier barrier of the scope has `SyncAfter` NONE, so no further barrier on `{name}`{place} may follow"
            ),
        )
        .help("name the scopes of this barrier in the earlier `SyncAfter`, or move this barrier to a later `ExecuteCommandLists`"),
    )
}
