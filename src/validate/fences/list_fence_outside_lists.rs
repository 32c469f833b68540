crate::finding::rule! {
    /// **What it finds.** A queue that signals or waits for a fence which is scoped to command lists, or a CPU that
    /// waits for one.
    ///
    /// **Why it matters.** Such a fence exists inside the execution of its lists. A signal barrier earlier on the same
    /// queue, or a signal of the CPU before the lists are executed, satisfies its wait barriers; queues and CPU events
    /// cannot use it.
    ///
    /// **Source.** Enhanced Barriers specification (preview), "Fence Barriers": command-list-scoped fences.
    pub(crate) static RULE = "FN020", "list-fence-outside-lists", Error,
        "a fence of command lists that a queue uses, or that the CPU waits for";
}

use crate::finding::Finding;
use crate::validate::{Check, FenceActor, FenceUse, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule =
    ValidationRule::new(&RULE, &[Check::FenceUse(check)]);

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
