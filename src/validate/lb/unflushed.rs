//! **What it finds.** A legacy barrier on a resource in `COMMON` that was used in the same `ExecuteCommandLists`
//! call after an enhanced barrier on it, without another that finishes and flushes the use.
//!
//! **Why it matters.** While enhanced barriers order a resource it has no legacy state: its uses do not promote it, and
//! no `StateBefore` describes them.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//!   legacy { transition b NON_PIXEL_SHADER_RESOURCE -> UNORDERED_ACCESS }
//!   dispatch "again" 1x1x1 { UNORDERED_ACCESS b }
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
//! list first : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//! }
//!
//! list second : direct {
//!   dispatch "again" 1x1x1 { SHADER_RESOURCE b }
//!   legacy { transition b NON_PIXEL_SHADER_RESOURCE -> UNORDERED_ACCESS }
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b }
//! }
//!
//! timeline {
//!   q execute first
//!   q execute second
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Interop with legacy `ResourceBarrier`".

use super::track::known::Known;
use super::track::{At, Phase};
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB020",
    name: "unflushed-before-legacy",
    severity: Severity::Error,
    summary: "a legacy barrier on a resource whose accesses enhanced barriers have not finished",
    file: include_str!("unflushed.rs"),
};

/// A use since the last enhanced barrier is not finished.
pub(super) fn found(at: &At<'_>, phase: Phase, known: &Known) -> Finding {
    let name = at.name();
    at.finding(
        &RULE,
        phase,
        format!(
            "enhanced barriers order `{name}` in this call, and a use follows the last of them"
        ),
    )
    .related(
        known.origin.span,
        "the last enhanced barrier on the resource",
    )
    .help(format!(
        "finish the use with an enhanced barrier, or use one kind of barrier on `{name}`"
    ))
}
