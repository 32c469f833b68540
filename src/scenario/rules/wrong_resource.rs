//! **What it finds.** A resource or range of a kind that its place does not take.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC012",
    name: "wrong-resource",
    severity: Severity::Error,
    summary: "A resource or range of a kind that its place does not take.",
    file: include_str!("wrong_resource.rs"),
};
