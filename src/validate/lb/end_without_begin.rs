//! **What it finds.** The second half of a split transition where no first half is open. On a buffer or a
//! simultaneous-access texture, whose halves must be in one `ExecuteCommandLists` call, it is a warning.
//!
//! **Why it matters.** Nothing has begun, so there is nothing to wait for: for the driver the transition never
//! happened.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE end }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE begin }
//!   legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE end }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Split Barriers", "Barrier API Call Validation"; reading R27.

use super::track::{At, Phase};
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB011",
    name: "legacy-split-end-without-begin",
    severity: Severity::Error,
    summary: "an `end` half without a `begin` half",
    file: include_str!("end_without_begin.rs"),
};

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
