//! **What it finds.** A subresource range with a mip count but zero array slices or zero planes.
//!
//! **Why it matters.** Taken literally, such a range names nothing. Shipped programs write zero and mean one, so zero
//! counts as one.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS; layout COMMON -> SHADER_RESOURCE; range 0 1 0 1 0 0 } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS; layout COMMON -> SHADER_RESOURCE; range 0 1 0 1 0 1 } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_SUBRESOURCE_RANGE`"; reading R28.

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::finding::{Finding, Rule, Severity};
use crate::scenario::{BarrierRange, BarrierTarget};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB007",
    name: "subresource-range-zero-count",
    severity: Severity::Warning,
    summary: "zero array slices or planes with a mip count",
    file: include_str!("range_zero_count.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Entry(check)],
};

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let BarrierTarget::Texture {
        range: BarrierRange::Raw([_, mips, _, layers, _, planes]),
        ..
    } = &entry.barrier.target
    else {
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
