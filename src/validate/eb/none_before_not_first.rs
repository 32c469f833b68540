crate::finding::rule! {
    /// **What it finds.** `SyncBefore NONE` on subresources that an earlier barrier or command of the same
    /// `ExecuteCommandLists` scope has touched.
    ///
    /// **Why it matters.** `NONE` promises that there is nothing to wait for. The driver then waits for nothing, and
    /// the barrier takes effect while the earlier work still runs.
    ///
    /// **Source.** Enhanced Barriers specification, "Synchronization", "`D3D12_BARRIER_SYNC_NONE`"; reading R24.
    pub(crate) static RULE = "EB029", "none-before-not-first", Error,
        "SyncBefore NONE although the scope has touched the resource";
}

use crate::validate::state::Before;
use crate::validate::{Check, ValidationRule};

use crate::api::BarrierSync;
use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Before(check)]);

fn check(it: &Before<'_, '_, '_>) -> Option<Finding> {
    let touched = it.known.touched_in(it.facts.scope)?;
    let after_end = it.left().is_some_and(|left| left.ends);
    if it.entry.barrier.sync_before != BarrierSync::NONE || after_end || it.is_split() {
        return None;
    }
    let name = it.facts.scenario.resource_name(it.entry.resource_id()?);
    let place = it.place();
    Some(
        it.finding(
            &RULE,
            Some(touched),
            "first touched here, in the same scope",
            format!(
                "`SyncBefore` is NONE, but earlier work of the same `ExecuteCommandLists` scope touched `{name}`{place}"
            ),
        )
        .help("name the scopes of the earlier work in `SyncBefore`"),
    )
}
