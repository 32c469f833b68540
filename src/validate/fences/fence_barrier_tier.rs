crate::finding::rule! {
    /// **What it finds.** A fence barrier on a fence of the device while the device has tier 1 of fence barriers only.
    ///
    /// **Why it matters.** Tier 1 knows fences that are scoped to command lists. Tier 2 takes every fence made for it;
    /// it needs native fences and submission from user mode.
    ///
    /// **Source.** Enhanced Barriers specification (preview), "Fence Barriers": tiers.
    pub(crate) static RULE = "FN022", "fence-barrier-tier", Error,
        "a fence barrier on a fence that tier 1 does not allow";
}

use crate::finding::Finding;
use crate::scenario::Capability;
use crate::validate::{Check, FenceActor, FenceUse, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule =
    ValidationRule::new(&RULE, &[Check::FenceUse(check)]);

fn check(it: &FenceUse<'_>) -> Option<Finding> {
    let tier_2 = it.scenario.device.has(Capability::FenceBarriersTier2);
    (it.actor == FenceActor::List && !tier_2 && !it.fence().list_scoped).then(|| {
        let name = it.name();
        let message =
            format!("tier 1 allows no fence barrier on `{name}`, which is a fence of the device");
        Finding::new(&RULE, it.span, message)
            .related(it.fence().span, "declared here")
            .resource(name)
            .help("write `scope list` in the fence, or signal and wait on the queue")
    })
}
