crate::finding::rule! {
    /// **What it finds.** A `cpu read` or `cpu write` of a texture, or of a buffer in a default heap. As advice: a read of an
    /// upload heap and a write of a readback heap, which are allowed and slow.
    ///
    /// **Why it matters.** The CPU maps upload and readback heaps only. It writes upload memory through a buffer that combines
    /// writes, so that reads of it go past every cache; readback memory is the reverse.
    ///
    /// **Source.** Enhanced Barriers specification, "Upload Heap Resources", "Readback Heap Resources"; reading R70.
    pub(crate) static RULE = "EB052", "cpu-access", Error,
        "an access of the CPU to memory that it cannot map, or maps for the other direction";
}

use crate::api::HeapType;
use crate::finding::{Finding, Severity};
use crate::scenario::{Scenario, Statement, StatementKind};
use crate::validate::{Check, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule =
    ValidationRule::new(&RULE, &[Check::Statement(check)]);

fn check(scenario: &Scenario, statement: &Statement) -> Option<Finding> {
    let (id, does, made_for) = match statement.kind {
        StatementKind::CpuRead { resource, .. } => (resource, "reads", HeapType::Readback),
        StatementKind::CpuWrite { resource, .. } => (resource, "writes", HeapType::Upload),
        _ => return None,
    };
    let (resource, memory) = (scenario.resource(id), scenario.heap_type(id));
    let name = scenario.resource_name(id);
    let (severity, message, help) = if !resource.is_buffer() {
        let message = format!("the CPU {does} `{name}`, and it cannot map a texture");
        let help = format!("copy through a buffer in a heap of type {made_for}");
        (Severity::Error, message, help)
    } else if memory == HeapType::Default {
        let message =
            format!("the CPU {does} `{name}`, which is in a default heap: it cannot map that");
        // A flag that only default heaps take rules the other heap out.
        let help = if resource.flags.intersects(super::creation::VIEWS) {
            format!("copy through a buffer that has `type {made_for}`")
        } else {
            format!(
                "write `type {made_for}` in the declaration, or copy through a buffer that has it"
            )
        };
        (Severity::Error, message, help)
    } else if memory != made_for {
        let message = format!(
            "the CPU {does} `{name}`, which is in the {memory} heap: that is allowed, and slow"
        );
        (
            Severity::Advice,
            message,
            format!("`type {made_for}` is made for it"),
        )
    } else {
        return None;
    };
    let mut finding = Finding::new(&RULE, statement.span, message);
    finding.severity = severity;
    Some(finding.resource(name).help(help))
}
