//! **What it finds.** A stage or an access that the command cannot have.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC011",
    name: "wrong-stage",
    severity: Severity::Error,
    summary: "A stage or an access that the command cannot have.",
    file: include_str!("wrong_stage.rs"),
};
