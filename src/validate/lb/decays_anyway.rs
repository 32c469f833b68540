crate::finding::rule! {
    /// **What it finds.** A transition after which nothing in the same `ExecuteCommandLists` call touches the
    /// subresource, although the state ends with the call anyway: a buffer, a simultaneous-access texture, anything on
    /// a copy queue, or a texture that goes back to `COMMON` after reads that promoted it.
    ///
    /// **Why it matters.** The end of the call waits for everything and flushes it, and the state decays to `COMMON`.
    /// The barrier waits and flushes a second time.
    ///
    /// **Source.** Enhanced Barriers specification, "Resource State Promotion and Decay", "Excessive flush operations".
    pub(crate) static RULE = "LB015", "decays-anyway", Advice,
        "a transition that the end of the call makes anyway";
}

use super::track::{At, Phase};
use crate::finding::Finding;

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
