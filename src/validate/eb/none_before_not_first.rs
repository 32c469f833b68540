//! **What it finds.** `SyncBefore NONE` on subresources that an earlier barrier or command of the same
//! `ExecuteCommandLists` scope has touched.
//!
//! **Why it matters.** `NONE` promises that there is nothing to wait for. The driver then waits for nothing, and the
//! barrier takes effect while the earlier work still runs.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { buffer b { sync COPY -> COMPUTE_SHADING; access COPY_DEST -> NO_ACCESS } }
//!   barrier { buffer b { sync NONE -> COMPUTE_SHADING; access NO_ACCESS -> SHADER_RESOURCE } }
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
//!   barrier { buffer b { sync NONE -> COMPUTE_SHADING; access NO_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//! }
//!
//! timeline {
//!   q execute l
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Synchronization", "`D3D12_BARRIER_SYNC_NONE`"; reading R24.

use crate::validate::state::Before;
use crate::validate::{Check, ValidationRule};

use crate::api::BarrierSync;
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB029",
    name: "none-before-not-first",
    severity: Severity::Error,
    summary: "SyncBefore NONE although the scope has touched the resource",
    file: include_str!("none_before_not_first.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Before(check)],
};

fn check(it: &Before<'_, '_, '_>) -> Option<Finding> {
    let touched = it.known.touched_in(it.facts.scope)?;
    let after_end = it.left().is_some_and(|left| left.ends);
    if it.entry.barrier.sync_before != BarrierSync::NONE || after_end || it.is_split() {
        return None;
    }
    let name = it.facts.scenario.resource_name(it.entry.resource_id()?);
    let place = it.place();
    Some(
        it.finding(
            &RULE,
            Some(touched),
            "first touched here, in the same scope",
            format!(
                "`SyncBefore` is NONE, but earlier work of the same `ExecuteCommandLists` scope touched `{name}`{place}"
            ),
        )
        .help("name the scopes of the earlier work in `SyncBefore`"),
    )
}
