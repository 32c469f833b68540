//! **What it finds.** A variable that is declared twice, a variable with two initial values, or a file with two
//! titles.
//!
//! **Why it matters.** It is not clear which of the two is meant.
//!
//! **Firing example**
//! ```text
//! uav x
//! groupshared x
//! ```
//!
//! **Fixed example**
//! ```text
//! uav x
//! groupshared s
//! ```
//!
//! **Source.** The text form of litmus tests, in the book.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LM003",
    name: "litmus-duplicate-name",
    severity: Severity::Error,
    summary: "a variable, an initial value or a title that is given twice",
    file: include_str!("text_duplicate_name.rs"),
};
