crate::finding::rule! {
    /// **What it finds.** A legacy barrier on a resource in `COMMON` that was used in the same `ExecuteCommandLists`
    /// call after an enhanced barrier on it, without another that finishes and flushes the use.
    ///
    /// **Why it matters.** While enhanced barriers order a resource it has no legacy state: its uses do not promote it,
    /// and no `StateBefore` describes them.
    ///
    /// **Source.** Enhanced Barriers specification, "Interop with legacy `ResourceBarrier`".
    pub(crate) static RULE = "LB020", "unflushed-before-legacy", Error,
        "a legacy barrier on a resource whose accesses enhanced barriers have not finished";
}

use super::track::known::Known;
use super::track::{At, Phase};
use crate::finding::Finding;

/// A use since the last enhanced barrier is not finished.
pub(super) fn found(at: &At<'_>, phase: Phase, known: &Known) -> Finding {
    let name = at.name();
    at.finding(
        &RULE,
        phase,
        format!(
            "enhanced barriers order `{name}` in this call, and a use follows the last of them"
        ),
    )
    .related(
        known.origin.span,
        "the last enhanced barrier on the resource",
    )
    .help(format!(
        "finish the use with an enhanced barrier, or use one kind of barrier on `{name}`"
    ))
}
