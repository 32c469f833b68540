//! **What it finds.** An ordered use of a subresource that an earlier barrier of the scope deactivated (`AccessAfter
//! NO_ACCESS`, or `SyncAfter NONE`: nothing comes later), or whose memory another resource wrote since it was last
//! activated or written. Between two buffers the latter is data inheritance, which D3D12 allows: advice.
//!
//! **Why it matters.** Its cached contents may have been dropped, and its memory may belong to another resource by now.
//!
//! **Firing example**
//! ```text
//! heap pool : 1MiB
//! buffer old : 64KiB { heap pool at 0 }
//! buffer new : 64KiB { flags UNORDERED_ACCESS; heap pool at 0 }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "old" 1x1x1 { SHADER_RESOURCE old }
//!   barrier { buffer old { sync COMPUTE_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> NO_ACCESS } }
//!   dispatch "again" 1x1x1 { SHADER_RESOURCE old }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! heap pool : 1MiB
//! buffer old : 64KiB { heap pool at 0 }
//! buffer new : 64KiB { flags UNORDERED_ACCESS; heap pool at 0 }
//! queue q : direct
//!
//! list l : direct {
//!   dispatch "old" 1x1x1 { SHADER_RESOURCE old }
//!   barrier { buffer old { sync COMPUTE_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> NO_ACCESS } }
//!   dispatch "new" 1x1x1 { UNORDERED_ACCESS new writes }
//! }
//!
//! timeline {
//!   q execute l
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Resource Aliasing", "`D3D12_BARRIER_ACCESS_NO_ACCESS`"; readings R24,
//! R41, R42.

use super::{Context, HazardRule, READS, USES};
use crate::finding::{Rule, Severity};
use crate::graph::{Conflict, ConflictKind};

static RULE: Rule = Rule {
    id: "HZ108",
    name: "alias-inactive",
    severity: Severity::Hazard,
    summary: "a use of a deactivated subresource, or of memory that an alias has overwritten",
    file: include_str!("alias_inactive.rs"),
};

pub(super) static HAZARD: HazardRule = HazardRule {
    rule: &RULE,
    kinds: &[
        ConflictKind::UseInactive,
        ConflictKind::UseOverwritten,
        ConflictKind::Inherited,
    ],
    message,
    help,
};

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    let second = context.side(&conflict.second);
    let resource = context.resource(conflict);
    let first = context.side(&conflict.first);
    let uses = context.second(conflict, USES);
    let wrote = context.first(("wrote", "may have written"));
    let other = context
        .timeline
        .scenario
        .resource_name(conflict.first.resource);
    match conflict.kind {
        ConflictKind::UseOverwritten => {
            format!("{second} {uses} {resource}, whose memory {first} {wrote} through `{other}`")
        }
        ConflictKind::Inherited => {
            let reads = context.second(conflict, READS);
            format!("{second} {reads} through {resource} what {first} {wrote} through `{other}`")
        }
        _ => format!(
            "{second} {uses} {resource}, which {first} took out of use with AccessAfter NO_ACCESS"
        ),
    }
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "the type that every hazard rule shares"
)]
fn help(_: &Context<'_, '_>, conflict: &Conflict) -> Option<String> {
    let text = match conflict.kind {
        ConflictKind::UseOverwritten => {
            "activate the resource with a barrier whose AccessBefore is NO_ACCESS, and write it before it is read"
        }
        ConflictKind::Inherited => {
            "two buffers may share their data; if you do not mean that, write the second buffer first"
        }
        _ => {
            "activate the resource with a barrier whose AccessBefore is NO_ACCESS, or name this access in the earlier AccessAfter"
        }
    };
    Some(text.into())
}
