crate::finding::rule! {
    /// **What it finds.** Bits in `AccessBefore` or `AccessAfter` that no use between this barrier and its neighbours
    /// on the same resource has. The change is verified: in a copy with the narrower mask there is no new error or
    /// hazard.
    ///
    /// **Why it matters.** Each access names caches: of writers that are written back, of readers that are dropped. A
    /// bit that serves no use empties a cache for nothing.
    ///
    /// **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_ACCESS`"; readings R14, R16, R34, R48.
    pub(super) static RULE = "RD103", "too-wide-access", Advice,
        "a barrier names accesses that no use around it has";
}

use super::{Gain, Saving};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: AccessBefore keeps every kind of write that is not visible yet, AccessAfter every kind of use up to the next barrier on this resource",
    gain: Gain::Always,
};
