//! **What it finds.** A sync scope that the list's queue type does not have, or a bit that no header defines.
//!
//! **Why it matters.** Nothing on the queue runs in that scope: the barrier would wait for work that cannot be
//! there, and the work that was meant is not waited for.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : compute
//!
//! list l : compute {
//!   barrier { buffer b { sync COMPUTE_SHADING -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
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
//! queue q : compute
//!
//! list l : compute {
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Command Queue Sync Compatibility"; reading R08.

use crate::validate::{Check, SideOf, ValidationRule};

use crate::api::compat;
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB015",
    name: "queue-sync",
    severity: Severity::Error,
    summary: "a sync scope that the queue type does not have",
    file: include_str!("queue_sync.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Side(check)],
};

fn check(it: &SideOf<'_>) -> Option<Finding> {
    let queue = it.entry.queue();
    let wrong = it.sync.difference(compat::queue_syncs(queue));
    (!wrong.is_empty()).then(|| {
        let side = it.side.word();
        it.finding(
            &RULE,
            format!("`Sync{side}` names {wrong}, which a {queue} list does not have"),
        )
        .help(format!("a {queue} list has {}", compat::queue_syncs(queue)))
    })
}
