//! **What it finds.** A `share`, which is `D3DKMTShareObjects`, of an object that was created without
//! `NtSecuritySharing`.
//!
//! **Why it matters.** Only an object that is shared by an NT handle can be given one. An object with only `Shared` has
//! a global handle instead, which needs no call.
//!
//! **Firing example**
//! ```text
//! process app
//! fence f { flags Shared; process app }
//! queue gfx : direct { process app }
//!
//! timeline {
//!   app share f
//!   gfx signal f 1
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! process app
//! fence f { flags Shared|NtSecuritySharing; process app }
//! queue gfx : direct { process app }
//!
//! timeline {
//!   app share f
//!   gfx signal f 1
//! }
//! ```
//!
//! **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "Remarks": `D3DKMTShareObjects`.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN109",
    name: "share-without-nt-security",
    severity: Severity::Error,
    summary: "`D3DKMTShareObjects` for an object that was not created with `NtSecuritySharing`",
    file: include_str!("share_without_nt_security.rs"),
};
