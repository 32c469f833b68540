crate::finding::rule! {
    /// **What it finds.** An `assert access` of an access that nothing asks for: such a use would at no stage of the
    /// queue come after the earlier uses of the memory and see what they wrote.
    ///
    /// **Why it matters.** The specified assertion looks at layout and creation flags only, so it passes where a
    /// barrier is missing. A use at that place would be a hazard.
    ///
    /// **Source.** Enhanced Barriers specification, "`ID3D12DebugCommandList3` `AssertResourceAccess`" (which asks for
    /// less); readings R14, R15, R39.
    pub(crate) static RULE = "EB047", "asserted-access-not-asked", Warning,
        "an asserted access that no barrier has asked for";
}

use super::names;
use crate::api::BarrierAccess;
use crate::finding::{Finding, Span, Words};
use crate::graph::Conflict;
use crate::id::ResourceId;
use crate::order::Timeline;

/// The finding on an assertion; `conflict` is what a use in its place would collide with.
pub(crate) fn finding(
    timeline: &Timeline<'_>,
    span: Span,
    resource: ResourceId,
    access: BarrierAccess,
    conflict: &Conflict,
) -> Finding {
    let name = timeline.scenario.resource_name(resource);
    let first = names::party(timeline, &conflict.first, &mut Words::default());
    let what = if conflict.ordered {
        "is not visible to such an access"
    } else {
        "may still be running"
    };
    Finding::new(
        &RULE,
        span,
        format!(
            "nothing asks for the asserted {access} of `{name}`: {} {what} at any stage",
            first.label
        ),
    )
    .resource(name)
    .related(first.span, format!("{} {}", first.label, first.access))
    .help(format!(
        "put a barrier on `{name}` before the assertion, with {access} in `AccessAfter`"
    ))
}
