//! **What it finds.** A texture or buffer barrier whose resource is NULL.
//!
//! **Why it matters.** Legacy UAV and aliasing barriers accept NULL for "every resource"; an enhanced barrier on all
//! memory is a global barrier.
//!
//! **Firing example**
//! ```text
//! queue q : direct
//!
//! list l : direct {
//!   barrier { buffer null { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! queue q : direct
//!
//! list l : direct {
//!   barrier { global { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Barrier Types", "UAV Barriers".

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::finding::{Finding, Rule, Severity};
use crate::scenario::BarrierTarget;

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB004",
    name: "null-resource",
    severity: Severity::Error,
    summary: "a texture or buffer barrier without a resource",
    file: include_str!("null_resource.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Entry(check)],
};

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    if matches!(entry.barrier.target, BarrierTarget::Global) || entry.resource_id().is_some() {
        return None;
    }
    let kind = match entry.barrier.target {
        BarrierTarget::Texture { .. } => "texture",
        BarrierTarget::Buffer { .. } => "buffer",
        BarrierTarget::Ranged { .. } => "ranged",
        BarrierTarget::Global | BarrierTarget::EmptyGroup(_) => return None,
    };
    Some(
        entry
            .finding(
                &RULE,
                format!("a {kind} barrier needs a resource, but this one has NULL"),
            )
            .help("name the resource, or use `global` for all memory"),
    )
}
