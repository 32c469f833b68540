crate::finding::rule! {
    /// **What it finds.** An access to a resource in an upload or readback heap that such a heap does not allow.
    ///
    /// **Why it matters.** Upload memory is read by the GPU and written by the CPU; only copies and resolves write
    /// readback memory. Decoders read their bitstream from upload memory, which the list leaves out: with `--rules tables` that
    /// is found as well.
    ///
    /// **Source.** Enhanced Barriers specification, "Upload Heap Resources", "Readback Heap Resources"; reading R64.
    pub(crate) static RULE = "EB018", "heap-access", Error,
        "an access that an upload or readback heap does not allow";
}

use crate::api::{BarrierAccess, HeapType, compat};
use crate::finding::Finding;
use crate::finding::Span;
use crate::id::ResourceId;
use crate::scenario::Scenario;
use crate::validate::entry::finding;
use crate::validate::{Check, RuleSet, SideOf, UseOf, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule =
    ValidationRule::new(&RULE, &[Check::Use(check_use), Check::Side(check_side)]);

fn refused(
    scenario: &Scenario,
    id: ResourceId,
    access: BarrierAccess,
    (span, rules): (Span, RuleSet),
) -> Option<Finding> {
    let heap = scenario.heap_type(id);
    if heap == HeapType::Default {
        return None;
    }
    let allowed = compat::heap_accesses_under(rules, heap);
    let wrong = access.difference(allowed);
    (!wrong.is_empty()).then(|| {
        let name = scenario.resource_name(id);
        let message = format!("`{name}` is in the {heap} heap, which does not allow {wrong}");
        finding(scenario, &RULE, span, Some(id), message)
            .help(format!("resources of the {heap} heap allow {allowed}"))
    })
}

fn check_side(it: &SideOf<'_>) -> Option<Finding> {
    let id = it.entry.resource_id()?;
    let at = (it.entry.barrier.span, it.entry.rules);
    refused(it.entry.scenario, id, it.bits(), at)
}

fn check_use(it: &UseOf<'_>) -> Option<Finding> {
    let access = it.access.difference(BarrierAccess::NO_ACCESS);
    refused(it.scenario, it.resource, access, (it.span, it.rules))
}
