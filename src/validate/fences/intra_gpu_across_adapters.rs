//! **What it finds.** A native fence of type `INTRA_GPU` with the flag `CrossAdapter`.
//!
//! **Why it matters.** An `INTRA_GPU` fence keeps its value in the local memory of one GPU, where no other adapter reaches it. A fence across
//! adapters is of type `DEFAULT`. Creating it returns `STATUS_INVALID_PARAMETER`.
//!
//! **Firing example**
//! ```text
//! fence f { kind native; native INTRA_GPU; flags Shared|CrossAdapter }
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//!   gfx signal f 1
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! fence f { kind native; native DEFAULT; flags Shared|CrossAdapter }
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//!   gfx signal f 1
//! }
//! ```
//!
//! **Source.** Native GPU fence objects, "Cross-adapter native fence"; `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`CrossAdapter`".

use super::refused;
use crate::api::{NativeFence, NtStatus, SyncObjectFlags};
use crate::finding::{Finding, Rule, Severity};
use crate::id::FenceId;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "FN006",
    name: "intra-gpu-across-adapters",
    severity: Severity::Error,
    summary: "`CrossAdapter` on a native fence of type `INTRA_GPU`",
    file: include_str!("intra_gpu_across_adapters.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Fence(check)],
};

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let fence = &scenario.fences[id.index()];
    let intra = fence.native_type() == Some(NativeFence::IntraGpu);
    (intra && fence.has(SyncObjectFlags::CROSS_ADAPTER)).then(|| {
        let what =
            "is `INTRA_GPU` with `CrossAdapter`, but its value is in the local memory of one GPU";
        refused(scenario, &RULE, id, what, NtStatus::InvalidParameter)
            .help("write `native DEFAULT`, or leave out `CrossAdapter`")
    })
}
