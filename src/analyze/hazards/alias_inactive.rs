crate::finding::rule! {
    /// **What it finds.** An ordered use of a subresource that an earlier barrier of the scope deactivated
    /// (`AccessAfter NO_ACCESS`, or `SyncAfter NONE`: nothing comes later), or an ordered read of memory that another
    /// resource wrote since this one was last activated or written. A write that does not read renews the bytes that it
    /// covers. Between two buffers the read is data inheritance, which D3D12 allows: advice.
    ///
    /// **Why it matters.** Its cached contents may have been dropped, and its memory may belong to another resource by
    /// now.
    ///
    /// **Source.** Enhanced Barriers specification, "Resource Aliasing", "`D3D12_BARRIER_ACCESS_NO_ACCESS`"; readings
    /// R24, R41, R42, R63.
    static RULE = "HZ108", "alias-inactive", Hazard,
        "a use of a deactivated subresource, or a read of memory that an alias has overwritten";
}

use super::{Context, HazardRule, READS, USES};
use crate::finding::Span;
use crate::graph::{Conflict, ConflictKind};

pub(super) static HAZARD: HazardRule = HazardRule::new(
    &RULE,
    &[
        ConflictKind::UseInactive,
        ConflictKind::UseOverwritten,
        ConflictKind::Inherited,
    ],
    message,
    help,
);

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
        _ if is_of_alias(context, conflict) => format!(
            "{second} {uses} {resource}, which an aliasing barrier took out of use ({first})"
        ),
        _ => format!(
            "{second} {uses} {resource}, which {first} took out of use with AccessAfter NO_ACCESS"
        ),
    }
}

/// Whether the first side is one of the entries that a legacy aliasing barrier stands for: they share its place in the
/// text, which no two entries of an enhanced call do.
fn is_of_alias(context: &Context<'_, '_>, conflict: &Conflict) -> bool {
    let entry = conflict.first.barrier();
    let Some(command) = entry.and_then(|entry| context.timeline.command(entry.node)) else {
        return false;
    };
    let at = entry.map_or(0, |entry| entry.entry as usize);
    let entries = command.kind.barriers();
    let own = entries[at].span;
    own != Span::default() && entries.iter().filter(|entry| entry.span == own).count() > 1
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "the type that every hazard rule shares"
)]
fn help(context: &Context<'_, '_>, conflict: &Conflict) -> Option<String> {
    let text = match conflict.kind {
        ConflictKind::UseOverwritten => {
            "activate the resource with a barrier whose AccessBefore is NO_ACCESS, and write it before it is read"
        }
        ConflictKind::Inherited => {
            "two buffers may share their data; if you do not mean that, write the second buffer first"
        }
        _ if is_of_alias(context, conflict) => {
            "hand the memory back with an aliasing barrier whose second side is this resource, before this use"
        }
        _ => {
            "activate the resource with a barrier whose AccessBefore is NO_ACCESS, or name this access in the earlier AccessAfter"
        }
    };
    Some(text.into())
}
