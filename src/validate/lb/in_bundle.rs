crate::finding::rule! {
    /// **What it finds.** A legacy barrier recorded in a bundle.
    ///
    /// **Why it matters.** A bundle is replayed inside other lists and must not change the states that they rely on.
    ///
    /// **Source.** D3D12 documentation, "Creating and recording command lists and bundles"; Enhanced Barriers
    /// specification, "Barrier API Call Validation".
    pub(crate) static RULE = "LB009", "legacy-in-bundle", Error,
        "a legacy barrier inside a bundle";
}

use crate::api::QueueType;
use crate::finding::Finding;
use crate::scenario::CommandKind;
use crate::validate::{Check, CommandOf, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Command(check)]);

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
