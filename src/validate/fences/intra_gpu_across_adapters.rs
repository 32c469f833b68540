crate::finding::rule! {
    /// **What it finds.** A native fence of type `INTRA_GPU` with the flag `CrossAdapter`.
    ///
    /// **Why it matters.** An `INTRA_GPU` fence keeps its value in the local memory of one GPU, where no other adapter
    /// reaches it. A fence across adapters is of type `DEFAULT`. Creating it returns `STATUS_INVALID_PARAMETER`.
    ///
    /// **Source.** Native GPU fence objects, "Cross-adapter native fence"; `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`,
    /// "`CrossAdapter`".
    pub(crate) static RULE = "FN006", "intra-gpu-across-adapters", Error,
        "`CrossAdapter` on a native fence of type `INTRA_GPU`";
}

use super::refused;
use crate::api::{NativeFence, NtStatus, SyncObjectFlags};
use crate::finding::Finding;
use crate::id::FenceId;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Fence(check)]);

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let fence = &scenario.fences[id];
    let intra = fence.native_type() == Some(NativeFence::IntraGpu);
    (intra && fence.has(SyncObjectFlags::CROSS_ADAPTER)).then(|| {
        let what =
            "is `INTRA_GPU` with `CrossAdapter`, but its value is in the local memory of one GPU";
        refused(scenario, &RULE, id, what, NtStatus::InvalidParameter)
            .help("write `native DEFAULT`, or leave out `CrossAdapter`")
    })
}
