//! **What it finds.** A name that is not declared before its use, or is of another kind.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC003",
    name: "unknown-name",
    severity: Severity::Error,
    summary: "A name that is not declared before its use, or is of another kind.",
    file: include_str!("unknown_name.rs"),
};
