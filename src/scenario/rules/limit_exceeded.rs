//! **What it finds.** A number, a count or a text beyond the program's limits.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC007",
    name: "limit-exceeded",
    severity: Severity::Error,
    summary: "A number, a count or a text beyond the program's limits.",
    file: include_str!("limit_exceeded.rs"),
};
