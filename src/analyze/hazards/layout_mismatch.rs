//! **What it finds.** A command uses a texture in a layout that does not allow the access, or presents one that is not
//! in `COMMON`.
//!
//! **Why it matters.** The client may not be able to decode what the layout keeps compressed, or may leave metadata
//! behind that contradicts the data.
//!
//! **Source.** Enhanced Barriers specification, "Layout Access Compatibility", "`COMMON` Layout"; readings R30, R42.

use super::{Context, HazardRule};
use crate::api::Layout;
use crate::finding::{Rule, Severity};
use crate::graph::{Conflict, ConflictKind};

static RULE: Rule = Rule {
    id: "HZ104",
    name: "layout-mismatch",
    severity: Severity::Hazard,
    summary: "a use of a texture in a layout that does not allow the access",
};

pub(super) static HAZARD: HazardRule = HazardRule {
    rule: &RULE,
    kind: ConflictKind::LayoutMismatch,
    message,
    help,
};

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    let layout = conflict.layout.unwrap_or(Layout::Undefined);
    let access = if conflict.second.access.is_empty() {
        "presentation".to_string()
    } else {
        conflict.second.access.to_string()
    };
    format!(
        "{} uses `{}` in the layout {}, which does not allow {access}",
        context.side(&conflict.second),
        context.resource(conflict),
        layout.name(),
    )
}

fn help(_: &Context<'_, '_>, conflict: &Conflict) -> Option<String> {
    let wanted = if conflict.second.access.is_empty() {
        "COMMON".to_string()
    } else {
        format!("a layout that allows {}", conflict.second.access)
    };
    Some(format!(
        "a barrier before it should take the texture to {wanted}"
    ))
}
