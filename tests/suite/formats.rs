//! Formats, outputs and the choice of a machine, from outside: what is listed exists, and what is not listed is refused.

use crate::cli::{CLEAN, command};
use crate::schema::complaints;
use crate::sizes;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Output;

fn syncscope(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program starts")
}

fn listed(what: &str) -> Vec<Value> {
    let output = syncscope(&["list", what, "--format", "json"]);
    let values: Value = serde_json::from_slice(&output.stdout).expect("an array");
    values.as_array().expect("an array").clone()
}

fn names(values: &[Value]) -> Vec<&str> {
    let name = |value: &'_ Value| value["name"].as_str().map(str::to_owned);
    assert!(values.iter().all(|value| name(value).is_some()));
    values.iter().filter_map(|v| v["name"].as_str()).collect()
}

/// A clean scenario and a litmus test in a directory of this test's own.
fn files(test: &str) -> (String, String) {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&directory).expect("the target directory can be written");
    let scenario = directory.join("clean.scn");
    fs::write(&scenario, CLEAN).expect("the target directory can be written");
    let litmus =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/litmus/atomics/AT.cas-cas.litmus");
    (scenario.display().to_string(), litmus.display().to_string())
}

#[test]
fn every_command_of_the_help_is_listed() {
    let output = syncscope(&["--help"]);
    let help = String::from_utf8(output.stdout).expect("text");
    let (_, commands) = help.split_once("Commands:\n").expect("a list of commands");
    let of_help: Vec<&str> = commands
        .lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    let values = listed("commands");
    assert!(of_help.len() > 10, "{help}");
    assert_eq!(names(&values), of_help);
    for command in of_help {
        let output = syncscope(&[command, "--help"]);
        assert_eq!(output.status.code(), Some(0), "{command}");
    }
}

/// Each way to get an output.
#[allow(clippy::too_many_lines, reason = "it is a table")]
fn ways<'a>(scenario: &'a str, litmus: &'a str) -> Vec<(&'static str, Vec<&'a str>)> {
    vec![
        ("report", vec!["run", scenario]),
        ("report", vec!["check", scenario]),
        ("report", vec!["demo"]),
        (
            "profiles",
            vec!["run", scenario, "--profiles", "rdna,intel"],
        ),
        ("what-if", vec!["run", scenario, "--what-if"]),
        ("without", vec!["run", scenario, "--without", "gfx#2.0"]),
        ("ddi", vec!["run", scenario, "--show", "ddi"]),
        ("steps", vec!["step", scenario]),
        ("graph", vec!["graph", scenario]),
        ("fences", vec!["fence", scenario]),
        ("fence-kinds", vec!["fence", scenario, "--kinds"]),
        ("wake-ups", vec!["fence", "--lost-wake-up"]),
        ("litmus", vec!["litmus", litmus]),
        ("repair", vec!["fix", scenario]),
        ("placement", vec!["place", scenario]),
        ("page", vec!["explain", "HZ101"]),
        ("list", vec!["list", "lowerings"]),
        ("test", vec!["test", scenario]),
        (
            "search",
            vec![
                "verify",
                "--lowering",
                "precise",
                "--profile",
                "rdna",
                "--exhaustive",
                "2",
                "--accesses",
                "UNORDERED_ACCESS,SHADER_RESOURCE",
            ],
        ),
        (
            "difference",
            vec!["diff", scenario, "--lowering", "precise,lazy"],
        ),
        (
            "corpus-difference",
            vec![
                "diff",
                "--corpus",
                "precise",
                "lost_splits",
                "--profile",
                "reference",
            ],
        ),
        (
            "bisection",
            vec!["bisect", scenario, "--lowering", "forgets_invalidate"],
        ),
        (
            "mutation",
            vec![
                "mutate",
                "--lowering",
                "precise",
                "--profile",
                "reference",
                "--only",
                scenario,
            ],
        ),
        (
            "verification",
            vec!["verify", "--lowering", "precise", "--only", scenario],
        ),
        ("scenario", vec!["fmt", scenario]),
        ("kernel", vec!["fmt", litmus]),
        ("rules", vec!["fmt", "scenarios/rules/RF001/quiet.lower"]),
        ("packets", vec!["lower", scenario]),
        ("lessons", vec!["learn"]),
        (
            "lesson",
            vec!["learn", "2", "--once", "--dir", "target/tmp/formats-lesson"],
        ),
        ("class", vec!["learn", "--report", "book/lessons"]),
        (
            "judgement",
            vec![
                "judge",
                "--scenario",
                "tests/suite/judge/anv.scn",
                "--packets",
                "tests/suite/judge/anv.jsonl",
            ],
        ),
        ("vulkan", vec!["export", "--to", "vulkan", scenario]),
        ("roundtrip", vec!["roundtrip", scenario]),
        (
            "import",
            vec![
                "import",
                "--report",
                "tests/fixtures/captures/vkcube/capture.jsonl.zst",
            ],
        ),
    ]
}

