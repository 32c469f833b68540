//! **What it finds.** A texture barrier with only one layout `UNDEFINED` whose access on that side is not
//! `NO_ACCESS`.
//!
//! **Why it matters.** A texture with an undefined layout has no contents: there is nothing to flush before, and
//! nothing to read after.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync COPY -> RENDER_TARGET; access COPY_DEST -> RENDER_TARGET; layout UNDEFINED -> RENDER_TARGET } }
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
//!   barrier { texture t { sync COPY -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout UNDEFINED -> RENDER_TARGET } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_LAYOUT_UNDEFINED`".

use crate::validate::{Check, SideOf, ValidationRule};

use crate::api::{BarrierAccess, Layout};
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB013",
    name: "undefined-layout-with-access",
    severity: Severity::Error,
    summary: "an access on a side whose layout is UNDEFINED",
    file: include_str!("undefined_layout.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Side(check)],
};

fn check(it: &SideOf<'_>) -> Option<Finding> {
    // A memory-only entry has no layout here.
    if it.layout != Some(Layout::Undefined) || it.access == BarrierAccess::NO_ACCESS {
        return None;
    }
    let side = it.side.word();
    Some(
        it.finding(
            &RULE,
            format!(
                "`Layout{side}` is UNDEFINED, so `Access{side}` must be NO_ACCESS, not {}",
                it.access
            ),
        )
        .help(format!(
            "set `Access{side}` to NO_ACCESS, or name the layout if the contents matter; with both layouts UNDEFINED it is a barrier of memory only"
        )),
    )
}
