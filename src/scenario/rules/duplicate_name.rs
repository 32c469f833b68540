//! **What it finds.** A name that is declared twice in one namespace, or a part of the file that may occur only once
//! and occurs twice.
//!
//! **Why it matters.** It is not clear which of the two a use means. Resources and heaps share one namespace; lists,
//! queues and fences have one each.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! buffer b : 8KiB { flags UNORDERED_ACCESS }
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
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue b : direct
//!
//! list b : direct {
//!   dispatch "fill" 1x1x1 { UNORDERED_ACCESS b writes }
//! }
//!
//! timeline {
//!   b execute b
//! }
//! ```
//!
//! **Source.** The scenario language, "Words and marks".

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC004",
    name: "duplicate-name",
    severity: Severity::Error,
    summary: "A name or a part of the file that is declared twice.",
    file: include_str!("duplicate_name.rs"),
};
