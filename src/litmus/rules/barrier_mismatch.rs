//! **What it finds.** A group barrier that some thread of the group does not reach, or where threads arrive with
//! different instructions.
//!
//! **Why it matters.** A barrier waits for every thread of the group. Whether a thread that has ended, or waits
//! elsewhere, counts is undefined: machines hang, or let the others through.
//!
//! **Firing example**
//! ```text
//! groupshared s
//! thread group 0 cs { st s 1; sync_g_t }
//! thread group 0 cs { ld r0 s }
//! ```
//!
//! **Fixed example**
//! ```text
//! groupshared s
//! thread group 0 cs { st s 1; sync_g_t }
//! thread group 0 cs { sync_g_t; ld r0 s }
//! ```
//!
//! **Source.** `sync` (sm5 - asm), `_t`: "all threads in a thread group have executed up to this instruction before
//! any thread can continue"; decision 8.

use super::{Context, LitmusRule};
use crate::finding::{Finding, Rule, Severity};
use crate::litmus::examine::Undefined;

/// The rule.
pub static RULE: Rule = Rule {
    id: "LM010",
    name: "barrier-mismatch",
    severity: Severity::Hazard,
    summary: "threads of a group do not meet at the same barriers",
    file: include_str!("barrier_mismatch.rs"),
};

/// What it looks at.
pub static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

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
        let finding = match missing {
            Some((thread, _)) => Finding::new(
                &RULE,
                context.span(meeting.ops[0]),
                format!("thread {thread} of group {number} ends without coming to this barrier"),
            )
            .related(
                context.kernel.threads[thread].span,
                "this thread does not come",
            )
            .help("let every thread of the group execute the barrier, or none"),
            None => {
                let mut finding = Finding::new(
                    &RULE,
                    context.span(meeting.ops[0]),
                    format!("the threads of group {number} wait at different barriers"),
                )
                .help("use one barrier instruction that all threads of the group execute");
                for &op in &meeting.ops[1..] {
                    finding = finding.related(context.span(op), "another thread waits here");
                }
                finding
            }
        };
        found.push(finding);
    }
    found
}
