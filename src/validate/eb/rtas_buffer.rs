crate::finding::rule! {
    /// **What it finds.** An access other than the acceleration structure accesses to a buffer that was created with
    /// `RAYTRACING_ACCELERATION_STRUCTURE`.
    ///
    /// **Why it matters.** The flag is a hint to runtime, driver and tools that the buffer is an acceleration structure
    /// and nothing else. Its contents are the driver's own.
    ///
    /// **Source.** Enhanced Barriers specification, "Initial Resource State",
    /// "`D3D12_RESOURCE_FLAG_RAYTRACING_ACCELERATION_STRUCTURE`".
    pub(crate) static RULE = "EB045", "acceleration-structure-buffer", Warning,
        "an acceleration structure buffer used as something else";
}

use crate::validate::entry::finding;
use crate::validate::{Check, SideOf, UseOf, ValidationRule};

use crate::api::{BarrierAccess, ResourceFlags};
use crate::finding::{Finding, Span};
use crate::id::ResourceId;
use crate::scenario::Scenario;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule =
    ValidationRule::new(&RULE, &[Check::Use(check_use), Check::Side(check_side)]);

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
