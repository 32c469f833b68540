//! **What it finds.** A `reset` statement, whose effect on work and fences this version does not model.
//!
//! **Why it matters.** After a GPU timeout unfinished work is dropped and fences go to their greatest value. What is
//! reported about the timeline after the statement is what would hold without it.
//!
//! **Firing example**
//! ```text
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//!   reset device
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//! }
//! ```
//!
//! **Source.** Reading R40. A warning.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN105",
    name: "reset-not-modelled",
    severity: Severity::Warning,
    summary: "a `reset` statement: its effect on work and fences is not modelled yet",
    file: include_str!("reset_not_modelled.rs"),
};
