//! The tour: every scene holds its expectations, and its terminal report is what the snapshot says.

use crate::sizes;
use std::path::{Path, PathBuf};
use syncscope::finding::Source;
use syncscope::lower::Lowering;
use syncscope::report::{Style, expect, terminal};
use syncscope::{catalog, run, scenario};

/// Every how-manieth scenario file below a folder, by the size of the tests; all of them at full size.
pub(crate) fn sample(folder: &str, quick: usize, ci: usize) -> Vec<PathBuf> {
    let all = files(folder).into_iter();
    all.step_by(crate::sizes::step(quick, ci)).collect()
}

/// Scenario files below a folder of the repository, in order.
pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "scn") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A file as the command line would name it from the repository's root.
pub(crate) fn source(path: &Path) -> Source {
    let name = path
        .strip_prefix(env!("CARGO_MANIFEST_DIR"))
        .expect("a file of the repository");
    Source::new(
        name.display().to_string(),
        std::fs::read_to_string(path).expect("a readable file"),
    )
}

/// The profiles between which findings of a printed page compare. A page does not change when there are more.
const COMPARED: [&str; 7] = [
    "rdna",
    "rdna12",
    "intel",
    "nvidia",
    "tiler",
    "hopper",
    "reference",
];

#[test]
fn every_scene_of_the_tour_holds_and_prints_as_before() {
    let mut registry = catalog::registry();
    registry
        .profiles
        .retain(|entry| COMPARED.contains(&entry.name));
    let scenes = files("scenarios/tour");
    assert!(scenes.len() >= 10, "the tour has ten scenes");
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
        assert!(mismatches.is_empty(), "{}: {mismatches:?}", source.name);
        let mut page = Vec::new();
        terminal::write(&report, &source, &Style::default(), &mut page).expect("writing to memory");
        let page = String::from_utf8(page).expect("text");
        for line in page.lines() {
            assert!(
                line.chars().count() <= 100,
                "{}: a line of more than 100 columns: {line}",
                source.name
            );
        }
        let stem = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        insta::assert_snapshot!(format!("tour-{stem}"), page);
    }
}

/// What the lowering got wrong is no excuse: only mistakes of the application may make a read go wrong.
#[test]
fn a_hazard_free_scene_reads_nothing_wrong_under_every_lowering() {
    let registry = catalog::registry();
    let right = |lowering: &&&dyn Lowering| !lowering.is_wrong_on_purpose();
    let mut clean = 0;
    // The quick tier takes every other lowering for each scene, the others for the next.
    let step = sizes::step(2, 1);
    for (number, path) in files("scenarios/tour").into_iter().enumerate() {
        let source = source(&path);
        let lowerings = registry.lowerings.iter().filter(right);
        for lowering in lowerings.skip(number % step).step_by(step) {
            let options = run::Options {
                lowering: Some(lowering.name().into()),
                ..run::Options::default()
            };
            let report = run::run(&source, &registry, &options).expect("a scene runs");
            let place = format!("{} with {}", source.name, lowering.name());
            let (driver, application): (Vec<_>, Vec<_>) = report
                .findings
                .iter()
                .filter(|f| f.severity.fails())
                .partition(|f| f.rule.family() == "LW");
            assert!(driver.is_empty(), "{place}: {driver:#?}");
            if application.is_empty() {
                clean += 1;
                assert_eq!(report.totals.bad_reads, 0, "{place}");
            }
        }
    }
    assert!(clean >= 20, "{clean} clean runs");
}

#[test]
fn the_frame_is_a_real_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/tour/deferred_frame.scn");
    let source = source(&path);
    let report =
        run::run(&source, &catalog::registry(), &run::Options::default()).expect("it runs");
    assert!(
        report.totals.commands >= 60,
        "{} commands",
        report.totals.commands
    );
    assert_eq!(
        report.lanes.len(),
        4,
        "three queues and the CPU, which waits for frames"
    );
}

#[test]
fn every_scenario_is_formatted_to_itself_and_through_json() {
    let mut printed = 0;
    for path in files("scenarios") {
        let source = source(&path);
        let (first, findings) = scenario::parse(&source);
        if findings.iter().any(|f| f.severity.fails()) {
            // Only a scene that is about such a mistake may have one.
            let expects = |id: &str| {
                first
                    .expectations
                    .iter()
                    .any(|e| e.ids.iter().any(|i| i == id))
            };
            let unexpected = findings
                .iter()
                .find(|f| f.severity.fails() && !expects(f.rule.id));
            assert!(unexpected.is_none(), "{}: {unexpected:#?}", source.name);
            continue;
        }
        printed += 1;
        let text = scenario::print(&first);
        let again = Source::new(source.name.clone(), text.clone());
        let (second, findings) = scenario::parse(&again);
        assert!(findings.is_empty(), "{}: {findings:?}\n{text}", source.name);
        assert_eq!(
            scenario::print(&second),
            text,
            "{}: printing is idempotent",
            source.name
        );
        let ids = |s: &scenario::Scenario| {
            s.expectations
                .iter()
                .map(|e| e.ids.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            ids(&first),
            ids(&second),
            "{}: expectations survive",
            source.name
        );
        let json = Source::new("x.json", scenario::json::to_json(&first));
        let back = scenario::json::to_text(&json)
            .unwrap_or_else(|f| panic!("{}: {}", source.name, f.message));
        assert_eq!(back, text, "{}: through JSON and back", source.name);
    }
    assert!(printed > 750, "{printed} scenarios are printed");
}
