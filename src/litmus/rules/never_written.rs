crate::finding::rule! {
    /// **What it finds.** A load of a groupshared variable that no thread of the same group writes and no line
    /// initialises.
    ///
    /// **Why it matters.** Groupshared memory is not cleared, and each group has its own: a write of another group to
    /// the variable of that name is not visible here. The load returns whatever the memory contained before.
    ///
    /// **Source.** Decision 8 of "Shader litmus tests" in the book: groupshared loads where no thread of the group writes.
    pub(crate) static RULE = "LM011", "groupshared-never-written", Hazard,
        "a groupshared variable is read that no thread of its group writes";
}

use super::{Context, LitmusRule};
use crate::finding::Finding;
use crate::litmus::examine::Undefined;

/// What it looks at.
pub(crate) static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

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
