crate::finding::rule! {
    /// **What it finds.** A shader read at a stage that the legacy state of the subresource does not name: a pixel
    /// shader's read in `NON_PIXEL_SHADER_RESOURCE`, any other shader's in `PIXEL_SHADER_RESOURCE`. A draw's read
    /// without `@ STAGE` needs one of the two.
    ///
    /// **Why it matters.** The barrier that set the state lets only the named stages wait. The others may run before
    /// the data is there.
    ///
    /// **Source.** Enhanced Barriers specification, "Equivalent `D3D12_BARRIER_SYNC` bit for each
    /// `D3D12_RESOURCE_STATES` bit"; reading R55.
    pub(crate) static RULE = "LB024", "stage-not-in-state", Error,
        "a shader read at a stage that the legacy state does not name";
}

use super::track::known::Known;
use super::track::{At, Phase};
use crate::api::ResourceState;
use crate::finding::Finding;

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
