//! **What it finds.** An `expect` line whose verdict differs from the explored one. Of a line that is not decided because
//! the exploration stopped at `--states`, LM019 tells; it is neither met nor wrong.
//!
//! **Why it matters.** Either the shader does not do what its author thinks, or the expectation is wrong. The witness,
//! or the fences that forbid the outcome, show which.
//!
//! **Firing example**
//! ```text
//! uav x globallycoherent
//! thread group 0 cs { st x 1 }
//! thread group 1 cs { ld r0 x }
//! expect forbidden 1:r0 == 0
//! ```
//!
//! **Fixed example**
//! ```text
//! uav x globallycoherent
//! thread group 0 cs { st x 1 }
//! thread group 1 cs { ld r0 x }
//! expect allowed 1:r0 == 0
//! ```
//!
//! **Source.** The text form of litmus tests, in the book.

use super::{Context, LitmusRule};
use crate::finding::{Finding, Rule, Severity};
use crate::kernel::Kernel;
use crate::litmus::examine::Examination;

/// The rule.
pub static RULE: Rule = Rule {
    id: "LM020",
    name: "expectation-failed",
    severity: Severity::Error,
    summary: "an expectation that is not met",
    file: include_str!("expectation_failed.rs"),
};

/// What it looks at.
pub static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

fn check(context: &Context<'_>) -> Vec<Finding> {
    failed(context.kernel, context.examination)
}

/// The expectations of a test that do not hold; also of one that is illegal, which has no context.
pub fn failed(kernel: &Kernel, examination: &Examination) -> Vec<Finding> {
    examination
        .judged
        .iter()
        .filter_map(|judged| {
            let expectation = &kernel.expectations[judged.expectation];
            let found = judged.verdict.filter(|v| *v != expectation.verdict)?;
            Some(
                Finding::new(
                    &RULE,
                    expectation.span,
                    format!(
                        "this is {}, not {}",
                        found.word(),
                        expectation.verdict.word()
                    ),
                )
                .help("correct the shader, or the expectation"),
            )
        })
        .collect()
}
