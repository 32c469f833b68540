//! **What it finds.** A list executed where its type cannot run.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC008",
    name: "queue-type-mismatch",
    severity: Severity::Error,
    summary: "A list executed where its type cannot run.",
    file: include_str!("queue_type_mismatch.rs"),
};
