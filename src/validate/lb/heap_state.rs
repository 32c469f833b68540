crate::finding::rule! {
    /// **What it finds.** A transition of a resource in an upload or readback heap into or out of a state that the heap
    /// does not allow. A transition between allowed states is a warning.
    ///
    /// **Why it matters.** The CPU reads or writes that memory: its buffers stay in `GENERIC_READ` or `COPY_DEST` for
    /// ever, which is `COMMON` at the start of every scope, and each use promotes them.
    ///
    /// **Source.** Enhanced Barriers specification, "Initial Resource State", "Upload Heap Resources", "Readback Heap
    /// Resources"; D3D12 documentation of `D3D12_HEAP_TYPE`.
    pub(crate) static RULE = "LB008", "state-heap", Error,
        "a transition of a resource in an upload or readback heap";
}

use crate::api::{BarrierAccess, HeapType, compat};
use crate::finding::Finding;
use crate::legacy::states;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Legacy(check)]);

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    let (before, after) = entry.states()?;
    let id = entry.resource_id()?;
    let heap = entry.scenario.heap_type(id);
    if heap == HeapType::Default {
        return None;
    }
    let name = entry.scenario.resource_name(id);
    let advice = format!(
        "leave the transition out: each use promotes `{name}`, which decays at the end of the call"
    );
    let allowed = compat::heap_accesses(heap);
    let wrong = states::of_any(before | after, BarrierAccess::EVERY.difference(allowed));
    if wrong.is_empty() {
        let message = format!("`{name}` is in the {heap} heap, whose resources stay in one state");
        return Some(entry.finding(&RULE, message).help(advice));
    }
    let message = format!("`{name}` is in the {heap} heap, which does not allow {wrong}");
    Some(entry.finding(&RULE, message).help(advice))
}
