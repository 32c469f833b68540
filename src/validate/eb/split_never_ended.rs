//! **What it finds.** A barrier with `SyncAfter SPLIT` that no barrier with `SyncBefore SPLIT` ever ends.
//!
//! **Why it matters.** Between start and end the layout is neither the old nor the new one. The texture stays unusable.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; mips 2; initial RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync RENDER_TARGET -> SPLIT; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
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
//! **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_SYNC_SPLIT`", "Split Barriers"; reading R27.

use crate::validate::state::{Facts, Split};

use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB033",
    name: "split-never-ended",
    severity: Severity::Error,
    summary: "the start of a split barrier that nothing ends",
    file: include_str!("split_never_ended.rs"),
};

/// The finding on the first half.
pub fn finding(facts: &Facts<'_, '_>, split: &Split<'_>) -> Finding {
    let name = facts.scenario.resource_name(split.resource);
    Finding::new(
        &RULE,
        split.barrier.span,
        format!("the split barrier on `{name}` begins here and never ends"),
    )
    .resource(name)
    .note("found at ExecuteCommandLists: no list of the timeline ends it")
    .help("end the split with the same barrier and `SyncBefore SPLIT`")
}
