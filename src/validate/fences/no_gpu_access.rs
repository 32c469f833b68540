//! **What it finds.** A fence barrier on a fence with the flag `NoGPUAccess`, and, as a warning, a native fence with that flag.
//!
//! **Why it matters.** The fence is not mapped for the GPU: only packets, which the operating system handles, signal it
//! and wait for it. A fence barrier acts inside a command list, where the GPU needs the fence's address. So do the
//! engines that wait for a native fence; no page says that the flag is refused there, so this is a warning.
//!
//! **Firing example**
//! ```text
//! fence f { flags NoGPUAccess }
//! queue gfx : direct
//!
//! list l : direct {
//!   dispatch "work" 1x1x1 { }
//!   signal-barrier f 1 { global { sync COMPUTE_SHADING -> NONE; access UNORDERED_ACCESS -> NO_ACCESS } }
//! }
//!
//! timeline {
//!   gfx execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! fence f { flags NoGPUAccess }
//! queue gfx : direct
//!
//! list l : direct {
//!   dispatch "work" 1x1x1 { }
//! }
//!
//! timeline {
//!   gfx execute l
//!   gfx signal f 1
//! }
//! ```
//!
//! **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`NoGPUAccess`".

use crate::api::{NtStatus, SyncObject, SyncObjectFlags};
use crate::finding::{Finding, Rule, Severity};
use crate::id::FenceId;
use crate::scenario::Scenario;
use crate::validate::{Check, FenceActor, FenceUse, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "FN012",
    name: "no-gpu-access",
    severity: Severity::Error,
    summary: "the GPU itself would reach a fence with `NoGPUAccess`",
    file: include_str!("no_gpu_access.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::FenceUse(check_use), Check::Fence(check_fence)],
};

fn check_use(it: &FenceUse<'_>) -> Option<Finding> {
    let barrier = it.actor == FenceActor::List;
    (barrier && it.fence().has(SyncObjectFlags::NO_GPU_ACCESS)).then(|| {
        let what = "has `NoGPUAccess`, so only packets can signal it and wait for it";
        it.refused(&RULE, what, NtStatus::InvalidParameter)
            .help("signal and wait on the queue, or leave out `NoGPUAccess`")
    })
}

fn check_fence(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let fence = &scenario.fences[id.index()];
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
