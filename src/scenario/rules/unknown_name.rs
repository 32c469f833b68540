//! **What it finds.** A name or a word that is not declared or known, or that names another kind of thing.
//!
//! **Why it matters.** A use of a misspelt resource would touch nothing, and its hazards would be missed. The message
//! names the nearest known word.
//!
//! **Firing example**
//! ```text
//! buffer hist : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "fill" 1x1x1 { UNORDERED_ACCESS hits writes }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! buffer hist : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "fill" 1x1x1 { UNORDERED_ACCESS hist writes }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** The scenario language, "Words and marks", "Declarations".

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC003",
    name: "unknown-name",
    severity: Severity::Error,
    summary: "A name that is not declared before its use, or is of another kind.",
    file: include_str!("unknown_name.rs"),
};
