//! **What it finds.** A driver that places a value of a native fence in a segment which its adapter does not have.
//!
//! **Why it matters.** The operating system cannot allocate there, and the fence is not created.
//!
//! **Firing example**
//! ```text
//! adapter 0 { segments system|local-visible|local }
//! fence f { native DEFAULT; storage current 4 }
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
//! fence f { native DEFAULT; storage current 1 }
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//!   gfx signal f 1
//! }
//! ```
//!
//! **Source.** `D3DKMDT_FENCESTORAGESURFACEDATA`, "AllocationInfo".

use super::storage_fault;
use crate::finding::{Finding, Rule, Severity};
use crate::id::FenceId;
use crate::order::storage::Fault;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "FN018",
    name: "no-such-segment",
    severity: Severity::Error,
    summary: "fence storage in a segment that the adapter does not have",
    file: include_str!("no_such_segment.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Fence(check)],
};

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let what = "is placed in a segment that its adapter does not have";
    storage_fault(scenario, &RULE, id, Fault::NoSuchSegment, what).map(|found| found.help("the first segment of an adapter is number 1; without `adapter N { segments … }` there are three"))
}
