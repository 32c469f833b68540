crate::finding::rule! {
    /// **What it finds.** A driver that puts the monitored value of a native fence into a segment that the CPU does not
    /// see.
    ///
    /// **Why it matters.** The CPU updates monitored values through its own pointers. Without one it cannot say for
    /// which value it waits, and no signal would wake it.
    ///
    /// **Source.** `D3DKMDT_FENCESTORAGESURFACEDATA`, "Remarks": monitored values.
    pub(crate) static RULE = "FN015", "monitored-value-hidden", Error,
        "a monitored value in memory that the CPU does not see";
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
    let what = "has its monitored value in memory that the CPU does not see";
    storage_fault(scenario, &RULE, id, Fault::MonitoredHidden, what)
        .map(|found| found.help("answer with a segment that the CPU sees"))
}
