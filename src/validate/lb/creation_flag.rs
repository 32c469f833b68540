//! **What it finds.** A legacy state that needs a creation flag which the resource lacks, or a shader resource
//! state on a resource created with `DENY_SHADER_RESOURCE`.
//!
//! **Why it matters.** The flag is what makes the driver choose memory and metadata that can serve the state at
//! all.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { state COMMON }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition t COMMON -> RENDER_TARGET }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state COMMON }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition t COMMON -> RENDER_TARGET }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Layout Access Compatibility"; reading R35.

use crate::api::{ResourceFlags, compat};
use crate::finding::{Finding, Rule, Severity};
use crate::legacy::states;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB006",
    name: "state-creation-flag",
    severity: Severity::Error,
    summary: "a state that the resource was not created for",
    file: include_str!("creation_flag.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Legacy(check)],
};

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    let (before, after) = entry.states()?;
    let id = entry.resource_id()?;
    let traits = entry.scenario.traits(id);
    let refused = compat::refused_by_creation(traits);
    let wrong = states::of_any(before | after, refused);
    if wrong.is_empty() {
        return None;
    }
    let name = entry.scenario.resource_name(id);
    let needed = compat::ACCESS_FLAGS
        .iter()
        .filter(|(access, flag)| {
            states::access(wrong).intersects(*access) && !traits.flags.contains(*flag)
        })
        .fold(ResourceFlags::empty(), |set, (_, flag)| set | *flag);
    let (message, help) = if needed.is_empty() {
        (
            format!("`{name}` was created with DENY_SHADER_RESOURCE, which refuses {wrong}"),
            format!("create `{name}` without DENY_SHADER_RESOURCE"),
        )
    } else {
        (
            format!("`{name}` was created without {needed}, which the state {wrong} needs"),
            format!("create `{name}` with `flags {needed}`"),
        )
    };
    Some(entry.finding(&RULE, message).help(help))
}
