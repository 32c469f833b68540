//! **What it finds.** An expectation that names nothing: no rule by its id or name, and no family; or `none` next to other
//! expectations.
//!
//! **Why it matters.** An expectation that cannot be met or broken tests nothing. Names of rules are words joined by
//! hyphens, letters of either case are the same; `none` forbids every error and hazard of the file, so no other expectation can be met along with it.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS } //~ read_after_write
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "fill" 1x1x1 { UNORDERED_ACCESS b writes }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! //~ none
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "fill" 1x1x1 { UNORDERED_ACCESS b writes }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** The scenario language, "Expectations".

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC013",
    name: "bad-expectation",
    severity: Severity::Error,
    summary: "An expectation that names nothing, or `none` next to others.",
    file: include_str!("bad_expectation.rs"),
};
