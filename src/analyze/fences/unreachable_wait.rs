//! **What it finds.** A wait for a value that no signal of the timeline reaches.
//!
//! **Why it matters.** The queue or the CPU stops there for ever: on a real system the work after the wait never runs,
//! and a watchdog resets the GPU.
//!
//! **Firing example**
//! ```text
//! fence f
//! queue gfx : direct
//! queue async : compute
//!
//! timeline {
//!   gfx execute { dispatch "produce" 1x1x1 { } }
//!   gfx signal f 1
//!   async wait f 2
//!   async execute { dispatch "consume" 1x1x1 { } }
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! fence f
//! queue gfx : direct
//! queue async : compute
//!
//! timeline {
//!   gfx execute { dispatch "produce" 1x1x1 { } }
//!   gfx signal f 2
//!   async wait f 1
//!   async execute { dispatch "consume" 1x1x1 { } }
//! }
//! ```
//!
//! **Source.** `ID3D12CommandQueue::Wait`, `ID3D12Fence::SetEventOnCompletion`; reading R23: a wait on *v* is satisfied
//! while the fence's value is at least *v*.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN101",
    name: "unreachable-wait",
    severity: Severity::Error,
    summary: "a wait that no signal of the timeline can satisfy",
    file: include_str!("unreachable_wait.rs"),
};
