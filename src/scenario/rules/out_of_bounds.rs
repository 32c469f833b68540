//! **What it finds.** A range of a use that exceeds its resource.
//!
//! **Why it matters.** A command cannot touch memory that does not exist. In a barrier, D3D12 itself checks the numbers of
//! the range, so the same mistake there is a finding of the family `EB`.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "fill" 1x1x1 { UNORDERED_ACCESS b[0..4100] writes }
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
//!   dispatch "fill" 1x1x1 { UNORDERED_ACCESS b[0..4096] writes }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** The scenario language, "Command lists": out of bounds in a use is `SC`, in a barrier `EB`.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC006",
    name: "out-of-bounds",
    severity: Severity::Error,
    summary: "A range of a use that exceeds its resource.",
    file: include_str!("out_of_bounds.rs"),
};
