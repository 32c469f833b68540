crate::finding::rule! {
    /// **What it finds.** `Unused`, `Reserved` or `RESERVED0` among the flags of a synchronization object, by name or
    /// as a number.
    ///
    /// **Why it matters.** These bits belong to later versions of the operating system: what they will mean is not
    /// known. They must be 0; creating the object returns `STATUS_INVALID_PARAMETER`.
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "Unused", "Reserved",
    /// "`D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS_RESERVED0`".
    pub(crate) static RULE = "FN005", "reserved-fence-bits", Error,
        "bits of a synchronization object's flags that must be 0";
}

use super::refused;
use crate::api::{NtStatus, SyncObjectFlags};
use crate::finding::Finding;
use crate::id::FenceId;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Fence(check)]);

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let wrong = scenario.fences[id].bits() & SyncObjectFlags::MUST_BE_ZERO;
    (!wrong.is_empty()).then(|| {
        let what = format!("sets `{wrong}`, which must be 0");
        refused(scenario, &RULE, id, &what, NtStatus::InvalidParameter).help("leave the bits out")
    })
}
