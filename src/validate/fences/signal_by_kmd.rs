//! **What it finds.** The flag `SignalByKmd` on an object of any type but a CPU notification.
//!
//! **Why it matters.** The kernel-mode driver may signal only CPU notifications. Creating the object returns
//! `STATUS_INVALID_PARAMETER`.
//!
//! **Firing example**
//! ```text
//! fence f { flags SignalByKmd }
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
//! fence f { kind cpu_notification; flags SignalByKmd }
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//!   gfx signal f 1
//! }
//! ```
//!
//! **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`SignalByKmd`".

use super::refused;
use crate::api::{NtStatus, SyncObject, SyncObjectFlags};
use crate::finding::{Finding, Rule, Severity};
use crate::id::FenceId;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "FN004",
    name: "signal-by-kmd",
    severity: Severity::Error,
    summary: "`SignalByKmd` on an object that is no CPU notification",
    file: include_str!("signal_by_kmd.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Fence(check)],
};

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let fence = &scenario.fences[id.index()];
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
