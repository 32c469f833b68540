//! **What it finds.** Two uses of a subresource that was in `COMMON`, in one `ExecuteCommandLists` call and without a transition
//! between them, whose promotions do not join: two write states, a write state and a read state, `COPY_SOURCE` and
//! `COPY_DEST`. Only read states add up. Found at the second use of a texture that has a legacy state, and of a buffer after a
//! transition in the same call.
//!
//! **Why it matters.** The first use promoted the subresource, and nothing promotes it further. Nothing orders the two uses either.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { state COMMON }
//! buffer up : 16KiB { type upload }
//! queue q : direct
//!
//! list l : direct {
//!   copy up -> t
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
//! texture t : R8G8B8A8_UNORM 64x64 { state COMMON }
//! buffer up : 16KiB { type upload }
//! queue q : direct
//!
//! list l : direct {
//!   copy up -> t
//!   legacy { transition t COPY_DEST -> PIXEL_SHADER_RESOURCE }
//!   draw vertices 3 pixels 64 { SHADER_RESOURCE t @ PIXEL_SHADING }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Resource State Promotion and Decay", "No Self Copy"; readings R37, R55.

use super::track::known::Known;
use super::track::{At, Phase};
use crate::api::ResourceState;
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB025",
    name: "promotions-do-not-join",
    severity: Severity::Error,
    summary: "a use in the scope that the promotion by an earlier use does not join",
    file: include_str!("promotions_do_not_join.rs"),
};

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
