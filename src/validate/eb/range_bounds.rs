//! **What it finds.** A texture barrier whose mips, array slices, planes or subresource index do not exist in the
//! texture.
//!
//! **Why it matters.** The range is a promise about subresources; those that do not exist have no layout to change.
//! `0xffffffff` means "all" only as an index with `NumMipLevels` 0, never as a count.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { mips 4; flags RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS; layout COMMON -> SHADER_RESOURCE; range 2 3 0 1 0 1 } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { mips 4; flags RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS; layout COMMON -> SHADER_RESOURCE; range 2 2 0 1 0 1 } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_SUBRESOURCE_RANGE`", "Barrier API Call Validation";
//! reading R28.

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::finding::{Finding, Rule, Severity};
use crate::scenario::{BarrierTarget, geometry};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB006",
    name: "subresource-range-out-of-bounds",
    severity: Severity::Error,
    summary: "a subresource range that reaches beyond the texture",
    file: include_str!("range_bounds.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Entry(check)],
};

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let BarrierTarget::Texture { range, .. } = &entry.barrier.target else {
        return None;
    };
    let shape = entry.resource()?.texture()?;
    let out = geometry::barrier_box(shape, range).err()?;
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
