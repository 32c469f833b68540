crate::finding::rule! {
    /// **What it finds.** A barrier or a use that accesses a texture as only buffers are accessed: as `VERTEX_BUFFER`,
    /// `INDEX_BUFFER`, `CONSTANT_BUFFER`, `STREAM_OUTPUT`, `INDIRECT_ARGUMENT` (`PREDICATION` is the same bit), or as
    /// an acceleration structure. The layout does not matter: with both layouts `UNDEFINED` it is wrong as well.
    ///
    /// **Why it matters.** No layout allows these accesses, and no view or argument of a command could name the
    /// texture. The barrier promises something that nobody can use; most often it names the wrong resource.
    ///
    /// **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_ACCESS`" and the sections of these accesses,
    /// "`D3D12_RESOURCE_FLAG_RAYTRACING_ACCELERATION_STRUCTURE`"; reading R60.
    pub(crate) static RULE = "EB051", "buffer-access", Error,
        "an access of buffers on a texture";
}

use crate::api::{BarrierAccess, compat};
use crate::finding::{Finding, Span};
use crate::id::ResourceId;
use crate::scenario::Scenario;
use crate::validate::entry::finding;
use crate::validate::{Check, SideOf, UseOf, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule =
    ValidationRule::new(&RULE, &[Check::Side(check_side), Check::Use(check_use)]);

fn wrong(
    scenario: &Scenario,
    id: ResourceId,
    access: BarrierAccess,
    span: Span,
    field: &str,
) -> Option<Finding> {
    let wrong = access & compat::ONLY_ON_BUFFERS;
    if wrong.is_empty() || scenario.resource(id).is_buffer() {
        return None;
    }
    let name = scenario.resource_name(id);
    let message = format!("{field} {wrong}, which only a buffer has, and `{name}` is a texture");
    Some(
        finding(scenario, &RULE, span, Some(id), message)
            .help("name the buffer that is meant, or an access that a texture has"),
    )
}

fn check_side(it: &SideOf<'_>) -> Option<Finding> {
    let (entry, field) = (it.entry, format!("`Access{}` names", it.side.suffix()));
    wrong(
        entry.scenario,
        entry.resource_id()?,
        it.bits(),
        entry.barrier.span,
        &field,
    )
}

fn check_use(it: &UseOf<'_>) -> Option<Finding> {
    wrong(it.scenario, it.resource, it.access, it.span, "this use is")
}
