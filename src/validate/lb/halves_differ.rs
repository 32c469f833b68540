crate::finding::rule! {
    /// **What it finds.** The second half of a split transition whose states or subresources are not those of the
    /// first.
    ///
    /// **Why it matters.** Both halves describe one transition; the driver may make it anywhere between them and looks
    /// at either.
    ///
    /// **Source.** Enhanced Barriers specification, "Split Barriers"; reading R27.
    pub(crate) static RULE = "LB013", "legacy-split-halves-differ", Error,
        "an `end` half that names other states or subresources than its `begin` half";
}

use super::track::{At, Begin, Phase};
use crate::api::ResourceState;
use crate::finding::Finding;

/// The halves do not say the same.
pub(super) fn found(
    at: &At<'_>,
    begin: &Begin,
    before: ResourceState,
    after: ResourceState,
    same_range: bool,
) -> Finding {
    let name = at.name();
    let message = if same_range {
        format!(
            "this half goes {before} -> {after}, the `begin` half {} -> {}",
            begin.before, begin.after
        )
    } else {
        format!("this half and the `begin` half name different subresources of `{name}`")
    };
    at.finding(&RULE, Phase::Recording, message)
        .related(begin.span, "the `begin` half")
        .help("write the same resource, range and states in both halves")
}
