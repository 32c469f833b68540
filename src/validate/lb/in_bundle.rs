//! **What it finds.** A legacy barrier recorded in a bundle.
//!
//! **Why it matters.** A bundle is replayed inside other lists and must not change the states that they rely on.
//!
//! **Firing example**
//! ```text
//! queue q : direct
//!
//! list b : bundle {
//!   legacy { uav * }
//! }
//!
//! list l : direct {
//!   execute-bundle b
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! queue q : direct
//!
//! list b : bundle {
//! }
//!
//! list l : direct {
//!   legacy { uav * }
//!   execute-bundle b
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** D3D12 documentation, "Creating and recording command lists and bundles"; Enhanced Barriers
//! specification, "Barrier API Call Validation".

use crate::api::QueueType;
use crate::finding::{Finding, Rule, Severity};
use crate::scenario::CommandKind;
use crate::validate::{Check, CommandOf, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB009",
    name: "legacy-in-bundle",
    severity: Severity::Error,
    summary: "a legacy barrier inside a bundle",
    file: include_str!("in_bundle.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Command(check)],
};

fn check(it: &CommandOf<'_>) -> Option<Finding> {
    let CommandKind::Legacy(entries) = &it.command.kind else {
        return None;
    };
    if it.list.queue_type != QueueType::Bundle {
        return None;
    }
    // On the line of the first entry: an empty call has only its own.
    let span = entries.first().map_or(it.command.span, |entry| entry.span);
    Some(
        Finding::new(&RULE, span, "a bundle may not contain barriers")
            .help("record the barrier in the direct list, before or after `execute-bundle`"),
    )
}
