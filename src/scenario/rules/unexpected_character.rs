//! **What it finds.** Characters that begin no word, number, string or sign.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC001",
    name: "unexpected-character",
    severity: Severity::Error,
    summary: "Characters that begin no word, number, string or sign.",
    file: include_str!("unexpected_character.rs"),
};
