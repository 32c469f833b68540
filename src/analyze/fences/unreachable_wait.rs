//! A wait that no signal of the timeline can satisfy.
//!
//! **Source.** Reading R23: a wait on v is satisfied while the fence's value is at least v.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN101",
    name: "unreachable-wait",
    severity: Severity::Error,
    summary: "a wait that no signal of the timeline can satisfy",
    file: include_str!("unreachable_wait.rs"),
};
