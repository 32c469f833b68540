//! **What it finds.** A write-back of a cache that never holds a dirty line: a read-only cache is an error, one that
//! passes every write on is a warning.
//!
//! **Why it matters.** The operation does not exist on the machine, or does nothing. What was meant is mostly to drop the
//! cache's lines: `invalidate`.
//!
//! **Firing example**
//! ```text
//! lowering mine { match first }
//! rule "constants" { after access CONSTANT_BUFFER; clean K }
//! ```
//!
//! **Fixed example**
//! ```text
//! lowering mine { match first }
//! rule "constants" { after access CONSTANT_BUFFER; invalidate K }
//! ```
//!
//! **Source.** The write policy of the cache in the profile.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "RF003",
    name: "rule-file-pointless-clean",
    severity: Severity::Error,
    summary: "a rule cleans a cache that never holds anything to write back",
    file: include_str!("pointless_clean.rs"),
};
