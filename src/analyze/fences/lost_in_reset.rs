//! **What it finds.** A wait for a value that only signals lost in a GPU reset would have reached: they were not known to be over before the
//! `reset`, so they are dropped with the rest of their queue's work, or they were submitted after it and failed. The fence
//! does not jump to its greatest value, because it has `NoSignalMaxValueOnTdr` or because this device may not signal it.
//!
//! **Why it matters.** After a reset nobody gives these signals any more. Without the flag the scheduler wakes every
//! waiter by signalling the greatest value; with the flag, somebody who survives must wake the waiters, or they wait
//! for ever.
//!
//! **Firing example**
//! ```text
//! fence f { flags NoSignalMaxValueOnTdr }
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//!   gfx signal f 1
//!   reset device
//!   cpu wait f 1
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! fence f
//! queue gfx : direct
//!
//! timeline {
//!   gfx execute { dispatch "work" 1x1x1 { } }
//!   gfx signal f 1
//!   reset device
//!   cpu wait f 1
//! }
//! ```
//!
//! **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`NoSignalMaxValueOnTdr`"; readings R23, R40.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN106",
    name: "lost-in-reset",
    severity: Severity::Error,
    summary: "a wait whose signals are lost in a GPU reset",
    file: include_str!("lost_in_reset.rs"),
};
