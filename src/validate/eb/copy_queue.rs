crate::finding::rule! {
    /// **What it finds.** A texture barrier on a copy list whose layouts are neither both `COMMON` nor both
    /// `UNDEFINED`.
    ///
    /// **Why it matters.** Copy queues cannot transition layouts: a texture used there is in `COMMON` before and after.
    ///
    /// **Source.** Enhanced Barriers specification, "Copy Queues"; reading R30.
    pub(crate) static RULE = "EB022", "copy-queue-layout", Error,
        "a layout transition on a copy queue";
}

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::api::{Layout, QueueType};
use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Entry(check)]);

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let (before, after) = entry.layouts()?;
    let legal = before == after && matches!(before, Layout::Common | Layout::Undefined);
    (entry.queue() == QueueType::Copy && !legal).then(|| {
        entry
            .finding(
                &RULE,
                format!("a copy list cannot make the layout transition {before} -> {after}"),
            )
            .help("make the transition on a direct or compute queue; in a copy list both layouts are COMMON, or both UNDEFINED")
    })
}
