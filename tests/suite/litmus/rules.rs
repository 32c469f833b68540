//! Family `LM` against its scenarios: each rule has one that fires and one that stays quiet.

use std::path::Path;
use syncscope::finding::{Finding, Rule, Severity, Source};
use syncscope::kernel;
use syncscope::litmus::examine::ExamineOptions;
use syncscope::litmus::explore::Limits;
use syncscope::litmus::rules as lm;
use syncscope::litmus::study::study;

fn rules() -> Vec<&'static Rule> {
    kernel::RULES.iter().copied().chain(lm::rules()).collect()
}

/// Findings of a file, and its marks as `(line, id)`.
fn findings(id: &str, name: &str) -> (Source, Vec<Finding>, Vec<(u32, String)>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenarios/rules")
        .join(id)
        .join(name);
    let text = std::fs::read_to_string(&path).expect("every rule has its scenarios");
    let source = Source::new(path.display().to_string(), text);
    let (kernel, mut found) = kernel::parse(&source);
    if found.is_empty() {
        let options = ExamineOptions {
            limits: Limits {
                states_max: if id == "LM019" { 2 } else { 1_000_000 },
                progress: None,
            },
            ..ExamineOptions::default()
        };
        found = study(&kernel, &options, None).findings;
    }
    let marks = kernel
        .marks
        .iter()
        .flat_map(|m| m.ids.iter().map(|id| (m.line, id.clone())))
        .collect();
    (source, found, marks)
}

#[test]
fn every_rule_fires_where_its_scenario_says() {
    for rule in rules() {
        let (source, found, mut marks) = findings(rule.id, "fires.litmus");
        if rule.id == "LM019" {
            marks = vec![(3, "LM019".to_owned())];
        }
        assert!(
            marks.iter().any(|(_, id)| id == rule.id),
            "{} expects its own rule",
            source.name
        );
        // Advice counts where it is expected; everything worse must be expected.
        let mut lines: Vec<(u32, String)> = found
            .iter()
            .map(|f| (f, (source.line(f.span.start), f.rule.id.to_owned())))
            .filter(|(f, place)| f.severity > Severity::Advice || marks.contains(place))
            .map(|(_, place)| place)
            .collect();
        lines.sort();
        lines.dedup();
        marks.sort();
        assert_eq!(lines, marks, "{}: {found:#?}", source.name);
        for finding in &found {
            assert!(
                finding.help.is_some(),
                "{}: a finding without a way out",
                source.name
            );
        }
    }
}

#[test]
fn every_rule_rests_on_its_near_miss() {
    for rule in rules() {
        let (source, found, _) = findings(rule.id, "quiet.litmus");
        let worse: Vec<_> = found
            .iter()
            .filter(|f| f.severity > Severity::Advice || f.rule.id == rule.id)
            .collect();
        assert!(worse.is_empty(), "{}: {worse:#?}", source.name);
    }
}

#[test]
fn ids_are_in_order() {
    for (index, rule) in rules().into_iter().enumerate() {
        assert_eq!(rule.id, format!("LM{:03}", index + 1));
    }
}
