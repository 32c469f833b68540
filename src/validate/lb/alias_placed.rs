//! **What it finds.** An aliasing barrier that names a committed resource.
//!
//! **Why it matters.** A committed resource has its own memory, which nothing can alias. Only placed and reserved
//! resources share memory.
//!
//! **Firing example**
//! ```text
//! heap pool : 64MiB
//! texture a : R8G8B8A8_UNORM 64x64 { state COMMON }
//! texture b : R8G8B8A8_UNORM 64x64 { state COMMON; heap pool at 0 }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { alias a -> b }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! heap pool : 64MiB
//! texture a : R8G8B8A8_UNORM 64x64 { state COMMON; heap pool at 0 }
//! texture b : R8G8B8A8_UNORM 64x64 { state COMMON; heap pool at 0 }
//! queue q : direct
//!
//! list l : direct {
//!   legacy { alias a -> b }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Resource Aliasing"; reading R37.

use crate::finding::{Finding, Rule, Severity};
use crate::id::ResourceId;
use crate::scenario::{LegacyKind, Placement};
use crate::validate::entry::finding;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// The rule.
pub static RULE: Rule = Rule {
    id: "LB005",
    name: "alias-not-placed",
    severity: Severity::Error,
    summary: "an aliasing barrier that names a committed resource",
    file: include_str!("alias_placed.rs"),
};

/// What it looks at.
pub static VALIDATION: ValidationRule = ValidationRule {
    rule: &RULE,
    checks: &[Check::Legacy(check)],
};

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    let LegacyKind::Alias(from, to) = entry.barrier.kind else {
        return None;
    };
    let committed =
        |id: &ResourceId| entry.scenario.resource(*id).placement == Placement::Committed;
    let id = [from, to].into_iter().flatten().find(committed)?;
    let name = entry.scenario.resource_name(id);
    let message = format!("`{name}` is committed: it has memory of its own and aliases nothing");
    let help =
        format!("place it (`heap … at …`) or reserve it; or leave `{name}` out of the entry (`*`)");
    Some(finding(entry.scenario, &RULE, entry.barrier.span, Some(id), message).help(help))
}
