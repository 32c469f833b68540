//! Waits that wait for each other, or a wait that only later work of its own queue could satisfy.
//!
//! **Source.** Reading R23.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN102",
    name: "fence-deadlock",
    severity: Severity::Error,
    summary: "waits that wait for each other, or for what comes after them",
    file: include_str!("fence_deadlock.rs"),
};
