//! A text against its own expectations: scenarios and litmus tests.
//!
//! Files are read by whoever calls; comparing is left to `expect.rs`.

use super::expect::{Mismatch, compare, is_of_text, unknown, unknown_allowed, without};
use super::{Options, Registry, Repair, Switch, Unusable, is_denied, switch};
use crate::finding::{Finding, Source, Span};
use crate::id::narrow;
use crate::kernel::{self, Kernel};
use crate::litmus::examine::ExamineOptions;
use crate::litmus::rules::expectation_failed;
use crate::litmus::study::{Study, study};
use crate::scenario::{self, Expectation, json};

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

/// Reads a litmus test; it is complete if there are no findings. Beside what the parser says, words of its comments that
/// name no rule are mistakes.
pub fn read_litmus(source: &Source) -> (Kernel, Vec<Finding>) {
    let (kernel, mut findings) = kernel::parse(source);
    if !kernel.allows.is_empty() || !kernel.marks.is_empty() {
        let rules: Vec<_> = super::rules().collect();
        let allowed = kernel.allows.iter().map(|a| (&*a.ids, a.covers));
        findings.extend(unknown_allowed(allowed, source, &rules));
        findings.extend(unknown(&marks(&kernel, source), &rules));
    }
    (kernel, findings)
}

/// The comments `//~ ID` of a test.
fn marks(kernel: &Kernel, source: &Source) -> Vec<Expectation> {
    let expectation = |mark: &kernel::Mark| {
        let mut lines = source.text.split_inclusive('\n');
        let before = lines.by_ref().take(mark.line as usize - 1);
        let before: usize = before.map(str::len).sum();
        let line = lines.next().unwrap_or_default().trim_end();
        let at = line.rfind("//~").unwrap_or_default();
        Expectation {
            line: mark.line,
            ids: mark.ids.clone(),
            span: Span {
                start: narrow(before + at),
                end: narrow(before + line.len()),
            },
        }
    };
    kernel.marks.iter().map(expectation).collect()
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
