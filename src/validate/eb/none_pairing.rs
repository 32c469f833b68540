crate::finding::rule! {
    /// **What it finds.** A side with sync `NONE` whose access is not `NO_ACCESS`. Left out fields are `NONE` and
    /// `COMMON`.
    ///
    /// **Why it matters.** `NONE` says that nothing in the scope touched the resource before (or will after); an access
    /// on the same side contradicts that.
    ///
    /// **Source.** Enhanced Barriers specification, "Synchronization", "`D3D12_BARRIER_SYNC_NONE`"; readings R03, R58.
    pub(crate) static RULE = "EB010", "sync-none-without-no-access", Error,
        "sync NONE with an access other than NO_ACCESS";
}

use crate::validate::{Check, RuleSet, SideOf, ValidationRule};

use crate::api::{BarrierSide, BarrierSync};
use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Side(check)]);

fn check(it: &SideOf<'_>) -> Option<Finding> {
    // The halves of what a fence barrier splits carry their accesses next to NONE.
    if it.access.is_no_access() || it.entry.in_fence {
        return None;
    }
    let of = if it.sync == BarrierSync::NONE {
        it.side
    } else if of_either_side(it) {
        BarrierSide::Before
    } else {
        return None;
    };
    let (side, of) = (it.side.suffix(), of.suffix());
    Some(
        it.finding(
            &RULE,
            format!(
                "`Sync{of}` is NONE, but `Access{side}` is {} instead of NO_ACCESS",
                it.access
            ),
        )
        .help(format!(
            "name the stages in `Sync{of}`, or set `Access{side}` to NO_ACCESS if nothing accesses it there"
        )),
    )
}

/// Readings R03, R58: to the letter of the driver interface's page, NONE on either side demands it of `AccessAfter`.
fn of_either_side(it: &SideOf<'_>) -> bool {
    it.entry.rules == RuleSet::Tables
        && it.side == BarrierSide::After
        && !it.sync.is_split()
        && it.entry.barrier.sync_before == BarrierSync::NONE
}
