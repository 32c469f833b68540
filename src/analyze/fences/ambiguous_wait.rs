//! A wait that several unordered signals could satisfy, so that none of them orders it.
//!
//! **Source.** Reading R23.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN103",
    name: "ambiguous-wait",
    severity: Severity::Warning,
    summary: "a wait that several unordered signals could satisfy: none of them orders it",
    file: include_str!("ambiguous_wait.rs"),
};
