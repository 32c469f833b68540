crate::finding::rule! {
    /// **What it finds.** The second half of a split transition where no first half is open. On a buffer or a
    /// simultaneous-access texture, whose halves must be in one `ExecuteCommandLists` call, it is a warning.
    ///
    /// **Why it matters.** Nothing has begun, so there is nothing to wait for: for the driver the transition never
    /// happened.
    ///
    /// **Source.** Enhanced Barriers specification, "Split Barriers", "Barrier API Call Validation"; reading R27.
    pub(crate) static RULE = "LB011", "legacy-split-end-without-begin", Error,
        "an `end` half without a `begin` half";
}

use super::track::{At, Phase};
use crate::finding::{Finding, Severity};

/// No first half is open.
pub(super) fn found(at: &At<'_>, free: bool) -> Finding {
    let name = at.name();
    let finding = at.finding(
        &RULE,
        Phase::Execution,
        format!("no `begin` half is open on `{name}`"),
    );
    if free {
        finding.severity(Severity::Warning).help(
            "put both halves into one `ExecuteCommandLists` call, or make one transition of them",
        )
    } else {
        finding.help("begin the transition earlier, or leave out `end`")
    }
}
