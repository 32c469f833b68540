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
use crate::api::{BarrierAccess, QueueType, ResourceState};
use crate::finding::Finding;

/// What a use that is outside its state wants, and what else is asked of the subresource there.
pub(super) struct Wanted {
    /// The access of the use.
    pub(super) access: BarrierAccess,
    /// The state that has it.
    pub(super) state: ResourceState,
    /// An access of the same command that no state has along with it.
    pub(super) against: Option<BarrierAccess>,
    /// A state of other reads by the same command: they are to stay right.
    pub(super) along: ResourceState,
    /// The queue that cannot make the transition.
    pub(super) unable: Option<QueueType>,
}

/// The state does not have the access.
pub(super) fn found(at: &At<'_>, phase: Phase, known: &Known, wanted: &Wanted) -> Finding {
    let (name, state, access) = (at.what(), known.state, wanted.access);
    let help = if let Some(other) = wanted.against {
        format!(
            "no state has {access} and {other} at once: bind a copy for one of them, or drop one of the two views"
        )
    } else if let Some(queue) = wanted.unable {
        format!(
            "a {queue} queue cannot take `{name}` out of {state}: create it in COMMON, or take it to COMMON on another queue, before the signal that this queue waits for"
        )
    } else {
        let to = wanted.state | wanted.along;
        format!("write `transition {name} {state} -> {to}` before the use")
    };
    at.finding(
        &RULE,
        phase,
        format!("this uses `{name}` as {access}, but it is in {state}"),
    )
    .related(known.origin.span, known.origin.label(state))
    .help(help)
}
