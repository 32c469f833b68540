//! **What it finds.** A wait that several signals could satisfy, none of which is ordered before the others.
//!
//! **Why it matters.** The signal that comes first ends the wait, so the work after the wait may run before the work
//! that precedes the other signal. The wait comes after neither for certain, and races that the author thought excluded
//! are reported.
//!
//! **Firing example**
//! ```text
//! fence f
//! queue gfx : direct
//! queue async : compute
//! queue upload : copy
//!
//! timeline {
//!   async signal f 1
//!   upload signal f 1
//!   gfx wait f 1
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! fence f
//! fence g
//! queue gfx : direct
//! queue async : compute
//! queue upload : copy
//!
//! timeline {
//!   async signal f 1
//!   upload signal g 1
//!   gfx wait f 1
//!   gfx wait g 1
//! }
//! ```
//!
//! **Source.** `ID3D12CommandQueue::Wait`; reading R23: a wait is ordered after the unique happens-before-minimal
//! signal that reaches its value. A warning.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN103",
    name: "ambiguous-wait",
    severity: Severity::Warning,
    summary: "a wait that several unordered signals could satisfy: none of them orders it",
    file: include_str!("ambiguous_wait.rs"),
};
