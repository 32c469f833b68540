//! Formats, outputs and the choice of a machine, from outside: what is listed exists, and what is not listed is refused.

use crate::cli::{CLEAN, command};
use serde_json::Value;
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

/// Each way to get an output, with each format: what the list says is printed, everything else is refused with the
/// formats that there are, and nothing is printed.
#[test]
#[allow(clippy::too_many_lines, reason = "half of it is a table")]
fn a_format_has_the_outputs_that_are_listed_and_no_others() {
    let (scenario, litmus) = files("formats");
    let (scenario, litmus) = (scenario.as_str(), litmus.as_str());
    let ways: &[(&str, &[&str])] = &[
        ("report", &["run", scenario]),
        ("report", &["check", scenario]),
        ("report", &["demo"]),
        ("profiles", &["run", scenario, "--profiles", "rdna,intel"]),
        ("what-if", &["run", scenario, "--what-if"]),
        ("ddi", &["run", scenario, "--show", "ddi"]),
        ("graph", &["graph", scenario]),
        ("fences", &["fence", scenario]),
        ("fence-kinds", &["fence", scenario, "--kinds"]),
        ("wake-ups", &["fence", "--lost-wake-up"]),
        ("litmus", &["litmus", litmus]),
        ("repair", &["fix", scenario]),
        ("page", &["explain", "HZ101"]),
        ("list", &["list", "lowerings"]),
        ("test", &["test", scenario]),
        (
            "search",
            &[
                "verify",
                "--lowering",
                "precise",
                "--profile",
                "rdna",
                "--exhaustive",
                "1",
            ],
        ),
        (
            "difference",
            &["diff", scenario, "--lowering", "precise,lazy"],
        ),
        (
            "bisection",
            &["bisect", scenario, "--lowering", "forgets_invalidate"],
        ),
        (
            "mutation",
            &[
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
            &["verify", "--lowering", "precise", "--only", scenario],
        ),
        ("scenario", &["fmt", scenario]),
        ("kernel", &["fmt", litmus]),
        ("rules", &["fmt", "scenarios/rules/RF001/quiet.lower"]),
        ("packets", &["lower", scenario]),
        ("vulkan", &["export", "--to", "vulkan", scenario]),
        ("roundtrip", &["roundtrip", scenario]),
        (
            "import",
            &[
                "import",
                "--report",
                "tests/fixtures/captures/vkcube/capture.jsonl.zst",
            ],
        ),
    ];
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
    for (output, way) in ways {
        for format in &formats {
            let option = if way[0] == "fmt" { "--to" } else { "--format" };
            let name = format["name"].as_str().expect("a name");
            let arguments = [way, &[option, name][..]].concat();
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
