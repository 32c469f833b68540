crate::finding::rule! {
    /// **What it finds.** A texture barrier that names a buffer, or a buffer barrier that names a texture.
    ///
    /// **Why it matters.** A buffer has no layout and no subresources; most fields of a texture barrier mean nothing
    /// for it. A buffer barrier on a texture leaves the layout open.
    ///
    /// **Source.** Enhanced Barriers specification, "Barrier API Call Validation", "`D3D12_BARRIER_TYPE`".
    pub(crate) static RULE = "EB005", "barrier-type-mismatch", Error,
        "a texture barrier on a buffer, or a buffer barrier on a texture";
}

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::finding::Finding;
use crate::scenario::BarrierTarget;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Entry(check)]);

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let is_buffer = entry.resource()?.is_buffer();
    let (word, right) = match entry.barrier.target {
        BarrierTarget::Texture(_) if is_buffer => ("texture", "buffer"),
        BarrierTarget::Buffer { .. } if !is_buffer => ("buffer", "texture"),
        _ => return None,
    };
    let name = entry.scenario.resource_name(entry.resource_id()?);
    Some(
        entry
            .finding(
                &RULE,
                format!("`{name}` is a {right}, but this is a {word} barrier"),
            )
            .help(format!("write `{right} {name}`")),
    )
}