/// Each way to get an output, with each format: what the list says is printed, everything else is refused with the
/// formats that there are, and nothing is printed.
#[test]
fn a_format_has_the_outputs_that_are_listed_and_no_others() {
    let (scenario, litmus) = files("formats");
    let ways = ways(&scenario, &litmus);
    let formats = listed("formats");
    let has = |format: &Value, output: &str| {
        let outputs = format["outputs"].as_array().expect("outputs");
        outputs.iter().any(|o| o == output)
    };
    for format in &formats {
        for output in format["outputs"].as_array().expect("outputs") {
            assert!(
                ways.iter().any(|(name, _)| output == name),
                "no command is known here that prints {output}"
            );
        }
    }
    for (output, way) in &ways {
        for format in &formats {
            let option = if way[0] == "fmt" { "--to" } else { "--format" };
            let name = format["name"].as_str().expect("a name");
            let arguments = [&way[..], &[option, name]].concat();
            let done = syncscope(&arguments);
            let said = String::from_utf8_lossy(&done.stderr);
            if has(format, output) {
                assert!(
                    done.status.code() < Some(2),
                    "{arguments:?}: {:?} {said}",
                    done.status
                );
                continue;
            }
            assert_eq!(done.status.code(), Some(2), "{arguments:?}: {said}");
            assert_eq!(done.stdout, b"", "{arguments:?}");
            let asked = format!("`{name}`\nhelp: ");
            let help = said.split_once(&asked).map(|(_, help)| help.trim_end());
            // Only dependency graphs are for Graphviz.
            let graph = "; `syncscope graph` writes the dependency graph as dot";
            assert_eq!(said.contains(graph), name == "dot", "{said}");
            let help = help.and_then(|help| help.split("; ").next());
            let those: Vec<&Value> = formats.iter().filter(|f| has(f, output)).collect();
            let those: Vec<&str> = those.iter().filter_map(|f| f["name"].as_str()).collect();
            let expected = match those.as_slice() {
                [only] => format!("its only format is {only}"),
                several => format!("its formats are {}", several.join(", ")),
            };
            assert_eq!(help, Some(expected.as_str()), "{arguments:?}: {said}");
        }
    }
}

/// Scenes that show what documents have: findings, split barriers, several queues, fences of each kind, resets.
const SCENES: [&str; 6] = [
    "scenarios/tour/02-missing-barrier.scn",
    "scenarios/tour/07-split-barrier.scn",
    "scenarios/tour/08-aliasing.scn",
    "scenarios/tour/09-queue-race.scn",
    "scenarios/fences/12-reset-in-mid-frame.scn",
    "scenarios/fences/02-async-compute-native.scn",
];

