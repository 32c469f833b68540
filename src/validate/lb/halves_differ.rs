//! **What it finds.** The second half of a split transition whose states or subresources are not those of the
//! first.
//!
//! **Why it matters.** Both halves describe one transition; the driver may make it anywhere between them and looks
//! at either.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE begin }
//!   legacy { transition t RENDER_TARGET -> COPY_SOURCE end }
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
//!   legacy { transition t RENDER_TARGET -> COPY_SOURCE begin }
//!   legacy { transition t RENDER_TARGET -> COPY_SOURCE end }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Split Barriers"; reading R27.

use super::track::{At, Begin, Phase};
use crate::api::ResourceState;
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB013",
    name: "legacy-split-halves-differ",
    severity: Severity::Error,
    summary: "an `end` half that names other states or subresources than its `begin` half",
    file: include_str!("halves_differ.rs"),
};

/// The halves do not say the same.
pub(super) fn found(
    at: &At<'_>,
    begin: &Begin,
    before: ResourceState,
    after: ResourceState,
    same_range: bool,
) -> Finding {
    let name = at.name();
    let message = if same_range {
        format!(
            "this half goes {before} -> {after}, the `begin` half {} -> {}",
            begin.before, begin.after
        )
    } else {
        format!("this half and the `begin` half name different subresources of `{name}`")
    };
    at.finding(&RULE, Phase::Recording, message)
        .related(begin.span, "the `begin` half")
        .help("write the same resource, range and states in both halves")
}
