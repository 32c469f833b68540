crate::finding::rule! {
    /// **What it finds.** A group barrier without device scope, then a device-scope fence in one thread, for a globally
    /// coherent UAV that another thread of the group wrote before the barrier without a device fence of its own.
    ///
    /// **Why it matters.** A fence makes visible what its own thread wrote and read, not what the others wrote. The
    /// barrier makes the data visible to the group; the leader's fence does not make it visible to the device.
    ///
    /// **Source.** `sync` (sm5 - asm): memory accesses "by this thread in program order"; decision 4 of
    /// "Shader litmus tests" in the book.
    pub(crate) static RULE = "LM015", "leader-only-device-fence", Warning,
        "after a group barrier, one thread's device fence does not publish what other threads wrote";
}

use super::{Context, LitmusRule};
use crate::finding::Finding;
use crate::litmus::program::{Action, Program, bit, members};

/// What it looks at.
pub(crate) static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

fn check(context: &Context<'_>) -> Vec<Finding> {
    let program = context.program;
    let mut found = Vec::new();
    for (index, op) in program.ops.iter().enumerate() {
        let Action::Fence(fence) = &op.action else {
            continue;
        };
        let first = program.threads[op.thread].first;
        let met = (first..index)
            .rev()
            .find_map(|o| match &program.ops[o].action {
                Action::Fence(f) => f.meeting.map(|m| (o, m)),
                _ => None,
            });
        let Some((barrier, meeting)) = met.filter(|_| fence.meeting.is_none()) else {
            continue;
        };
        let unpublished = members(fence.device & fence.before).find_map(|cell| {
            if (first..index).any(|o| program.ops[o].action.cell() == Some(cell)) {
                return None;
            }
            let mut others = program.meetings[meeting].ops.iter();
            others
                .find_map(|&o| written(program, o, cell).filter(|_| o != barrier))
                .map(|writer| (cell, writer))
        });
        if let Some((cell, writer)) = unpublished {
            let name = &program.cells[cell].name;
            found.push(
                Finding::new(
                    &RULE,
                    context.span(index),
                    format!("this fence does not make thread {}'s write of `{name}` visible to other groups", program.ops[writer].thread),
                )
                .resource(name.clone())
                .related(context.span(writer), "written here, and visible only to its group")
                .related(context.span(barrier), "the group meets here")
                .help("give the barrier device scope (`sync_uglobal_t`), so that each thread publishes its own writes"),
            );
        }
    }
    found
}

/// A write of a cell before a barrier, in the barrier's thread, that no device fence up to the barrier publishes.
fn written(program: &Program, barrier: usize, cell: usize) -> Option<usize> {
    let first = program.threads[program.ops[barrier].thread].first;
    let writer = (first..barrier).rev().find(|&o| {
        let action = &program.ops[o].action;
        action.writes() && action.cell() == Some(cell)
    })?;
    let published = (writer..=barrier).any(
        |o| matches!(&program.ops[o].action, Action::Fence(f) if f.device & f.before & bit(cell) != 0),
    );
    (!published).then_some(writer)
}
