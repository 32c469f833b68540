//! **What it finds.** A name or a part of the file that is declared twice.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC004",
    name: "duplicate-name",
    severity: Severity::Error,
    summary: "A name or a part of the file that is declared twice.",
    file: include_str!("duplicate_name.rs"),
};
