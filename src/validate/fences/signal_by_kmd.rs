crate::finding::rule! {
    /// **What it finds.** The flag `SignalByKmd` on an object of any type but a CPU notification.
    ///
    /// **Why it matters.** The kernel-mode driver may signal only CPU notifications. Creating the object returns
    /// `STATUS_INVALID_PARAMETER`.
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`SignalByKmd`".
    pub(crate) static RULE = "FN004", "signal-by-kmd", Error,
        "`SignalByKmd` on an object that is no CPU notification";
}

use super::refused;
use crate::api::{NtStatus, SyncObject, SyncObjectFlags};
use crate::finding::Finding;
use crate::id::FenceId;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Fence(check)]);

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let fence = &scenario.fences[id];
    let object = fence.object();
    (fence.has(SyncObjectFlags::SIGNAL_BY_KMD) && object != SyncObject::CpuNotification).then(
        || {
            let what = format!(
                "is {} with `SignalByKmd`, which is for CPU notifications only",
                object.noun()
            );
            refused(scenario, &RULE, id, &what, NtStatus::InvalidParameter)
                .help("leave out the flag, or write `kind cpu_notification`")
        },
    )
}
