crate::finding::rule! {
    /// **What it finds.** A texture barrier whose mips, array slices, planes or subresource index do not exist in the
    /// texture.
    ///
    /// **Why it matters.** The range is a promise about subresources; those that do not exist have no layout to change.
    /// `0xffffffff` means "all" only as an index with `NumMipLevels` 0, never as a count.
    ///
    /// **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_SUBRESOURCE_RANGE`", "Barrier API Call Validation";
    /// reading R28.
    pub(crate) static RULE = "EB006", "subresource-range-out-of-bounds", Error,
        "a subresource range that reaches beyond the texture";
}

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::finding::Finding;
use crate::scenario::{BarrierTarget, geometry};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Entry(check)],
};

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let BarrierTarget::Texture { range, .. } = &entry.barrier.target else {
        return None;
    };
    let shape = entry.resource()?.texture()?;
    let out = geometry::written_box(shape, range).err()?;
    let name = entry.scenario.resource_name(entry.resource_id()?);
    Some(
        entry
            .finding(
                &RULE,
                format!(
                    "the range names {} {} of `{name}`, which has only {}",
                    out.what, out.given, out.limit
                ),
            )
            .help("each count follows its first index; all subresources are `range 0xffffffff 0 0 0 0 0`, or no range at all"),
    )
}
