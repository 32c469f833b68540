crate::finding::rule! {
    /// **What it finds.** A legacy state with a bit that D3D12 reserves or does not know.
    ///
    /// **Why it matters.** Reserved bits belong to the runtime; the call fails.
    ///
    /// **Source.** D3D12 documentation of `D3D12_RESOURCE_STATES`.
    pub(crate) static RULE = "LB022", "unknown-state", Error,
        "a state that the API does not have";
}

use crate::api::ResourceState;
use crate::finding::Finding;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Legacy(check)]);

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    let (before, after) = entry.states()?;
    let wrong = (before | after).difference(ResourceState::all());
    (!wrong.is_empty()).then(|| {
        entry
            .finding(&RULE, format!("D3D12_RESOURCE_STATES has no state {wrong}"))
            .help("name a state of D3D12_RESOURCE_STATES")
    })
}
