//! **What it finds.** `Unused`, `Reserved` or `RESERVED0` among the flags of a synchronization object, by name or as a number.
//!
//! **Why it matters.** These bits belong to later versions of the operating system: what they will mean is not known. They must be 0; creating
//! the object returns `STATUS_INVALID_PARAMETER`.
//!
//! **Firing example**
//! ```text
//! fence f { flags Shared|Unused }
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
//! fence f { flags Shared }
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//!   gfx signal f 1
//! }
//! ```
//!
//! **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "Unused", "Reserved", "`D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS_RESERVED0`".

use super::refused;
use crate::api::{NtStatus, SyncObjectFlags};
use crate::finding::{Finding, Rule, Severity};
use crate::id::FenceId;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "FN005",
    name: "reserved-fence-bits",
    severity: Severity::Error,
    summary: "bits of a synchronization object's flags that must be 0",
    file: include_str!("reserved_bits.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Fence(check)],
};

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let wrong = scenario.fences[id.index()].bits() & SyncObjectFlags::MUST_BE_ZERO;
    (!wrong.is_empty()).then(|| {
        let what = format!("sets `{wrong}`, which must be 0");
        refused(scenario, &RULE, id, &what, NtStatus::InvalidParameter).help("leave the bits out")
    })
}
