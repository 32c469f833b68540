//! **What it finds.** A use of a subresource that an earlier barrier of the scope deactivated with `AccessAfter
//! NO_ACCESS`.
//!
//! **Why it matters.** Its cached contents may have been dropped, and its memory may belong to another resource by now.
//!
//! **Source.** Enhanced Barriers specification, "Resource Aliasing", `D3D12_BARRIER_ACCESS_NO_ACCESS`; readings R24,
//! R41, R42.

use super::{Context, HazardRule};
use crate::finding::{Rule, Severity};
use crate::graph::{Conflict, ConflictKind};

static RULE: Rule = Rule {
    id: "HZ108",
    name: "alias-inactive",
    severity: Severity::Hazard,
    summary: "a use of a deactivated subresource",
};

pub(super) static HAZARD: HazardRule = HazardRule {
    rule: &RULE,
    kind: ConflictKind::UseInactive,
    message,
    help,
};

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    format!(
        "{} uses `{}`, which {} took out of use with AccessAfter NO_ACCESS",
        context.side(&conflict.second),
        context.resource(conflict),
        context.side(&conflict.first),
    )
}

fn help(_: &Context<'_, '_>, _: &Conflict) -> Option<String> {
    Some("activate it with a barrier whose AccessBefore is NO_ACCESS, or name the coming access in AccessAfter".into())
}
