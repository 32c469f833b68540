//! **What it finds.** A driver that puts a value of a shared native fence anywhere but in system memory.
//!
//! **Why it matters.** Another process or another adapter has to reach it. Shared allocations always lie in system
//! memory.
//!
//! **Firing example**
//! ```text
//! adapter 0 { segments system|local-visible|local }
//! fence f { native DEFAULT; flags Shared; storage current 2 }
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
//! fence f { native DEFAULT; flags Shared; storage current 1 }
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//!   gfx signal f 1
//! }
//! ```
//!
//! **Source.** `D3DKMDT_FENCESTORAGESURFACEDATA`, "Remarks": shared allocations.

use super::storage_fault;
use crate::finding::{Finding, Rule, Severity};
use crate::id::FenceId;
use crate::order::storage::Fault;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "FN016",
    name: "shared-storage-outside-system-memory",
    severity: Severity::Error,
    summary: "values of a shared native fence outside system memory",
    file: include_str!("shared_storage_outside_system_memory.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Fence(check)],
};

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let what = "is shared and placed outside system memory";
    storage_fault(scenario, &RULE, id, Fault::SharedLocal, what)
        .map(|found| found.help("answer with a segment of system memory"))
}