/// Every JSON output is what its schema says, and each has a schema.
#[test]
fn json_is_as_its_schema_says() {
    let (scenario, litmus) = files("schemas");
    let mut all = ways(&scenario, &litmus);
    for &scene in sizes::first(2, &SCENES) {
        let of_scene = ways(scene, &litmus).into_iter();
        all.extend(of_scene.filter(|(_, way)| way.contains(&scene)));
    }
    let more: [(&str, &[&str]); 7] = [
        ("list", &["list", "rules"]),
        ("list", &["list", "formats"]),
        ("list", &["list", "profile", "rdna", "--numbers"]),
        ("litmus", &["litmus", &litmus, "--mutate", "--random", "10"]),
        (
            "verification",
            &["verify", "--lowering", "merged_flush", "--only", SCENES[1]],
        ),
        ("profiles", &["run", SCENES[0], "--profiles", "all"]),
        (
            "packets",
            &[
                "lower",
                SCENES[0],
                "--lowering",
                "scenarios/rules/RF001/quiet.lower",
            ],
        ),
    ];
    all.extend(more.map(|(output, way)| (output, way.to_vec())));
    let mut said = BTreeSet::new();
    for (output, way) in &all {
        let option = if way[0] == "fmt" { "--to" } else { "--format" };
        let printed = syncscope(&[&way[..], &[option, "json"]].concat());
        // What has no JSON is refused, and a scene may have nothing to say about an output.
        if printed.stdout.is_empty() {
            continue;
        }
        let value: Value = serde_json::from_slice(&printed.stdout).expect("JSON");
        let name = match *output {
            // That is the name of the JSON form of a litmus test.
            "litmus" => "litmus-report",
            other => other,
        };
        let schema = syncscope(&["schema", name]);
        let schema: Value = serde_json::from_slice(&schema.stdout)
            .unwrap_or_else(|_| panic!("`{output}` has no schema `{name}`"));
        assert_eq!(complaints(&schema, &value), Vec::<String>::new(), "{way:?}");
        said.insert(*output);
    }
    let formats = listed("formats");
    let json = formats.iter().find(|format| format["name"] == "json");
    let outputs = json.expect("a format of that name")["outputs"].as_array();
    let outputs = outputs.expect("outputs").iter();
    let outputs: BTreeSet<&str> = outputs.filter_map(Value::as_str).collect();
    assert_eq!(said, outputs, "each JSON output is printed here");
}

#[test]
fn formats_are_listed_for_people_too() {
    let output = syncscope(&["list", "formats"]);
    let text = String::from_utf8(output.stdout).expect("text");
    for (index, format) in listed("formats").iter().enumerate() {
        let name = format["name"].as_str().expect("a name");
        assert!(text.lines().any(|l| l.starts_with(name)), "{index} {text}");
    }
    assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
}

/// What `run` takes for a machine, `graph` takes too: a profile file, its numbers, the lowering, the eviction.
#[test]
fn a_graph_chooses_its_machine_as_a_run_does() {
    let (scenario, litmus) = files("graph-machine-choice");
    let rdna = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/hardware/profiles/rdna.toml");
    let rdna = rdna.display().to_string();
    let graph = |more: &[&str]| {
        let arguments = ["graph", &scenario, "--relation", "ensured,paid"];
        syncscope(&[&arguments[..], more].concat())
    };
    let plain = graph(&[]);
    assert_eq!(plain.status.code(), Some(0));
    let own = graph(&["--profile", &rdna]);
    assert_eq!(own.stdout, plain.stdout, "the same profile as a file");
    let other = graph(&["--profile", "intel"]);
    assert_eq!(other.status.code(), Some(0));
    assert_ne!(other.stdout, plain.stdout, "another machine pays otherwise");
    for good in [
        &["--set", "L2.line_bytes=64"][..],
        &["--eviction", "eager"],
        &["--eviction", "random", "--seed", "3"],
        &["--lowering", "lazy"],
    ] {
        let output = graph(good);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{good:?}: {said}");
    }
    for bad in [
        &["--set", "L2.line_bytes"][..],
        &["--set", "L2.lines=64"],
        &["--profile", "rdnb"],
        &["--profile", "nowhere.toml"],
        &["--lowering", "precisely"],
    ] {
        assert_eq!(graph(bad).status.code(), Some(2), "{bad:?}");
    }
    // So does a litmus test, which has no lowering.
    for good in [&["--profile", &rdna][..], &["--set", "L2.line_bytes=64"]] {
        let output = syncscope(&[&["litmus", &litmus], good].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() < Some(2), "{good:?}: {said}");
    }
}
