crate::finding::rule! {
    /// **What it finds.** A group barrier that some thread of the group does not reach, or that threads reach with
    /// different instructions.
    ///
    /// **Why it matters.** A barrier waits for every thread of the group. Whether a thread that has ended, or waits
    /// elsewhere, counts is undefined: some machines hang, others let the waiting threads continue.
    ///
    /// **Source.** `sync` (sm5 - asm), `_t`: "all threads in a thread group have executed up to this instruction before
    /// any thread can continue"; decision 8 of "Shader litmus tests" in the book.
    pub(crate) static RULE = "LM010", "barrier-mismatch", Hazard,
        "threads of a group do not meet at the same barriers";
}

use super::{Context, LitmusRule};
use crate::finding::Finding;
use crate::litmus::examine::Undefined;

/// What it looks at.
pub(crate) static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

fn check(context: &Context<'_>) -> Vec<Finding> {
    let program = context.program;
    let mut found = Vec::new();
    let mut rounds = vec![0; program.groups];
    for meeting in &program.meetings {
        let round = rounds[meeting.group];
        rounds[meeting.group] += 1;
        if !context
            .examination
            .undefined
            .contains(&Undefined::BarrierMismatch {
                group: meeting.group,
                round,
            })
        {
            continue;
        }
        let missing = program
            .threads
            .iter()
            .enumerate()
            .filter(|(_, t)| t.group == meeting.group)
            .find(|(index, _)| {
                !meeting
                    .ops
                    .iter()
                    .any(|&op| program.ops[op].thread == *index)
            });
        let number = program.group_numbers[meeting.group];
        let here = context.span(meeting.ops[0]);
        let finding = if let Some((thread, _)) = missing {
            let message =
                format!("thread {thread} of group {number} ends without reaching this barrier");
            let span = context.kernel.threads[thread].span;
            Finding::new(&RULE, here, message)
                .related(span, "this thread does not reach the barrier")
                .help("let every thread of the group execute the barrier, or none")
        } else {
            let message = format!("the threads of group {number} wait at different barriers");
            let others = meeting.ops[1..].iter();
            others.fold(
                Finding::new(&RULE, here, message)
                    .help("use one barrier instruction that all threads of the group execute"),
                |finding, &op| finding.related(context.span(op), "another thread waits here"),
            )
        };
        found.push(finding);
    }
    found
}
