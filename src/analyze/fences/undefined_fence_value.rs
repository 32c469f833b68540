//! **What it finds.** A signal or a wait of a native fence of type `INTRA_GPU` that is not ordered after the packet
//! which writes the fence's first value. Where the text has no such packet and the fence is not `uninitialised`, it
//! ran before the timeline.
//!
//! **Why it matters.** Current values of this type may lie in memory that the CPU does not see, so the operating
//! system cannot write the first one. Until the user-mode driver's packet has run the value is undefined: a wait may
//! be let through by chance.
//!
//! **Firing example**
//! ```text
//! fence f { native INTRA_GPU }
//! queue gfx : direct
//! queue async : compute
//!
//! timeline {
//!   gfx   initialise f
//!   gfx   signal f 1
//!   async wait f 1
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! fence f { native INTRA_GPU }
//! fence ready
//! queue gfx : direct
//! queue async : compute
//!
//! timeline {
//!   gfx   initialise f
//!   gfx   signal ready 1
//!   gfx   signal f 1
//!   async wait ready 1
//!   async wait f 1
//! }
//! ```
//!
//! **Source.** `D3DKMDT_FENCESTORAGESURFACEDATA`, "Remarks": `D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU`.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "FN111",
    name: "undefined-fence-value",
    severity: Severity::Error,
    summary: "an `INTRA_GPU` fence used before the packet that writes its first value",
    file: include_str!("undefined_fence_value.rs"),
};
