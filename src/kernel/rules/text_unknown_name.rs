//! **What it finds.** A variable that no line declares, a thread or group that does not exist, or a UAV where a
//! groupshared variable is required, and the reverse.
//!
//! **Why it matters.** A condition about a thread that does not exist is never true, and would be reported as forbidden.
//!
//! **Firing example**
//! ```text
//! uav x
//! thread group 0 cs { st x 1 }
//! expect forbidden 1:r0 == 1
//! ```
//!
//! **Fixed example**
//! ```text
//! uav x
//! thread group 0 cs { st x 1 }
//! expect forbidden 0:r0 == 1
//! ```
//!
//! **Source.** The text form of litmus tests, in the book.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LM002",
    name: "litmus-unknown-name",
    severity: Severity::Error,
    summary: "a variable, thread or group that is not declared, or of the wrong kind",
    file: include_str!("text_unknown_name.rs"),
};
