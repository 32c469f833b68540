crate::finding::rule! {
    /// **What it finds.** A read of bytes whose contents are undefined: a discard, a layout change from `UNDEFINED`, or
    /// `AccessBefore NO_ACCESS` after work of the same scope dropped them, and no command has written them since. Only
    /// reads that are certain count: every read-only access, `reads`, `atomics`, the source of a copy or resolve.
    /// `UNORDERED_ACCESS` without `reads` may only write. What memory holds when the timeline starts counts as defined.
    /// `keep` reads at the end of the timeline: what is undefined then is found at the statement that lost it, be it a write
    /// through an alias.
    ///
    /// **Why it matters.** The read gets whatever is there: the old contents on one GPU, garbage on another. No barrier
    /// brings the contents back, and nothing about it depends on the GPU. It is a warning, because nobody can say
    /// whether the result is used.
    ///
    /// **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_LAYOUT_UNDEFINED`",
    /// "`D3D12_BARRIER_ACCESS_NO_ACCESS`"; readings R25, R57, R62, R68.
    static RULE = "HZ109", "undefined-contents", Warning,
        "a read of contents that were discarded or given up, and not written since";
}

use super::{Context, HazardRule};
use crate::graph::{Conflict, ConflictKind};
use crate::scenario::Barrier;

pub(super) static HAZARD: HazardRule = HazardRule::new(
    &RULE,
    &[ConflictKind::UndefinedContents, ConflictKind::KeptUndefined],
    message,
    help,
);

/// How the first side of a conflict dropped the contents.
#[derive(Copy, Clone)]
enum Drop {
    /// A command.
    Discard,
    /// `UNDEFINED` before, or the barrier's discard.
    Layout,
    /// `NO_ACCESS` before.
    NoLongerNeeded,
}

fn drop_of(context: &Context<'_, '_>, conflict: &Conflict) -> Drop {
    let Some(barrier) = conflict.first.barrier() else {
        return Drop::Discard;
    };
    let command = context.timeline.command(barrier.node);
    let entry = command.and_then(|c| c.kind.barriers().get(barrier.entry as usize));
    match entry.and_then(Barrier::as_texture) {
        Some(entry) if entry.drops_contents() => Drop::Layout,
        _ => Drop::NoLongerNeeded,
    }
}

/// The alias through which contents were lost.
fn alias<'s>(context: &Context<'_, 's>, conflict: &Conflict) -> Option<&'s str> {
    let by = conflict.first.resource;
    let scenario = context.timeline.scenario;
    (by != conflict.second.resource).then(|| scenario.resource_name(by))
}

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    if conflict.kind == ConflictKind::KeptUndefined {
        return message_of_kept(context, conflict);
    }
    let (reader, first) = (
        context.side(&conflict.second),
        context.side(&conflict.first),
    );
    let resource = context.resource(conflict);
    let how = match drop_of(context, conflict) {
        Drop::Discard => "discards them",
        Drop::Layout => "drops them with LayoutBefore UNDEFINED or its discard",
        Drop::NoLongerNeeded => "says with AccessBefore NO_ACCESS that they are no longer needed",
    };
    let through =
        alias(context, conflict).map_or_else(String::new, |by| format!(" through `{by}`"));
    format!(
        "{reader} reads undefined contents of {resource}: {first} {how}{through}, and nothing has written them since"
    )
}

fn message_of_kept(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    let (first, kept) = (context.side(&conflict.first), conflict.second.resource);
    let kept = context.timeline.scenario.resource_name(kept);
    let lost = match (alias(context, conflict), drop_of(context, conflict)) {
        (Some(alias), _) => {
            format!("{first} writes over the contents of `{kept}` through `{alias}`")
        }
        (None, Drop::Discard) => format!("{first} discards the contents of `{kept}`"),
        (None, Drop::Layout) => format!(
            "{first} drops the contents of `{kept}` with LayoutBefore UNDEFINED or its discard"
        ),
        (None, Drop::NoLongerNeeded) => format!(
            "{first} says with AccessBefore NO_ACCESS that the contents of `{kept}` are no longer needed"
        ),
    };
    format!(
        "{lost}, and nothing writes them after it: `keep` asks for them at the end of the timeline"
    )
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "the type that every hazard rule shares"
)]
fn help(context: &Context<'_, '_>, conflict: &Conflict) -> Option<String> {
    let resource = context.resource(conflict);
    if conflict.kind == ConflictKind::KeptUndefined {
        let kept = context
            .timeline
            .scenario
            .resource_name(conflict.second.resource);
        return Some(match alias(context, conflict) {
            Some(_) => format!("give `{kept}` memory of its own, or leave out `keep`"),
            None => {
                format!("write `{kept}` after it, keep its contents there, or leave out `keep`")
            }
        });
    }
    Some(match drop_of(context, conflict) {
        Drop::Discard => {
            format!("clear or write {resource} between the two, or leave out the discard")
        }
        Drop::Layout => format!(
            "clear or write {resource} between the two, or keep its contents: name its layout as LayoutBefore, without a discard"
        ),
        Drop::NoLongerNeeded => format!(
            "name the access that comes before in AccessBefore, or write {resource} before it is read"
        ),
    })
}
