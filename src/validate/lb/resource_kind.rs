crate::finding::rule! {
    /// **What it finds.** A state that only buffers have on a texture, or one that only textures have on a buffer.
    /// `GENERIC_READ` as a whole is right on both.
    ///
    /// **Why it matters.** No command can use a texture as an index buffer, nor a buffer as a render target: the
    /// transition is a mistake.
    ///
    /// **Source.** Enhanced Barriers specification, "Equivalent `D3D12_BARRIER_LAYOUT` for each `D3D12_RESOURCE_STATES`
    /// bit" (rows without a layout); reading R35.
    pub(crate) static RULE = "LB007", "state-resource-kind", Error,
        "a buffer's state on a texture, or a texture's on a buffer";
}

use crate::api::{ResourceState, compat};
use crate::finding::Finding;
use crate::legacy::states;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Legacy(check)]);

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    let (before, after) = entry.states()?;
    let buffer = entry.resource()?.is_buffer();
    let wrong = foreign(before, buffer) | foreign(after, buffer);
    if wrong.is_empty() {
        return None;
    }
    let name = entry.scenario.resource_name(entry.resource_id()?);
    let (is, other) = if buffer {
        ("buffer", "textures")
    } else {
        ("texture", "buffers")
    };
    Some(
        entry
            .finding(
                &RULE,
                format!("`{name}` is a {is}; only {other} can be in {wrong}"),
            )
            .help(format!("name the state in which a {is} is used next")),
    )
}

/// What of a state the resource cannot be in.
fn foreign(state: ResourceState, buffer: bool) -> ResourceState {
    if buffer {
        return states::of_any(state, compat::NEVER_ON_BUFFERS);
    }
    if state.contains(states::GENERIC_READ) {
        return (state - states::GENERIC_READ) & states::ONLY_ON_BUFFERS;
    }
    state & states::ONLY_ON_BUFFERS
}
