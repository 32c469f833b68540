crate::finding::rule! {
    /// **What it finds.** An aliasing barrier that names a committed resource.
    ///
    /// **Why it matters.** A committed resource has its own memory, which nothing can alias. Only placed and reserved
    /// resources share memory.
    ///
    /// **Source.** Enhanced Barriers specification, "Resource Aliasing"; reading R37.
    pub(crate) static RULE = "LB005", "alias-not-placed", Error,
        "an aliasing barrier that names a committed resource";
}

use crate::finding::Finding;
use crate::id::ResourceId;
use crate::scenario::{LegacyKind, Placement};
use crate::validate::entry::finding;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Legacy(check)]);

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
