//! **What it finds.** A rule file whose lowering has the name of a built-in one.
//!
//! **Why it matters.** Reports, comparisons and shares of a search name the lowering by that name. Nobody who reads one can
//! tell which of the two it is about.
//!
//! **Firing example**
//! ```text
//! lowering precise { match first }
//! rule "colour" { before access RENDER_TARGET; clean CB }
//! ```
//!
//! **Fixed example**
//! ```text
//! lowering my_precise { match first }
//! rule "colour" { before access RENDER_TARGET; clean CB }
//! ```
//!
//! **Source.** The list of built-in lowerings: `syncscope list lowerings`.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "RF006",
    name: "rule-file-name-taken",
    severity: Severity::Warning,
    summary: "a rule file has the name of a built-in lowering",
    file: include_str!("name_taken.rs"),
};
