//! **What it finds.** A barrier with `_t` (or `SYNC`) under a branch on a register, or under `[varying]`.
//!
//! **Why it matters.** The barrier would wait forever for threads of the group that do not reach it, so the compiler
//! refuses the shader. The value of a register comes from memory or from an atomic, so the value may differ between the
//! threads of a group, whatever this test does with it. `[uniform]` says that all threads take the same path.
//!
//! **Firing example**
//! ```text
//! uav x
//! thread group 0 cs { ld r0 x; [r0==0] sync_uglobal_t }
//! ```
//!
//! **Fixed example**
//! ```text
//! uav x
//! thread group 0 cs { ld r0 x; sync_uglobal_t }
//! ```
//!
//! **Source.** `sync` (sm5 - asm): "`_t` cannot be placed in dynamic flow control (branches that could vary within a
//! thread group), but can be in uniform flow control".

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LM007",
    name: "divergent-group-sync",
    severity: Severity::Error,
    summary: "a group barrier in flow control that may vary within the group",
    file: include_str!("divergent_group_sync.rs"),
};
