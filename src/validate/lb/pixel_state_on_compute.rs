crate::finding::rule! {
    /// **What it finds.** A use on a compute queue of a subresource whose legacy state contains
    /// `PIXEL_SHADER_RESOURCE`, alone or combined with other states.
    ///
    /// **Why it matters.** Compute queues do not know the state: they can neither use nor transition what is in it,
    /// even where `NON_PIXEL_SHADER_RESOURCE` is part of it and the use would be right in that state alone.
    ///
    /// **Source.** Enhanced Barriers specification, "Compute Queues and `D3D12_RESOURCE_STATE_PIXEL_SHADER_RESOURCE`";
    /// reading R55.
    pub(crate) static RULE = "LB023", "pixel-state-on-compute", Error,
        "a use on a compute queue of what is in a state for pixel shaders";
}

use super::track::known::Known;
use super::track::{At, Phase};
use crate::finding::Finding;

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
