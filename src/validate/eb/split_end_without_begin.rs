crate::finding::rule! {
    /// **What it finds.** A barrier with `SyncBefore SPLIT` although no split barrier on its subresources has begun.
    ///
    /// **Why it matters.** The second half of a split waits for what the first half started. Without a first half it
    /// waits for nothing, and the transition may never have happened.
    ///
    /// **Source.** Enhanced Barriers specification, "Split Barriers", "`D3D12_BARRIER_SYNC_SPLIT`"; reading R27.
    pub(crate) static RULE = "EB032", "split-end-without-begin", Error,
        "the end of a split barrier that never began";
}

use crate::validate::BarrierEntry;
use crate::validate::state::{Facts, explain};

use crate::finding::Finding;

/// The finding on the end half.
pub(crate) fn finding(entry: &BarrierEntry<'_>, facts: &Facts<'_, '_>) -> Finding {
    let name = entry
        .resource_id()
        .map_or("?", |id| facts.scenario.resource_name(id));
    let finding = entry.finding(
        &RULE,
        format!("this ends a split barrier on `{name}`, but none has begun"),
    );
    explain(facts, finding, None, "").help(
        "begin the split with the same barrier and `SyncAfter SPLIT`, or name the scopes in `SyncBefore`",
    )
}
