//! **What it finds.** Half of a split barrier on a buffer, on a simultaneous-access texture, or from COMMON to
//! COMMON, whose other half is not in the same `ExecuteCommandLists` scope.
//!
//! **Why it matters.** Such a barrier has no layout to change, and the scope's end flushes everything. The half does
//! nothing.
//!
//! **Firing example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b }
//!   barrier { buffer b { sync COMPUTE_SHADING -> SPLIT; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//! }
//!
//! list m : direct {
//!   barrier { buffer b { sync SPLIT -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//! }
//!
//! timeline {
//!   q execute l
//!   q execute m
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! buffer b : 4KiB { flags UNORDERED_ACCESS }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "write" 1x1x1 { UNORDERED_ACCESS b }
//!   barrier { buffer b { sync COMPUTE_SHADING -> SPLIT; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "other" 1x1x1 { }
//!   barrier { buffer b { sync SPLIT -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
//!   dispatch "read" 1x1x1 { SHADER_RESOURCE b }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Split Barriers", "Barrier API Call Validation"; reading R27.

use crate::validate::BarrierEntry;
use crate::validate::state::{Facts, Split};

use crate::finding::{Finding, Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "EB035",
    name: "split-unused",
    severity: Severity::Warning,
    summary: "a split barrier across scopes that has nothing to do",
    file: include_str!("split_unused.rs"),
};

const PURPOSE: &str = "leave both halves out: the end of the scope finishes and flushes everything";

/// The finding on an end half.
pub fn end(entry: &BarrierEntry<'_>, facts: &Facts<'_, '_>) -> Finding {
    let name = entry
        .resource_id()
        .map_or("?", |id| facts.scenario.resource_name(id));
    entry
        .finding(
            &RULE,
            format!(
                "this second half of a split barrier on `{name}` does nothing: its first half is not in this scope"
            ),
        )
        .help(PURPOSE)
}

/// The finding on a begin half.
pub fn begin(facts: &Facts<'_, '_>, split: &Split<'_>) -> Finding {
    let name = facts.scenario.resource_name(split.resource);
    Finding::new(
        &RULE,
        split.barrier.span,
        format!("this first half of a split barrier on `{name}` does nothing: its second half is not in this scope"),
    )
    .resource(name)
    .help(PURPOSE)
}
