crate::finding::rule! {
    /// **What it finds.** A groupshared atomic and a plain store of another thread to the same variable, with no group
    /// barrier between them.
    ///
    /// **Why it matters.** Groupshared atomics are atomic against each other only: a device may build them from a load,
    /// an operation and a store. A plain store in between is lost or partly seen. A group barrier between the two is
    /// enough, for example after one thread has cleared a counter.
    ///
    /// **Source.** Decision 8 of "Shader litmus tests" in the book: groupshared atomics and plain stores of two threads that
    /// nothing orders.
    pub(crate) static RULE = "LM009", "groupshared-atomic-race", Hazard,
        "a groupshared atomic and a plain store to the same variable race";
}

use super::{Context, LitmusRule};
use crate::finding::Finding;
use crate::litmus::explore::undefined;
use crate::litmus::program::{Action, members};

/// What it looks at.
pub(crate) static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

fn check(context: &Context<'_>) -> Vec<Finding> {
    let Some(answer) = context.examination.specification() else {
        return Vec::new();
    };
    let ops = answer.exploration.undefined[undefined::MIXED_ATOMIC.trailing_zeros() as usize];
    let atomic = |op: usize| matches!(context.program.ops[op].action, Action::Atomic { .. });
    // A race is often seen from both sides: then the atomic's is told.
    let any = members(ops).any(atomic);
    members(ops)
        .filter(|&op| !any || atomic(op))
        .map(|op| {
            let name = context.name(op);
            let mut finding = Finding::new(
                &RULE,
                context.span(op),
                format!("an atomic and a plain store to `{name}` of two threads are not ordered"),
            )
            .resource(name)
            .help("put `sync_g_t` (GroupMemoryBarrierWithGroupSync) between them, or make the store an atomic");
            let cell = context.program.ops[op].action.cell();
            let writers = cell.map_or(&[][..], |c| &context.program.cells[c].writers[..]);
            for &writer in writers {
                let it = &context.program.ops[writer];
                if atomic(writer) != atomic(op) && it.thread != context.program.ops[op].thread {
                    finding = finding.related(context.span(writer), "the other access");
                }
            }
            finding
        })
        .collect()
}
