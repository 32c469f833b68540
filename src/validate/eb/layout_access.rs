//! **What it finds.** An access that the layout on the same side of a texture barrier does not allow.
//!
//! **Why it matters.** Each layout is made for a few accesses. Hardware that reads a compressed layout through a path
//! that does not know the compression reads garbage.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync NONE -> COPY; access NO_ACCESS -> COPY_DEST; layout COMMON -> RESOLVE_DEST } }
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
//!   barrier { texture t { sync NONE -> COPY; access NO_ACCESS -> COPY_DEST; layout COMMON -> COPY_DEST } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Layout Access Compatibility", "COMMON Layout".

use crate::validate::{Check, RuleSet, Side, SideOf, ValidationRule};

use crate::api::{Layout, compat};
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB019",
    name: "layout-access",
    severity: Severity::Error,
    summary: "an access that the layout on the same side does not allow",
    file: include_str!("layout_access.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Side(check)],
};

fn check(it: &SideOf<'_>) -> Option<Finding> {
    let layout = it.layout.filter(|layout| *layout != Layout::Undefined)?;
    let allowed = compat::texture_accesses(layout, it.entry.resource()?.flags);
    if refused_by_the_debug_layer(it) {
        return Some(
            it.finding(
                &RULE,
                "UNDEFINED -> RENDER_TARGET with `AccessAfter` NO_ACCESS, which the shipped debug layer refuses",
            )
            .help("set `AccessAfter` to RENDER_TARGET"),
        );
    }
    let wrong = it.bits().difference(allowed);
    (!wrong.is_empty()).then(|| {
        let side = it.side.word();
        it.finding(
            &RULE,
            format!("`Access{side}` names {wrong}, which `Layout{side}` {layout} does not allow"),
        )
        .help(format!("{layout} allows {allowed}"))
    })
}

/// Reading R31: one transition is known to be refused although the tables allow it.
fn refused_by_the_debug_layer(it: &SideOf<'_>) -> bool {
    it.entry.rules == RuleSet::DebugLayer
        && it.side == Side::After
        && it.access.is_no_access()
        && it.entry.layouts() == Some((Layout::Undefined, Layout::RenderTarget))
}
