crate::finding::rule! {
    /// **What it finds.** A fence with both flags `NoSignal` and `NoWait`.
    ///
    /// **Why it matters.** A device that may neither signal a fence nor wait for it has no use for it: the two flags
    /// cannot be set together, and creating the fence returns `STATUS_INVALID_PARAMETER`.
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`NoWait`".
    pub(crate) static RULE = "FN003", "no-signal-and-no-wait", Error,
        "`NoSignal` and `NoWait` on one fence";
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
    let both = SyncObjectFlags::NO_SIGNAL | SyncObjectFlags::NO_WAIT;
    scenario.fences[id].has(both).then(|| {
        let what = "has both `NoSignal` and `NoWait`";
        refused(scenario, &RULE, id, what, NtStatus::InvalidParameter)
            .help("keep `NoSignal` if this device waits, `NoWait` if it signals")
    })
}
