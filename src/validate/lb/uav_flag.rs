//! **What it finds.** A UAV barrier on a resource that was created neither with `UNORDERED_ACCESS` nor as an
//! acceleration structure.
//!
//! **Why it matters.** No unordered access of it can exist, so the barrier orders nothing. Probably another resource,
//! or a transition, is meant.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB
//! queue q : direct
//!
//! list l : direct {
//!   legacy { uav b }
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
//!   legacy { uav b }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "UAV Barriers"; reading R35.

use crate::api::ResourceFlags;
use crate::finding::{Finding, Rule, Severity};
use crate::scenario::LegacyKind;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB019",
    name: "uav-without-flag",
    severity: Severity::Error,
    summary: "a UAV barrier on a resource without unordered access",
    file: include_str!("uav_flag.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Legacy(check)],
};

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    let LegacyKind::Uav(Some(id)) = entry.barrier.kind else {
        return None;
    };
    let flags = ResourceFlags::UNORDERED_ACCESS | ResourceFlags::RAYTRACING_ACCELERATION_STRUCTURE;
    (!entry.scenario.resource(id).flags.intersects(flags)).then(|| {
        let name = entry.scenario.resource_name(id);
        entry
            .finding(&RULE, format!("`{name}` was created without UNORDERED_ACCESS, so it has no unordered accesses to order"))
            .help(format!("create `{name}` with `flags UNORDERED_ACCESS`, or leave the barrier out"))
    })
}
