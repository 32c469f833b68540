//! **What it finds.** A legacy state with a bit that D3D12 reserves or does not know.
//!
//! **Why it matters.** Reserved bits belong to the runtime; the call fails.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition t RENDER_TARGET -> RESERVED_INTERNAL_4000 }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition t RENDER_TARGET -> 0x80 }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** D3D12 documentation of `D3D12_RESOURCE_STATES`.

use crate::api::ResourceState;
use crate::finding::{Finding, Rule, Severity};
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB022",
    name: "unknown-state",
    severity: Severity::Error,
    summary: "a state that the API does not have",
    file: include_str!("unknown_state.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Legacy(check)],
};

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    let (before, after) = entry.states()?;
    let wrong = (before | after).difference(ResourceState::all());
    (!wrong.is_empty()).then(|| {
        entry
            .finding(&RULE, format!("D3D12_RESOURCE_STATES has no state {wrong}"))
            .help("name a state of D3D12_RESOURCE_STATES")
    })
}
