//! **What it finds.** A barrier on a subresource whose last barrier in the same `ExecuteCommandLists` call was of
//! the other kind, legacy or enhanced. The mixture is legal here.
//!
//! **Why it matters.** The specification warns of extra cost, most of all within one call: the runtime has to bring
//! the resource to `COMMON` and to keep both kinds of state.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b }
//!   legacy { transition b UNORDERED_ACCESS -> COMMON }
//!   barrier { buffer b { sync ALL -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b }
//!   legacy { transition b UNORDERED_ACCESS -> NON_PIXEL_SHADER_RESOURCE }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//! }
//!
//! list m : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//! }
//!
//! timeline {
//!   q execute l
//!   q execute m
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Interop with legacy `ResourceBarrier`".

use crate::finding::{Finding, Rule, Severity};
use crate::validate::lb::track::{At, Phase};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB046",
    name: "mixed-barrier-kinds",
    severity: Severity::Advice,
    summary: "legacy and enhanced barriers on one subresource in one call",
    file: include_str!("mixed_barriers.rs"),
};

/// The barrier and the one before it are of different kinds.
pub(in crate::validate) fn found(at: &At<'_>, this: &str, before: &str) -> Finding {
    let name = at.name();
    at.finding(
        &RULE,
        Phase::Recording,
        format!("{this} on `{name}` follows {before} in the same call"),
    )
    .help(format!("use one kind of barrier on `{name}`"))
}
