crate::finding::rule! {
    /// **What it finds.** A legacy state that needs a creation flag which the resource lacks, or a shader resource
    /// state on a resource created with `DENY_SHADER_RESOURCE`.
    ///
    /// **Why it matters.** The flag is what makes the driver choose memory and metadata that can serve the state at
    /// all.
    ///
    /// **Source.** Enhanced Barriers specification, "Layout Access Compatibility"; reading R35.
    pub(crate) static RULE = "LB006", "state-creation-flag", Error,
        "a state that the resource was not created for";
}

use crate::api::{ResourceFlags, compat};
use crate::finding::Finding;
use crate::legacy::states;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Legacy(check)]);

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
