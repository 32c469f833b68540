//! **What it finds.** An expectation that names nothing, or `none` beside others.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC013",
    name: "bad-expectation",
    severity: Severity::Error,
    summary: "An expectation that names nothing, or `none` beside others.",
    file: include_str!("bad_expectation.rs"),
};
