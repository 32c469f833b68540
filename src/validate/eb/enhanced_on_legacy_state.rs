//! **What it finds.** An enhanced barrier on a subresource that a legacy transition, a promoting use or its
//! creation left in a legacy state other than `COMMON`, or that is between the halves of a legacy split transition.
//!
//! **Why it matters.** The two kinds of barriers meet only in `COMMON`. Only the runtime knows which layout a legacy
//! state is.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state COMMON }
//! queue q : direct
//!
//! list first : direct {
//!   legacy { transition t COMMON -> RENDER_TARGET }
//! }
//!
//! list second : direct {
//!   barrier { texture t { sync NONE -> PIXEL_SHADING; access NO_ACCESS -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
//! }
//!
//! timeline {
//!   q execute first
//!   q execute second
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list first : direct {
//!   legacy { transition t RENDER_TARGET -> COMMON }
//! }
//!
//! list second : direct {
//!   barrier { texture t { sync NONE -> PIXEL_SHADING; access NO_ACCESS -> SHADER_RESOURCE; layout COMMON -> SHADER_RESOURCE } }
//! }
//!
//! timeline {
//!   q execute first
//!   q execute second
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Interop with legacy `ResourceBarrier`", "Legacy vs Enhanced State
//! Validation"; reading R37.

use crate::finding::Span;
use crate::finding::{Finding, Rule, Severity};
use crate::validate::lb::track::known::Known;
use crate::validate::lb::track::{At, Phase};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB042",
    name: "enhanced-on-legacy-state",
    severity: Severity::Error,
    summary: "an enhanced barrier on a subresource in a legacy state other than COMMON",
    file: include_str!("enhanced_on_legacy_state.rs"),
};

/// It is in a legacy state, or between the halves of a legacy transition that began at `begin`.
pub(in crate::validate) fn found(
    at: &At<'_>,
    phase: Phase,
    known: &Known,
    begin: Option<Span>,
) -> Finding {
    let (name, state) = (at.name(), known.state);
    if let Some(begin) = begin {
        return at
            .finding(
                &RULE,
                phase,
                format!("`{name}` is between the halves of a legacy split transition"),
            )
            .related(begin, "the `begin` half")
            .help("first end the legacy transition and bring the texture to COMMON");
    }
    let or = if at.scenario.resource(at.resource).is_buffer() {
        "or write the legacy transition as an enhanced barrier".to_owned()
    } else {
        format!("or create `{name}` with `initial` and use only enhanced barriers")
    };
    at.finding(
        &RULE,
        phase,
        format!(
            "`{name}` is in the legacy state {state}, but enhanced barriers may start from COMMON only"
        ),
    )
    .related(known.origin.span, known.origin.label(state))
    .help(format!(
        "write `legacy {{ transition {name} {state} -> COMMON }}` first, {or}"
    ))
}
