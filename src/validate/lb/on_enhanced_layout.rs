//! **What it finds.** A legacy barrier on a subresource that an enhanced barrier, or its creation, put into a
//! layout other than `COMMON`.
//!
//! **Why it matters.** No legacy state describes such a layout; the two kinds of barriers meet only in `COMMON`.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial SHADER_RESOURCE }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition t PIXEL_SHADER_RESOURCE -> RENDER_TARGET }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial SHADER_RESOURCE }
//! queue q : direct
//!
//! list first : direct {
//!   barrier { texture t { sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS; layout SHADER_RESOURCE -> COMMON } }
//! }
//!
//! list second : direct {
//!   legacy { transition t COMMON -> RENDER_TARGET }
//! }
//!
//! timeline {
//!   q execute first
//!   q execute second
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Interop with legacy `ResourceBarrier`"; reading R37.

use super::track::known::Known;
use super::track::{At, Phase};
use crate::api::Layout;
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB014",
    name: "legacy-on-enhanced-layout",
    severity: Severity::Error,
    summary: "a legacy barrier on a texture in a layout of enhanced barriers",
    file: include_str!("on_enhanced_layout.rs"),
};

/// It is in a layout of enhanced barriers.
pub(super) fn found(at: &At<'_>, phase: Phase, known: &Known, layout: Layout) -> Finding {
    let name = at.name();
    at.finding(
        &RULE,
        phase,
        format!("`{name}` is in the enhanced layout {layout}, which has no legacy state"),
    )
    .related(known.origin.span, known.origin.label(known.state))
    .help(format!(
        "bring `{name}` to COMMON with an enhanced barrier first, or write this one as an enhanced barrier"
    ))
}
