//! **What it finds.** A value that does not have the form, or is not in the set, that its place requires.
//!
//! **Why it matters.** A guessed unit or range of a number would decide the times that are reported.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "fill" 1x1x1 takes 5 { UNORDERED_ACCESS b writes }
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
//!   dispatch "fill" 1x1x1 takes 5us { UNORDERED_ACCESS b writes }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** The scenario language, "Words and marks".

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC010",
    name: "bad-value",
    severity: Severity::Error,
    summary: "A value that does not have the form, or is not in the set, that its place requires.",
    file: include_str!("bad_value.rs"),
};
