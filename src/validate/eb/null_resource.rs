crate::finding::rule! {
    /// **What it finds.** A texture or buffer barrier whose resource is NULL.
    ///
    /// **Why it matters.** Legacy UAV and aliasing barriers accept NULL for "every resource"; an enhanced barrier on
    /// all memory is a global barrier.
    ///
    /// **Source.** Enhanced Barriers specification, "Barrier Types", "UAV Barriers".
    pub(crate) static RULE = "EB004", "null-resource", Error,
        "a texture or buffer barrier without a resource";
}

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::finding::Finding;
use crate::scenario::BarrierTarget;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Entry(check)]);

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    if matches!(entry.barrier.target, BarrierTarget::Global) || entry.resource_id().is_some() {
        return None;
    }
    let kind = match entry.barrier.target {
        BarrierTarget::Texture(_) => "texture",
        BarrierTarget::Buffer { .. } => "buffer",
        BarrierTarget::Ranged { .. } => "ranged",
        BarrierTarget::Global | BarrierTarget::EmptyGroup(_) => return None,
    };
    Some(
        entry
            .finding(
                &RULE,
                format!("a {kind} barrier needs a resource, but this one has NULL"),
            )
            .help("name the resource, or use `global` for all memory"),
    )
}
