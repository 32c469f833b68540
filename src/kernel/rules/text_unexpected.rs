//! **What it finds.** Text that is not a statement, instruction, operand or condition of a litmus test, or a missing
//! part of one.
//!
//! **Why it matters.** A test that is not understood cannot be explored. The parser continues after the mistake, so one
//! run shows several.
//!
//! **Firing example**
//! ```text
//! uav x
//! thread group 0 cs { st x }
//! ```
//!
//! **Fixed example**
//! ```text
//! uav x
//! thread group 0 cs { st x 1 }
//! ```
//!
//! **Source.** The text form of litmus tests, in the book.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LM001",
    name: "litmus-text",
    severity: Severity::Error,
    summary: "a litmus test that cannot be understood at this place",
    file: include_str!("text_unexpected.rs"),
};
