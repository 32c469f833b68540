//! **What it finds.** A stage or an access that the command cannot have.
//!
//! **Why it matters.** A use at a stage where it does not happen would ask barriers for something that no command
//! needs, and hide what it does need.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { initial SHADER_RESOURCE }
//! queue q : direct
//!
//! list l : direct {
//!   draw "sample" { SHADER_RESOURCE t @ RENDER_TARGET }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { initial SHADER_RESOURCE }
//! queue q : direct
//!
//! list l : direct {
//!   draw "sample" { SHADER_RESOURCE t @ PIXEL_SHADING }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** The scenario language, "Command lists"; Enhanced Barriers specification, "Access Bits Barrier Sync
//! Compatibility".

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC011",
    name: "wrong-stage",
    severity: Severity::Error,
    summary: "A stage or an access that the command cannot have.",
    file: include_str!("wrong_stage.rs"),
};
