//! Barriers that nobody needs, or that are wider than what they must cover.
//!
//! The proofs — re-runs of edited copies — are made by `run`; this file says what follows from them.

use crate::finding::{Finding, Rule, Severity, Span};

/// **What it finds.** A barrier that can be deleted, with the layouts of its neighbours relinked, without adding an
/// error or hazard.
///
/// **Why it matters.** It waits, flushes or rewrites for nobody.
///
/// **Source.** Reading R48; R33 for what counts as needed at the end of the timeline.
static REDUNDANT: Rule = Rule {
    id: "RD101",
    name: "redundant-barrier",
    severity: Severity::Warning,
    summary: "a barrier that can be deleted without adding an error or hazard",
};

/// **What it finds.** A barrier whose masks can be narrowed without adding a hazard: `ALL` or `COMMON` where specific
/// bits do, or bits that serve no use of the resource.
///
/// **Why it matters.** Drivers wait for and flush what is named.
///
/// **Source.** Enhanced Barriers specification, `D3D12_BARRIER_ACCESS_COMMON`, "Excessive sync latency"; reading R16.
static TOO_WIDE: Rule = Rule {
    id: "RD102",
    name: "too-wide-barrier",
    severity: Severity::Advice,
    summary: "a barrier whose masks can be narrowed without adding a hazard",
};

/// Rules of this family.
pub static RULES: &[&Rule] = &[&REDUNDANT, &TOO_WIDE];

/// A barrier was proved redundant.
pub fn redundant(span: Span, resource: &str, text: &str) -> Finding {
    let finding = Finding::new(
        &REDUNDANT,
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
        &TOO_WIDE,
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
