crate::finding::rule! {
    /// **What it finds.** A texture or buffer barrier whose `SyncBefore` does not contain every scope of the
    /// `SyncAfter` of the latest earlier barrier on the same subresources in the same `ExecuteCommandLists` scope.
    ///
    /// **Why it matters.** Barriers on one subresource take effect one after the other only through the scopes that
    /// they share. A scope left out is not waited for: work that the first barrier released may still run when the
    /// second takes effect.
    ///
    /// **Source.** Enhanced Barriers specification, "Sequential Barriers"; readings R07, R13, R58.
    pub(crate) static RULE = "EB028", "sequential-sync", Error,
        "a SyncBefore that lacks scopes of the preceding barrier's SyncAfter";
}

use crate::validate::state::Before;
use crate::validate::{Check, RuleSet, ValidationRule};

use crate::api::{BarrierSync, compat};
use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Before(check)]);

fn check(it: &Before<'_, '_, '_>) -> Option<Finding> {
    let before = it.entry.barrier.sync_before;
    let left = it.left()?;
    if before == BarrierSync::NONE || it.is_split() {
        return None;
    }
    let must = left.leaves.intersection(it.queue().leaves());
    let rules = it.entry.rules;
    let missing = must.minus(compat::scope_leaves(rules, before));
    (!missing.is_empty()).then(|| {
        let name = it.entry.resource_id().map_or("?", |id| it.facts.scenario.resource_name(id));
        let place = it.place();
        let missing = match rules {
            // An umbrella would promise more than its row lists.
            RuleSet::Tables => BarrierSync::of_leaves(missing),
            RuleSet::Specification | RuleSet::DebugLayer => BarrierSync::named(missing),
        };
        it.finding(
            &RULE,
            Some(left.origin),
            "the preceding barrier on the resource",
            format!(
                "`SyncBefore` {before} lacks {missing}, which is in `SyncAfter` of the preceding barrier on `{name}`{place}"
            ),
        )
        .help(format!("add {missing} to `SyncBefore`"))
    })
}
