crate::finding::rule! {
    /// **What it finds.** A barrier that takes a simultaneous-access texture into or out of a layout other than
    /// `COMMON`.
    ///
    /// **Why it matters.** Such a texture is in `COMMON` for its whole life: that is what lets several queues use it at
    /// once.
    ///
    /// **Source.** Enhanced Barriers specification, "Interop with legacy `ResourceBarrier`", "`ExecuteCommandLists`
    /// Call-Site Validation Phase"; reading R35.
    pub(crate) static RULE = "EB023", "simultaneous-access-layout", Error,
        "a simultaneous-access texture outside COMMON";
}

use crate::api::{Layout, ResourceFlags};
use crate::finding::Finding;
use crate::id::ResourceId;
use crate::scenario::{Initial, Scenario};
use crate::validate::entry::finding;
use crate::validate::{BarrierEntry, Check, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(
    &RULE,
    &[Check::Resource(check_resource), Check::Entry(check)],
);

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let (before, after) = entry.layouts()?;
    let simultaneous = entry
        .resource()?
        .flags
        .contains(ResourceFlags::SIMULTANEOUS_ACCESS);
    let wrong = [before, after]
        .into_iter()
        .find(|layout| !matches!(layout, Layout::Common | Layout::Undefined))?;
    simultaneous.then(|| {
        entry
            .finding(
                &RULE,
                format!("a simultaneous-access texture is always in COMMON and never in {wrong}"),
            )
            .help("set both layouts to COMMON, or both to UNDEFINED")
    })
}

fn check_resource(scenario: &Scenario, id: ResourceId) -> Option<Finding> {
    let resource = scenario.resource(id);
    let Initial::Layout(layout) = resource.initial else {
        return None;
    };
    let texture = resource.texture().is_some();
    let simultaneous = resource.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS);
    (texture && simultaneous && layout != Layout::Common).then(|| {
        let message = format!("a simultaneous-access texture starts in COMMON and not in {layout}");
        finding(scenario, &RULE, resource.span, Some(id), message).help("write `initial COMMON`")
    })
}
