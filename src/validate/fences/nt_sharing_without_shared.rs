crate::finding::rule! {
    /// **What it finds.** A synchronization object with the flag `NtSecuritySharing` and without `Shared`.
    ///
    /// **Why it matters.** `NtSecuritySharing` says *how* an object is shared: by an NT handle, without a global
    /// handle. An object that is not shared has neither flag; an object that is shared by a global handle has only
    /// `Shared`. Creating it returns `STATUS_INVALID_PARAMETER`.
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`NtSecuritySharing`" and the guidelines under "Remarks".
    pub(crate) static RULE = "FN001", "nt-sharing-without-shared", Error,
        "`NtSecuritySharing` without `Shared`";
}

use super::refused;
use crate::api::{NtStatus, SyncObjectFlags};
use crate::finding::Finding;
use crate::id::FenceId;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Fence(check)]);

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let fence = &scenario.fences[id];
    let lone =
        fence.has(SyncObjectFlags::NT_SECURITY_SHARING) && !fence.has(SyncObjectFlags::SHARED);
    lone.then(|| {
        refused(
            scenario,
            &RULE,
            id,
            "has `NtSecuritySharing` without `Shared`",
            NtStatus::InvalidParameter,
        )
        .help("add `Shared`, or leave out `NtSecuritySharing` if no other process opens it")
    })
}
