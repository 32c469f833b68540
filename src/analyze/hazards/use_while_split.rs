//! **What it finds.** A use of a subresource between the halves of a split barrier.
//!
//! **Why it matters.** The pair acts at no defined time between its halves: until the second half the layout is neither
//! the one before nor the one after, and nothing is visible.
//!
//! **Firing example**
//! ```text
//! texture t : R8_UNORM 64x64 { flags UNORDERED_ACCESS; initial UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 8x8x1 { UNORDERED_ACCESS t writes }
//!   barrier { texture t { sync COMPUTE_SHADING -> SPLIT; access UNORDERED_ACCESS -> SHADER_RESOURCE; layout UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   draw "early" { SHADER_RESOURCE t @ PIXEL_SHADING }
//!   barrier { texture t { sync SPLIT -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE; layout UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   draw "late" { SHADER_RESOURCE t @ PIXEL_SHADING }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8_UNORM 64x64 { flags UNORDERED_ACCESS; initial UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 8x8x1 { UNORDERED_ACCESS t writes }
//!   barrier { texture t { sync COMPUTE_SHADING -> SPLIT; access UNORDERED_ACCESS -> SHADER_RESOURCE; layout UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "other work" 8x8x1 { }
//!   barrier { texture t { sync SPLIT -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE; layout UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   draw "late" { SHADER_RESOURCE t @ PIXEL_SHADING }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Split Barriers"; readings R27, R42.

use super::{Context, HazardRule, USES};
use crate::finding::{Rule, Severity};
use crate::graph::{Conflict, ConflictKind};

static RULE: Rule = Rule {
    id: "HZ107",
    name: "use-while-split",
    severity: Severity::Hazard,
    summary: "a use between the halves of a split barrier",
    file: include_str!("use_while_split.rs"),
};

pub(super) static HAZARD: HazardRule = HazardRule {
    rule: &RULE,
    kinds: &[ConflictKind::UseWhileSplit],
    message,
    help,
};

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    format!(
        "{} {} {} between the halves of the split barrier that {} begins",
        context.side(&conflict.second),
        context.second(conflict, USES),
        context.resource(conflict),
        context.side(&conflict.first),
    )
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "the type that every hazard rule shares"
)]
fn help(_: &Context<'_, '_>, _: &Conflict) -> Option<String> {
    Some("end the split barrier before this use, or begin it after this use".into())
}
