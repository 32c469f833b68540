crate::finding::rule! {
    /// **What it finds.** A barrier whose `AccessBefore` does not agree with the `AccessAfter` of the latest barrier on
    /// the subresources in the scope. It is an error if the two share nothing, and a warning if `AccessBefore` has bits
    /// beyond the known access. After `NO_ACCESS` only `NO_ACCESS` is right.
    ///
    /// **Why it matters.** `AccessBefore` says which caches may hold writes. A write through another access is not
    /// flushed, and a reader sees old data where the caches are separate.
    ///
    /// **Source.** Enhanced Barriers specification, "Barrier API Call Validation", "`D3D12_BUFFER_BARRIER`"; reading
    /// R34.
    pub(crate) static RULE = "EB027", "access-before-mismatch", Error,
        "an AccessBefore that the memory was not made accessible for";
}

use crate::validate::state::Before;
use crate::validate::{Check, ValidationRule};

use crate::api::BarrierAccess;
use crate::finding::{Finding, Severity};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Before(check)]);

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
