crate::finding::rule! {
    /// **What it finds.** A texture barrier with only one layout `UNDEFINED` whose access on that side is not
    /// `NO_ACCESS`.
    ///
    /// **Why it matters.** A texture with an undefined layout has no contents: there is nothing to flush before, and
    /// nothing to read after.
    ///
    /// **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_LAYOUT_UNDEFINED`".
    pub(crate) static RULE = "EB013", "undefined-layout-with-access", Error,
        "an access on a side whose layout is UNDEFINED";
}

use crate::validate::{Check, SideOf, ValidationRule};

use crate::api::{BarrierAccess, Layout};
use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Side(check)]);

fn check(it: &SideOf<'_>) -> Option<Finding> {
    // A memory-only entry has no layout here.
    if it.layout != Some(Layout::Undefined) || it.access == BarrierAccess::NO_ACCESS {
        return None;
    }
    let side = it.side.suffix();
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
