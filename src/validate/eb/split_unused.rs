crate::finding::rule! {
    /// **What it finds.** Half of a split barrier on a buffer, on a simultaneous-access texture, or from COMMON to
    /// COMMON, whose other half is not in the same `ExecuteCommandLists` scope.
    ///
    /// **Why it matters.** Such a barrier has no layout to change, and the scope's end flushes everything. The half
    /// does nothing.
    ///
    /// **Source.** Enhanced Barriers specification, "Split Barriers", "Barrier API Call Validation"; reading R27.
    pub(crate) static RULE = "EB035", "split-unused", Warning,
        "a split barrier across scopes that has nothing to do";
}

use crate::validate::BarrierEntry;
use crate::validate::state::{Facts, Split};

use crate::finding::Finding;

const PURPOSE: &str = "leave both halves out: the end of the scope finishes and flushes everything";

/// The finding on an end half.
pub(crate) fn end(entry: &BarrierEntry<'_>, facts: &Facts<'_, '_>) -> Finding {
    let name = entry
        .resource_id()
        .map_or("?", |id| facts.scenario.resource_name(id));
    entry
        .finding(
            &RULE,
            format!(
                "this second half of a split barrier on `{name}` does nothing: its first half is not in this scope"
            ),
        )
        .help(PURPOSE)
}

/// The finding on a begin half.
pub(crate) fn begin(facts: &Facts<'_, '_>, split: &Split<'_>) -> Finding {
    let name = facts.scenario.resource_name(split.resource);
    Finding::new(
        &RULE,
        split.barrier.span,
        format!("this first half of a split barrier on `{name}` does nothing: its second half is not in this scope"),
    )
    .resource(name)
    .help(PURPOSE)
}
