crate::finding::rule! {
    /// **What it finds.** Plain accesses that race with a write of another thread that no fence has made visible.
    ///
    /// **Why it matters.** Such a race is not undefined: a plain 32-bit access does not tear, and it returns one of a
    /// set of values. But the machine decides which one, and a compiler may read a flag that is polled this way only
    /// once. Accesses of 64 bits and more tear into dwords.
    ///
    /// **Source.** Decision 1 of "Shader litmus tests" in the book: plain accesses of 32 bits do not tear, and races between
    /// them give one of a set of values.
    pub(crate) static RULE = "LM018", "plain-access-race", Advice,
        "plain accesses of different threads race";
}

use super::{Context, LitmusRule};
use crate::finding::Finding;
use crate::litmus::explore::undefined;
use crate::litmus::program::members;

/// What it looks at.
pub(crate) static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

fn check(context: &Context<'_>) -> Vec<Finding> {
    let Some(answer) = context.examination.specification() else {
        return Vec::new();
    };
    let ops = answer.exploration.undefined[undefined::PLAIN_RACE.trailing_zeros() as usize];
    let worse = answer.exploration.undefined[undefined::FOREIGN_READ.trailing_zeros() as usize]
        | answer.exploration.undefined[undefined::MIXED_ATOMIC.trailing_zeros() as usize];
    let ops: Vec<usize> = members(ops & !worse).collect();
    let Some((&first, others)) = ops.split_first() else {
        return Vec::new();
    };
    let mut finding = Finding::new(
        &RULE,
        context.span(first),
        "this plain access races with a write of another thread",
    )
    .resource(context.name(first))
    .help("the result is defined; use an atomic if a decision depends on the value");
    for &op in others {
        finding = finding.related(context.span(op), "this access races too");
    }
    vec![finding]
}
