crate::finding::rule! {
    /// **What it finds.** A transition of a buffer that was created as a ray-tracing acceleration structure.
    ///
    /// **Why it matters.** Such a buffer is always in `RAYTRACING_ACCELERATION_STRUCTURE`. UAV barriers order builds,
    /// copies and rays.
    ///
    /// **Source.** Enhanced Barriers specification, "Initial Resource State", "UAV Barriers".
    pub(crate) static RULE = "LB017", "acceleration-structure-transition", Error,
        "a transition of an acceleration structure";
}

use crate::api::ResourceFlags;
use crate::finding::Finding;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Legacy(check)]);

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    entry.states()?;
    let resource = entry.resource()?;
    let flag = ResourceFlags::RAYTRACING_ACCELERATION_STRUCTURE;
    (resource.is_buffer() && resource.flags.contains(flag)).then(|| {
        let name = entry
            .resource_id()
            .map_or("?", |id| entry.scenario.resource_name(id));
        entry
            .finding(
                &RULE,
                format!("`{name}` is an acceleration structure, which never leaves its state"),
            )
            .help(format!("order its uses with `uav {name}`"))
    })
}
