//! **What it finds.** A JSON scenario that is not JSON or does not follow the schema.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC014",
    name: "json-syntax",
    severity: Severity::Error,
    summary: "A JSON scenario that is not JSON or does not follow the schema.",
    file: include_str!("json_syntax.rs"),
};
