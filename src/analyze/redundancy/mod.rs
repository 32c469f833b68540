//! Barriers that nobody needs, or that are wider than what they must cover.
//!
//! The proofs — re-runs of edited copies — are made by `run`; this file says what follows from them.

mod redundant_barrier;
mod too_wide_barrier;

use crate::finding::{Finding, Rule, Span};

/// Rules of this family.
pub static RULES: &[&Rule] = &[&redundant_barrier::RULE, &too_wide_barrier::RULE];

/// A barrier was proved redundant.
pub fn redundant(span: Span, resource: &str, text: &str) -> Finding {
    let finding = Finding::new(
        &redundant_barrier::RULE,
        span,
        format!("nothing depends on this barrier ({text})"),
    )
    .note("deleting it and evaluating again added no error or hazard")
    .help("delete it");
    if resource.is_empty() {
        finding
    } else {
        finding.resource(resource)
    }
}

/// A barrier was proved too wide; `narrower` says which field can be what.
pub fn too_wide(span: Span, resource: &str, narrower: &str) -> Finding {
    let finding = Finding::new(
        &too_wide_barrier::RULE,
        span,
        format!("this barrier names more than it must cover: {narrower}"),
    )
    .note("narrowing it and evaluating again added no error or hazard")
    .help(narrower.to_string());
    if resource.is_empty() {
        finding
    } else {
        finding.resource(resource)
    }
}
