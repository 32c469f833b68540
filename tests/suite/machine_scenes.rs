//! The scenes of `scenarios/machine`: the same text on two machines, with different outcomes that its comment explains.
//!
//! `//@ PROFILE: KEY=VALUE, …` says what is expected there: reads that go wrong by kind, operations, or the makespan in
//! whole nanoseconds. The numbers are in the comment's arithmetic and come from the profile's numbers, not from a run.

use std::fs;
use std::path::{Path, PathBuf};
use syncscope::analyze::hazards;
use syncscope::finding::Source;
use syncscope::order::Timeline;
use syncscope::trace::{ObservationKind, Trace};
use syncscope::{catalog, ensure, graph, scenario, sim};

/// One `//@` line.
struct Expected {
    profile: String,
    values: Vec<(String, u64)>,
}

fn scenes() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/machine");
    let entries = fs::read_dir(folder).expect("the folder");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a scene");
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

fn expected(text: &str) -> Vec<Expected> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("//@ "));
    lines
        .map(|line| {
            let (profile, values) = line.split_once(": ").expect("`PROFILE: KEY=VALUE`");
            let values = values.split(", ").map(|pair| {
                let (key, value) = pair.split_once('=').expect("`KEY=VALUE`");
                (key.to_owned(), value.parse().expect("a number"))
            });
            Expected {
                profile: profile.to_owned(),
                values: values.collect(),
            }
        })
        .collect()
}

fn value(trace: &Trace, key: &str) -> u64 {
    let seen = |kind| trace.observations.iter().filter(|o| o.kind == kind).count() as u64;
    match key {
        "stale" => seen(ObservationKind::Stale),
        "early" => seen(ObservationKind::Early),
        "torn" => seen(ObservationKind::Torn),
        "undefined" => seen(ObservationKind::Undefined),
        "undecoded" => seen(ObservationKind::Undecoded),
        "cleans" => trace.totals.cleans,
        "invalidates" => trace.totals.invalidates,
        "decompressions" => trace.totals.decompressions,
        "layout_operations" => trace.totals.layout_operations,
        "tile_loads" => trace.totals.tile_loads,
        "tile_stores" => trace.totals.tile_stores,
        "makespan_ns" => trace.makespan.0 / 1000,
        other => panic!("`{other}` is nothing that a scene can expect"),
    }
}

#[test]
fn each_scene_has_two_outcomes_and_says_why() {
    let registry = catalog::registry();
    let scenes = scenes();
    assert!(scenes.len() >= 25, "{} scenes", scenes.len());
    let (mut timed, mut problems) = (0, Vec::new());
    for (path, text) in &scenes {
        let name = path.file_name().expect("a file").to_string_lossy();
        let expected = expected(text);
        assert!(expected.len() >= 2, "{name}: two machines");
        assert!(
            expected.iter().any(|e| e.values != expected[0].values),
            "{name}: two outcomes"
        );
        let comment = text.lines().take_while(|line| line.starts_with("// "));
        let comment: String = comment.collect::<Vec<_>>().join(" ");
        let (scenario, findings) = scenario::parse(&Source::new(name.as_ref(), text));
        assert!(findings.is_empty(), "{name}: {findings:?}");
        let timeline = Timeline::new(&scenario);
        let evaluation = graph::evaluate(&timeline, graph::Request::default());
        let watch = hazards::watch(&timeline, &evaluation);
        for one in &expected {
            assert!(
                comment.contains(&format!("{}:", one.profile)),
                "{name}: why on {}?",
                one.profile
            );
            let profile = registry.profile(&one.profile).expect("a profile");
            let lowering = match &scenario.device.lowering {
                Some(name) => registry.lowering(name).expect("a lowering"),
                None => registry.own_lowering(&profile).expect("a lowering").0,
            };
            let program = lowering.lower(&timeline, &profile);
            let check = ensure::check(&timeline, &profile, &program);
            assert_eq!(check.missing, [], "{name} on {}", one.profile);
            let trace =
                sim::simulate_watching(&program, &profile, &sim::SimOptions::default(), &watch);
            for (key, wanted) in &one.values {
                let got = value(&trace, key);
                if got != *wanted {
                    problems.push(format!(
                        "{name} on {}: {key} is {got}, not {wanted}",
                        one.profile
                    ));
                }
            }
            timed += usize::from(one.values.iter().any(|(key, _)| key == "makespan_ns"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(timed >= 20, "ten timed scenes on two machines each");
}
