//! **What it finds.** A driver that gives the private data of a request for fence storage a size.
//!
//! **Why it matters.** The pointer to private data has no use yet. The driver ignores it: it neither looks whether it
//! is NULL nor asks for private data by setting a size.
//!
//! **Firing example**
//! ```text
//! adapter 0 { segments system|local-visible|local }
//! fence f { native DEFAULT; storage private 16 }
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
//! fence f { native DEFAULT; storage private 0 }
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//!   gfx signal f 1
//! }
//! ```
//!
//! **Source.** `D3DKMDT_FENCESTORAGESURFACEDATA`, "PrivateDriverDataSize", "Remarks".

use super::storage_fault;
use crate::finding::{Finding, Rule, Severity};
use crate::id::FenceId;
use crate::order::storage::Fault;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "FN017",
    name: "private-data-touched",
    severity: Severity::Error,
    summary: "a driver that asks for private data with a fence's storage",
    file: include_str!("private_data_touched.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Fence(check)],
};

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let what = "is given private data, which a driver must leave alone";
    storage_fault(scenario, &RULE, id, Fault::PrivateDataTouched, what)
        .map(|found| found.help("leave the size as it is"))
}
