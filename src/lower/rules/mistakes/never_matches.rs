//! **What it finds.** A rule whose conditions exclude each other, or which comes after a rule that matches everything that
//! it matches, where only the first match counts.
//!
//! **Why it matters.** The rule never does anything, which is rarely meant. Conditions are compared one quantity at a
//! time, and with one earlier rule at a time; a rule that only several earlier ones cover together is not reported.
//!
//! **Firing example**
//! ```text
//! lowering mine { match first }
//! rule "everything" { wait ALL; hold ALL }
//! rule "colour" { before access RENDER_TARGET; clean CB }
//! ```
//!
//! **Fixed example**
//! ```text
//! lowering mine { match first }
//! rule "colour" { before access RENDER_TARGET; clean CB }
//! rule "everything else" { wait ALL; hold ALL }
//! ```
//!
//! **Source.** The rules of the file themselves.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "RF004",
    name: "rule-never-matches",
    severity: Severity::Warning,
    summary: "a rule of a rule file that no barrier can reach",
    file: include_str!("never_matches.rs"),
};
