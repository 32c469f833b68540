crate::finding::rule! {
    /// **What it finds.** A legacy transition whose `StateBefore` and `StateAfter` are the same.
    ///
    /// **Why it matters.** It changes nothing, and D3D12 refuses it. Between two unordered accesses, use a UAV barrier.
    ///
    /// **Source.** D3D12 documentation, "Using Resource Barriers"; reading R37.
    pub(crate) static RULE = "LB001", "same-states", Error,
        "a transition whose StateBefore is its StateAfter";
}

use crate::api::ResourceState;
use crate::finding::Finding;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Legacy(check)]);

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    let (before, after) = entry.states()?;
    (before == after).then(|| {
        let help = if before == ResourceState::UNORDERED_ACCESS {
            "between unordered accesses use a UAV barrier (`uav`); before another use name the state that it needs"
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
