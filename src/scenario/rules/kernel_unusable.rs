//! **What it finds.** A dispatch whose kernel cannot be used: its file cannot be read or is not a litmus test, it has
//! threads of a stage other than compute, or more thread groups, or more threads in a group, than the dispatch runs.
//!
//! **Why it matters.** If a shader cannot be understood, neither the interactions of its threads nor the cost of its
//! fences are known. Threads that the dispatch does not run would show races that cannot happen.
//!
//! **Firing example**
//! ```text
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "count" 1x1x1 kernel "count.litmus" { }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//! where `count.litmus` has threads of two groups:
//! ```text
//! uav n globallycoherent
//! thread group 0 cs { add r0 n 1 }
//! thread group 1 cs { add r0 n 1 }
//! ```
//!
//! **Fixed example**
//! ```text
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "count" 2x1x1 kernel "count.litmus" { }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** The scenario language, "Kernels".

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC015",
    name: "kernel-unusable",
    severity: Severity::Error,
    summary: "A kernel that cannot be read, or that its dispatch cannot run.",
    file: include_str!("kernel_unusable.rs"),
};
