//! **What it finds.** A process, or a queue of it, that uses, opens again or destroys an object that it does not have
//! open: the process has not created or opened the object yet, or has destroyed it.
//!
//! **Why it matters.** A handle belongs to one process and ends with the local object. The call fails; work that was
//! to wait does not.
//!
//! **Firing example**
//! ```text
//! process app
//! process viewer
//! fence f { flags Shared|NtSecuritySharing; process app }
//! queue gfx : direct { process app }
//!
//! timeline {
//!   app    share f
//!   gfx    signal f 1
//!   viewer wait f 1
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! process app
//! process viewer
//! fence f { flags Shared|NtSecuritySharing; process app }
//! queue gfx : direct { process app }
//!
//! timeline {
//!   app    share f
//!   viewer open f
//!   gfx    signal f 1
//!   viewer wait f 1
//! }
//! ```
//!
//! **Source.** `D3DKMTCreateSynchronizationObject2`, `D3DKMTOpenSyncObjectFromNtHandle2`,
//! `D3DKMTDestroySynchronizationObject`; `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "Shared". Objects are created, opened
//! and destroyed in the order of the text.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN108",
    name: "object-not-open",
    severity: Severity::Error,
    summary: "a process that uses a synchronization object which it has not open",
    file: include_str!("object_not_open.rs"),
};
