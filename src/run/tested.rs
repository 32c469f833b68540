//! A text against its own expectations: scenarios and litmus tests.
//!
//! Files are read by whoever calls; comparing is left to `expect.rs`.

use super::{Options, Registry, Repair, Switch, Unusable, is_denied, switch};
use crate::finding::{Finding, Source};
use crate::kernel::Kernel;
use crate::litmus::examine::ExamineOptions;
use crate::litmus::rules::expectation_failed;
use crate::litmus::study::{Study, study};
use crate::pipeline::expect::{Mismatch, compare, is_of_text, without};
use crate::pipeline::kernels::{marks, read_litmus};
use crate::scenario::{self, json};

/// What differs between the expectations of a scenario and its findings; nothing if all hold. `only` limits the comparison to some families, empty means all.
///
/// # Errors
/// If the profile, the lowering or a setting is unknown, or the run is longer than the clock counts.
pub fn test_scenario(
    source: Source,
    is_json: bool,
    registry: &Registry,
    options: &Options,
    only: &[String],
) -> Result<Vec<Mismatch>, Unusable> {
    let rules = &registry.rules;
    let source = match is_json.then(|| json::to_text(&source)) {
        None => source,
        Some(Ok(text)) => Source::new(source.name, text),
        // JSON that is no scenario: its finding is about the JSON, where expectations are comments as in scenario text.
        Some(Err(finding)) => {
            let (text, _) = scenario::parse(&source);
            return Ok(compare(
                &text.expectations,
                &[*finding],
                &source,
                rules,
                only,
            ));
        }
    };
    let (scenario, _) = scenario::parse(&source);
    let report = if scenario.timeline.is_none() {
        super::check(&source, options)
    } else {
        super::run(&source, registry, options)?
    };
    Ok(compare(
        &scenario.expectations,
        &report.findings,
        &source,
        rules,
        only,
    ))
}

/// What differs between a litmus test and its `expect` lines, and its comments `//~ ID` if it has any.
pub fn test_litmus(
    source: &Source,
    registry: &Registry,
    switches: &[Switch],
    only: &[String],
) -> Vec<Mismatch> {
    let (kernel, mut findings) = read_litmus(source);
    if findings.is_empty() {
        findings = study(&kernel, &ExamineOptions::default(), None).findings;
        switch(&mut findings, switches);
    }
    // Without such comments an undefined or illegal test is what its `expect` lines say.
    let asked = !kernel.marks.is_empty();
    let counts =
        |f: &Finding| asked || f.rule.id == expectation_failed::RULE.id || is_of_text(f.rule);
    findings.retain(counts);
    let marks = marks(&kernel, source);
    compare(&marks, &findings, source, &registry.rules, only)
}

/// Whether a litmus test is as it should be: its expectations decide; without any, whether something is wrong. What
/// `--deny` names is wrong in any case.
pub fn litmus_holds(kernel: &Kernel, study: &Study, switches: &[Switch]) -> bool {
    let good = if kernel.expectations.is_empty() {
        !study.findings.iter().any(|f| f.severity.fails())
    } else {
        study.examination.holds(kernel)
    };
    good && !study.findings.iter().any(|f| is_denied(f.rule, switches))
}

/// The repaired text without the expectations that the repair made untrue.
pub fn settled(repair: &Repair, registry: &Registry, options: &Options) -> String {
    let source = &repair.source;
    let (scenario, _) = scenario::parse(source);
    if scenario.expectations.is_empty() {
        return source.text.clone();
    }
    let findings = super::check(source, options).findings;
    let families = ["HZ", "EB", "LB", "FN"].map(str::to_owned);
    let expectations = &scenario.expectations;
    let mismatches = compare(expectations, &findings, source, &registry.rules, &families);
    without(expectations, &mismatches, source)
}
