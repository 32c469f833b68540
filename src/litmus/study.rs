//! Everything that is reported about one test: examination, findings, and for each expectation how its condition comes
//! about or what forbids it.

use super::examine::{Examination, ExamineOptions, ModelName, examine};
use super::mutate::{Reason, Tried, reason, try_within};
use super::program::Program;
use super::random::{Histogram, walk};
use super::rules::{self, Context, expectation_failed};
use super::witness::{Witness, find};
use crate::finding::Finding;
use crate::kernel::{Kernel, Verdict};

/// Random walks that are asked for.
#[derive(Copy, Clone, Debug)]
pub struct Walks {
    /// Number of walks.
    pub runs: u64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// The model in which they walk.
    pub model: ModelName,
}

/// What an expectation's condition comes to, for people.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Told {
    /// A way to it, if some outcome satisfies it.
    pub witness: Option<Witness>,
    /// What forbids it, if none does.
    pub reason: Option<Reason>,
}

/// A studied test.
#[non_exhaustive]
pub struct Study {
    /// The examination of the test as written.
    pub examination: Examination,
    /// Weaker versions of the test.
    pub tried: Vec<Tried>,
    /// Findings in order of the text.
    pub findings: Vec<Finding>,
    /// One for each expectation.
    pub told: Vec<Told>,
    /// Outcomes of random walks.
    pub histogram: Option<(Walks, Histogram)>,
}

/// Only the findings of a test that was parsed without findings: no witness is looked for. Weaker versions are tried
/// within `budget` states; without them no fence is called redundant or too wide.
pub fn findings(kernel: &Kernel, options: &ExamineOptions, budget: usize) -> Vec<Finding> {
    let examination = examine(kernel, options);
    let tried = weaker(kernel, &examination, options, budget);
    reported(kernel, &examination, &tried)
}

/// Weaker versions, within a budget of states; none if exploring the test itself was given up.
fn weaker(
    kernel: &Kernel,
    examination: &Examination,
    options: &ExamineOptions,
    budget: usize,
) -> Vec<Tried> {
    let answer = examination.specification();
    if answer.is_some_and(|a| a.exploration.complete) {
        try_within(kernel, options, budget)
    } else {
        Vec::new()
    }
}

/// Findings in order of the text, without those that the text allows.
fn reported(kernel: &Kernel, examination: &Examination, tried: &[Tried]) -> Vec<Finding> {
    let mut findings = if let Some(program) = &examination.program {
        rules::check(&Context {
            kernel,
            examination,
            program,
            tried,
        })
    } else {
        let mut all = examination.illegal.clone();
        all.extend(expectation_failed::failed(kernel, examination));
        all
    };
    findings.retain(|f| f.rule.id == expectation_failed::RULE.id || !is_allowed(kernel, f));
    findings
}

/// Whether the text allows a finding.
fn is_allowed(kernel: &Kernel, finding: &Finding) -> bool {
    let rule = finding.rule;
    kernel.allows.iter().any(|allow| {
        (allow.covers.start..allow.covers.end).contains(&finding.span.start)
            && allow
                .ids
                .iter()
                .any(|id| [rule.id, rule.name, rule.family()].contains(&id.as_str()))
    })
}

/// Studies a test that was parsed without findings.
pub fn study(kernel: &Kernel, options: &ExamineOptions, walks: Option<Walks>) -> Study {
    let examination = examine(kernel, options);
    let tried = weaker(kernel, &examination, options, options.limits.states_max);
    let findings = reported(kernel, &examination, &tried);
    let told = examination
        .judged
        .iter()
        .map(|judged| {
            let condition = &kernel.expectations[judged.expectation].condition;
            Told {
                witness: find(kernel, &examination, condition, options),
                reason: (judged.verdict == Some(Verdict::Forbidden))
                    .then(|| reason(kernel, judged.expectation, &tried, options))
                    .flatten(),
            }
        })
        .collect();
    let histogram = walks.and_then(|walks| {
        examination.program.as_ref()?;
        // A device does not start identical threads in order.
        let program = Program::new_plain(kernel, &examination.subjects, &options.knobs);
        let seen = walk(&program, walks.model, options, walks.runs, walks.seed);
        Some((walks, seen))
    });
    Study {
        examination,
        tried,
        findings,
        told,
        histogram,
    }
}
