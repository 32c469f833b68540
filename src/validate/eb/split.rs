crate::finding::rule! {
    /// **What it finds.** `SPLIT` combined with other sync bits, on both sides of one barrier, or on a global barrier.
    ///
    /// **Why it matters.** A split barrier is a pair: `SPLIT` after begins it, `SPLIT` before ends it. A barrier with
    /// both has neither start nor end, and a global barrier cannot be split.
    ///
    /// **Source.** Enhanced Barriers specification, "Split Barriers", "`D3D12_BARRIER_TYPE`"; reading R27.
    pub(crate) static RULE = "EB009", "split-misuse", Error,
        "SPLIT with other bits, on both sides, or on a global barrier";
}

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::api::BarrierSync;
use crate::finding::Finding;
use crate::scenario::BarrierTarget;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Entry(check)]);

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let (before, after) = (entry.barrier.sync_before, entry.barrier.sync_after);
    if !before.is_split() && !after.is_split() {
        return None;
    }
    let global = matches!(entry.barrier.target, BarrierTarget::Global);
    let (message, help) = if global {
        (
            "a global barrier cannot be split",
            "name the resource, or leave out `SPLIT`",
        )
    } else if before.is_split() && after.is_split() {
        (
            "the barrier has `SPLIT` on both sides, so it neither begins nor ends anything",
            "the first half has `SPLIT` in `SyncAfter`, the second half in `SyncBefore`",
        )
    } else if [before, after]
        .iter()
        .any(|s| s.is_split() && *s != BarrierSync::SPLIT)
    {
        (
            "`SPLIT` must be the only sync bit of its side",
            "leave out the other bits",
        )
    } else {
        return None;
    };
    Some(entry.finding(&RULE, message).help(help))
}
