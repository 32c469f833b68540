crate::finding::rule! {
    /// **What it finds.** A type of native fence (`native DEFAULT`, `native INTRA_GPU`) on an object whose kind is
    /// neither `monitored` nor `native`; or `storage` or `uninitialised` on an object that is no native fence.
    ///
    /// **Why it matters.** The type says where a native fence keeps its value. Mutexes, semaphores, CPU notifications,
    /// periodic monitored fences and fences of the old kind are made by another call, which knows no such type. (`kind
    /// monitored` is the default and may be written next to the type: the fence is then native.)
    ///
    /// **Source.** `D3DDDI_NATIVEFENCE_TYPE`; language, "Fences".
    pub(crate) static RULE = "FN007", "native-type-of-other-object", Error,
        "`native DEFAULT` or `native INTRA_GPU` on an object that is no fence";
}

use super::refused;
use crate::api::{NtStatus, SyncObject};
use crate::finding::Finding;
use crate::id::FenceId;
use crate::scenario::Scenario;
use crate::validate::{Check, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Fence(check)]);

fn check(scenario: &Scenario, id: FenceId) -> Option<Finding> {
    let fence = &scenario.fences[id];
    let object = fence.object();
    if object == SyncObject::Native {
        return None;
    }
    let noun = object.noun();
    if let Some(native) = fence.native.as_deref() {
        let what = format!("is {noun}, but has the native fence type `native {native}`");
        let refused = refused(scenario, &RULE, id, &what, NtStatus::InvalidParameter);
        return Some(refused.help("write `kind native`, or leave out `native`"));
    }
    let word = match (fence.storage.is_empty(), fence.uninitialised) {
        (false, _) => "storage",
        (true, true) => "uninitialised",
        (true, false) => return None,
    };
    let name = scenario.fence_name(id);
    let message = format!("`{name}` is {noun} with `{word}`, which only native fences have");
    Some(
        Finding::new(&RULE, fence.span, message)
            .resource(name)
            .help(format!("write `kind native`, or leave out `{word}`")),
    )
}
