crate::finding::rule! {
    /// **What it finds.** An `assert layout` on a texture that has another layout at that point of the queue's
    /// timeline. Buffers have no layout, so nothing is checked for them.
    ///
    /// **Why it matters.** The assertion says what the author believes. Where the assertion fails, the commands around
    /// it are built on a mistake.
    ///
    /// **Source.** Enhanced Barriers specification, "`ID3D12DebugCommandList3` `AssertTextureLayout`",
    /// "`ID3D12DebugCommandQueue1` `AssertTextureLayout`"; reading R39.
    pub(crate) static RULE = "EB041", "assert-layout-failed", Error,
        "an asserted layout that the texture does not have";
}

use super::Assertion;
use crate::api::Layout;
use crate::finding::Finding;
use crate::validate::state::Facts;

/// Looks at an assertion and one run of its subresources.
pub(crate) fn check(facts: &Facts<'_, '_>, at: Assertion<'_>, asserted: Layout) -> Option<Finding> {
    at.check(facts, &RULE, "it has neither layout yet", |layout| {
        (layout != asserted).then(|| {
            let name = facts.scenario.resource_name(at.id);
            let help = format!("transition `{name}` to {asserted} before, or assert {layout}");
            (format!("the asserted layout is {asserted}, but"), help)
        })
    })
}
