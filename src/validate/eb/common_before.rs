//! **What it finds.** `AccessBefore` is `COMMON`.
//!
//! **Why it matters.** `COMMON` stands for every write access that the resource allows, so the driver may flush every
//! write cache, although the author of the barrier knows the last writer.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { buffer b { sync ALL -> COMPUTE_SHADING; access COMMON -> SHADER_RESOURCE } }
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
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Access Transitions", "`D3D12_BARRIER_ACCESS_COMMON`"; reading R16.

use crate::api::BarrierAccess;
use crate::finding::{Finding, Rule, Severity};
use crate::validate::{Check, Side, SideOf, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB021",
    name: "access-before-common",
    severity: Severity::Warning,
    summary: "AccessBefore COMMON: every write access is flushed",
    file: include_str!("common_before.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Side(check)],
};

fn check(it: &SideOf<'_>) -> Option<Finding> {
    let common = it.side == Side::Before && it.access == BarrierAccess::COMMON;
    (common && !it.sync.is_split()).then(|| {
        it.finding(
            &RULE,
            "`AccessBefore` COMMON names every write access, so it may flush caches for nothing",
        )
        .help("name the earlier accesses, or NO_ACCESS if there are none")
    })
}
