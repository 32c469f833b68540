crate::finding::rule! {
    /// **What it finds.** A `barrier` in a bundle, or a legacy or fence barrier there.
    ///
    /// **Why it matters.** A bundle is recorded once and replayed inside lists whose resources are in states that it
    /// cannot know; no barrier may be in it.
    ///
    /// **Source.** Enhanced Barriers specification, "Barrier API Call Validation"; language, "Command lists".
    pub(crate) static RULE = "EB002", "barrier-in-bundle", Error,
        "a barrier inside a bundle";
}

use crate::api::QueueType;
use crate::finding::Finding;
use crate::scenario::CommandKind;
use crate::validate::{Check, CommandOf, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Command(check)]);

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
