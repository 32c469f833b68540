crate::finding::rule! {
    /// **What it finds.** A barrier that can be deleted, with the layouts of its neighbours relinked, without adding an
    /// error or hazard in any family. The deletion is verified on a copy, and the finding says what the barrier costs
    /// on the profile of the run. All barriers that RD101 names can be deleted together. A barrier that is only
    /// superfluous because of another one is RD105.
    ///
    /// **Why it matters.** It waits, flushes or rewrites for nothing.
    ///
    /// **Source.** Reading R48; R33 for what counts as needed at the end of the timeline. A barrier between two reads
    /// is not redundant if its stages carry order to a later write: deleting it would then add a write-after-read.
    pub(super) static RULE = "RD101", "redundant-barrier", Warning,
        "a barrier that can be deleted without adding an error or hazard";
}

use super::{Gain, Saving};

/// When it is right.
pub static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: no later use needs its order, visibility or layout",
    gain: Gain::Always,
};
