crate::finding::rule! {
    /// **What it finds.** A value signalled to a mutex or a semaphore, or waited for there; a queue that waits for a
    /// CPU notification; a queue or the CPU that signals a periodic monitored fence.
    ///
    /// **Why it matters.** A mutex and a semaphore are held and counted; they have no 64-bit value. A CPU notification
    /// tells the CPU, not another queue. A periodic monitored fence is signalled by the display. The other rules treat
    /// the object as a monitored fence.
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_TYPE`. A warning: the pages do not say what each call returns.
    pub(crate) static RULE = "FN013", "use-foreign-to-object", Warning,
        "a signal or wait that the object's type is not made for";
}

use crate::api::SyncObject;
use crate::finding::Finding;
use crate::validate::{Check, FenceActor, FenceUse, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule =
    ValidationRule::new(&RULE, &[Check::FenceUse(check)]);

fn check(it: &FenceUse<'_>) -> Option<Finding> {
    let object = it.fence().object();
    let by_queue = it.actor != FenceActor::Cpu;
    let what = match object {
        SyncObject::Mutex | SyncObject::Semaphore => "has no value to signal or to wait for",
        SyncObject::CpuNotification if by_queue && !it.signal => {
            "notifies the CPU; no queue can wait for it"
        }
        SyncObject::PeriodicMonitored if it.signal => "is signalled by the display only",
        _ => return None,
    };
    let name = it.name();
    let message = format!("`{name}`, {}, {what}", object.noun());
    Some(
        Finding::new(&RULE, it.span, message)
            .resource(name)
            .help("use a monitored fence"),
    )
}
