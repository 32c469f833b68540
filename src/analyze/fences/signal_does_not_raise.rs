//! A signal that does not raise the fence's value.
//!
//! **Source.** Reading R23.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN104",
    name: "signal-does-not-raise",
    severity: Severity::Warning,
    summary: "a signal that does not raise the fence's value",
    file: include_str!("signal_does_not_raise.rs"),
};
