//! **What it finds.** A texture barrier with `discard` whose `LayoutBefore` is not `UNDEFINED`, or whose layouts
//! are both `UNDEFINED`.
//!
//! **Why it matters.** Discarding gives up contents and initialises compression metadata of the new layout. With a
//! known old layout there are contents to keep; without a new layout there is no metadata to initialise.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout COMMON -> RENDER_TARGET; discard } }
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
//!   barrier { texture t { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout UNDEFINED -> RENDER_TARGET; discard } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "`D3D12_TEXTURE_BARRIER_FLAG_DISCARD`", "Placed Resource Metadata
//! Initialization"; reading R25.

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::api::Layout;
use crate::finding::{Finding, Rule, Severity};
use crate::scenario::BarrierTarget;

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB012",
    name: "discard-without-undefined",
    severity: Severity::Error,
    summary: "discard although LayoutBefore is not UNDEFINED, or nothing is transitioned",
    file: include_str!("discard.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Entry(check)],
};

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let BarrierTarget::Texture {
        discard: true,
        layout_before,
        ..
    } = entry.barrier.target
    else {
        return None;
    };
    if entry.is_memory_only() {
        return Some(
            entry
                .finding(
                    &RULE,
                    "`discard` with both layouts UNDEFINED has no layout to initialise",
                )
                .help("set `LayoutAfter`, or leave out `discard`"),
        );
    }
    (layout_before != Layout::Undefined).then(|| {
        entry
            .finding(
                &RULE,
                format!("`discard` needs `LayoutBefore` UNDEFINED, but it is {layout_before}"),
            )
            .help("set `LayoutBefore` to UNDEFINED (and `AccessBefore` to NO_ACCESS), or leave out `discard`")
    })
}
