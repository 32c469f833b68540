//! **What it finds.** A barrier whose `AccessBefore` does not agree with the `AccessAfter` of the latest barrier on the
//! subresources in the scope. It is an error if the two share nothing, and a warning if `AccessBefore` has bits beyond
//! the known access. After `NO_ACCESS` only `NO_ACCESS` is right.
//!
//! **Why it matters.** `AccessBefore` says which caches may hold writes. A write through another access is not
//! flushed, and a reader sees old data where the caches are separate.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   barrier { buffer b { sync COPY -> COMPUTE_SHADING; access COPY_DEST -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
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
//!   barrier { buffer b { sync COPY -> COMPUTE_SHADING; access COPY_DEST -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> UNORDERED_ACCESS } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Barrier API Call Validation", "`D3D12_BUFFER_BARRIER`"; reading R34.

use crate::validate::state::Before;
use crate::validate::{Check, ValidationRule};

use crate::api::BarrierAccess;
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB027",
    name: "access-before-mismatch",
    severity: Severity::Error,
    summary: "an AccessBefore that the memory was not made accessible for",
    file: include_str!("access_before_mismatch.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Before(check)],
};

fn check(it: &Before<'_, '_, '_>) -> Option<Finding> {
    let before = it.entry.barrier.access_before;
    let left = it.left()?;
    // A barrier after `SyncAfter NONE`, or between the halves of a split, is wrong as such.
    if before.contains(BarrierAccess::NO_ACCESS) || left.ends || it.is_split() {
        return None;
    }
    let known = it.facts.access(it.known)?;
    let beyond = before.difference(known);
    let is_gone = known.contains(BarrierAccess::NO_ACCESS);
    if !is_gone && (before.is_empty() || known.is_empty() || beyond.is_empty()) {
        return None;
    }
    let name = it.facts.scenario.resource_name(it.entry.resource_id()?);
    let place = it.place();
    let label = format!("this barrier made `{name}`{place} accessible as {known}");
    if is_gone {
        let message = format!(
            "`AccessBefore` is {before}, but an earlier `AccessAfter NO_ACCESS` deactivated `{name}`{place}"
        );
        return Some(
            it.finding(&RULE, Some(left.origin), &label, message)
                .help("activate the resource with `access NO_ACCESS -> …`"),
        );
    }
    let (severity, message) = if before.intersects(known) {
        (
            Severity::Warning,
            format!(
                "`AccessBefore` names {beyond}, but no barrier made `{name}`{place} accessible for that"
            ),
        )
    } else {
        (
            Severity::Error,
            format!(
                "`AccessBefore` is {before}, but `{name}`{place} is accessible as {known} only"
            ),
        )
    };
    Some(
        it.finding(&RULE, Some(left.origin), &label, message)
            .severity(severity)
            .help(format!(
                "write `access {known} -> …`, or widen `AccessAfter` of the earlier barrier"
            )),
    )
}
