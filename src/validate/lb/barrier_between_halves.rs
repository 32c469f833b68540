//! **What it finds.** A legacy barrier on a subresource between the two halves of a split transition of it.
//!
//! **Why it matters.** Between the halves the layout is neither the old nor the new one: a barrier has no layout to
//! start from.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE begin }
//!   legacy { transition t RENDER_TARGET -> COPY_SOURCE }
//!   legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE end }
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
//! texture u : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE begin }
//!   legacy { transition u RENDER_TARGET -> COPY_SOURCE }
//!   legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE end }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Split Barriers"; reading R27.

use super::track::{At, Begin, Phase};
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB021",
    name: "barrier-between-legacy-halves",
    severity: Severity::Error,
    summary: "a barrier on a subresource between the halves of its split transition",
    file: include_str!("barrier_between_halves.rs"),
};

/// A first half is open.
pub(super) fn found(at: &At<'_>, begin: &Begin) -> Finding {
    let name = at.name();
    at.finding(
        &RULE,
        Phase::Recording,
        format!("`{name}` is between the halves of a split transition"),
    )
    .related(begin.span, "the `begin` half")
    .help("put this barrier before the `begin` half or after the `end` half")
}
