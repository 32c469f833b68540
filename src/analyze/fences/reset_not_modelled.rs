//! A GPU reset, which this version does not model.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN105",
    name: "reset-not-modelled",
    severity: Severity::Warning,
    summary: "a `reset` statement: its effect on work and fences is not modelled yet",
    file: include_str!("reset_not_modelled.rs"),
};
