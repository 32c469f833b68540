//! The readings: a scene for each that no table and no other scene pins, and the page that lists them all.

use crate::tour::{files, source};
use std::path::Path;
use syncscope::finding::Severity;
use syncscope::report::expect;
use syncscope::{catalog, run, scenario};

#[test]
fn every_scene_of_a_reading_holds() {
    let registry = catalog::registry();
    let scenes = files("scenarios/readings");
    assert!(scenes.len() >= 20);
    let mut wrong = Vec::new();
    for path in scenes {
        let source = source(&path);
        let report = run::run(&source, &registry, &run::Options::default()).expect("a scene runs");
        let (parsed, _) = scenario::parse(&source);
        let mismatches = expect::compare(
            &parsed.expectations,
            &report.findings,
            &source,
            &registry.rules,
            &[],
        );
        if !mismatches.is_empty() {
            wrong.push(format!("{}: {mismatches:?}", source.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Reading R72: what a scene of it expects is all that is said of legality and hazards in it, warnings included.
#[test]
fn one_mistake_is_one_finding() {
    let registry = catalog::registry();
    for path in files("scenarios/readings") {
        let source = source(&path);
        if !source.name.contains("/R72-") {
            continue;
        }
        let (parsed, _) = scenario::parse(&source);
        let expected: usize = parsed.expectations.iter().map(|e| e.ids.len()).sum();
        let report = run::run(&source, &registry, &run::Options::default()).expect("a scene runs");
        let checked = run::check(&source, &run::Options::default());
        for findings in [&report.findings, &checked.findings] {
            let said = findings.iter().filter(|f| f.severity > Severity::Advice);
            let said = said.filter(|f| ["EB", "LB", "HZ"].contains(&f.rule.family()));
            let said: Vec<_> = said.map(|f| (f.rule.id, &f.message)).collect();
            assert_eq!(said.len(), expected, "{}: {said:?}", source.name);
        }
    }
}

/// What a user sees who runs `syncscope test scenarios`: every scene holds, in whichever folder.
#[test]
fn every_scene_of_the_repository_holds() {
    let program = std::process::Command::new(env!("CARGO_BIN_EXE_syncscope"))
        .args(["test", "scenarios"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&program.stdout);
    assert!(program.status.success(), "{said}");
}

/// Reading R33: such barriers are not called redundant.
#[test]
fn what_the_display_or_the_host_reads_is_needed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenarios/readings/R33-the-display-and-keep-need-a-barrier-too.scn");
    let report = run::run(
        &source(&path),
        &catalog::registry(),
        &run::Options::default(),
    )
    .expect("the scene runs");
    let redundant: Vec<_> = report
        .findings
        .iter()
        .filter(|f| f.rule.family() == "RD")
        .map(|f| &f.message)
        .collect();
    assert!(redundant.is_empty(), "{redundant:?}");
}

/// Reading R43. It leaves litmus tests open: what cannot be read or compiled is an error, a race or undefined value a
/// hazard, what only misleads a warning, what is more than needed advice.
#[test]
fn severities_follow_the_family() {
    const LITMUS: [(Severity, &[&str]); 4] = [
        (
            Severity::Error,
            &[
                "litmus-text",
                "litmus-unknown-name",
                "litmus-duplicate-name",
                "litmus-limit-exceeded",
                "illegal-sync-variant",
                "not-in-this-stage",
                "divergent-group-sync",
                "expectation-failed",
            ],
        ),
        (
            Severity::Hazard,
            &[
                "foreign-group-read",
                "groupshared-atomic-race",
                "barrier-mismatch",
                "groupshared-never-written",
            ],
        ),
        (
            Severity::Warning,
            &[
                "device-scope-acts-as-group",
                "mixed-scopes",
                "wrong-memory-class",
                "leader-only-device-fence",
                "state-limit",
            ],
        ),
        (
            Severity::Advice,
            &[
                "redundant-fence",
                "fence-could-be-narrower",
                "plain-access-race",
            ],
        ),
    ];
    for rule in catalog::registry().rules {
        let fits = match rule.family() {
            // Of lowerings, a missing operation is an error, an extra one a warning.
            "EB" | "LB" | "FN" | "SC" | "LW" | "RF" | "PT" => rule.severity != Severity::Hazard,
            "LM" => {
                let row = LITMUS.iter().find(|(_, names)| names.contains(&rule.name));
                row.is_some_and(|(severity, _)| rule.severity == *severity)
            }
            // Nobody can say whether a read of undefined contents matters (reading R57).
            "HZ" if rule.name == "undefined-contents" => rule.severity == Severity::Warning,
            // Shipped programs do it and may not care what is read (reading R65).
            "HZ" if rule.name == "feedback-in-one-command" => rule.severity == Severity::Warning,
            "HZ" => rule.severity == Severity::Hazard,
            "RD" | "ST" => rule.severity < Severity::Hazard,
            family => panic!("{}: what does the family {family} weigh?", rule.id),
        };
        assert!(fits, "{} with {:?}", rule.id, rule.severity);
    }
}

/// Rows with five cells: the first, and the last two: where the code is and what pins it.
fn rows(page: &str) -> Vec<(String, String, String)> {
    page.lines()
        .filter(|line| line.starts_with("| ") && !line.contains("| code | pinned by |"))
        .map(|line| {
            let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            let [number, .., code, pinned] = cells.as_slice() else {
                panic!("{line}");
            };
            (
                (*number).to_owned(),
                (*code).to_owned(),
                (*pinned).to_owned(),
            )
        })
        .collect()
}

/// What is between backquotes.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn every_reading_names_its_code_and_what_pins_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("book/src/deviations.md")).expect("the page");
    let rows = rows(&page);
    let expected: Vec<_> = (1..=62).map(|n| format!("R{n:02}")).collect();
    let numbers: Vec<_> = rows
        .iter()
        .map(|row| row.0.clone())
        .take(expected.len())
        .collect();
    assert_eq!(numbers, expected, "every reading once, in order");
    assert!(rows.len() > expected.len(), "deliberate deviations follow");
    let tests = crate::conformance::test_names();
    for (number, code, pinned) in &rows {
        for file in quoted(code) {
            assert!(root.join("src").join(file).exists(), "{number}: src/{file}");
        }
        assert!(
            !pinned.is_empty() && pinned != "—",
            "{number}: nothing pins it"
        );
        for name in quoted(pinned) {
            let scene = ["tour", "readings", "rules", "legacy"]
                .iter()
                .any(|folder| {
                    let at = root.join("scenarios").join(folder);
                    at.join(format!("{name}.scn")).is_file() || at.join(name).is_dir()
                });
            assert!(
                scene || tests.iter().any(|test| test == name),
                "{number}: `{name}` is no scene and no test"
            );
        }
    }
}

/// Reading R63: what was activated over an alias's contents holds nothing defined. A certain read of it says so (reading R57),
/// in named barriers and in `alias a -> *` (reading R69); between two buffers the data is inherited.
#[test]
fn activated_memory_holds_nothing_defined() {
    use syncscope::finding::Source;
    let read = |old: &str, alias: &str| {
        let text = format!(
            "queue q : direct
heap pool : 1MiB
texture a : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; state RENDER_TARGET; heap pool at 0 }}
buffer c : 16KiB {{ heap pool at 0 }}
buffer b : 16KiB {{ heap pool at 0 }}
buffer d : 16KiB
list l : direct {{
  {old}
  legacy {{ alias {alias} }}
  dispatch 1x1x1 {{ SHADER_RESOURCE b }}
}}
timeline {{ q execute l }}
"
        );
        let source = Source::new("activated.scn", text);
        let found = syncscope::run::check(&source, &syncscope::run::Options::default()).findings;
        let ids = found.iter().map(|finding| finding.rule.id.to_owned());
        ids.filter(|id| id.starts_with("HZ")).collect::<Vec<_>>()
    };
    let texture = "discard a\n  clear-rtv a";
    assert_eq!(read(texture, "a -> b"), ["HZ109"]);
    assert_eq!(read(texture, "a -> *"), ["HZ109"]);
    assert_eq!(read("copy d -> c", "c -> b"), ["HZ108"]);
    // Nothing activates it: the read of what an alias wrote is the hazard itself.
    assert_eq!(read(texture, "* -> *"), ["HZ108"]);
}
