//! **What it finds.** A use on a compute queue of a subresource whose legacy state contains `PIXEL_SHADER_RESOURCE`, alone or
//! combined with other states.
//!
//! **Why it matters.** Compute queues do not know the state: they can neither use nor transition what is in it, even where
//! `NON_PIXEL_SHADER_RESOURCE` is part of it and the use would be right in that state alone.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { state PIXEL_SHADER_RESOURCE|NON_PIXEL_SHADER_RESOURCE }
//! queue q : compute
//!
//! list l : compute {
//!   dispatch "read" 8x8x1 { SHADER_RESOURCE t }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { state NON_PIXEL_SHADER_RESOURCE }
//! queue q : compute
//!
//! list l : compute {
//!   dispatch "read" 8x8x1 { SHADER_RESOURCE t }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Compute Queues and `D3D12_RESOURCE_STATE_PIXEL_SHADER_RESOURCE`"; reading
//! R55.

use super::track::known::Known;
use super::track::{At, Phase};
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB023",
    name: "pixel-state-on-compute",
    severity: Severity::Error,
    summary: "a use on a compute queue of what is in a state for pixel shaders",
    file: include_str!("pixel_state_on_compute.rs"),
};

/// A compute queue uses what is in a state for pixel shaders.
pub(super) fn found(at: &At<'_>, phase: Phase, known: &Known) -> Finding {
    let (name, state) = (at.name(), known.state);
    at.finding(
        &RULE,
        phase,
        format!("a compute queue cannot use `{name}` in {state}"),
    )
    .related(known.origin.span, known.origin.label(state))
    .help(format!(
        "bring `{name}` to NON_PIXEL_SHADER_RESOURCE or COMMON on the direct queue, before the compute queue waits for it"
    ))
}
