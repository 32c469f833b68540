crate::finding::rule! {
    /// **What it finds.** A use whose access is not in the `AccessAfter` of the latest barrier on the subresources in
    /// the scope. Reported only where there is no hazard for the same use.
    ///
    /// **Why it matters.** Only the accesses in `AccessAfter` are promised. Another access may or may not see the data.
    ///
    /// **Source.** Enhanced Barriers specification, "Access Transitions", "Sync and Access Validation"; reading R34.
    pub(crate) static RULE = "EB036", "use-outside-known-access", Warning,
        "a use that the latest barrier did not make the memory accessible for";
}

use crate::validate::state::{Facts, Known, explain, place};

use crate::api::BarrierAccess;
use crate::finding::Finding;
use crate::scenario::{Range, Use};

/// Looks at a use and one run of its subresources.
pub(crate) fn check(
    facts: &Facts<'_, '_>,
    used: &Use,
    known: &Known,
    run: (u32, u32),
) -> Option<Finding> {
    // It is about what `AccessAfter` says, which no legacy barrier does.
    let left = known.left_in(facts.scope).filter(|left| !left.is_legacy)?;
    // What a `discard` does depends on the layout.
    let wanted = used.access.difference(BarrierAccess::NO_ACCESS);
    let access = facts.access(known)?;
    let is_judged = access.is_empty() || access.contains(BarrierAccess::NO_ACCESS);
    if is_judged || access.contains(wanted) || facts.open_split(known).is_some() {
        return None;
    }
    let name = facts.scenario.resource_name(used.resource);
    let place = place(facts.scenario.resource(used.resource), run);
    let finding = Finding::new(
        &RULE,
        used.span,
        format!("this uses `{name}`{place} as {wanted}, but it is accessible as {access} only"),
    )
    .resource(name)
    .help(format!("add {wanted} to `AccessAfter` of the barrier"));
    let label = "the latest barrier on the resource";
    // A barrier names the whole buffer, and was perhaps about other bytes of it.
    let is_part = facts.scenario.resource(used.resource).is_buffer() && used.range != Range::All;
    if is_part {
        let note = "a barrier names all of a buffer: what this part was made accessible for before counts no more";
        return Some(finding.related(left.origin.span, label).note(note));
    }
    Some(explain(facts, finding, Some(left.origin), label))
}
