crate::finding::rule! {
    /// **What it finds.** A legacy state that combines a write state with another state.
    ///
    /// **Why it matters.** A subresource is in any number of read states or in one write state.
    /// `COPY_SOURCE|COPY_DEST`, with which a texture could be copied within itself, does not exist.
    ///
    /// **Source.** Enhanced Barriers specification, "No Self Copy", "Resource State Promotion and Decay"; reading R37.
    pub(crate) static RULE = "LB002", "write-state-combined", Error,
        "a state that combines a write with any other bit";
}

use crate::finding::Finding;
use crate::legacy::states;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Legacy(check)]);

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
