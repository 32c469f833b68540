//! **What it finds.** A side with sync `NONE` whose access is not `NO_ACCESS`. Left out fields are `NONE` and
//! `COMMON`.
//!
//! **Why it matters.** `NONE` says that nothing in the scope touched the resource before (or will after); an access on
//! the same side contradicts that.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { texture t { sync NONE -> RENDER_TARGET; access COMMON -> RENDER_TARGET; layout COMMON -> RENDER_TARGET } }
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
//!   barrier { texture t { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout COMMON -> RENDER_TARGET } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Synchronization", "`D3D12_BARRIER_SYNC_NONE`"; readings R03, R58.

use crate::validate::{Check, RuleSet, Side, SideOf, ValidationRule};

use crate::api::BarrierSync;
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB010",
    name: "sync-none-without-no-access",
    severity: Severity::Error,
    summary: "sync NONE with an access other than NO_ACCESS",
    file: include_str!("none_pairing.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Side(check)],
};

fn check(it: &SideOf<'_>) -> Option<Finding> {
    // The halves of what a fence barrier splits carry their accesses next to NONE.
    if it.access.is_no_access() || it.entry.in_fence {
        return None;
    }
    let of = if it.sync == BarrierSync::NONE {
        it.side
    } else if of_either_side(it) {
        Side::Before
    } else {
        return None;
    };
    let (side, of) = (it.side.word(), of.word());
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
        && it.side == Side::After
        && !it.sync.is_split()
        && it.entry.barrier.sync_before == BarrierSync::NONE
}
