//! **What it finds.** An access other than the acceleration structure accesses to a buffer that was created with
//! `RAYTRACING_ACCELERATION_STRUCTURE`.
//!
//! **Why it matters.** The flag is a hint to runtime, driver and tools that the buffer is an acceleration structure
//! and nothing else. Its contents are the driver's own.
//!
//! **Firing example**
//! ```text
//! device { capability raytracing on }
//! buffer blas : 64KiB { flags RAYTRACING_ACCELERATION_STRUCTURE|UNORDERED_ACCESS }
//! buffer b : 64KiB
//! queue q : direct
//!
//! list l : direct {
//!   copy blas -> b
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! device { capability raytracing on }
//! buffer blas : 64KiB { flags RAYTRACING_ACCELERATION_STRUCTURE|UNORDERED_ACCESS }
//! buffer tlas : 64KiB { flags RAYTRACING_ACCELERATION_STRUCTURE|UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   copy-as blas -> tlas
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Initial Resource State",
//! "`D3D12_RESOURCE_FLAG_RAYTRACING_ACCELERATION_STRUCTURE`".

use crate::validate::entry::finding;
use crate::validate::{Check, SideOf, UseOf, ValidationRule};

use crate::api::{BarrierAccess, ResourceFlags};
use crate::finding::{Finding, Rule, Severity, Span};
use crate::id::ResourceId;
use crate::scenario::Scenario;

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB045",
    name: "acceleration-structure-buffer",
    severity: Severity::Warning,
    summary: "an acceleration structure buffer used as something else",
    file: include_str!("rtas_buffer.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Use(check_use), Check::Side(check_side)],
};

const ALLOWED: BarrierAccess = BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ
    .union(BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE)
    .union(BarrierAccess::NO_ACCESS);

fn other(
    scenario: &Scenario,
    id: ResourceId,
    access: BarrierAccess,
    span: Span,
) -> Option<Finding> {
    let flags = scenario.resource(id).flags;
    let wrong = access.difference(ALLOWED);
    let is_wrong =
        flags.contains(ResourceFlags::RAYTRACING_ACCELERATION_STRUCTURE) && !wrong.is_empty();
    is_wrong.then(|| {
        let name = scenario.resource_name(id);
        let message =
            format!("`{name}` is an acceleration structure, but this accesses it as {wrong}");
        finding(scenario, &RULE, span, Some(id), message)
            .help("use `copy-as`, `emit-as-postbuild` or another buffer")
    })
}

fn check_use(it: &UseOf<'_>) -> Option<Finding> {
    other(it.scenario, it.resource, it.access, it.span)
}

fn check_side(it: &SideOf<'_>) -> Option<Finding> {
    other(
        it.entry.scenario,
        it.entry.resource_id()?,
        it.bits(),
        it.entry.barrier.span,
    )
}
