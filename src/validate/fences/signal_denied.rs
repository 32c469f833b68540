crate::finding::rule! {
    /// **What it finds.** A signal of a fence with the flag `NoSignal`: by a queue, by the CPU or by a signal barrier.
    ///
    /// **Why it matters.** The device that creates or opens the fence with `NoSignal` may only wait for it. The signal
    /// returns `STATUS_ACCESS_DENIED`, and whoever waits for it is not woken. (The other rules assume that the signal
    /// is given, so that one mistake is one finding.)
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`NoSignal`"; reading R40.
    pub(crate) static RULE = "FN008", "signal-denied", Error,
        "a signal of a fence with `NoSignal`";
}

use crate::api::{NtStatus, SyncObjectFlags};
use crate::finding::Finding;
use crate::validate::{Check, FenceUse, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule =
    ValidationRule::new(&RULE, &[Check::FenceUse(check)]);

fn check(it: &FenceUse<'_>) -> Option<Finding> {
    (it.signal && it.bits().contains(SyncObjectFlags::NO_SIGNAL)).then(|| {
        it.refused(
            &RULE,
            "has `NoSignal`, so this device may only wait for it",
            NtStatus::AccessDenied,
        )
        .help("leave out `NoSignal`, or let the device signal that owns the fence")
    })
}
