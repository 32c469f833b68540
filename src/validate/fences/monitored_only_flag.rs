crate::finding::rule! {
    /// **What it finds.** A synchronization object of any type but a monitored fence with the flag `TopOfPipeline`,
    /// `NoSignal` or `NoWait`.
    ///
    /// **Why it matters.** The three flags change how the operating system's scheduler handles signals and waits of a
    /// monitored fence. For every other type, native fences included, they must be 0; creating the object returns
    /// `STATUS_INVALID_PARAMETER`.
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`TopOfPipeline`", "`NoSignal`", "`NoWait`"; reading R40.
    pub(crate) static RULE = "FN002", "monitored-only-flag", Error,
        "`TopOfPipeline`, `NoSignal` or `NoWait` on an object that is no monitored fence";
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
    let wrong = fence.bits() & SyncObjectFlags::MONITORED_ONLY;
    let object = fence.object();
    (object != SyncObject::Monitored && !wrong.is_empty()).then(|| {
        let what = format!(
            "is {} with `{wrong}`, which is for monitored fences only",
            object.noun()
        );
        refused(scenario, &RULE, id, &what, NtStatus::InvalidParameter)
            .help("leave out the flag, or make it a monitored fence")
    })
}
