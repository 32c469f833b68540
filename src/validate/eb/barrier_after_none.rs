crate::finding::rule! {
    /// **What it finds.** A barrier on subresources for which an earlier barrier of the same `ExecuteCommandLists`
    /// scope said `SyncAfter NONE`.
    ///
    /// **Why it matters.** `SyncAfter NONE` promises that nothing follows in the scope. The earlier barrier lets nobody
    /// wait for it, so the later one is not ordered after it.
    ///
    /// **Source.** Enhanced Barriers specification, "Synchronization", "`D3D12_BARRIER_SYNC_NONE`"; reading R24.
    pub(crate) static RULE = "EB030", "barrier-after-none", Error,
        "a barrier after SyncAfter NONE in the same scope";
}

use crate::validate::state::Before;
use crate::validate::{Check, ValidationRule};

use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Before(check)]);

fn check(it: &Before<'_, '_, '_>) -> Option<Finding> {
    let left = it.left().filter(|left| left.ends)?;
    if it.is_split() {
        return None;
    }
    let name = it.facts.scenario.resource_name(it.entry.resource_id()?);
    let place = it.place();
    Some(
        it.finding(
            &RULE,
            Some(left.origin),
            "this barrier has `SyncAfter` NONE",
            format!(
                "an earlier barrier of the scope has `SyncAfter` NONE, so no further barrier on `{name}`{place} may follow"
            ),
        )
        .help("name the scopes of this barrier in the earlier `SyncAfter`, or move this barrier to a later `ExecuteCommandLists`"),
    )
}
