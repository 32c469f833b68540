//! **What it finds.** A barrier that can be deleted, with the layouts of its neighbours relinked, without adding an
//! error or hazard.
//!
//! **Why it matters.** It waits, flushes or rewrites for nobody.
//!
//! **Source.** Reading R48; R33 for what counts as needed at the end of the timeline.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "RD101",
    name: "redundant-barrier",
    severity: Severity::Warning,
    summary: "a barrier that can be deleted without adding an error or hazard",
    file: include_str!("redundant_barrier.rs"),
};
