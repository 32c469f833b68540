//! **What it finds.** A name of a variable that no line declares, a thread number or a group that no thread has, or a
//! UAV where a groupshared variable is meant and the reverse.
//!
//! **Why it matters.** A condition about a thread that does not exist could never hold, and would be called forbidden.
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
