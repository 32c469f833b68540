//! **What it finds.** An option that is given twice, or beside one that excludes it.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC005",
    name: "duplicate-option",
    severity: Severity::Error,
    summary: "An option that is given twice, or beside one that excludes it.",
    file: include_str!("duplicate_option.rs"),
};
