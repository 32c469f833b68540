crate::finding::rule! {
    /// **What it finds.** A `Barrier()` call with no group, or a group with no barrier.
    ///
    /// **Why it matters.** It does nothing. Usually a count was not set.
    ///
    /// **Source.** Enhanced Barriers specification, "Barrier API Call Validation".
    pub(crate) static RULE = "EB003", "empty-barrier-group", Warning,
        "a barrier call or group without entries";
}

use crate::finding::Finding;
use crate::scenario::{BarrierTarget, CommandKind};
use crate::validate::{BarrierEntry, Check, CommandOf, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule =
    ValidationRule::new(&RULE, &[Check::Command(check_call), Check::Entry(check)]);

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
