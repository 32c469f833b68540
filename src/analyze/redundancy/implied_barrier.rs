//! **What it finds.** A barrier that can be deleted without adding an error or hazard, because another one does what it
//! does: deleting both adds one. The finding names the other. The deletion is verified: in a copy without the barrier
//! there is no new error or hazard.
//!
//! **Why it matters.** It waits and flushes a second time. Of two that do the same, the later in the text is named,
//! and only one may go.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b writes }
//!   barrier { global { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
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
//!   barrier { global { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Readings R12, R14, R48.

use super::{Gain, Saving};
use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "RD105",
    name: "implied-barrier",
    severity: Severity::Warning,
    summary: "a barrier that another one makes superfluous",
    file: include_str!("implied_barrier.rs"),
};

/// When it is right.
pub static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile as long as the other barrier stays: that barrier also gives the order, visibility and layout that later uses need",
    gain: Gain::Always,
};
