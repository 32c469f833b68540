crate::finding::rule! {
    /// **What it finds.** A use in an access that the list's queue type cannot make.
    ///
    /// **Why it matters.** The queue has no hardware that accesses memory that way. That goes for every use: one that
    /// is written, and one that follows from its command, as the target of a `clear-rtv`. The list does not have such a
    /// command either ([EB049](EB049.md)).
    ///
    /// **Source.** Enhanced Barriers specification, "Command Queue Access Compatibility"; reading R54.
    pub(crate) static RULE = "EB050", "use-on-queue", Error,
        "a use in an access that the queue type cannot make";
}

use crate::api::{BarrierAccess, compat};
use crate::finding::Finding;
use crate::validate::{Check, CommandOf, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::OnList(check)]);

fn check(it: &CommandOf<'_>) -> Vec<Finding> {
    let queue = it.list.queue_type;
    let allowed = compat::queue_accesses(queue);
    let wrong = |access: BarrierAccess| {
        access
            .difference(BarrierAccess::NO_ACCESS)
            .difference(allowed)
    };
    let uses = it.command.uses.iter();
    uses.filter(|used| !wrong(used.access).is_empty())
        .map(|used| {
            let name = it.scenario.resource_name(used.resource);
            Finding::new(
                &RULE,
                used.span,
                format!(
                    "this uses `{name}` as {}, which a {queue} queue cannot",
                    used.access
                ),
            )
            .resource(name)
            .help(format!("a {queue} queue has {allowed}"))
        })
        .collect()
}
