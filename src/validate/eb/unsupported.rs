crate::finding::rule! {
    /// **What it finds.** A `barrier` call, a fence barrier, an `initial` layout or an `assert layout` although the
    /// device is declared without enhanced barriers. An `initial` on a buffer counts too, whatever it says. `assert
    /// access` does not: accesses are no part of the feature.
    ///
    /// **Why it matters.** Support is optional: the call is invalid on such a device, and the runtime removes the
    /// command list. Creation with a layout, and assertions about one, come with the same feature. Legacy barriers and
    /// `state` work everywhere.
    ///
    /// **Source.** Enhanced Barriers specification, "Hardware Requirements", "Barrier API Call Validation"; reading
    /// R56.
    pub(crate) static RULE = "EB001", "enhanced-barriers-unsupported", Error,
        "a barrier, an initial layout or an asserted one on a device without enhanced barriers";
}

use crate::finding::Finding;
use crate::id::ResourceId;
use crate::legacy::states;
use crate::scenario::{Capability, CommandKind, Initial, Scenario};
use crate::validate::entry::finding;
use crate::validate::{BarrierEntry, Check, CommandOf, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(
    &RULE,
    &[
        Check::Resource(check_resource),
        Check::Command(check_command),
        Check::Entry(check_entry),
    ],
);

/// Whether the device has the calls and layouts of enhanced barriers.
pub(crate) fn is_supported(scenario: &Scenario) -> bool {
    scenario.device.has(Capability::EnhancedBarriers)
}

fn check_entry(entry: &BarrierEntry<'_>) -> Option<Finding> {
    (!is_supported(entry.scenario)).then(|| {
        entry
            .finding(&RULE, "the device does not support enhanced barriers")
            .help("use `legacy { }`, or switch `capability enhanced-barriers on`")
    })
}

fn check_resource(scenario: &Scenario, id: ResourceId) -> Option<Finding> {
    let resource = scenario.resource(id);
    let Initial::Layout(layout) = resource.initial else {
        return None;
    };
    if is_supported(scenario) {
        return None;
    }
    let name = scenario.resource_name(id);
    let message = format!(
        "`{name}` is created with a layout, but the device does not support enhanced barriers"
    );
    let instead = if resource.is_buffer() {
        String::from("leave `initial` out: a buffer has no layout")
    } else {
        match states::of_layout(layout) {
            Some(state) => format!("write `state {state}`"),
            None => {
                format!("write `state`, and one of the legacy states: none stands for {layout}")
            }
        }
    };
    let help = format!("{instead}; or switch `capability enhanced-barriers on`");
    Some(finding(scenario, &RULE, resource.span, Some(id), message).help(help))
}

fn check_command(it: &CommandOf<'_>) -> Option<Finding> {
    let CommandKind::AssertLayout { resource, .. } = it.command.kind else {
        return None;
    };
    if is_supported(it.scenario) {
        return None;
    }
    let message = "a layout cannot be asserted: the device does not support enhanced barriers";
    let found = finding(it.scenario, &RULE, it.command.span, Some(resource), message);
    Some(found.help("leave the assertion out, or switch `capability enhanced-barriers on`"))
}
