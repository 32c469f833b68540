//! **What it finds.** A `Barrier()` call with no group, or a group with no barrier.
//!
//! **Why it matters.** It does nothing. Usually a count was not set.
//!
//! **Firing example**
//! ```text
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture { } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout COMMON -> RENDER_TARGET } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Barrier API Call Validation".

use crate::finding::{Finding, Rule, Severity};
use crate::scenario::{BarrierTarget, CommandKind};
use crate::validate::{BarrierEntry, Check, CommandOf, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB003",
    name: "empty-barrier-group",
    severity: Severity::Warning,
    summary: "a barrier call or group without entries",
    file: include_str!("empty_group.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Command(check_call), Check::Entry(check)],
};

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    match entry.barrier.target {
        BarrierTarget::EmptyGroup(kind) => Some(entry.finding(
            &RULE,
            format!("a group of zero {kind} barriers does nothing"),
        )),
        _ => None,
    }
}

fn check_call(it: &CommandOf<'_>) -> Option<Finding> {
    match &it.command.kind {
        CommandKind::Barrier(entries) if entries.is_empty() => Some(Finding::new(
            &RULE,
            it.command.span,
            "a barrier call with zero groups does nothing",
        )),
        _ => None,
    }
}
