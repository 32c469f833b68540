//! **What it finds.** `ALL` as sync or `COMMON` as access where specific bits are enough: those of the uses between
//! this barrier and its neighbours on the same resource. The change is verified: in a copy with the narrower mask there
//! is no new error or hazard.
//!
//! **Why it matters.** Both say *everything*: the queue runs empty, and every cache that could hold the resource is
//! written back or dropped. Replace these masks first.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b writes }
//!   barrier { buffer b { sync ALL -> ALL; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
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
//! **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_SYNC_ALL`", "`D3D12_BARRIER_ACCESS_COMMON`"; readings R16,
//! R48.

use super::{Gain, Saving};
use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "RD104",
    name: "all-or-common",
    severity: Severity::Advice,
    summary: "`ALL` or `COMMON` where a few bits do",
    file: include_str!("all_or_common.rs"),
};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: the remaining bits cover every use that the barrier must order or make visible, up to the neighbouring barriers on this resource",
    gain: Gain::Always,
};
