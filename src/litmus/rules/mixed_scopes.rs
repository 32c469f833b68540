crate::finding::rule! {
    /// **What it finds.** A globally coherent UAV that two groups access, fenced with device scope in one thread but
    /// with only group scope in a thread of the other group.
    ///
    /// **Why it matters.** Both sides need a fence whose scope includes the other thread. The narrow fence makes
    /// nothing visible to the other group: the pair looks synchronised and is not.
    ///
    /// **Source.** `sync` (sm5 - asm), `_ugroup`: visible "to all threads in the thread group"; decisions 2 and 4 of
    /// "Shader litmus tests" in the book.
    pub(crate) static RULE = "LM013", "mixed-scopes", Warning,
        "threads of different groups fence one UAV with different scopes";
}

use super::{Context, LitmusRule};
use crate::finding::Finding;
use crate::litmus::program::{Action, bit, members};

/// What it looks at.
pub(crate) static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

fn check(context: &Context<'_>) -> Vec<Finding> {
    let program = context.program;
    // For each thread and cell that it accesses: its first narrow fence if it has no wide one, and whether it has one.
    let fences = |thread: usize, cell: usize| {
        let it = &program.threads[thread];
        let mut narrow = None;
        let mut wide = false;
        for op in it.first..it.end {
            if let Action::Fence(fence) = &program.ops[op].action
                && fence.before & bit(cell) != 0
            {
                wide |= fence.device & bit(cell) != 0;
                narrow = narrow.or(Some(op));
            }
        }
        (narrow.filter(|_| !wide), wide)
    };
    let mut found: Vec<Finding> = Vec::new();
    for (cell, it) in program.cells.iter().enumerate() {
        if !it.globally_coherent || !it.between_groups {
            continue;
        }
        let threads: Vec<usize> = (0..program.threads.len())
            .filter(|&t| members(it.accesses).any(|o| program.ops[o].thread == t))
            .collect();
        for &thread in &threads {
            let Some(narrow) = fences(thread, cell).0 else {
                continue;
            };
            let other = threads.iter().find(|&&t| {
                program.threads[t].group != program.threads[thread].group && fences(t, cell).1
            });
            let Some(&other) = other else { continue };
            let span = context.span(narrow);
            if found.iter().any(|f| f.span == span) {
                continue;
            }
            found.push(
                Finding::new(
                    &RULE,
                    span,
                    format!("`{}` is fenced with group scope here and with device scope in thread {other} of another group", it.name),
                )
                .resource(it.name.clone())
                .related(context.kernel.threads[other].span, "this thread uses device scope")
                .help("use device scope (`sync_uglobal`) on both sides"),
            );
        }
    }
    found
}
