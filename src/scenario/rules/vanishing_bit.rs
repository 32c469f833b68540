//! **What it finds.** `NONE` or `COMMON` joined with other names: it is zero and vanishes.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC009",
    name: "vanishing-bit",
    severity: Severity::Error,
    summary: "`NONE` or `COMMON` joined with other names: it is zero and vanishes.",
    file: include_str!("vanishing_bit.rs"),
};
