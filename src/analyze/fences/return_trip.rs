//! **What it finds.** A wait barrier for a signal of another queue which itself waits for a signal barrier of the same
//! `ExecuteCommandLists` call.
//!
//! **Why it matters.** The chain of waits leaves the call and comes back to it. A call is one piece of work for the
//! scheduler: if the other queue can only run when the call has left the machine, neither of them goes on. The way back
//! belongs in a later call, after a wait of the queue.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS; initial UNORDERED_ACCESS }
//! texture u : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS; initial UNORDERED_ACCESS }
//! fence f
//! fence g
//! queue gfx : direct
//! queue async : compute
//!
//! list there : direct {
//!   dispatch "first" 1x1x1 { UNORDERED_ACCESS t }
//!   signal-barrier f 1 { texture t { sync COMPUTE_SHADING -> NONE; access UNORDERED_ACCESS -> NO_ACCESS } }
//!   wait-barrier g 1 { texture u { sync NONE -> COMPUTE_SHADING; access NO_ACCESS -> UNORDERED_ACCESS } }
//! }
//!
//! list here : compute {
//!   wait-barrier f 1 { texture t { sync NONE -> COMPUTE_SHADING; access NO_ACCESS -> UNORDERED_ACCESS } }
//!   dispatch "second" 1x1x1 { UNORDERED_ACCESS t }
//!   signal-barrier g 1 { texture u { sync COMPUTE_SHADING -> NONE; access UNORDERED_ACCESS -> NO_ACCESS } }
//! }
//!
//! timeline {
//!   gfx execute there
//!   async execute here
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS; initial UNORDERED_ACCESS }
//! texture u : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS; initial UNORDERED_ACCESS }
//! fence f
//! fence g
//! queue gfx : direct
//! queue async : compute
//!
//! list there : direct {
//!   dispatch "first" 1x1x1 { UNORDERED_ACCESS t }
//!   signal-barrier f 1 { texture t { sync COMPUTE_SHADING -> NONE; access UNORDERED_ACCESS -> NO_ACCESS } }
//! }
//!
//! list after : direct {
//!   dispatch "third" 1x1x1 { UNORDERED_ACCESS u }
//! }
//!
//! list here : compute {
//!   wait-barrier f 1 { texture t { sync NONE -> COMPUTE_SHADING; access NO_ACCESS -> UNORDERED_ACCESS } }
//!   dispatch "second" 1x1x1 { UNORDERED_ACCESS t }
//!   signal-barrier g 1 { texture u { sync COMPUTE_SHADING -> NONE; access UNORDERED_ACCESS -> NO_ACCESS } }
//! }
//!
//! timeline {
//!   gfx execute there
//!   async execute here
//!   gfx wait g 1
//!   gfx execute after
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification (preview), "Fence Barriers"; language, "Command lists".

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN107",
    name: "return-trip",
    severity: Severity::Error,
    summary: "a wait barrier for another queue that waits for the same call",
    file: include_str!("return_trip.rs"),
};
