//! **What it finds.** A barrier whose packets do not ensure what its masks ask for on this profile: a wait, a
//! write-back, an invalidate or a hold is missing.
//!
//! **Why it matters.** It is the driver's bug: the application asked correctly and still reads old data. The check is
//! exact and static; it does not depend on what one run finds in a cache. The lowering of the firing example is wrong
//! on purpose.
//!
//! **Firing example**
//! ```text
//! device { lowering forgets_invalidate }
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
//! **Fixed example**
//! ```text
//! device { lowering precise }
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
//! **Source.** The definition of *ensured*: the cache paths of the profile; Enhanced Barriers specification,
//! "Synchronization", "Access Transitions".

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "LW101",
    name: "missing-operation",
    severity: Severity::Error,
    summary: "a lowered barrier that does not wait, flush, drop or hold what it was asked to",
    file: include_str!("missing_operation.rs"),
};
