crate::finding::rule! {
    /// **What it finds.** `NO_ACCESS` combined with another access bit.
    ///
    /// **Why it matters.** `NO_ACCESS` says that nothing accesses the resource.
    ///
    /// **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_ACCESS_NO_ACCESS`".
    pub(crate) static RULE = "EB011", "no-access-combined", Error,
        "NO_ACCESS together with other access bits";
}

use crate::validate::{Check, SideOf, ValidationRule};

use crate::api::BarrierAccess;
use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Side(check)]);

fn check(it: &SideOf<'_>) -> Option<Finding> {
    let combined = it.access.is_no_access() && it.access != BarrierAccess::NO_ACCESS;
    combined.then(|| {
        let side = it.side.suffix();
        let others = it.access.difference(BarrierAccess::NO_ACCESS);
        it.finding(
            &RULE,
            format!("`Access{side}` combines NO_ACCESS with {others}"),
        )
        .help(format!("`Access{side}` is either NO_ACCESS or {others}"))
    })
}
