//! **What it finds.** A value signalled to a mutex or a semaphore, or waited for there; a queue that waits for a CPU notification; a queue or
//! the CPU that signals a periodic monitored fence.
//!
//! **Why it matters.** A mutex and a semaphore are held and counted; they have no 64-bit value. A CPU notification
//! tells the CPU, not another queue. A periodic monitored fence is signalled by the display. The other rules treat the
//! object as a monitored fence.
//!
//! **Firing example**
//! ```text
//! fence f { kind semaphore }
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//!   gfx signal f 1
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! fence f { kind monitored }
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//!   gfx signal f 1
//! }
//! ```
//!
//! **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_TYPE`. A warning: the pages do not say what each call returns.

use crate::api::SyncObject;
use crate::finding::{Finding, Rule, Severity};
use crate::validate::{Check, FenceActor, FenceUse, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "FN013",
    name: "use-foreign-to-object",
    severity: Severity::Warning,
    summary: "a signal or wait that the object's type is not made for",
    file: include_str!("foreign_use.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::FenceUse(check)],
};

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
