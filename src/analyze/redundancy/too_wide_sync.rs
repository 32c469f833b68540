//! **What it finds.** Stages in `SyncBefore` or `SyncAfter` that no use between this barrier and its neighbours on the
//! same resource has: whole bits, or the rest of an umbrella where the rest makes a difference. The change is verified:
//! in a copy with the narrower mask there is no new error or hazard.
//!
//! **Why it matters.** Drivers wait for what is named, and flush what is named: every extra stage stops work that has
//! nothing to do with the resource.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b writes }
//!   barrier { buffer b { sync COMPUTE_SHADING|COPY -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
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
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b writes }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Excessive sync latency"; readings R13, R36, R46, R48.

use super::{Gain, Saving};
use crate::finding::{Rule, Severity};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: the remaining stages cover every use that the barrier must order, up \
                to the neighbouring barriers on this resource, and later writes after earlier reads",
    gain: Gain::Always,
};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "RD102",
    name: "too-wide-sync",
    severity: Severity::Advice,
    summary: "a barrier names stages that no use around it has",
    file: include_str!("too_wide_sync.rs"),
};
