//! **What it finds.** The first half of a split transition whose second half never executes. On a buffer or a
//! simultaneous-access texture it must come in the same `ExecuteCommandLists` call, and the finding is a warning.
//!
//! **Why it matters.** Until the second half the layout is neither the old nor the new one, and no use is legal.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE begin }
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
//! list first : direct {
//!   legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE begin }
//! }
//!
//! list second : direct {
//!   legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE end }
//! }
//!
//! timeline {
//!   q execute first
//!   q execute second
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Split Barriers"; reading R27.

use super::track::{At, Phase};
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB012",
    name: "legacy-split-never-ended",
    severity: Severity::Error,
    summary: "a `begin` half without an `end` half",
    file: include_str!("begin_never_ended.rs"),
};

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
