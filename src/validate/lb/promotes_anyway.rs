crate::finding::rule! {
    /// **What it finds.** A transition from `COMMON` to a state that the next use gets by promotion anyway, before
    /// anything in the same `ExecuteCommandLists` call touched the subresource.
    ///
    /// **Why it matters.** Nothing in the call came before, so there is nothing to wait for and nothing to flush.
    /// `StateBefore COMMON` stands for every stage and every access, so the barrier waits for everything.
    ///
    /// **Source.** Enhanced Barriers specification, "Resource State Promotion and Decay", "Excessive sync latency".
    pub(crate) static RULE = "LB016", "promotes-anyway", Advice,
        "a transition from COMMON that the next use makes anyway";
}

use super::track::{At, Phase};
use crate::api::ResourceState;
use crate::finding::Finding;
use crate::legacy::states;

/// The use would have done it.
pub(super) fn found(at: &At<'_>, after: ResourceState, free: bool) -> Finding {
    let name = at.name();
    let finding = at.finding(
        &RULE,
        Phase::Execution,
        format!("the next use promotes `{name}` from COMMON to {after} without this transition"),
    );
    let finding = if free || states::access(after).writes() {
        finding
    } else {
        finding.note(
            "without the transition the texture stays in the layout COMMON, and decays at the end of the call",
        )
    };
    finding.help("leave the transition out")
}
