//! **What it finds.** A queue that signals or waits for a fence which is scoped to command lists, or a CPU that waits
//! for one.
//!
//! **Why it matters.** Such a fence exists inside the execution of its lists. A signal barrier earlier on the same
//! queue, or a signal of the CPU before the lists are executed, satisfies its wait barriers; queues and CPU events
//! cannot use it.
//!
//! **Firing example**
//! ```text
//! fence f { scope list }
//! queue gfx : direct
//!
//! list l : direct {
//!   dispatch "work" 1x1x1 { }
//!   signal-barrier f 1 { global { sync COMPUTE_SHADING -> NONE; access UNORDERED_ACCESS -> NO_ACCESS } }
//! }
//!
//! timeline {
//!   gfx execute l
//!   cpu wait f 1
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! fence f { scope list }
//! queue gfx : direct
//!
//! list l : direct {
//!   wait-barrier f 1 { global { sync NONE -> COMPUTE_SHADING; access NO_ACCESS -> UNORDERED_ACCESS } }
//!   dispatch "work" 1x1x1 { }
//! }
//!
//! timeline {
//!   cpu signal f 1
//!   gfx execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification (preview), "Fence Barriers": command-list-scoped fences.

use crate::finding::{Finding, Rule, Severity};
use crate::validate::{Check, FenceActor, FenceUse, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "FN020",
    name: "list-fence-outside-lists",
    severity: Severity::Error,
    summary: "a fence of command lists that a queue uses, or that the CPU waits for",
    file: include_str!("list_fence_outside_lists.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::FenceUse(check)],
};

fn check(it: &FenceUse<'_>) -> Option<Finding> {
    let allowed = it.actor == FenceActor::List || it.actor == FenceActor::Cpu && it.signal;
    (it.fence().list_scoped && !allowed).then(|| {
        let (name, word) = (it.name(), if it.signal { "signal" } else { "wait for" });
        let message =
            format!("`{name}` is scoped to command lists, so only fence barriers can {word} it");
        Finding::new(&RULE, it.span, message)
            .related(it.fence().span, "declared here")
            .resource(name)
            .help("leave out `scope list`, or use a fence barrier")
    })
}
