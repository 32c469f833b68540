//! **What it finds.** A transition from `COMMON` to a state that the next use gets by promotion anyway, before anything
//! in the same `ExecuteCommandLists` call touched the subresource.
//!
//! **Why it matters.** Nothing in the call came before, so there is nothing to wait for and nothing to flush.
//! `StateBefore COMMON` stands for every stage and every access, so the barrier waits for everything.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition b COMMON -> UNORDERED_ACCESS }
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b }
//!   legacy { transition b UNORDERED_ACCESS -> NON_PIXEL_SHADER_RESOURCE }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Resource State Promotion and Decay", "Excessive sync latency".

use super::track::{At, Phase};
use crate::api::ResourceState;
use crate::finding::{Finding, Rule, Severity};
use crate::legacy::states;

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB016",
    name: "promotes-anyway",
    severity: Severity::Advice,
    summary: "a transition from COMMON that the next use makes anyway",
    file: include_str!("promotes_anyway.rs"),
};

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
