crate::finding::rule! {
    /// **What it finds.** A barrier with `SyncAfter SPLIT` that no barrier with `SyncBefore SPLIT` ever ends.
    ///
    /// **Why it matters.** Between start and end the layout is neither the old nor the new one. The texture stays
    /// unusable.
    ///
    /// **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_SYNC_SPLIT`", "Split Barriers"; reading R27.
    pub(crate) static RULE = "EB033", "split-never-ended", Error,
        "the start of a split barrier that nothing ends";
}

use crate::validate::state::{Facts, Split};

use crate::finding::Finding;

/// The finding on the first half.
pub(crate) fn finding(facts: &Facts<'_, '_>, split: &Split<'_>) -> Finding {
    let name = facts.scenario.resource_name(split.resource);
    Finding::new(
        &RULE,
        split.barrier.span,
        format!("the split barrier on `{name}` begins here and never ends"),
    )
    .resource(name)
    .note("found at ExecuteCommandLists: no list of the timeline ends it")
    .help("end the split with the same barrier and `SyncBefore SPLIT`")
}
