//! **What it finds.** A barrier whose packets do not ensure what its masks ask for on this profile.
//!
//! **Why it matters.** It is the driver's bug: the application asked correctly and still reads old data.
//!
//! **Source.** The definition of *ensured*: cache paths of the profile, Enhanced Barriers specification,
//! "Synchronization", "Access Transitions".

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "LW101",
    name: "missing-operation",
    severity: Severity::Error,
    summary: "a lowered barrier that does not wait, flush, drop or hold what it was asked to",
    file: include_str!("missing_operation.rs"),
};
