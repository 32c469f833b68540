//! **What it finds.** Plain accesses that race with a write of another thread that no fence has made visible.
//!
//! **Why it matters.** Such a race is not undefined: a plain 32-bit access does not tear, and it returns one of a set
//! of values. But the machine decides which one, and a compiler may read a flag that is polled this way only once.
//! Accesses of 64 bits and more tear into dwords.
//!
//! **Firing example**
//! ```text
//! uav x globallycoherent
//! thread group 0 cs { st x 1 }
//! thread group 1 cs { ld r0 x }
//! ```
//!
//! **Fixed example**
//! ```text
//! uav x globallycoherent
//! thread group 0 cs { xchg r0 x 1 }
//! thread group 1 cs { or r0 x 0 }
//! ```
//!
//! **Source.** Decision 1.

use super::{Context, LitmusRule};
use crate::finding::{Finding, Rule, Severity};
use crate::litmus::explore::undefined;
use crate::litmus::program::members;

/// The rule.
pub static RULE: Rule = Rule {
    id: "LM018",
    name: "plain-access-race",
    severity: Severity::Advice,
    summary: "plain accesses of different threads race",
    file: include_str!("plain_race.rs"),
};

/// What it looks at.
pub static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

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
