//! **What it finds.** A value that is not of the form or in the set that its place wants.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC010",
    name: "bad-value",
    severity: Severity::Error,
    summary: "A value that is not of the form or in the set that its place wants.",
    file: include_str!("bad_value.rs"),
};
