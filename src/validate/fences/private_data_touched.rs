crate::finding::rule! {
    /// **What it finds.** A driver that sets a size for private data in its answer to a request for fence storage.
    ///
    /// **Why it matters.** The pointer to private data has no use yet. The driver ignores it: it neither looks whether
    /// it is NULL nor asks for private data by setting a size.
    ///
    /// **Source.** `D3DKMDT_FENCESTORAGESURFACEDATA`, "`PrivateDriverDataSize`", "Remarks".
    pub(crate) static RULE = "FN017", "private-data-touched", Error,
        "a driver that asks for private data with a fence's storage";
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
    let what = "has a size for private data, which a driver must not set";
    storage_fault(scenario, &RULE, id, Fault::PrivateDataTouched, what)
        .map(|found| found.help("do not change the size"))
}
