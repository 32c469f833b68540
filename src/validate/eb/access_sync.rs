crate::finding::rule! {
    /// **What it finds.** An access bit for which the sync value on the same side has none of the scopes in which that
    /// access happens.
    ///
    /// **Why it matters.** The barrier flushes or invalidates for an access but does not wait for (or hold back) the
    /// stages that make it, so the access is not covered.
    ///
    /// **Source.** Enhanced Barriers specification, "Access Bits Barrier Sync Compatibility"; readings R04 to R06, R36,
    /// R58.
    pub(crate) static RULE = "EB020", "access-sync", Error,
        "an access without a sync scope in which it can happen";
}

use crate::validate::{Check, SideOf, ValidationRule};

use crate::api::{BarrierAccess, compat};
use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Side(check)]);

fn check(it: &SideOf<'_>) -> Option<Finding> {
    // Reading R27: the split side names no stages.
    if it.sync.is_split() {
        return None;
    }
    let (rules, side) = (it.entry.rules, it.side.suffix());
    if let Some(finding) = without_structure_write(it) {
        return Some(finding);
    }
    if it.access == BarrierAccess::COMMON {
        return common(it, side);
    }
    let row = compat::ACCESS_SYNCS
        .iter()
        .filter(|row| it.bits().contains(row.access))
        .find(|row| !compat::access_sync_ok_under(rules, row.access, it.sync))?;
    let fitting = (row.table | row.added) & compat::queue_syncs(it.entry.queue());
    Some(
        it.finding(
            &RULE,
            format!(
                "`Access{side}` names {}, but no stage in `Sync{side}` {} can make that access",
                row.access, it.sync
            ),
        )
        .help(format!("add one of {fitting} to `Sync{side}`")),
    )
}

/// `COMMON` goes with every scope, but for what the shipped debug layer is known to refuse (reading R31).
fn common(it: &SideOf<'_>, side: &str) -> Option<Finding> {
    (!compat::access_sync_ok_under(it.entry.rules, it.access, it.sync)).then(|| {
        it.finding(
            &RULE,
            format!(
                "`Access{side}` is COMMON with `Sync{side}` {}, which the shipped debug layer refuses",
                it.sync
            ),
        )
        .help(format!("name the access in `Access{side}`"))
    })
}

/// To the letter, building and copying acceleration structures demands the write on the same side (readings R04, R58).
fn without_structure_write(it: &SideOf<'_>) -> Option<Finding> {
    let demanding = compat::demands_structure_write(it.entry.rules, it.sync);
    let write = BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE;
    let named = if it.access == BarrierAccess::COMMON {
        // Reading R16.
        compat::common_accesses(it.layout, it.entry.queue(), it.entry.traits())
    } else {
        it.access
    };
    if demanding.is_empty() || named.contains(write) {
        return None;
    }
    let side = it.side.suffix();
    Some(
        it.finding(
            &RULE,
            format!("`Sync{side}` names {demanding}, but `Access{side}` lacks {write}"),
        )
        .help(format!("add {write} to `Access{side}`")),
    )
}
