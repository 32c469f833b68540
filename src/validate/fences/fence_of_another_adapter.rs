crate::finding::rule! {
    /// **What it finds.** A queue of one adapter that signals a fence of another adapter, or waits for it, though the
    /// fence lacks `CrossAdapter`.
    ///
    /// **Why it matters.** Each adapter of a hybrid system has its own kernel-mode driver and address space. Only a
    /// fence that is created for several adapters has a value that all of them reach.
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`CrossAdapter`"; Native GPU fence objects, "Cross-adapter
    /// native fence".
    pub(crate) static RULE = "FN019", "fence-of-another-adapter", Error,
        "a queue that uses a fence of another adapter which is not `CrossAdapter`";
}

use crate::api::SyncObjectFlags;
use crate::finding::Finding;
use crate::validate::{Check, FenceActor, FenceUse, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule =
    ValidationRule::new(&RULE, &[Check::FenceUse(check)]);

fn check(it: &FenceUse<'_>) -> Option<Finding> {
    let FenceActor::Queue(queue) = it.actor else {
        return None;
    };
    let queue = it.scenario.queue(queue);
    let (own, of) = (queue.adapter.unwrap_or(0), it.fence().adapter.unwrap_or(0));
    let reaches = own == of || it.fence().has(SyncObjectFlags::CROSS_ADAPTER) || !queue.is_gpu();
    (!reaches).then(|| {
        let name = it.name();
        let word = if it.signal { "signals" } else { "waits for" };
        let message = format!(
            "a queue of adapter {own} {word} `{name}`, but only adapter {of} can reach that fence"
        );
        Finding::new(&RULE, it.span, message)
            .related(it.fence().span, "declared here")
            .resource(name)
            .help("add `Shared|CrossAdapter` to the fence's flags")
    })
}
