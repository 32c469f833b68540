//! **What it finds.** A load of a groupshared variable that no thread of the same group writes and no line
//! initialises.
//!
//! **Why it matters.** Groupshared memory is not cleared, and each group has its own: a write of another group to the
//! variable of that name is not visible here. The load returns whatever the memory contained before.
//!
//! **Firing example**
//! ```text
//! groupshared s
//! thread group 0 cs { st s 1 }
//! thread group 1 cs { ld r0 s }
//! expect undefined 1:r0 == 1
//! ```
//!
//! **Fixed example**
//! ```text
//! groupshared s
//! thread group 0 cs { st s 1 }
//! thread group 0 cs { ld r0 s }
//! expect allowed 1:r0 == 1
//! ```
//!
//! **Source.** Decision 8: groupshared read before any write.

use super::{Context, LitmusRule};
use crate::finding::{Finding, Rule, Severity};
use crate::litmus::examine::Undefined;

/// The rule.
pub static RULE: Rule = Rule {
    id: "LM011",
    name: "groupshared-never-written",
    severity: Severity::Hazard,
    summary: "a groupshared variable is read that no thread of its group writes",
    file: include_str!("never_written.rs"),
};

/// What it looks at.
pub static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

fn check(context: &Context<'_>) -> Vec<Finding> {
    let undefined = &context.examination.undefined;
    undefined
        .iter()
        .filter_map(|u| match u {
            Undefined::NeverWritten { op } => Some(*op),
            _ => None,
        })
        .map(|op| {
            let name = context.name(op);
            let group = context.kernel.threads[context.program.ops[op].thread].group;
            Finding::new(
                &RULE,
                context.span(op),
                format!("no thread of group {group} writes its `{name}`"),
            )
            .resource(name)
            .help("write the variable first, in this group; groups share only UAVs")
        })
        .collect()
}
