//! **What it finds.** Text that is not a statement of a rule file, a missing part of one, or the same thing said twice.
//!
//! **Why it matters.** A rule that is not understood lowers nothing. The parser continues after the mistake, so one run
//! shows several.
//!
//! **Firing example**
//! ```text
//! lowering mine { match first }
//! rule "colour" { before access RENDER_TARGET; clear CB }
//! ```
//!
//! **Fixed example**
//! ```text
//! lowering mine { match first }
//! rule "colour" { before access RENDER_TARGET; clean CB }
//! ```
//!
//! **Source.** The grammar of rule files, in the book.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "RF001",
    name: "rule-file-text",
    severity: Severity::Error,
    summary: "a rule file that cannot be understood at this place",
    file: include_str!("text_unexpected.rs"),
};
