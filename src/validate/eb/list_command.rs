crate::finding::rule! {
    /// **What it finds.** A command that lists of its type do not have: a draw in a compute list, a dispatch in a copy
    /// list, a video command in a list of another type. A compute list has `discard` only for what is in a
    /// layout that allows `UNORDERED_ACCESS`.
    ///
    /// **Why it matters.** The queue has no hardware for the command: the runtime refuses to record it. Whatever else
    /// the list does is judged as if the command were right.
    ///
    /// **Source.** Enhanced Barriers specification, "Command Queue Access Compatibility", "Command Queue Sync
    /// Compatibility"; reading R54.
    pub(crate) static RULE = "EB049", "list-command", Error,
        "a command that lists of this type do not have";
}

use crate::api::{BarrierAccess, QueueType, compat};
use crate::finding::Finding;
use crate::scenario::{CommandKind, Use};
use crate::validate::state::{Facts, Known, explain, place};
use crate::validate::{Check, CommandOf, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::OnList(check)]);

fn check(it: &CommandOf<'_>) -> Vec<Finding> {
    let queue = it.list.queue_type;
    let Some(work) = it.command.kind.work() else {
        return Vec::new();
    };
    if compat::list_has(queue, work) {
        return Vec::new();
    }
    let words = match it.command.kind {
        CommandKind::Draw { indexed: true, .. } => "draw-indexed",
        _ => work.words(),
    };
    let types: Vec<String> = compat::lists_with(work)
        .map(|queue| queue.to_string())
        .collect();
    let has: Vec<&str> = compat::list_type(queue)
        .commands
        .iter()
        .map(|work| work.words())
        .collect();
    let finding = Finding::new(
        &RULE,
        it.command.span,
        format!("a {queue} list has no `{words}`"),
    )
    .help(format!(
        "record the command in a list of type {}",
        one_of(&types)
    ));
    // What a direct list has is everything but the commands of one other type.
    vec![match queue {
        QueueType::Direct => finding,
        _ => finding.note(format!("a {queue} list has {}", has.join(", "))),
    }]
}

/// `a`, `a or b`, `a, b or c`.
fn one_of(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    }
}

/// Looks at the use of a `discard` in a compute list, and one run of its subresources.
pub(crate) fn check_discard(
    facts: &Facts<'_, '_>,
    used: &Use,
    known: &Known,
    run: (u32, u32),
) -> Option<Finding> {
    let resource = facts.scenario.resource(used.resource);
    if resource.is_buffer() {
        return None;
    }
    let (layout, run) = facts.layout(used.resource, run, known)?;
    if compat::texture_accesses(layout, resource.flags).contains(BarrierAccess::UNORDERED_ACCESS) {
        return None;
    }
    let name = facts.scenario.resource_name(used.resource);
    let place = place(resource, run);
    let finding = Finding::new(
        &RULE,
        used.span,
        format!(
            "a compute list has `discard` only for what is in a layout for UNORDERED_ACCESS, but `{name}`{place} is in {layout}"
        ),
    )
    .resource(name)
    .help(format!(
        "take `{name}` to UNORDERED_ACCESS before, or discard it in a direct list"
    ));
    let label = format!("`{name}`{place} went to {layout} here");
    Some(explain(facts, finding, known.layout_from, &label))
}
