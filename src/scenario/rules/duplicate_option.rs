//! **What it finds.** An option that is given twice, or along with one that excludes it.
//!
//! **Why it matters.** One of the two values would be silently ignored.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET; mips 2; mips 3 }
//! queue q : direct
//!
//! list l : direct {
//!   clear-rtv t[mip 1]
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET; mips 3 }
//! queue q : direct
//!
//! list l : direct {
//!   clear-rtv t[mip 1]
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** The scenario language, "Words and marks": an option given twice is an error.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC005",
    name: "duplicate-option",
    severity: Severity::Error,
    summary: "An option that is given twice, or along with one that excludes it.",
    file: include_str!("duplicate_option.rs"),
};
