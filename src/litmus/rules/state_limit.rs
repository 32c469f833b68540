crate::finding::rule! {
    /// **What it finds.** An exploration that stopped because it has more states than `--states` allows.
    ///
    /// **Why it matters.** A verdict needs every state: a forbidden outcome is one that no state shows. Undecided
    /// expectations get no verdict, and this finding names them. They are not met: the exit status is 1.
    ///
    /// **Source.** The bounds of the explorer, in the book. The firing example fires with `--states 2`.
    pub(crate) static RULE = "LM019", "state-limit", Warning,
        "a model with more states than the limit, so that verdicts are unknown";
}

use super::{Context, LitmusRule};
use crate::finding::Finding;

/// What it looks at.
pub(crate) static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

fn check(context: &Context<'_>) -> Vec<Finding> {
    let given_up: Vec<String> = context
        .examination
        .answers
        .iter()
        .filter(|a| !a.exploration.complete)
        .map(|a| format!("{} after {} states", a.model.word(), a.exploration.states()))
        .collect();
    if given_up.is_empty() {
        return Vec::new();
    }
    let span = context
        .kernel
        .threads
        .first()
        .map(|t| t.span)
        .unwrap_or_default();
    let mut finding = Finding::new(
        &RULE,
        span,
        format!(
            "the exploration stopped at the limit: {}",
            given_up.join(", ")
        ),
    )
    .help("split the test, or allow more with `--states`");
    for judged in &context.examination.judged {
        if judged.verdict.is_none() {
            let span = context.kernel.expectations[judged.expectation].span;
            finding = finding.related(span, "this is undecided");
        }
    }
    vec![finding]
}
