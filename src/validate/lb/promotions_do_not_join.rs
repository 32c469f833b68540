crate::finding::rule! {
    /// **What it finds.** Two uses of a subresource that was in `COMMON`, in one `ExecuteCommandLists` call and without
    /// a transition between them, whose promotions do not join: two write states, a write state and a read state,
    /// `COPY_SOURCE` and `COPY_DEST`. Only read states add up. Found at the second use of a texture that has a legacy
    /// state, and of a buffer after a transition in the same call.
    ///
    /// **Why it matters.** The first use promoted the subresource, and nothing promotes it further. Nothing orders the
    /// two uses either.
    ///
    /// **Source.** Enhanced Barriers specification, "Resource State Promotion and Decay", "No Self Copy"; readings R37,
    /// R55.
    pub(crate) static RULE = "LB025", "promotions-do-not-join", Error,
        "a use in the scope that the promotion by an earlier use does not join";
}

use super::track::known::Known;
use super::track::{At, Phase};
use crate::api::ResourceState;
use crate::finding::Finding;

/// An earlier use of the scope promoted it to what this one, which needs `wanted`, does not join.
pub(super) fn found(at: &At<'_>, phase: Phase, known: &Known, wanted: ResourceState) -> Finding {
    let (name, state) = (at.name(), known.state);
    at.finding(
        &RULE,
        phase,
        format!(
            "this use needs {wanted}, but an earlier use of the call promoted `{name}` to {state}"
        ),
    )
    .related(known.origin.span, known.origin.label(state))
    .help(format!(
        "write `transition {name} {state} -> {wanted}` between the two uses"
    ))
}
