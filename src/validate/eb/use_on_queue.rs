//! **What it finds.** A use in an access that the list's queue type cannot make.
//!
//! **Why it matters.** The queue has no hardware that accesses memory that way. That goes for every use: one that is
//! written, and one that follows from its command, as the target of a `clear-rtv`. The list does not have such a
//! command either ([EB049](EB049.md)).
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET|SIMULTANEOUS_ACCESS }
//! queue q : compute
//!
//! list l : compute {
//!   draw "full screen" vertices 3 pixels 4096 {
//!     RENDER_TARGET t
//!   }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS|SIMULTANEOUS_ACCESS }
//! queue q : compute
//!
//! list l : compute {
//!   dispatch "full screen" 8x8x1 {
//!     UNORDERED_ACCESS t writes
//!   }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Command Queue Access Compatibility"; reading R54.

use crate::api::{BarrierAccess, compat};
use crate::finding::{Finding, Rule, Severity};
use crate::validate::{Check, CommandOf, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB050",
    name: "use-on-queue",
    severity: Severity::Error,
    summary: "a use in an access that the queue type cannot make",
    file: include_str!("use_on_queue.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::OnList(check)],
};

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
