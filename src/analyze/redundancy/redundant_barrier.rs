//! **What it finds.** A barrier that can be deleted, with the layouts of its neighbours relinked, without adding an
//! error or hazard in any family. The deletion is verified on a copy, and the finding says what the barrier costs on
//! the profile of the run. All barriers that RD101 names can be deleted together. A barrier that is only superfluous
//! because of another one is RD105.
//!
//! **Why it matters.** It waits, flushes or rewrites for nothing.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "sum" 1x1x1 { SHADER_RESOURCE b }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
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
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b writes }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Reading R48; R33 for what counts as needed at the end of the timeline. A barrier between two reads is
//! not redundant if its stages carry order to a later write: deleting it would then add a write-after-read.

use super::{Gain, Saving};
use crate::finding::{Rule, Severity};

/// When it is right.
pub static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: no later use needs its order, visibility or layout",
    gain: Gain::Always,
};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "RD101",
    name: "redundant-barrier",
    severity: Severity::Warning,
    summary: "a barrier that can be deleted without adding an error or hazard",
    file: include_str!("redundant_barrier.rs"),
};
