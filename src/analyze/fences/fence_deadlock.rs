//! **What it finds.** Waits that wait for each other, or a wait that only a later signal could satisfy. A cycle is
//! reported once, on its first wait.
//!
//! **Why it matters.** None of the waits ever ends. Each queue works in order, so a signal after a wait is not given
//! before that wait has ended.
//!
//! **Firing example**
//! ```text
//! fence f
//! fence g
//! queue gfx : direct
//! queue async : compute
//!
//! timeline {
//!   gfx wait f 1
//!   gfx signal g 1
//!   async wait g 1
//!   async signal f 1
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! fence f
//! fence g
//! queue gfx : direct
//! queue async : compute
//!
//! timeline {
//!   gfx signal g 1
//!   gfx wait f 1
//!   async wait g 1
//!   async signal f 1
//! }
//! ```
//!
//! **Source.** `ID3D12CommandQueue::Wait`, `ID3D12CommandQueue::Signal`; reading R23.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN102",
    name: "fence-deadlock",
    severity: Severity::Error,
    summary: "waits that wait for each other, or for what comes after them",
    file: include_str!("fence_deadlock.rs"),
};
