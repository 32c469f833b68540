crate::finding::rule! {
    /// **What it finds.** Stages in `SyncBefore` or `SyncAfter` that no use between this barrier and its neighbours on
    /// the same resource has: whole bits, or the rest of an umbrella where the rest makes a difference. The change is
    /// verified: in a copy with the narrower mask there is no new error or hazard.
    ///
    /// **Why it matters.** Drivers wait for what is named, and flush what is named: every extra stage stops work that
    /// has nothing to do with the resource.
    ///
    /// **Source.** Enhanced Barriers specification, "Excessive sync latency"; readings R13, R36, R46, R48.
    pub(super) static RULE = "RD102", "too-wide-sync", Advice,
        "a barrier names stages that no use around it has";
}

use super::{Gain, Saving};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: the remaining stages cover every use that the barrier must order, up \
                to the neighbouring barriers on this resource, and later writes after earlier reads",
    gain: Gain::Always,
};
