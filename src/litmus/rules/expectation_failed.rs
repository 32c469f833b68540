crate::finding::rule! {
    /// **What it finds.** An `expect` line whose verdict differs from the explored one. Of a line that is not decided
    /// because the exploration stopped at `--states`, LM019 tells; it is neither met nor wrong.
    ///
    /// **Why it matters.** Either the shader does not do what its author thinks, or the expectation is wrong. The
    /// witness, or the fences that forbid the outcome, show which.
    ///
    /// **Source.** The text form of litmus tests, in the book.
    pub(crate) static RULE = "LM020", "expectation-failed", Error,
        "an expectation that is not met";
}

use super::{Context, LitmusRule};
use crate::finding::Finding;
use crate::kernel::Kernel;
use crate::litmus::examine::Examination;

/// What it looks at.
pub(crate) static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

fn check(context: &Context<'_>) -> Vec<Finding> {
    failed(context.kernel, context.examination)
}

/// The expectations of a test that do not hold; also of one that is illegal, which has no context.
pub(crate) fn failed(kernel: &Kernel, examination: &Examination) -> Vec<Finding> {
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
