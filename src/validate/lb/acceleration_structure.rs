//! **What it finds.** A transition of a buffer that was created as a ray-tracing acceleration structure.
//!
//! **Why it matters.** Such a buffer is always in `RAYTRACING_ACCELERATION_STRUCTURE`. UAV barriers order builds,
//! copies and rays.
//!
//! **Firing example**
//! ```text
//! buffer as : 64KiB { flags UNORDERED_ACCESS|RAYTRACING_ACCELERATION_STRUCTURE }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition as RAYTRACING_ACCELERATION_STRUCTURE -> UNORDERED_ACCESS }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! buffer as : 64KiB { flags UNORDERED_ACCESS|RAYTRACING_ACCELERATION_STRUCTURE }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { uav as }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Initial Resource State", "UAV Barriers".

use crate::api::ResourceFlags;
use crate::finding::{Finding, Rule, Severity};
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB017",
    name: "acceleration-structure-transition",
    severity: Severity::Error,
    summary: "a transition of an acceleration structure",
    file: include_str!("acceleration_structure.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Legacy(check)],
};

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    entry.states()?;
    let resource = entry.resource()?;
    let flag = ResourceFlags::RAYTRACING_ACCELERATION_STRUCTURE;
    (resource.is_buffer() && resource.flags.contains(flag)).then(|| {
        let name = entry
            .resource_id()
            .map_or("?", |id| entry.scenario.resource_name(id));
        entry
            .finding(
                &RULE,
                format!("`{name}` is an acceleration structure, which never leaves its state"),
            )
            .help(format!("order its uses with `uav {name}`"))
    })
}
