crate::finding::rule! {
    /// **What it finds.** `CrossAdapter` or `UnwaitCpuWaitersOnlyOnDestroy` without `Shared`.
    ///
    /// **Why it matters.** Both say how a *shared* object behaves: between which adapters it is shared, and which end
    /// of it wakes CPU waiters. Nobody else can open an object that is not shared, so the flag has no effect.
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`CrossAdapter`", "`UnwaitCpuWaitersOnlyOnDestroy`", which
    /// speak of shared objects. A warning: the page does not say that creating it fails.
    pub(crate) static RULE = "FN011", "flag-without-effect", Warning,
        "a flag for shared objects on an object that is not shared";
}

use crate::api::SyncObjectFlags;
use crate::finding::Finding;
use crate::id::FenceId;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Fence(check)]);

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let fence = &scenario.fences[id];
    let idle = fence.bits()
        & (SyncObjectFlags::CROSS_ADAPTER | SyncObjectFlags::UNWAIT_CPU_WAITERS_ONLY_ON_DESTROY);
    (!idle.is_empty() && !fence.has(SyncObjectFlags::SHARED)).then(|| {
        let name = scenario.fence_name(id);
        let message = format!("`{name}` has `{idle}` without `Shared`, so the flag has no effect: nobody else can open the object");
        Finding::new(&RULE, fence.span, message)
            .resource(name)
            .help("add `Shared`, or leave out the flag")
    })
}
