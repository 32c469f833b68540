crate::finding::rule! {
    /// **What it finds.** A UAV barrier on a resource that was created neither with `UNORDERED_ACCESS` nor as an
    /// acceleration structure.
    ///
    /// **Why it matters.** No unordered access of it can exist, so the barrier orders nothing. Probably another
    /// resource, or a transition, is meant.
    ///
    /// **Source.** Enhanced Barriers specification, "UAV Barriers"; reading R35.
    pub(crate) static RULE = "LB019", "uav-without-flag", Error,
        "a UAV barrier on a resource without unordered access";
}

use crate::api::ResourceFlags;
use crate::finding::Finding;
use crate::scenario::LegacyKind;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Legacy(check)]);

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    let LegacyKind::Uav(Some(id)) = entry.barrier.kind else {
        return None;
    };
    let flags = ResourceFlags::UNORDERED_ACCESS | ResourceFlags::RAYTRACING_ACCELERATION_STRUCTURE;
    (!entry.scenario.resource(id).flags.intersects(flags)).then(|| {
        let name = entry.scenario.resource_name(id);
        entry
            .finding(&RULE, format!("`{name}` was created without UNORDERED_ACCESS, so it has no unordered accesses to order"))
            .help(format!("create `{name}` with `flags UNORDERED_ACCESS`, or leave the barrier out"))
    })
}
