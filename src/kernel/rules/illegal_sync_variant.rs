//! **What it finds.** A `sync` without `_uglobal`, `_ugroup` or `_g`, or one with both `_uglobal` and `_ugroup`.
//!
//! **Why it matters.** There is no such instruction: `_t` only adds to a memory class, and `_uglobal` already contains
//! `_ugroup`. The shader is refused; no outcome is explored.
//!
//! **Firing example**
//! ```text
//! thread group 0 cs { sync_t }
//! ```
//!
//! **Fixed example**
//! ```text
//! groupshared s
//! thread group 0 cs { st s 1; sync_g_t }
//! ```
//!
//! **Source.** `sync` (sm5 - asm): "In compute shaders, (`_uglobal` or `_ugroup`) or `_g` must be specified"; the list
//! of variants of compute shaders.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LM005",
    name: "illegal-sync-variant",
    severity: Severity::Error,
    summary: "a sync that names no memory, or both UAV scopes",
    file: include_str!("illegal_sync_variant.rs"),
};
