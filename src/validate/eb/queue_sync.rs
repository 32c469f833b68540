crate::finding::rule! {
    /// **What it finds.** A sync scope that the list's queue type does not have, or a bit that no header defines.
    ///
    /// **Why it matters.** Nothing on the queue runs in that scope: the barrier would wait for work that cannot be
    /// there, and the work that was meant is not waited for.
    ///
    /// **Source.** Enhanced Barriers specification, "Command Queue Sync Compatibility"; reading R08.
    pub(crate) static RULE = "EB015", "queue-sync", Error,
        "a sync scope that the queue type does not have";
}

use crate::validate::{Check, SideOf, ValidationRule};

use crate::api::compat;
use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Side(check)]);

fn check(it: &SideOf<'_>) -> Option<Finding> {
    let queue = it.entry.queue();
    let wrong = it.sync.difference(compat::queue_syncs(queue));
    (!wrong.is_empty()).then(|| {
        let side = it.side.suffix();
        it.finding(
            &RULE,
            format!("`Sync{side}` names {wrong}, which a {queue} list does not have"),
        )
        .help(format!("a {queue} list has {}", compat::queue_syncs(queue)))
    })
}
