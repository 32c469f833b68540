//! **What it finds.** A range of a use that reaches beyond its resource.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC006",
    name: "out-of-bounds",
    severity: Severity::Error,
    summary: "A range of a use that reaches beyond its resource.",
    file: include_str!("out_of_bounds.rs"),
};
