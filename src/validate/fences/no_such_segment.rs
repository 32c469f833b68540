crate::finding::rule! {
    /// **What it finds.** A driver that places a value of a native fence in a segment which its adapter does not have.
    ///
    /// **Why it matters.** The operating system cannot allocate there, and the fence is not created.
    ///
    /// **Source.** `D3DKMDT_FENCESTORAGESURFACEDATA`, "`AllocationInfo`".
    pub(crate) static RULE = "FN018", "no-such-segment", Error,
        "fence storage in a segment that the adapter does not have";
}

use super::storage_fault;
use crate::finding::Finding;
use crate::id::FenceId;
use crate::order::storage::Fault;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Fence(check)]);

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let what = "is placed in a segment that its adapter does not have";
    storage_fault(scenario, &RULE, id, Fault::NoSuchSegment, what).map(|found| found.help("the first segment of an adapter is number 1; without `adapter N { segments … }` there are three"))
}
