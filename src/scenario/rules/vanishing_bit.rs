//! **What it finds.** `NONE` or `COMMON` joined with other names by `|`.
//!
//! **Why it matters.** Both are zero, so the joined name has no effect: `COMMON|SHADER_RESOURCE` is only
//! `SHADER_RESOURCE`, although the text looks wider.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b writes }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> COMMON|SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
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
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b writes }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** The scenario language, "Words and marks"; Enhanced Barriers specification, `D3D12_BARRIER_SYNC`,
//! `D3D12_BARRIER_ACCESS`.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC009",
    name: "vanishing-bit",
    severity: Severity::Error,
    summary: "`NONE` or `COMMON` joined with other names; both are zero and have no effect.",
    file: include_str!("vanishing_bit.rs"),
};
