crate::finding::rule! {
    /// **What it finds.** `AccessBefore` is `COMMON`.
    ///
    /// **Why it matters.** `COMMON` stands for every write access that the resource allows, so the driver may flush
    /// every write cache, although the author of the barrier knows the last writer.
    ///
    /// **Source.** Enhanced Barriers specification, "Access Transitions", "`D3D12_BARRIER_ACCESS_COMMON`"; reading R16.
    pub(crate) static RULE = "EB021", "access-before-common", Warning,
        "AccessBefore COMMON: every write access is flushed";
}

use crate::api::{BarrierAccess, BarrierSide};
use crate::finding::Finding;
use crate::validate::{Check, SideOf, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Side(check)]);

fn check(it: &SideOf<'_>) -> Option<Finding> {
    let common = it.side == BarrierSide::Before && it.access == BarrierAccess::COMMON;
    (common && !it.sync.is_split()).then(|| {
        it.finding(
            &RULE,
            "`AccessBefore` COMMON names every write access, so it may flush caches for nothing",
        )
        .help("name the earlier accesses, or NO_ACCESS if there are none")
    })
}
