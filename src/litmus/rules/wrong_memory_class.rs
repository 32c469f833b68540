crate::finding::rule! {
    /// **What it finds.** A fence between accesses (of its own thread, or for a group barrier of any thread of the
    /// group) that orders none of the earlier ones or none of the later ones, because these access another class of
    /// memory or another UAV.
    ///
    /// **Why it matters.** `_g` orders groupshared accesses, `_u…` orders UAV accesses, and the object form orders
    /// earlier accesses to one UAV. Instructions that a fence does not name are not affected by it.
    ///
    /// **Source.** `sync` (sm5 - asm): "Memory fences prevent affected instructions from being reordered"; decision 6 of
    /// "Shader litmus tests" in the book.
    pub(crate) static RULE = "LM014", "wrong-memory-class", Warning,
        "a fence between accesses to memory that it does not name";
}

use super::{Context, LitmusRule};
use crate::finding::Finding;
use crate::kernel::{Fence, OpKind};
use crate::litmus::program::{Action, bit};

/// What it looks at.
pub(crate) static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

fn check(context: &Context<'_>) -> Vec<Finding> {
    let program = context.program;
    let mut found = Vec::new();
    for (index, op) in program.ops.iter().enumerate() {
        let Action::Fence(fence) = &op.action else {
            continue;
        };
        if !matches!(context.text(op).kind, OpKind::Fence(_)) {
            continue;
        }
        // Where each thread that takes part is at this fence.
        let here: Vec<usize> = match fence.meeting {
            None => vec![index],
            // A barrier is reported once, in the first thread that reaches it.
            Some(meeting) if program.meetings[meeting].ops[0] != index => continue,
            Some(meeting) => program.meetings[meeting].ops.clone(),
        };
        let (mut before, mut after) = (0, 0);
        for at in here {
            let thread = &program.threads[program.ops[at].thread];
            for o in thread.first..thread.end {
                let cell = program.ops[o].action.cell().map_or(0, bit);
                if o < at {
                    before |= cell;
                } else {
                    after |= cell;
                }
            }
        }
        let orders = before & fence.before != 0 && after & fence.after != 0;
        if before == 0 || after == 0 || orders {
            continue;
        }
        if fence.before | fence.after == 0
            && let OpKind::Fence(text @ Fence::Barrier { flags, .. }) = context.text(op).kind
            && text.effect().classes.is_empty()
            && !flags.device
            && !flags.group
        {
            found.push(
                Finding::new(
                    &RULE,
                    context.span(index),
                    "this barrier has no scope and makes nothing visible to another thread",
                )
                .help("add `DEVICE` or `GROUP`"),
            );
            continue;
        }
        let side = if before & fence.before == 0 {
            "before"
        } else {
            "after"
        };
        found.push(
            Finding::new(
                &RULE,
                context.span(index),
                format!("this fence orders nothing: it names no memory that is accessed {side} it"),
            )
            .help("name the class of the accesses around it: `_u…` for UAVs, `_g` for groupshared memory"),
        );
    }
    found
}
