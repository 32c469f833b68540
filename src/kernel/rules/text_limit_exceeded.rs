//! **What it finds.** A test with more threads, instructions, variables, registers or text than the explorer accepts.
//! The message names the limit.
//!
//! **Why it matters.** The explorer is complete: it visits every state. A test within the limits gets a
//! complete result, never a partial one.
//!
//! **Firing example**
//! ```text
//! uav x
//! thread group 0 cs { ld r64 x }
//! ```
//!
//! **Fixed example**
//! ```text
//! uav x
//! thread group 0 cs { ld r63 x }
//! ```
//!
//! **Source.** The text form of litmus tests, in the book: registers are `r0` to `r63`.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LM004",
    name: "litmus-limit-exceeded",
    severity: Severity::Error,
    summary: "more threads, instructions, variables or registers than the explorer accepts",
    file: include_str!("text_limit_exceeded.rs"),
};
