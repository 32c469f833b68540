//! **What it finds.** A process that opens an object of another one which lacks `Shared`, or which has
//! `NtSecuritySharing` and has not been given an NT handle by `share`.
//!
//! **Why it matters.** Without `Shared` nobody else can see the object. With `NtSecuritySharing` the object has no
//! global handle, so it cannot be opened until `share` gives it an NT handle.
//!
//! **Firing example**
//! ```text
//! process app
//! process viewer
//! fence f { process app }
//! queue gfx : direct { process app }
//!
//! timeline {
//!   viewer open f
//!   gfx    signal f 1
//!   viewer wait f 1
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! process app
//! process viewer
//! fence f { flags Shared; process app }
//! queue gfx : direct { process app }
//!
//! timeline {
//!   viewer open f
//!   gfx    signal f 1
//!   viewer wait f 1
//! }
//! ```
//!
//! **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "Shared", "`NtSecuritySharing`", "Remarks".

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN110",
    name: "open-unshared",
    severity: Severity::Error,
    summary: "a process that opens an object that is not shared",
    file: include_str!("open_unshared.rs"),
};
