//! **What it finds.** A use of a subresource between the halves of a split barrier.
//!
//! **Why it matters.** The pair acts at no defined time between its halves: until the second half the layout is
//! neither the one before nor the one after, and nothing is visible.
//!
//! **Source.** Enhanced Barriers specification, "Split Barriers"; readings R27, R42.

use super::{Context, HazardRule};
use crate::finding::{Rule, Severity};
use crate::graph::{Conflict, ConflictKind};

static RULE: Rule = Rule {
    id: "HZ107",
    name: "use-while-split",
    severity: Severity::Hazard,
    summary: "a use between the halves of a split barrier",
};

pub(super) static HAZARD: HazardRule = HazardRule {
    rule: &RULE,
    kind: ConflictKind::UseWhileSplit,
    message,
    help,
};

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    format!(
        "{} uses `{}` between the halves of a split barrier, begun by {}",
        context.side(&conflict.second),
        context.resource(conflict),
        context.side(&conflict.first),
    )
}

fn help(_: &Context<'_, '_>, _: &Conflict) -> Option<String> {
    Some("end the split before this use, or begin it after".into())
}
