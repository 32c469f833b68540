//! **What it finds.** A barrier with `SyncBefore SPLIT` although no split barrier on its subresources has begun.
//!
//! **Why it matters.** The second half of a split waits for what the first half started. Without a first half it waits
//! for nothing, and the transition may never have happened.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; mips 2; initial RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync SPLIT -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; mips 2; initial RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync RENDER_TARGET -> SPLIT; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
//! }
//!
//! list m : direct {
//!   barrier { texture t { sync SPLIT -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
//! }
//!
//! timeline {
//!   q execute l
//!   q execute m
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Split Barriers", "`D3D12_BARRIER_SYNC_SPLIT`"; reading R27.

use crate::validate::BarrierEntry;
use crate::validate::state::{Facts, explain};

use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB032",
    name: "split-end-without-begin",
    severity: Severity::Error,
    summary: "the end of a split barrier that never began",
    file: include_str!("split_end_without_begin.rs"),
};

/// The finding on the end half.
pub fn finding(entry: &BarrierEntry<'_>, facts: &Facts<'_, '_>) -> Finding {
    let name = entry
        .resource_id()
        .map_or("?", |id| facts.scenario.resource_name(id));
    let finding = entry.finding(
        &RULE,
        format!("this ends a split barrier on `{name}`, but none has begun"),
    );
    explain(facts, finding, None, "").help(
        "begin the split with the same barrier and `SyncAfter SPLIT`, or name the scopes in `SyncBefore`",
    )
}
