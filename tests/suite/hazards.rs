//! Hazard rules against scenario files: every rule has one scene that fires and one near miss that stays quiet, and the
//! gallery holds what its lines expect.

use crate::tour::{files, source};
use syncscope::analyze::hazards::RULES;
use syncscope::finding::Source;
use syncscope::report::expect;
use syncscope::{catalog, run, scenario};

/// Differences between what a text expects and what is found, as lines.
fn differences(source: &Source) -> Vec<String> {
    let registry = catalog::registry();
    let options = run::Options {
        without_commands: true,
        without_barriers: true,
        without_proofs: true,
        ..run::Options::default()
    };
    let report = run::run(source, &registry, &options).expect("a scene runs");
    let (parsed, _) = scenario::parse(source);
    let mismatches = expect::compare(
        &parsed.expectations,
        &report.findings,
        source,
        &registry.rules,
        &[],
    );
    mismatches
        .iter()
        .map(|m| format!("{}:{}: {m:?}", source.name, m.line()))
        .collect()
}

#[test]
fn every_hazard_rule_fires_and_rests() {
    let mut wrong = Vec::new();
    for rule in RULES.iter().map(|r| r.rule) {
        let scenes = files(&format!("scenarios/rules/{}", rule.id));
        assert_eq!(
            scenes.len(),
            2,
            "{}: one that fires, one that rests",
            rule.id
        );
        for path in scenes {
            let source = source(&path);
            wrong.extend(differences(&source));
            let (parsed, _) = scenario::parse(&source);
            let expected = parsed.expectations.iter().flat_map(|e| &e.ids);
            let named = expected.filter(|id| *id == rule.id).count();
            if path.ends_with("fires.scn") {
                assert!(named > 0, "{} expects its own rule", source.name);
            } else {
                let found = run::check(&source, &run::Options::default()).findings;
                assert!(
                    found.is_empty(),
                    "{} finds nothing at all: {found:#?}",
                    source.name
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_gallery_of_hazards_holds() {
    let mut wrong = Vec::new();
    for path in files("scenarios/hazards") {
        let source = source(&path);
        if !source.text.starts_with("// ") {
            wrong.push(format!("{}: no opening sentence", source.name));
        }
        wrong.extend(differences(&source));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
