//! **What it finds.** An `assert access` of an access that nothing asks for: such a use would at no stage of the queue
//! come after the earlier uses of the memory and see what they wrote.
//!
//! **Why it matters.** The specified assertion looks at layout and creation flags only, so it passes where a barrier is
//! missing. A use at that place would be a hazard.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b }
//!   assert access b SHADER_RESOURCE
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   assert access b SHADER_RESOURCE
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "`ID3D12DebugCommandList3` `AssertResourceAccess`" (which asks for less);
//! readings R14, R15, R39.

use super::names;
use crate::api::BarrierAccess;
use crate::finding::{Finding, Rule, Severity, Span, Words};
use crate::graph::Conflict;
use crate::id::ResourceId;
use crate::order::Timeline;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "EB047",
    name: "asserted-access-not-asked",
    severity: Severity::Warning,
    summary: "an asserted access that no barrier has asked for",
    file: include_str!("asserted.rs"),
};

/// The finding on an assertion; `conflict` is what a use in its place would collide with.
pub(crate) fn finding(
    timeline: &Timeline<'_>,
    span: Span,
    resource: ResourceId,
    access: BarrierAccess,
    conflict: &Conflict,
) -> Finding {
    let name = timeline.scenario.resource_name(resource);
    let first = names::party(timeline, &conflict.first, &mut Words::default());
    let what = if conflict.ordered {
        "is not visible to such an access"
    } else {
        "may still be running"
    };
    Finding::new(
        &RULE,
        span,
        format!(
            "nothing asks for the asserted {access} of `{name}`: {} {what} at any stage",
            first.label
        ),
    )
    .resource(name)
    .related(first.span, format!("{} {}", first.label, first.access))
    .help(format!(
        "put a barrier on `{name}` before the assertion, with {access} in `AccessAfter`"
    ))
}
