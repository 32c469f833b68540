crate::finding::rule! {
    /// **What it finds.** A legacy barrier on a subresource between the two halves of a split transition of it. One that
    /// says what the first half says counts as the second half where no other comes: only its flag is wrong.
    ///
    /// **Why it matters.** Between the halves the layout is neither the old nor the new one: a barrier has no layout to
    /// start from.
    ///
    /// **Source.** Enhanced Barriers specification, "Split Barriers"; reading R27.
    pub(crate) static RULE = "LB021", "barrier-between-legacy-halves", Error,
        "a barrier on a subresource between the halves of its split transition";
}

use super::track::{At, Begin, Phase};
use crate::finding::Finding;

/// A first half is open.
pub(super) fn found(at: &At<'_>, begin: &Begin) -> Finding {
    let name = at.name();
    at.finding(
        &RULE,
        Phase::Recording,
        format!("`{name}` is between the halves of a split transition"),
    )
    .related(begin.span, "the `begin` half")
    .help("put this barrier before the `begin` half or after the `end` half")
}

/// Whether a finding says that a barrier is between two halves.
pub(super) fn is_found(finding: &Finding) -> bool {
    finding.rule.id == RULE.id
}
