crate::finding::rule! {
    /// **What it finds.** An access that the layout on the same side of a texture barrier does not allow.
    ///
    /// **Why it matters.** Each layout is made for a few accesses. Hardware that reads a compressed layout through a
    /// path that does not know the compression reads garbage.
    ///
    /// **Source.** Enhanced Barriers specification, "Layout Access Compatibility", "COMMON Layout".
    pub(crate) static RULE = "EB019", "layout-access", Error,
        "an access that the layout on the same side does not allow";
}

use crate::validate::{Check, RuleSet, SideOf, ValidationRule};

use crate::api::{BarrierSide, Layout, compat};
use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Side(check)]);

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
        let side = it.side.suffix();
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
        && it.side == BarrierSide::After
        && it.access.is_no_access()
        && it.entry.layouts() == Some((Layout::Undefined, Layout::RenderTarget))
}
