crate::finding::rule! {
    /// **What it finds.** A barrier on a subresource whose last barrier in the same `ExecuteCommandLists` call was of
    /// the other kind, legacy or enhanced. The mixture is legal here.
    ///
    /// **Why it matters.** The specification warns of extra cost, most of all within one call: the runtime has to bring
    /// the resource to `COMMON` and to keep both kinds of state.
    ///
    /// **Source.** Enhanced Barriers specification, "Interop with legacy `ResourceBarrier`".
    pub(crate) static RULE = "EB046", "mixed-barrier-kinds", Advice,
        "legacy and enhanced barriers on one subresource in one call";
}

use crate::finding::Finding;
use crate::validate::lb::track::{At, Phase};

/// The barrier and the one before it are of different kinds.
pub(in crate::validate) fn found(at: &At<'_>, this: &str, before: &str) -> Finding {
    let name = at.name();
    at.finding(
        &RULE,
        Phase::Recording,
        format!("{this} on `{name}` follows {before} in the same call"),
    )
    .help(format!("use one kind of barrier on `{name}`"))
}
