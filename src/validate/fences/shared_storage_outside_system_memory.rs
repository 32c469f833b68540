crate::finding::rule! {
    /// **What it finds.** A driver that puts a value of a shared native fence anywhere but in system memory.
    ///
    /// **Why it matters.** Another process or another adapter has to reach it. Shared allocations always lie in system
    /// memory.
    ///
    /// **Source.** `D3DKMDT_FENCESTORAGESURFACEDATA`, "Remarks": shared allocations.
    pub(crate) static RULE = "FN016", "shared-storage-outside-system-memory", Error,
        "values of a shared native fence outside system memory";
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
    let what = "is shared and placed outside system memory";
    storage_fault(scenario, &RULE, id, Fault::SharedLocal, what)
        .map(|found| found.help("answer with a segment of system memory"))
}
