crate::finding::rule! {
    /// **What it finds.** The first half of a split transition whose second half never executes. On a buffer or a
    /// simultaneous-access texture it must come in the same `ExecuteCommandLists` call, and the finding is a warning.
    ///
    /// **Why it matters.** Until the second half the layout is neither the old nor the new one, and no use is legal.
    ///
    /// **Source.** Enhanced Barriers specification, "Split Barriers"; reading R27.
    pub(crate) static RULE = "LB012", "legacy-split-never-ended", Error,
        "a `begin` half without an `end` half";
}

use super::track::{At, Phase};
use crate::finding::{Finding, Severity};

/// The second half never came.
pub(super) fn found(at: &At<'_>, free: bool) -> Finding {
    let name = at.name();
    if free {
        let message =
            format!("the `end` half of this transition of `{name}` is not in the same call");
        return at
            .finding(&RULE, Phase::Execution, message)
            .severity(Severity::Warning)
            .help(
                "put both halves into one `ExecuteCommandLists` call, or leave the transition out",
            );
    }
    let message = format!("this transition of `{name}` begins and never ends");
    at.finding(&RULE, Phase::Execution, message)
        .help("write the same entry with `end` before the next use, or leave out `begin`")
}
