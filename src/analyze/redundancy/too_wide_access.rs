//! **What it finds.** Bits in `AccessBefore` or `AccessAfter` that no use between this barrier and its neighbours on
//! the same resource has. The change is verified: in a copy with the narrower mask there is no new error or hazard.
//!
//! **Why it matters.** Each access names caches: of writers that are written back, of readers that are dropped. A bit
//! that serves no use empties a cache for nothing.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b writes }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE|UNORDERED_ACCESS } }
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
//! **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_ACCESS`"; readings R14, R16, R34, R48.

use super::{Gain, Saving};
use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "RD103",
    name: "too-wide-access",
    severity: Severity::Advice,
    summary: "a barrier names accesses that no use around it has",
    file: include_str!("too_wide_access.rs"),
};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: AccessBefore keeps every kind of write that is not visible yet, AccessAfter every kind of use up to the next barrier on this resource",
    gain: Gain::Always,
};
