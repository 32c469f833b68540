crate::finding::rule! {
    /// **What it finds.** The latest barrier before a `set-root` on a resource that it binds, whose `SyncAfter` does
    /// not contain `DRAW` (graphics) or `COMPUTE_SHADING` (compute).
    ///
    /// **Why it matters.** Data that is static while set must be final when the root argument is set. Only `DRAW` and
    /// `COMPUTE_SHADING` hold the root argument back; a narrower scope holds back one stage.
    ///
    /// **Source.** Enhanced Barriers specification, "Synchronization" (`DATA_STATIC_WHILE_SET_AT_EXECUTE`),
    /// "`D3D12_BARRIER_SYNC_DRAW`", "`D3D12_BARRIER_SYNC_COMPUTE_SHADING`"; reading R38.
    pub(crate) static RULE = "EB039", "set-root-sync", Error,
        "a barrier before a set-root that does not hold it back";
}

use crate::validate::state::{Facts, Left, explain};

use crate::api::LeafSet;
use crate::finding::Finding;
use crate::id::ResourceId;
use crate::scenario::Command;

/// The finding on the latest barrier before a `set-root`; `needed` are the leaves that it should hold back.
pub(crate) fn finding(
    facts: &Facts<'_, '_>,
    resource: ResourceId,
    left: &Left,
    needed: LeafSet,
    set: &Command,
) -> Finding {
    let name = facts.scenario.resource_name(resource);
    let scope = if needed == LeafSet::DRAW {
        "DRAW"
    } else {
        "COMPUTE_SHADING"
    };
    let after = left.leaves;
    let finding = Finding::new(
        &RULE,
        left.origin.span,
        format!(
            "`SyncAfter` {after} does not contain {scope}, which the static data of a `set-root` need"
        ),
    )
    .resource(name)
    .related(set.span, format!("`{name}` is bound here as static data"));
    explain(facts, finding, None, "").help(format!("write `sync … -> {scope}`"))
}
