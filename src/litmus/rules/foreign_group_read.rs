//! **What it finds.** A plain load of a UAV that is not declared `globallycoherent`, in an execution where a thread of
//! another group has written it.
//!
//! **Why it matters.** Such a UAV is coherent only within a thread group: each group may keep its own copy, and no
//! fence reaches across, because on this UAV `sync_uglobal` acts as `sync_ugroup`. What the load returns is undefined.
//! Atomics do not need the declaration.
//!
//! **Firing example**
//! ```text
//! uav x
//! uav y
//! thread group 0 cs { st x 1; sync_uglobal; xchg r0 y 1 }
//! thread group 1 cs { or r0 y 0; sync_uglobal; ld r1 x }
//! expect undefined 1:r0 == 1 & 1:r1 == 0
//! ```
//!
//! **Fixed example**
//! ```text
//! uav x globallycoherent
//! uav y
//! thread group 0 cs { st x 1; sync_uglobal; xchg r0 y 1 }
//! thread group 1 cs { or r0 y 0; sync_uglobal; ld r1 x }
//! expect forbidden 1:r0 == 1 & 1:r1 == 0
//! ```
//!
//! **Source.** `sync` (sm5 - asm), `_uglobal`: for a UAV not declared globally coherent the fence "has visibility only
//! within the current compute shader thread group for that UAV"; decision 8.

use super::{Context, LitmusRule};
use crate::finding::{Finding, Rule, Severity};
use crate::litmus::explore::undefined;
use crate::litmus::program::members;

/// The rule.
pub static RULE: Rule = Rule {
    id: "LM008",
    name: "foreign-group-read",
    severity: Severity::Hazard,
    summary: "a plain load of what another group wrote on a UAV that is not globally coherent",
    file: include_str!("foreign_group_read.rs"),
};

/// What it looks at.
pub static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

fn check(context: &Context<'_>) -> Vec<Finding> {
    let Some(answer) = context.examination.specification() else {
        return Vec::new();
    };
    let ops = answer.exploration.undefined[undefined::FOREIGN_READ.trailing_zeros() as usize];
    members(ops)
        .map(|op| {
            let it = &context.program.ops[op];
            let name = context.name(op);
            let mut finding = Finding::new(
                &RULE,
                context.span(op),
                format!("this load may read `{name}` after another group wrote it, but `{name}` is coherent only within a group"),
            )
            .resource(name.clone())
            .help(format!("declare `uav {name} globallycoherent`, or use an atomic"));
            let cell = it.action.cell().map(|c| &context.program.cells[c]);
            for &writer in cell.map_or(&[][..], |c| &c.writers[..]) {
                if context.program.ops[writer].group != it.group {
                    finding = finding.related(context.span(writer), "the other group writes it here");
                }
            }
            finding
        })
        .collect()
}
