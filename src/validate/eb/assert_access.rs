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

use crate::validate::state::{Facts, Known, explain, place as place_of};

use crate::api::{BarrierAccess, compat};
use crate::finding::Finding;
use crate::id::ResourceId;
use crate::scenario::Command;

/// Looks at an assertion and one run of its subresources. Creation flags are looked at elsewhere.
pub(crate) fn check(
    facts: &Facts<'_, '_>,
    command: &Command,
    id: ResourceId,
    access: BarrierAccess,
    known: &Known,
    run: (u32, u32),
) -> Option<Finding> {
    let resource = facts.scenario.resource(id);
    if resource.is_buffer() {
        return None;
    }
    let name = facts.scenario.resource_name(id);
    let place = place_of(resource, run);
    let assertion = |message: String| Finding::new(&RULE, command.span, message).resource(name);
    if let Some(split) = facts.open_split(known) {
        let finding = assertion(format!(
            "`{name}`{place} is between the halves of a split barrier: its layout allows nothing"
        ));
        return Some(
            finding
                .related(split.barrier.span, "the split begins here")
                .help("assert after the end half"),
        );
    }
    let (layout, run) = facts.layout(id, run, known)?;
    let place = place_of(resource, run);
    let allowed = compat::texture_accesses(layout, resource.flags);
    let wrong = access
        .difference(BarrierAccess::NO_ACCESS)
        .difference(allowed);
    (!wrong.is_empty()).then(|| {
        let finding = assertion(format!(
            "the asserted access {wrong} is not allowed: `{name}`{place} is in {layout}"
        ))
        .help(format!("{layout} allows {allowed}"));
        explain(
            facts,
            finding,
            known.layout_from,
            &format!("`{name}`{place} went to {layout} here"),
        )
    })
}
