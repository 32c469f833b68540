//! **What it finds.** A signal with a value that the fence has already reached when the signal runs.
//!
//! **Why it matters.** Waits are satisfied by values at least as great as theirs: the earlier signal ends every wait
//! for this one, before the work that this signal announces is over.
//!
//! **Firing example**
//! ```text
//! fence f
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "first" 1x1x1 { } }
//!   gfx signal f 2
//!   gfx execute { dispatch "second" 1x1x1 { } }
//!   gfx signal f 1
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! fence f
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "first" 1x1x1 { } }
//!   gfx signal f 1
//!   gfx execute { dispatch "second" 1x1x1 { } }
//!   gfx signal f 2
//! }
//! ```
//!
//! **Source.** `ID3D12CommandQueue::Signal`, `ID3D12Fence::Signal`; reading R23. A warning.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN104",
    name: "signal-does-not-raise",
    severity: Severity::Warning,
    summary: "a signal that does not raise the fence's value",
    file: include_str!("signal_does_not_raise.rs"),
};
