//! **What it finds.** A word or sign that the grammar does not allow at its place.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC002",
    name: "unexpected-token",
    severity: Severity::Error,
    summary: "A word or sign that the grammar does not allow at its place.",
    file: include_str!("unexpected_token.rs"),
};
