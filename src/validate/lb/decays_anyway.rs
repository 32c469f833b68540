//! **What it finds.** A transition after which nothing in the same `ExecuteCommandLists` call touches the subresource,
//! although the state ends with the call anyway: a buffer, a simultaneous-access texture, anything on a copy queue, or
//! a texture that goes back to `COMMON` after reads that promoted it.
//!
//! **Why it matters.** The end of the call waits for everything and flushes it, and the state decays to `COMMON`.
//! The barrier waits and flushes a second time.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b }
//!   legacy { transition b UNORDERED_ACCESS -> COMMON }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b }
//!   legacy { transition b UNORDERED_ACCESS -> NON_PIXEL_SHADER_RESOURCE }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Resource State Promotion and Decay", "Excessive flush operations".

use super::track::{At, Phase};
use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB015",
    name: "decays-anyway",
    severity: Severity::Advice,
    summary: "a transition that the end of the call makes anyway",
    file: include_str!("decays_anyway.rs"),
};

/// The end of the call would have done it.
pub(super) fn found(at: &At<'_>) -> Finding {
    let name = at.name();
    at.finding(
        &RULE,
        Phase::Execution,
        format!("nothing touches `{name}` between this transition and the end of the call, where it decays to COMMON"),
    )
    .help("leave the transition out: the end of the call waits, flushes and decays")
}
