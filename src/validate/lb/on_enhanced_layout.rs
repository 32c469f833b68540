crate::finding::rule! {
    /// **What it finds.** A legacy barrier on a subresource that an enhanced barrier, or its creation, put into a
    /// layout other than `COMMON`.
    ///
    /// **Why it matters.** No legacy state describes such a layout; the two kinds of barriers meet only in `COMMON`.
    ///
    /// **Source.** Enhanced Barriers specification, "Interop with legacy `ResourceBarrier`"; reading R37.
    pub(crate) static RULE = "LB014", "legacy-on-enhanced-layout", Error,
        "a legacy barrier on a texture in a layout of enhanced barriers";
}

use super::track::known::Known;
use super::track::{At, Phase};
use crate::api::Layout;
use crate::finding::Finding;

/// It is in a layout of enhanced barriers.
pub(super) fn found(at: &At<'_>, phase: Phase, known: &Known, layout: Layout) -> Finding {
    let name = at.name();
    at.finding(
        &RULE,
        phase,
        format!("`{name}` is in the enhanced layout {layout}, which has no legacy state"),
    )
    .related(known.origin.span, known.origin.label(known.state))
    .help(format!(
        "bring `{name}` to COMMON with an enhanced barrier first, or write this one as an enhanced barrier"
    ))
}
