//! **What it finds.** A barrier whose masks can be narrowed without adding a hazard: `ALL` or `COMMON` where specific
//! bits do, or bits that serve no use of the resource. It was narrowed in a copy, and the copy was judged again.
//!
//! **Why it matters.** Drivers wait for what is named, and flush what is named: every stage beyond the ones that take
//! part lets work stand still that has nothing to do with the resource.
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
//! **Source.** Enhanced Barriers specification, "Excessive sync latency", "D3D12_BARRIER_ACCESS_COMMON"; readings R16,
//! R36, R48.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "RD102",
    name: "too-wide-barrier",
    severity: Severity::Advice,
    summary: "a barrier whose masks can be narrowed without adding a hazard",
    file: include_str!("too_wide_barrier.rs"),
};
