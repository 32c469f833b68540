crate::finding::rule! {
    /// **What it finds.** A signal barrier whose fence the CPU, a copy queue or a video queue waits for, with no
    /// `GLOBAL` in `AccessAfter`; and a wait barrier for what one of them signals, with none in `AccessBefore`.
    ///
    /// **Why it matters.** Direct and compute queues of one device share caches, and a fence barrier flushes only for
    /// these. Everything else sees the data only if the barrier asks for `GLOBAL`.
    ///
    /// **Source.** Enhanced Barriers specification (preview), "Fence Barriers": `ACCESS_GLOBAL` (0x40000000) for
    /// external dependencies. A warning for a signal of the CPU, which may announce no data.
    pub(crate) static RULE = "FN021", "external-fence-barrier", Error,
        "a fence barrier that works with the CPU or a copy or video queue without `GLOBAL`";
}

use crate::api::{BarrierAccess, QueueType};
use crate::finding::{Finding, Severity};
use crate::id::FenceId;
use crate::scenario::{Command, List, Scenario, Statement, StatementKind};
use crate::validate::{Check, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::List(check)]);

fn check(scenario: &Scenario, list: &List) -> Vec<Finding> {
    let statements = scenario
        .timeline
        .as_ref()
        .map_or(&[][..], |t| &t.statements);
    list.commands
        .iter()
        .flat_map(|command| command_findings(scenario, statements, command))
        .collect()
}

fn command_findings(
    scenario: &Scenario,
    statements: &[Statement],
    command: &Command,
) -> Vec<Finding> {
    let Some((signal, fence, _)) = command.kind.fence_step() else {
        return Vec::new();
    };
    if scenario.fences[fence].list_scoped {
        // Only the CPU signals those, before anything runs.
        return Vec::new();
    }
    let Some((who, severity)) = external(scenario, statements, fence, signal) else {
        return Vec::new();
    };
    let lacks = command.kind.barriers().iter().filter(|entry| {
        let side = if signal {
            entry.access_after
        } else {
            entry.access_before
        };
        !side.contains(BarrierAccess::GLOBAL)
    });
    let name = scenario.fence_name(fence);
    let (word, side) = if signal {
        ("waits for", "AccessAfter")
    } else {
        ("signals", "AccessBefore")
    };
    lacks
        .map(|entry| {
            let message =
                format!("{who} {word} `{name}`, but `{side}` of the barrier has no `GLOBAL`");
            Finding::new(&RULE, entry.span, message)
                .severity(severity)
                .resource(name)
                .help(format!("add `GLOBAL` to `{side}`"))
        })
        .collect()
}

/// Who is outside the direct and compute queues on the other side of a fence.
fn external(
    scenario: &Scenario,
    statements: &[Statement],
    fence: FenceId,
    signalled: bool,
) -> Option<(String, Severity)> {
    statements.iter().find_map(|statement| {
        let (queue, of, waits) = match &statement.kind {
            StatementKind::Repeat { body, .. } => {
                return external(scenario, body, fence, signalled);
            }
            StatementKind::Wait { queue, fence, .. } => (*queue, *fence, true),
            StatementKind::Signal { queue, fence, .. } => (*queue, *fence, false),
            _ => return None,
        };
        let outside = queue.is_none_or(|queue| {
            let near = [QueueType::Direct, QueueType::Compute];
            !near.contains(&scenario.queue_type(queue))
        });
        (of == fence && waits == signalled && outside).then(|| match queue {
            Some(queue) => (format!("`{}`", scenario.queue_name(queue)), Severity::Error),
            // A signal of the CPU may announce no data at all.
            None if !waits => ("the CPU".to_owned(), Severity::Warning),
            None => ("the CPU".to_owned(), Severity::Error),
        })
    })
}
