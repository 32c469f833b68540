crate::finding::rule! {
    /// **What it finds.** A legacy state that needs ray tracing, variable-rate shading or video on a device where it is
    /// switched off.
    ///
    /// **Why it matters.** The device has no such state; the call fails.
    ///
    /// **Source.** Language, "Declarations"; D3D12 documentation of `D3D12_RESOURCE_STATES`.
    pub(crate) static RULE = "LB018", "state-capability", Error,
        "a state that needs a capability which is off";
}

use crate::api::ResourceState;
use crate::finding::Finding;
use crate::legacy::states;
use crate::scenario::Capability;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Legacy(check)]);

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    let device = &entry.scenario.device;
    // Most scenarios switch nothing off.
    if device.capabilities.is_empty() {
        return None;
    }
    let (before, after) = entry.states()?;
    let needs = [
        (
            Capability::Raytracing,
            ResourceState::RAYTRACING_ACCELERATION_STRUCTURE,
        ),
        (
            Capability::VariableRateShading,
            ResourceState::SHADING_RATE_SOURCE,
        ),
        (Capability::Video, states::VIDEO),
    ];
    needs.into_iter().find_map(|(capability, states)| {
        let wrong = (before | after) & states;
        (!wrong.is_empty() && !device.has(capability)).then(|| {
            let word = capability.word();
            entry
                .finding(
                    &RULE,
                    format!("the state {wrong} needs {word}, which is off"),
                )
                .help(format!(
                    "write `capability {word} on` in `device`, or use another state"
                ))
        })
    })
}
