crate::finding::rule! {
    /// **What it finds.** A barrier from `SyncBefore NONE` to `SyncAfter NONE` that changes no texture's layout.
    ///
    /// **Why it matters.** The end of an `ExecuteCommandLists` finishes and flushes everything. A barrier that neither
    /// waits, nor blocks, nor transitions has no effect.
    ///
    /// **Source.** Enhanced Barriers specification, "Barrier Sync Examples".
    pub(crate) static RULE = "EB044", "none-to-none", Advice,
        "a barrier that waits for nothing, blocks nothing and transitions nothing";
}

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::api::{BarrierAccess, BarrierSync};
use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Entry(check)]);

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let barrier = entry.barrier;
    let none = BarrierSync::NONE;
    let nothing = (barrier.sync_before, barrier.sync_after) == (none, none)
        && barrier.access_before.contains(BarrierAccess::NO_ACCESS)
        && barrier.access_after.contains(BarrierAccess::NO_ACCESS)
        && entry
            .layouts()
            .is_none_or(|(before, after)| before == after);
    (nothing && entry.has_sides() && !entry.in_fence).then(|| {
        entry
            .finding(
                &RULE,
                "the barrier waits for nothing, blocks nothing and transitions nothing",
            )
            .help("leave the barrier out")
    })
}
