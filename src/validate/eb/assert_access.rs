crate::finding::rule! {
    /// **What it finds.** An `assert access` on a subresource whose layout does not allow the asserted access at that
    /// point of the queue's timeline.
    ///
    /// **Why it matters.** The assertion says what the author believes. Where the assertion fails, the commands around
    /// it are built on a mistake.
    ///
    /// **Source.** Enhanced Barriers specification, "`ID3D12DebugCommandList3` `AssertResourceAccess`",
    /// "`ID3D12DebugCommandQueue1` `AssertResourceAccess`"; reading R39.
    pub(crate) static RULE = "EB040", "assert-access-failed", Error,
        "an asserted access that the layout does not allow";
}

use super::Assertion;
use crate::api::{BarrierAccess, compat};
use crate::finding::Finding;
use crate::validate::state::Facts;

/// Looks at an assertion and one run of its subresources. Creation flags are looked at elsewhere.
pub(crate) fn check(
    facts: &Facts<'_, '_>,
    at: Assertion<'_>,
    access: BarrierAccess,
) -> Option<Finding> {
    at.check(facts, &RULE, "its layout allows nothing", |layout| {
        let allowed = compat::texture_accesses(layout, facts.scenario.resource(at.id).flags);
        let wrong = access
            .difference(BarrierAccess::NO_ACCESS)
            .difference(allowed);
        (!wrong.is_empty()).then(|| {
            let what = format!("the asserted access {wrong} is not allowed:");
            (what, format!("{layout} allows {allowed}"))
        })
    })
}
