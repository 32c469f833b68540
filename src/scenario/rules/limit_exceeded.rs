//! **What it finds.** A number, a count or a text that exceeds the limits of D3D12 or of this program.
//!
//! **Why it matters.** Limits keep every run finite. Some are those of D3D12: a dispatch has at most 65535 thread groups
//! in each dimension.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "fill" 65536x1x1 { UNORDERED_ACCESS b writes }
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
//!   dispatch "fill" 65535x1x1 { UNORDERED_ACCESS b writes }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** The scenario language, "Command lists"; `D3D12_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION` and
//! similar constants.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC007",
    name: "limit-exceeded",
    severity: Severity::Error,
    summary: "A number, a count or a text that exceeds a limit of D3D12 or of this program.",
    file: include_str!("limit_exceeded.rs"),
};
