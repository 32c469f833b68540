crate::finding::rule! {
    /// **What it finds.** A wait for a fence with the flag `NoWait`: by a queue, by the CPU or by a wait barrier.
    ///
    /// **Why it matters.** The device that creates or opens the fence with `NoWait` may only signal it. The wait
    /// returns `STATUS_ACCESS_DENIED`, and the work after it does not wait. (The other rules assume that it waits, so
    /// that one mistake is one finding.)
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`NoWait`"; reading R40.
    pub(crate) static RULE = "FN009", "wait-denied", Error,
        "a wait for a fence with `NoWait`";
}

use crate::api::{NtStatus, SyncObjectFlags};
use crate::finding::Finding;
use crate::validate::{Check, FenceUse, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule =
    ValidationRule::new(&RULE, &[Check::FenceUse(check)]);

fn check(it: &FenceUse<'_>) -> Option<Finding> {
    (!it.signal && it.bits().contains(SyncObjectFlags::NO_WAIT)).then(|| {
        it.refused(
            &RULE,
            "has `NoWait`, so this device may only signal it",
            NtStatus::AccessDenied,
        )
        .help("leave out `NoWait`, or wait for another fence")
    })
}
