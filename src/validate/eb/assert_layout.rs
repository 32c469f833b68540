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

use crate::validate::state::{Facts, Known, explain, place as place_of};

use crate::api::Layout;
use crate::finding::Finding;
use crate::id::ResourceId;
use crate::scenario::Command;

/// Looks at an assertion and one run of its subresources.
pub(crate) fn check(
    facts: &Facts<'_, '_>,
    command: &Command,
    id: ResourceId,
    asserted: Layout,
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
            "`{name}`{place} is between the halves of a split barrier: it has neither layout yet"
        ));
        return Some(
            finding
                .related(split.barrier.span, "the split begins here")
                .help("assert after the end half"),
        );
    }
    let (layout, run) = facts.layout(id, run, known)?;
    let place = place_of(resource, run);
    (layout != asserted).then(|| {
        let finding = assertion(format!(
            "the asserted layout is {asserted}, but `{name}`{place} is in {layout}"
        ))
        .help(format!(
            "transition `{name}` to {asserted} before, or assert {layout}"
        ));
        explain(
            facts,
            finding,
            known.layout_from,
            &format!("`{name}`{place} went to {layout} here"),
        )
    })
}
