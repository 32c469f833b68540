crate::finding::rule! {
    /// **What it finds.** A use whose access the legacy state of the subresource does not contain, and that no
    /// promotion covers: a texture created with a state or after a legacy transition, a buffer after a legacy
    /// transition in the same `ExecuteCommandLists` call. A hazard may be reported for the same use.
    ///
    /// **Why it matters.** A transition is missing, so the use is neither ordered nor visible, and the texture's layout
    /// may be wrong for it.
    ///
    /// **Source.** Enhanced Barriers specification, "Equivalent `D3D12_BARRIER_ACCESS` bit for each
    /// `D3D12_RESOURCE_STATES` bit", "Resource State Promotion and Decay", "Legacy vs Enhanced State Validation";
    /// readings R37, R55.
    pub(crate) static RULE = "LB026", "use-outside-state", Error,
        "a use that the legacy state of the resource does not allow";
}

use super::track::known::Known;
use super::track::{At, Phase};
use crate::api::{BarrierAccess, ResourceState};
use crate::finding::Finding;

/// The state does not have the access. `wanted`: the state that has.
pub(super) fn found(
    at: &At<'_>,
    phase: Phase,
    known: &Known,
    access: BarrierAccess,
    wanted: ResourceState,
) -> Finding {
    let (name, state) = (at.what(), known.state);
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
