//! **What it finds.** A shader read at a stage that the legacy state of the subresource does not name: a pixel shader's read in
//! `NON_PIXEL_SHADER_RESOURCE`, any other shader's in `PIXEL_SHADER_RESOURCE`. A draw's read without `@ STAGE` needs one of
//! the two.
//!
//! **Why it matters.** The barrier that set the state lets only the named stages wait. The others may run before the data is there.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   clear-rtv t
//!   legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }
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
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   clear-rtv t
//!   legacy { transition t RENDER_TARGET -> NON_PIXEL_SHADER_RESOURCE }
//!   dispatch "read" 8x8x1 { SHADER_RESOURCE t }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Equivalent `D3D12_BARRIER_SYNC` bit for each `D3D12_RESOURCE_STATES` bit";
//! reading R55.

use super::track::known::Known;
use super::track::{At, Phase};
use crate::api::ResourceState;
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB024",
    name: "stage-not-in-state",
    severity: Severity::Error,
    summary: "a shader read at a stage that the legacy state does not name",
    file: include_str!("stage_not_in_state.rs"),
};

/// A shader of a stage that the state leaves out reads. `wanted`: the state of that stage.
pub(super) fn found(at: &At<'_>, phase: Phase, known: &Known, wanted: ResourceState) -> Finding {
    let (name, state) = (at.name(), known.state);
    let reader = if wanted == ResourceState::PIXEL_SHADER_RESOURCE {
        "a pixel shader"
    } else if wanted == ResourceState::NON_PIXEL_SHADER_RESOURCE {
        "a shader other than a pixel shader"
    } else {
        "a pixel shader and another shader"
    };
    at.finding(
        &RULE,
        phase,
        format!("`{name}` is in {state}, but {reader} reads it here"),
    )
    .related(known.origin.span, known.origin.label(state))
    .help(format!(
        "use the state {wanted}, combined with the others that are needed"
    ))
}
