//! **What it finds.** A driver that puts the monitored value of a native fence into a segment that the CPU does not
//! see.
//!
//! **Why it matters.** The CPU updates monitored values through its own pointers. Without one it cannot say for which
//! value it waits, and no signal would wake it.
//!
//! **Firing example**
//! ```text
//! adapter 0 { segments system|local-visible|local }
//! fence f { native DEFAULT; storage monitored 3 }
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
//! adapter 0 { segments system|local-visible|local }
//! fence f { native DEFAULT; storage monitored 2 }
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//!   gfx signal f 1
//! }
//! ```
//!
//! **Source.** `D3DKMDT_FENCESTORAGESURFACEDATA`, "Remarks": monitored values.

use super::storage_fault;
use crate::finding::{Finding, Rule, Severity};
use crate::id::FenceId;
use crate::order::storage::Fault;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "FN015",
    name: "monitored-value-hidden",
    severity: Severity::Error,
    summary: "a monitored value in memory that the CPU does not see",
    file: include_str!("monitored_value_hidden.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Fence(check)],
};

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let what = "places the monitored value where the CPU does not see it";
    storage_fault(scenario, &RULE, id, Fault::MonitoredHidden, what)
        .map(|found| found.help("answer with a segment that the CPU sees"))
}
