crate::finding::rule! {
    /// **What it finds.** A native fence that is created on an adapter without native fences, or one of type
    /// `INTRA_GPU` on an adapter that does not support the type.
    ///
    /// **Why it matters.** The engines of such an adapter cannot wait by themselves. Only a fence that is shared across
    /// adapters may have a side there, which is then an ordinary monitored fence.
    ///
    /// **Source.** Native GPU fence objects: capabilities of the operating system and "Cross-adapter native fence".
    pub(crate) static RULE = "FN023", "native-fence-unsupported", Error,
        "a native fence on an adapter that has none of its type";
}

use crate::api::{NativeFence, SyncObjectFlags};
use crate::finding::Finding;
use crate::id::FenceId;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Fence(check)]);

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let fence = &scenario.fences[id];
    let native = fence.native_type()?;
    let adapter = fence.adapter.unwrap_or(0);
    let said = scenario.adapter(adapter)?;
    let across = fence.has(SyncObjectFlags::CROSS_ADAPTER);
    let what = if said.native_fences == Some(false) && !across {
        "has no native fences"
    } else if native == NativeFence::IntraGpu && said.intra_gpu == Some(false) {
        "does not support the type `INTRA_GPU`"
    } else {
        return None;
    };
    let name = scenario.fence_name(id);
    let message = format!("`{name}` is a native fence on adapter {adapter}, which {what}");
    Some(
        Finding::new(&RULE, fence.span, message)
            .related(said.span, "the adapter")
            .resource(name)
            .help("make it a monitored fence, or one of type `DEFAULT`"),
    )
}
