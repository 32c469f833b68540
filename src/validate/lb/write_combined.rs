//! **What it finds.** A legacy state that combines a write state with another state.
//!
//! **Why it matters.** A subresource is in any number of read states or in one write state.
//! `COPY_SOURCE|COPY_DEST`, with which a texture could be copied within itself, does not exist.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition t RENDER_TARGET -> COPY_SOURCE|COPY_DEST }
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
//!   legacy { transition t RENDER_TARGET -> COPY_SOURCE|PIXEL_SHADER_RESOURCE }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "No Self Copy", "Resource State Promotion and Decay"; reading R37.

use crate::finding::{Finding, Rule, Severity};
use crate::legacy::states;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB002",
    name: "write-state-combined",
    severity: Severity::Error,
    summary: "a state that combines a write with any other bit",
    file: include_str!("write_combined.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Legacy(check)],
};

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    let (before, after) = entry.states()?;
    [("StateBefore", before), ("StateAfter", after)]
        .into_iter()
        .find(|(_, state)| states::access(*state).writes() && state.bits().count_ones() > 1)
        .map(|(side, state)| {
            let write = states::writes(state);
            entry
                .finding(
                    &RULE,
                    format!(
                        "`{side}` is {state}, but {write} writes and cannot be combined with another state"
                    ),
                )
                .help("name one write state, or only read states")
        })
}
