//! **What it finds.** A subresource range with a mip count but zero array slices or zero planes.
//!
//! **Why it matters.** Taken to the letter it names nothing. Shipped programs write it and mean one; it is treated
//! as one.
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
//! **Source.** Enhanced Barriers specification, "D3D12_BARRIER_SUBRESOURCE_RANGE"; reading R28.

use crate::validate::{Check, Entry, ValidationRule};

use crate::finding::{Finding, Rule, Severity};
use crate::scenario::{BarrierRange, BarrierTarget};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB007",
    name: "subresource-range-zero-count",
    severity: Severity::Warning,
    summary: "zero array slices or planes beside a mip count",
    file: include_str!("range_zero_count.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Entry(check)],
};

fn check(entry: &Entry<'_>) -> Option<Finding> {
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
                format!("`{field}` is 0 beside a mip count; it is treated as 1"),
            )
            .help(format!("set `{field}` to 1")),
    )
}
