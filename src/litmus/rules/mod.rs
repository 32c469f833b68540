//! The rules of what a litmus test can do: the part of family `LM` that needs exploration, one file a rule.

#![allow(
    unreachable_pub,
    reason = "a rule's file reads the same wherever it is"
)]

pub(crate) mod barrier_mismatch;
pub(crate) mod device_acts_as_group;
pub(crate) mod expectation_failed;
pub(crate) mod fence_too_wide;
pub(crate) mod foreign_group_read;
pub(crate) mod leader_only_fence;
pub(crate) mod mixed_atomic;
pub(crate) mod mixed_scopes;
pub(crate) mod never_written;
pub(crate) mod plain_race;
pub(crate) mod redundant_fence;
pub(crate) mod state_limit;
pub(crate) mod wrong_memory_class;

use super::examine::Examination;
use super::mutate::{OpPlace, Tried};
use super::program::{Instruction, Program};
use crate::finding::{Finding, Rule, Span};
use crate::kernel::{Kernel, Op};

/// A rule with the function that looks.
pub struct LitmusRule {
    /// The rule.
    pub rule: &'static Rule,
    /// What it finds.
    pub check: fn(&Context<'_>) -> Vec<Finding>,
}

/// Every rule, in order of id.
pub static RULES: &[&LitmusRule] = &[
    &foreign_group_read::LITMUS,
    &mixed_atomic::LITMUS,
    &barrier_mismatch::LITMUS,
    &never_written::LITMUS,
    &device_acts_as_group::LITMUS,
    &mixed_scopes::LITMUS,
    &wrong_memory_class::LITMUS,
    &leader_only_fence::LITMUS,
    &redundant_fence::LITMUS,
    &fence_too_wide::LITMUS,
    &plain_race::LITMUS,
    &state_limit::LITMUS,
    &expectation_failed::LITMUS,
];

/// Rules of this layer, in order of id.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().map(|r| r.rule)
}

/// What a rule looks at: an explored test.
pub struct Context<'a> {
    /// The test.
    pub kernel: &'a Kernel,
    /// What exploring it showed.
    pub examination: &'a Examination,
    /// The compiled test.
    pub program: &'a Program,
    /// Its weaker versions.
    pub tried: &'a [Tried],
}

impl Context<'_> {
    /// The text of an instruction.
    pub fn text(&self, op: &Instruction) -> &Op {
        &self.kernel.threads[op.thread].ops[op.line]
    }

    /// Where an instruction is.
    pub fn span(&self, op: usize) -> Span {
        self.text(&self.program.ops[op]).span
    }

    /// Where a place is.
    pub fn place(&self, place: OpPlace) -> Span {
        self.kernel.threads[place.0].ops[place.1].span
    }

    /// The name of the variable that an instruction accesses.
    pub fn name(&self, op: usize) -> String {
        self.program.ops[op]
            .action
            .cell()
            .map(|c| {
                let location = self.program.cells[c].location;
                self.kernel.location(location).name.clone()
            })
            .unwrap_or_default()
    }
}

/// Every finding about a test, in order of the text.
pub fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|r| (r.check)(context)).collect();
    findings.sort_by_key(|f| (f.span.start, f.rule.id));
    findings
}
