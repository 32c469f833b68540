crate::finding::rule! {
    /// **What it finds.** Two uses of one command on common bytes, through different accesses, of which one writes, in a layout
    /// that allows both: a texture that a draw samples and renders to, a dispatch that writes its own arguments. Not
    /// between depth accesses, which a draw makes in order, nor where a use says `independent`.
    ///
    /// **Why it matters.** No barrier comes inside a command, so nothing orders the two or makes the one visible to the other:
    /// what is read depends on the GPU and on time.
    ///
    /// **Source.** Enhanced Barriers specification, "Single-Queue Simultaneous Access"; readings R21, R65.
    static RULE = "HZ110", "feedback-in-one-command", Warning,
        "a command that reads and writes the same bytes through different accesses";
}

use super::{Context, HazardRule};
use crate::graph::{Conflict, ConflictKind};

pub(super) static HAZARD: HazardRule =
    HazardRule::new(&RULE, &[ConflictKind::FeedbackInCommand], message, help);

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    let (first, second) = (&conflict.first, &conflict.second);
    let who = context.side(second);
    let resource = context.resource(conflict);
    let uses = context.second(conflict, ("uses", "may use"));
    if first.resource == second.resource {
        let (a, b) = (first.access, second.access);
        return format!("{who} {uses} {resource} as {a} and as {b}, and nothing orders the two");
    }
    let other = context.timeline.scenario.resource_name(first.resource);
    format!(
        "{who} {uses} {resource} as {} and, in the same memory, `{other}` as {}, and nothing orders the two",
        second.access, first.access
    )
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "the type that every hazard rule shares"
)]
fn help(_: &Context<'_, '_>, _: &Conflict) -> Option<String> {
    Some("read a copy, make two commands with a barrier between them, or read and write through one view".into())
}
