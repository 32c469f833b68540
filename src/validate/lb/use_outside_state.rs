//! **What it finds.** A use whose access the legacy state of the subresource does not contain, and that no promotion covers: a
//! texture created with a state or after a legacy transition, a buffer after a legacy transition in the same
//! `ExecuteCommandLists` call. A hazard may be reported for the same use.
//!
//! **Why it matters.** A transition is missing, so the use is neither ordered nor visible, and the texture's layout may be wrong for
//! it.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   draw vertices 3 pixels 64 { SHADER_RESOURCE t @ PIXEL_SHADING }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }
//!   draw vertices 3 pixels 64 { SHADER_RESOURCE t @ PIXEL_SHADING }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Equivalent `D3D12_BARRIER_ACCESS` bit for each `D3D12_RESOURCE_STATES` bit",
//! "Resource State Promotion and Decay", "Legacy vs Enhanced State Validation"; readings R37, R55.

use super::track::known::Known;
use super::track::{At, Phase};
use crate::api::{BarrierAccess, ResourceState};
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB026",
    name: "use-outside-state",
    severity: Severity::Error,
    summary: "a use that the legacy state of the resource does not allow",
    file: include_str!("use_outside_state.rs"),
};

/// The state does not have the access. `wanted`: the state that has.
pub(super) fn found(
    at: &At<'_>,
    phase: Phase,
    known: &Known,
    access: BarrierAccess,
    wanted: ResourceState,
) -> Finding {
    let (name, state) = (at.name(), known.state);
    at.finding(
        &RULE,
        phase,
        format!("this uses `{name}` as {access}, but it is in {state}"),
    )
    .related(known.origin.span, known.origin.label(state))
    .help(format!(
        "write `transition {name} {state} -> {wanted}` before the use"
    ))
}
