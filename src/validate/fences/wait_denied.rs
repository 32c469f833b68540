//! **What it finds.** A wait for a fence with the flag `NoWait`: by a queue, by the CPU or by a wait barrier.
//!
//! **Why it matters.** The device that creates or opens the fence with `NoWait` may only signal it. The wait returns
//! `STATUS_ACCESS_DENIED`, and the work after it does not wait. (The other rules assume that it waits, so that one
//! mistake is one finding.)
//!
//! **Firing example**
//! ```text
//! fence f { flags NoWait }
//! queue gfx : direct
//! queue async : compute
//!
//! timeline {
//!   gfx signal f 1
//!   async wait f 1
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! fence f
//! queue gfx : direct
//! queue async : compute
//!
//! timeline {
//!   gfx signal f 1
//!   async wait f 1
//! }
//! ```
//!
//! **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`NoWait`"; reading R40.

use crate::api::{NtStatus, SyncObjectFlags};
use crate::finding::{Finding, Rule, Severity};
use crate::validate::{Check, FenceUse, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "FN009",
    name: "wait-denied",
    severity: Severity::Error,
    summary: "a wait for a fence with `NoWait`",
    file: include_str!("wait_denied.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::FenceUse(check)],
};

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
