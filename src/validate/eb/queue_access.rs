crate::finding::rule! {
    /// **What it finds.** An access that the list's queue type cannot make, or a bit that no header defines.
    ///
    /// **Why it matters.** No command of the queue accesses memory that way. `COMMON` and `NO_ACCESS` are legal on
    /// every queue.
    ///
    /// **Source.** Enhanced Barriers specification, "Command Queue Access Compatibility"; readings R08, R09.
    pub(crate) static RULE = "EB016", "queue-access", Error,
        "an access that the queue type cannot make";
}

use crate::validate::{Check, SideOf, ValidationRule};

use crate::api::compat;
use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Side(check)]);

fn check(it: &SideOf<'_>) -> Option<Finding> {
    let queue = it.entry.queue();
    let wrong = it.bits().difference(compat::queue_accesses(queue));
    (!wrong.is_empty()).then(|| {
        let side = it.side.suffix();
        it.finding(
            &RULE,
            format!("`Access{side}` names {wrong}, which a {queue} list cannot make"),
        )
        .help(format!(
            "a {queue} list has {}",
            compat::queue_accesses(queue)
        ))
    })
}
