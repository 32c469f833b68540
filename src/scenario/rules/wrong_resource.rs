//! **What it finds.** A resource or a range of a kind that its place does not take: bytes of a texture, mips of a
//! buffer, a buffer that is presented.
//!
//! **Why it matters.** D3D12 has no such call, so there is nothing to run.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { initial SHADER_RESOURCE }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "sample" 1x1x1 { SHADER_RESOURCE t[0..256] }
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
//!   dispatch "sample" 1x1x1 { SHADER_RESOURCE t[mip 0] }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** The scenario language, "Command lists", "The timeline".

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC012",
    name: "wrong-resource",
    severity: Severity::Error,
    summary: "A resource or range of a kind that its place does not take.",
    file: include_str!("wrong_resource.rs"),
};
