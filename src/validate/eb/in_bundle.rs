//! **What it finds.** A `barrier` in a bundle, or a legacy or fence barrier there.
//!
//! **Why it matters.** A bundle is recorded once and replayed inside lists whose resources are in states that it cannot
//! know; no barrier may be in it.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list inner : bundle {
//!   barrier { buffer b { sync DRAW -> DRAW; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }
//! }
//!
//! list l : direct {
//!   execute-bundle inner
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
//! queue q : direct
//!
//! list inner : bundle {
//!   draw "write" vertices 3 pixels 64 { UNORDERED_ACCESS b @ PIXEL_SHADING }
//! }
//!
//! list l : direct {
//!   execute-bundle inner
//!   barrier { buffer b { sync DRAW -> DRAW; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }
//!   execute-bundle inner
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Barrier API Call Validation"; language, "Command lists".

use crate::api::QueueType;
use crate::finding::{Finding, Rule, Severity};
use crate::scenario::CommandKind;
use crate::validate::{Check, CommandOf, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB002",
    name: "barrier-in-bundle",
    severity: Severity::Error,
    summary: "a barrier inside a bundle",
    file: include_str!("in_bundle.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Command(check)],
};

fn check(it: &CommandOf<'_>) -> Option<Finding> {
    if it.list.queue_type != QueueType::Bundle {
        return None;
    }
    // The finding sits on the line of the first entry: an empty call has only its own.
    let span = match &it.command.kind {
        CommandKind::Barrier(entries) => entries.first().map(|entry| entry.span),
        CommandKind::FenceBarrier { barriers, .. } => barriers.first().map(|entry| entry.span),
        _ => return None,
    };
    Some(
        Finding::new(
            &RULE,
            span.unwrap_or(it.command.span),
            "a bundle may not contain barriers",
        )
        .help("record the barrier in the direct list, before or after `execute-bundle`"),
    )
}
