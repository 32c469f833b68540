//! **What it finds.** A word or sign that the grammar does not allow at its place.
//!
//! **Why it matters.** A half-understood statement would run as something that the author did not write. The message
//! names what is expected instead.
//!
//! **Firing example**
//! ```text
//! buffer b 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "fill" 1x1x1 { UNORDERED_ACCESS b writes }
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
//!   dispatch "fill" 1x1x1 { UNORDERED_ACCESS b writes }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** The scenario language, "Words and marks", "Declarations", "Command lists", "The timeline".

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC002",
    name: "unexpected-token",
    severity: Severity::Error,
    summary: "A word or sign that the grammar does not allow at its place.",
    file: include_str!("unexpected_token.rs"),
};
