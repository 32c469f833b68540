crate::finding::rule! {
    /// **What it finds.** A plain load, of a UAV that is not declared `globallycoherent`, that can return what another
    /// group wrote; or an atomic that can read another group's plain store to such a UAV. A load under a branch that is
    /// not taken reads nothing, and what the thread has overwritten itself it no longer reads.
    ///
    /// **Why it matters.** Such a UAV is coherent only within a thread group: each group may keep its own copy, and no
    /// fence reaches across, because on this UAV `sync_uglobal` acts as `sync_ugroup`. What the load or the atomic
    /// returns is undefined. Atomics among themselves do not need the declaration.
    ///
    /// **Source.** `sync` (sm5 - asm), `_uglobal`: for a UAV not declared globally coherent the fence "has visibility
    /// only within the current compute shader thread group for that UAV"; decision 8 of "Shader litmus tests" in
    /// the book; reading R59.
    pub(crate) static RULE = "LM008", "foreign-group-read", Hazard,
        "a read of what another group wrote on a UAV that is not globally coherent";
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
    let ops = answer.exploration.undefined[undefined::FOREIGN_READ.trailing_zeros() as usize];
    members(ops)
        .map(|op| {
            let it = &context.program.ops[op];
            let name = context.name(op);
            let loads = matches!(it.action, Action::Load { plain: true, .. });
            let (what, other) = if loads {
                ("load may read what another group wrote to", "use an atomic")
            } else {
                (
                    "atomic may read another group's plain store to",
                    "make the store an atomic",
                )
            };
            let mut finding = Finding::new(
                &RULE,
                context.span(op),
                format!("this {what} `{name}`, but `{name}` is coherent only within a group"),
            )
            .resource(name.clone())
            .help(format!("declare `uav {name} globallycoherent`, or {other}"));
            let cell = it.action.cell().map(|c| &context.program.cells[c]);
            for &writer in cell.map_or(&[][..], |c| &c.writers[..]) {
                let from = &context.program.ops[writer];
                let read = loads || matches!(from.action, Action::Store { .. });
                if read && from.group != it.group {
                    finding =
                        finding.related(context.span(writer), "the other group writes it here");
                }
            }
            finding
        })
        .collect()
}
