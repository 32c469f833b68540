crate::finding::rule! {
    /// **What it finds.** A subresource range with a mip count but zero array slices or zero planes.
    ///
    /// **Why it matters.** Taken literally, such a range names nothing. Shipped programs write zero and mean one, so
    /// zero counts as one.
    ///
    /// **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_SUBRESOURCE_RANGE`"; reading R28.
    pub(crate) static RULE = "EB007", "subresource-range-zero-count", Warning,
        "zero array slices or planes with a mip count";
}

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::finding::Finding;
use crate::scenario::BarrierRange;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Entry(check)]);

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let range = &entry.barrier.as_texture()?.range;
    let BarrierRange::Raw([_, mips, _, layers, _, planes]) = range else {
        return None;
    };
    let field = match (mips, layers, planes) {
        (0, ..) => return None,
        (_, 0, _) => "NumArraySlices",
        (.., 0) => "NumPlanes",
        _ => return None,
    };
    Some(
        entry
            .finding(
                &RULE,
                format!("`{field}` is 0 although there is a mip count; it counts as 1"),
            )
            .help(format!("set `{field}` to 1")),
    )
}
