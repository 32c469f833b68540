crate::finding::rule! {
    /// **What it finds.** A buffer with an initial layout other than `UNDEFINED`, a texture in an upload or readback
    /// heap, or an initial layout that is no layout of the API.
    ///
    /// **Why it matters.** Buffers have no layout; upload and readback heaps hold only buffers.
    ///
    /// **Source.** Enhanced Barriers specification, "New Resource Creation API's", "Upload Heap Resources"; language,
    /// "Declarations"; readings R10, R35.
    pub(crate) static RULE = "EB024", "resource-creation", Error,
        "a resource that cannot be created like this";
}

use crate::api::{HeapType, Layout};
use crate::finding::Finding;
use crate::id::ResourceId;
use crate::scenario::{Initial, Scenario};
use crate::validate::entry::finding;
use crate::validate::{Check, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Resource(check)],
};

fn check(scenario: &Scenario, id: ResourceId) -> Option<Finding> {
    let resource = scenario.resource(id);
    let name = scenario.resource_name(id);
    let memory = scenario.heap_type(id);
    let (message, help) = match resource.initial {
        Initial::Layout(layout) if resource.is_buffer() && layout != Layout::Undefined => (
            format!("`{name}` is a buffer: it has no layout and cannot start in {layout}"),
            "leave out `initial`",
        ),
        _ if !resource.is_buffer() && memory != HeapType::Default => (
            format!("`{name}` is a texture, and the {memory} heap holds only buffers"),
            "put the texture in a default heap and copy through a buffer",
        ),
        Initial::Layout(layout) if !resource.is_buffer() && !layout.is_public() => (
            format!("`{name}` cannot start in {layout}, which is no layout of the API"),
            "use a layout of D3D12_BARRIER_LAYOUT",
        ),
        _ => return None,
    };
    Some(finding(scenario, &RULE, resource.span, Some(id), message).help(help))
}
