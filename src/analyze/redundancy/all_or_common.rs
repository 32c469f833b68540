crate::finding::rule! {
    /// **What it finds.** `ALL` as sync or `COMMON` as access where specific bits are enough: those of the uses between
    /// this barrier and its neighbours on the same resource. The change is verified: in a copy with the narrower mask
    /// there is no new error or hazard.
    ///
    /// **Why it matters.** Both say *everything*: the queue runs empty, and every cache that could hold the resource is
    /// written back or dropped. Replace these masks first.
    ///
    /// **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_SYNC_ALL`", "`D3D12_BARRIER_ACCESS_COMMON`";
    /// readings R16, R48.
    pub(super) static RULE = "RD104", "all-or-common", Advice,
        "`ALL` or `COMMON` where a few bits do";
}

use super::{Gain, Saving};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: the remaining bits cover every use that the barrier must order or make visible, up to the neighbouring barriers on this resource",
    gain: Gain::Always,
};
