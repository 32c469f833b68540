//! Legacy barriers: what is legal, what it is translated to, and what that costs.

mod pairs;
mod promotion;
mod random;
mod tables;

use std::fs;
use std::path::Path;
use syncscope::finding::{Finding, Source};
use syncscope::order::Timeline;
use syncscope::scenario::{CommandKind, Scenario};
use syncscope::validate::{self, RuleSet};
use syncscope::{graph, legacy, scenario};

/// A scenario's value; its text must be right.
fn parse(text: &str) -> Scenario {
    let (scenario, findings) = scenario::parse(&Source::new("legacy.scn", text));
    assert!(findings.is_empty(), "{findings:?}\n{text}");
    scenario
}

/// Findings of legality.
fn legality(scenario: &Scenario) -> Vec<Finding> {
    let plain = legacy::translate(scenario);
    validate::validate(scenario, &Timeline::new(&plain), RuleSet::Specification)
}

/// Errors of legality: id, and message with its notes.
fn errors(scenario: &Scenario) -> Vec<(&'static str, String)> {
    legality(scenario)
        .into_iter()
        .filter(|f| f.severity.fails())
        .map(|f| (f.rule.id, format!("{} ({})", f.message, f.notes.join("; "))))
        .collect()
}

#[test]
fn correct_legacy_scenarios_have_no_conflict() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/legacy");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let text = fs::read_to_string(&file).expect("the scenario can be read");
        let (scenario, findings) = scenario::parse(&Source::new("legacy", text));
        assert!(findings.is_empty(), "{}: {findings:?}", file.display());
        let plain = legacy::translate(&scenario);
        let left = plain
            .lists
            .iter()
            .flat_map(|list| &list.commands)
            .any(|command| matches!(command.kind, CommandKind::Legacy(_)));
        assert!(!left, "{}: a legacy call is left", file.display());
        let timeline = Timeline::new(&plain);
        let evaluation = graph::evaluate(&timeline, graph::Options::default());
        assert!(
            !evaluation.conflicts.iter().any(|c| c.kind.is_hazard()),
            "{}: {:?}",
            file.display(),
            evaluation.conflicts
        );
    }
}
