crate::finding::rule! {
    /// **What it finds.** A fence barrier on a fence with the flag `NoGPUAccess`, and, as a warning, a native fence
    /// with that flag.
    ///
    /// **Why it matters.** The fence is not mapped for the GPU: only packets, which the operating system handles,
    /// signal it and wait for it. A fence barrier acts inside a command list, where the GPU needs the fence's address.
    /// So do the engines that wait for a native fence; no page says that the flag is refused there, so this is a
    /// warning.
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`NoGPUAccess`".
    pub(crate) static RULE = "FN012", "no-gpu-access", Error,
        "the GPU itself would reach a fence with `NoGPUAccess`";
}

use crate::api::{NtStatus, SyncObject, SyncObjectFlags};
use crate::finding::{Finding, Severity};
use crate::id::FenceId;
use crate::scenario::Scenario;
use crate::validate::{Check, FenceActor, FenceUse, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(
    &RULE,
    &[Check::FenceUse(check_use), Check::Fence(check_fence)],
);

fn check_use(it: &FenceUse<'_>) -> Option<Finding> {
    let barrier = it.actor == FenceActor::List;
    (barrier && it.fence().has(SyncObjectFlags::NO_GPU_ACCESS)).then(|| {
        let what = "has `NoGPUAccess`, so only packets can signal it and wait for it";
        it.refused(&RULE, what, NtStatus::InvalidParameter)
            .help("signal and wait on the queue, or leave out `NoGPUAccess`")
    })
}

fn check_fence(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let fence = &scenario.fences[id];
    let native = fence.object() == SyncObject::Native;
    (native && fence.has(SyncObjectFlags::NO_GPU_ACCESS)).then(|| {
        let name = scenario.fence_name(id);
        let message = format!(
            "`{name}` is a native fence with `NoGPUAccess`, but engines wait for a native fence by its GPU address"
        );
        Finding::new(&RULE, fence.span, message)
            .severity(Severity::Warning)
            .resource(name)
            .help("leave out the flag, or make it a monitored fence")
    })
}
