crate::finding::rule! {
    /// **What it finds.** A barrier that can be deleted without adding an error or hazard, because another one does
    /// what it does: deleting both adds one. The finding names the other. The deletion is verified: in a copy without
    /// the barrier there is no new error or hazard.
    ///
    /// **Why it matters.** It waits and flushes a second time. Of two that do the same, the later in the text is named,
    /// and only one may go.
    ///
    /// **Source.** Readings R12, R14, R48.
    pub(super) static RULE = "RD105", "implied-barrier", Warning,
        "a barrier that another one makes superfluous";
}

use super::{Gain, Saving};

/// When it is right.
pub static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile as long as the other barrier stays: that barrier also gives the order, visibility and layout that later uses need",
    gain: Gain::Always,
};
