crate::finding::rule! {
    /// **What it finds.** `cpu signal` or `cpu wait` on a native fence of type `INTRA_GPU`.
    ///
    /// **Why it matters.** The fence's value is in GPU memory that the CPU need not see: the type is for one engine
    /// waiting for another, and no operation of the CPU is supported. A `DEFAULT` fence, or a monitored one, serves
    /// both.
    ///
    /// **Source.** `D3DDDI_NATIVEFENCE_TYPE`, "`D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU`"; `D3DKMDT_FENCESTORAGESURFACEDATA`,
    /// "Remarks".
    pub(crate) static RULE = "FN010", "cpu-on-intra-gpu", Error,
        "the CPU signals or waits for a native fence of type `INTRA_GPU`";
}

use crate::api::{NativeFence, NtStatus};
use crate::finding::Finding;
use crate::validate::{Check, FenceActor, FenceUse, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule =
    ValidationRule::new(&RULE, &[Check::FenceUse(check)]);

fn check(it: &FenceUse<'_>) -> Option<Finding> {
    let intra = it.fence().native_type() == Some(NativeFence::IntraGpu);
    (intra && it.actor == FenceActor::Cpu).then(|| {
        it.refused(
            &RULE,
            "is `INTRA_GPU`, which the CPU can neither signal nor wait for",
            NtStatus::InvalidParameter,
        )
        .help("write `native DEFAULT`")
    })
}
