//! **What it finds.** A list executed where its type cannot run: on a queue of another type, or as a bundle although it
//! is not a bundle.
//!
//! **Why it matters.** `ExecuteCommandLists` takes lists of the queue's own type only. What a barrier may say depends
//! on that type.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : compute
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
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : compute
//!
//! list l : compute {
//!   dispatch "fill" 1x1x1 { UNORDERED_ACCESS b writes }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** The scenario language, "The timeline": executing a list on a queue of another type is an `SC` error on
//! the `execute` line.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC008",
    name: "queue-type-mismatch",
    severity: Severity::Error,
    summary: "A list executed where its type cannot run.",
    file: include_str!("queue_type_mismatch.rs"),
};
