//! **What it finds.** An access that the list's queue type cannot make, or a bit that no header defines.
//!
//! **Why it matters.** No command of the queue accesses memory that way. `COMMON` and `NO_ACCESS` are legal on
//! every queue.
//!
//! **Firing example**
//! ```text
//! queue q : compute
//!
//! list l : compute {
//!   barrier { global { sync COMPUTE_SHADING -> ALL; access UNORDERED_ACCESS -> RENDER_TARGET } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! queue q : compute
//!
//! list l : compute {
//!   barrier { global { sync COMPUTE_SHADING -> ALL; access UNORDERED_ACCESS -> VERTEX_BUFFER } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Command Queue Access Compatibility"; readings R08, R09.

use crate::validate::{Check, SideOf, ValidationRule};

use crate::api::compat;
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB016",
    name: "queue-access",
    severity: Severity::Error,
    summary: "an access that the queue type cannot make",
    file: include_str!("queue_access.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Side(check)],
};

fn check(it: &SideOf<'_>) -> Option<Finding> {
    let queue = it.entry.queue();
    let wrong = it.bits().difference(compat::queue_accesses(queue));
    (!wrong.is_empty()).then(|| {
        let side = it.side.word();
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
