//! **What it finds.** A fence with both flags `NoSignal` and `NoWait`.
//!
//! **Why it matters.** A device that may neither signal a fence nor wait for it has no use for it: the two flags cannot be set together, and
//! creating the fence returns `STATUS_INVALID_PARAMETER`.
//!
//! **Firing example**
//! ```text
//! fence f { flags NoSignal|NoWait }
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
//! fence f { flags NoWait }
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//!   gfx signal f 1
//! }
//! ```
//!
//! **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`NoWait`".

use super::refused;
use crate::api::{NtStatus, SyncObjectFlags};
use crate::finding::{Finding, Rule, Severity};
use crate::id::FenceId;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "FN003",
    name: "no-signal-and-no-wait",
    severity: Severity::Error,
    summary: "`NoSignal` and `NoWait` on one fence",
    file: include_str!("no_signal_and_no_wait.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Fence(check)],
};

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let both = SyncObjectFlags::NO_SIGNAL | SyncObjectFlags::NO_WAIT;
    scenario.fences[id.index()].has(both).then(|| {
        let what = "has both `NoSignal` and `NoWait`";
        refused(scenario, &RULE, id, what, NtStatus::InvalidParameter)
            .help("keep `NoSignal` if this device waits, `NoWait` if it signals")
    })
}
