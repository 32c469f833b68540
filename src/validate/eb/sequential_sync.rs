//! **What it finds.** A texture or buffer barrier whose `SyncBefore` does not contain every scope of the `SyncAfter`
//! of the latest earlier barrier on the same subresources in the same `ExecuteCommandLists` scope.
//!
//! **Why it matters.** Barriers on one subresource take effect one after the other only through the scopes that they
//! share. A scope left out is not waited for: work that the first barrier released may still run when the second takes
//! effect.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { buffer b { sync COMPUTE_SHADING -> ALL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COPY; access SHADER_RESOURCE -> COPY_SOURCE } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { buffer b { sync COMPUTE_SHADING -> ALL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//!   barrier { buffer b { sync ALL_SHADING -> COPY; access SHADER_RESOURCE -> COPY_SOURCE } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Sequential Barriers"; readings R07, R13, R58.

use crate::validate::state::Before;
use crate::validate::{Check, RuleSet, ValidationRule};

use crate::api::{BarrierSync, compat};
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB028",
    name: "sequential-sync",
    severity: Severity::Error,
    summary: "a SyncBefore that lacks scopes of the preceding barrier's SyncAfter",
    file: include_str!("sequential_sync.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Before(check)],
};

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
