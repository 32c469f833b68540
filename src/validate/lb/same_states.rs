//! **What it finds.** A legacy transition whose `StateBefore` and `StateAfter` are the same.
//!
//! **Why it matters.** It changes nothing, and D3D12 refuses it. Between two unordered accesses, use a UAV barrier.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition t RENDER_TARGET -> RENDER_TARGET }
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
//!   legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** D3D12 documentation, "Using Resource Barriers"; reading R37.

use crate::api::ResourceState;
use crate::finding::{Finding, Rule, Severity};
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB001",
    name: "same-states",
    severity: Severity::Error,
    summary: "a transition whose StateBefore is its StateAfter",
    file: include_str!("same_states.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Legacy(check)],
};

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    let (before, after) = entry.states()?;
    (before == after).then(|| {
        let help = if before == ResourceState::UNORDERED_ACCESS {
            "use a UAV barrier (`uav`), which orders unordered accesses in one state"
        } else {
            "leave the transition out"
        };
        entry
            .finding(
                &RULE,
                format!("`StateBefore` and `StateAfter` are both {before}"),
            )
            .help(help)
    })
}
