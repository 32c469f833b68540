//! The program from outside: words in, bytes and an exit status out.

use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A scenario without mistakes.
const CLEAN: &str = "queue gfx : direct
buffer b : 4KiB { flags UNORDERED_ACCESS }
list main : direct {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
  barrier {
    buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }
  }
  dispatch \"read\" 1x1x1 { SHADER_RESOURCE b }
}
timeline {
  gfx execute main
}
";

/// The same without its barrier: a hazard on line 5.
const HAZARD: &str = "queue gfx : direct
buffer b : 4KiB { flags UNORDERED_ACCESS }
list main : direct {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
  dispatch \"read\" 1x1x1 { SHADER_RESOURCE b }
}
timeline {
  gfx execute main
}
";

/// A directory of this test's own, empty.
fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the target directory can be written");
    path
}

fn file(directory: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = directory.join(name);
    fs::write(&path, text).expect("the target directory can be written");
    path.display().to_string()
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncscope"));
    command
        .args(arguments)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE");
    command
}

fn syncscope(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program starts")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("output is UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("messages are UTF-8")
}

fn status(output: &Output) -> Option<i32> {
    output.status.code()
}

/// One message with help on standard error, nothing on standard output, status 2.
#[track_caller]
fn unusable(arguments: &[&str], message: &str, help: &str) {
    let output = syncscope(arguments);
    let text = stderr(&output);
    assert_eq!(status(&output), Some(2), "{text}");
    assert_eq!(stdout(&output), "");
    assert_eq!(text.matches("error: ").count(), 1, "{text}");
    assert!(
        text.starts_with("error: ") && text.contains(message),
        "{text}"
    );
    assert!(text.contains("\nhelp: ") && text.contains(help), "{text}");
}

fn json(arguments: &[&str]) -> (Value, Output) {
    let output = syncscope(arguments);
    let value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}{}", stdout(&output), stderr(&output)));
    (value, output)
}

#[test]
fn unusable_files_are_named() {
    let d = directory("unusable_files");
    let clean = file(&d, "clean.scn", CLEAN);
    let near = d.join("claen.scn").display().to_string();
    for verb in ["run", "check", "fmt"] {
        unusable(&[verb, &near], "claen.scn", "did you mean");
        unusable(
            &[verb, &d.join("nowhere/x.scn").display().to_string()],
            "nowhere",
            "no directory",
        );
        unusable(
            &[verb, &d.display().to_string()],
            "is a directory",
            "syncscope test",
        );
        unusable(
            &[verb, &file(&d, "empty.scn", "")],
            "is empty",
            "syncscope demo",
        );
        unusable(
            &[verb, &file(&d, "blank.scn", " \n\t\n")],
            "is empty",
            "syncscope demo",
        );
        unusable(
            &[verb, &file(&d, "binary.scn", b"queue\n\xff\xfe")],
            "line 2",
            "UTF-8",
        );
    }
    let large = d.join("large.scn");
    // A sparse file: its size counts, its contents are never read whole.
    let handle = fs::File::create(&large).expect("the directory can be written");
    handle
        .set_len((192 << 20) + 1)
        .expect("the file system has sparse files");
    unusable(
        &["check", &large.display().to_string()],
        "192 MiB",
        "repeat",
    );
    fs::remove_file(&large).expect("it exists");
    assert_eq!(fs::read_to_string(clean).expect("it is still there"), CLEAN);
}

#[test]
fn unknown_words_are_named_with_near_ones() {
    let d = directory("unknown_words");
    let clean = file(&d, "clean.scn", CLEAN);
    unusable(&["run", &clean, "--profile", "rdan"], "`rdan`", "`rdna`");
    unusable(
        &["run", &clean, "--lowering", "precisely"],
        "`precisely`",
        "precise",
    );
    unusable(&["run", &clean, "--format", "jsno"], "`jsno`", "`json`");
    unusable(
        &["run", &clean, "--parts", "findings,comands"],
        "`comands`",
        "`commands`",
    );
    unusable(&["run", &clean, "--set", "l2.bytes"], "no `=`", "KEY=VALUE");
    unusable(
        &["run", &clean, "--set", "no.such.number=1"],
        "no.such.number",
        "",
    );
    unusable(&["test", &clean, "--only", "XX"], "`XX`", "HZ");
    assert_eq!(status(&syncscope(&["nonsense"])), Some(2));
    assert_eq!(status(&syncscope(&["run"])), Some(2));
    assert_eq!(status(&syncscope(&[])), Some(2));
}

// Needs the pipeline.
#[test]
fn a_profile_that_the_scenario_names_is_looked_up_too() {
    let d = directory("scenario_profile");
    let text = format!("device {{ profile voodoo }}\n{CLEAN}");
    unusable(&["run", &file(&d, "x.scn", text)], "`voodoo`", "rdna");
}

#[test]
fn without_a_timeline_there_is_nothing_to_run() {
    let d = directory("no_timeline");
    let text = CLEAN
        .split("timeline")
        .next()
        .expect("split gives a first part");
    let path = file(&d, "x.scn", text);
    unusable(&["run", &path], "no timeline", "check");
    assert_eq!(status(&syncscope(&["check", &path])), Some(0));
}

// Needs the pipeline.
#[test]
fn the_exit_status_is_that_of_the_worst_file() {
    let d = directory("exit_status");
    let clean = file(&d, "clean.scn", CLEAN);
    let hazard = file(&d, "hazard.scn", HAZARD);
    let broken = file(&d, "broken.scn", "queue gfx direct direct\n");
    for verb in ["run", "check"] {
        assert_eq!(status(&syncscope(&[verb, &clean])), Some(0));
        assert_eq!(status(&syncscope(&[verb, &hazard])), Some(1));
        assert_eq!(status(&syncscope(&[verb, &broken])), Some(1));
        assert_eq!(
            status(&syncscope(&[verb, &clean, &hazard, &clean])),
            Some(1)
        );
        assert_eq!(
            status(&syncscope(&[verb, &hazard, "nowhere.scn", &clean])),
            Some(2)
        );
    }
}

#[test]
fn a_reader_who_leaves_early_ends_the_program_quietly() {
    let d = directory("closed_pipe");
    // Far more output than a pipe holds.
    let names: Vec<String> = (0..4000)
        .map(|i| format!("buffer missing_{i} : nonsense of a size\n"))
        .collect();
    let path = file(&d, "many.scn", names.concat());
    for arguments in [
        &["check", &path, "--all"][..],
        &["check", &path, "--format", "json"],
        &["list", "rules"],
        &["schema", "report"],
    ] {
        let mut child = command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut first = [0; 1];
        let _ = child.stdout.as_mut().expect("it is piped").read(&mut first);
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(stderr(&output), "", "{arguments:?}");
        assert!(
            output.status.code().is_some_and(|c| c <= 1),
            "{arguments:?}: {:?}",
            output.status
        );
    }
}

// Needs the pipeline.
#[test]
fn colour_is_for_terminals_and_those_who_ask() {
    let d = directory("colour");
    let path = file(&d, "hazard.scn", HAZARD);
    let colourful = |output: &Output| output.stdout.contains(&0x1b);
    assert!(!colourful(&syncscope(&["run", &path])));
    assert!(!colourful(&syncscope(&["run", &path, "--color", "never"])));
    assert!(colourful(&syncscope(&["run", &path, "--color", "always"])));
    let quiet = command(&["run", &path])
        .env("NO_COLOR", "1")
        .output()
        .expect("the program starts");
    assert!(!colourful(&quiet));
}

// Needs the pipeline.
#[test]
fn no_line_of_any_output_is_wider_than_a_hundred_columns() {
    let d = directory("columns");
    let long = "a_resource_with_a_name_that_is_much_longer_than_any_reasonable_person_would_ever_choose_for_it";
    let path = file(&d, "long.scn", HAZARD.replace(" b ", &format!(" {long} ")));
    let broken = file(&d, "broken.scn", CLEAN.replace("queue", long));
    for arguments in [
        &["run", &path][..],
        &["run", &path, "--ascii", "--all"],
        &["run", &broken],
        &["check", &path],
        &["test", &path],
        &["demo"],
        &["demo", "--ascii"],
        &["demo", "--text"],
        &["list", "profiles"],
        &["list", "profiles", "--numbers"],
        &["list", "lowerings"],
        &["list", "rules"],
        &["list", "commands"],
        &["--help"],
        &["run", "--help"],
    ] {
        let output = syncscope(arguments);
        for line in stdout(&output).lines() {
            assert!(line.chars().count() <= 100, "{arguments:?}: {line}");
        }
        if arguments.contains(&"--ascii") {
            assert!(output.stdout.is_ascii(), "{arguments:?}");
        }
    }
}

// Needs the pipeline.
#[test]
fn the_json_report_keeps_its_contract() {
    let d = directory("json");
    let path = file(&d, "hazard.scn", HAZARD);
    let (report, output) = json(&["run", &path, "--format", "json", "--timings"]);
    assert_eq!(status(&output), Some(1));
    assert_eq!(report["schema"], 1);
    for key in ["scenario", "profile", "lowering"] {
        assert!(report[key].is_string(), "{key}");
    }
    assert!(report["makespan_ps"].is_u64());
    let finding = &report["findings"][0];
    for key in [
        "rule",
        "name",
        "severity",
        "line",
        "column",
        "message",
        "resource",
        "first",
        "second",
        "spec_invalid",
        "visible",
    ] {
        assert!(finding.get(key).is_some(), "findings[].{key}");
    }
    assert_eq!(finding["rule"], "HZ101");
    assert_eq!(finding["severity"], "hazard");
    assert_eq!(finding["line"], 5);
    assert_eq!(finding["resource"], "b");
    let ids: Vec<&Value> = report["commands"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|c| &c["id"])
        .collect();
    for side in ["first", "second"] {
        for key in ["command", "line", "queue", "access", "stage"] {
            assert!(finding[side].get(key).is_some(), "findings[].{side}.{key}");
        }
        assert!(
            ids.contains(&&finding[side]["command"]),
            "{side} names a command"
        );
    }
    for key in [
        "id",
        "label",
        "line",
        "queue",
        "start_ps",
        "end_ps",
        "observations",
    ] {
        assert!(report["commands"][0].get(key).is_some(), "commands[].{key}");
    }
    let phases: Vec<&str> = report["timings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|t| t["phase"].as_str())
        .collect();
    let expected = [
        "parse", "legacy", "order", "validate", "graph", "lower", "ensure", "simulate", "analyze",
        "report",
    ];
    assert_eq!(phases, expected);
    let lines: Vec<&str> = stderr(&output).lines().collect();
    assert_eq!(lines.len(), expected.len());
    for (line, phase) in lines.iter().zip(expected) {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(
            [words[0], words[1], words[3], words[5]],
            ["timing", phase, "s", "items"]
        );
    }
    let clean = file(&d, "clean.scn", CLEAN);
    let (report, output) = json(&["run", &clean, "--format", "json"]);
    assert_eq!(status(&output), Some(0));
    for key in [
        "id",
        "line",
        "queue",
        "verdict",
        "drain_ps",
        "operation_ps",
        "refill_ps",
        "exposed_ps",
        "operations",
    ] {
        assert!(report["barriers"][0].get(key).is_some(), "barriers[].{key}");
    }
}

// Needs the pipeline.
#[test]
fn parts_limit_the_report() {
    let d = directory("parts");
    let path = file(&d, "hazard.scn", HAZARD);
    let (report, _) = json(&["run", &path, "--format", "json", "--parts", "findings"]);
    assert!(report.get("findings").is_some());
    assert!(report.get("commands").is_none() && report.get("barriers").is_none());
}

// Needs the pipeline.
#[test]
fn a_check_simulates_nothing() {
    let d = directory("check");
    let path = file(&d, "hazard.scn", HAZARD);
    let (report, output) = json(&["check", &path, "--format", "json"]);
    assert_eq!(status(&output), Some(1));
    assert!(report["makespan_ps"].is_null());
    assert!(report["findings"][0]["visible"].is_null());
}

// Needs the pipeline.
#[test]
fn several_files_make_one_object_a_line() {
    let d = directory("several");
    let clean = file(&d, "clean.scn", CLEAN);
    let output = syncscope(&["run", &clean, &clean, "--format", "json"]);
    let objects: Vec<Value> = stdout(&output)
        .lines()
        .map(|l| serde_json::from_str(l).expect("each line is a document"))
        .collect();
    assert_eq!(objects.len(), 2);
    assert_eq!(
        objects[0], objects[1],
        "the same input gives the same bytes"
    );
}

#[test]
fn lists_and_schemas_come_from_what_exists() {
    assert!(stdout(&syncscope(&["list", "profiles"])).contains("rdna"));
    assert!(stdout(&syncscope(&["list", "lowerings"])).contains("precise"));
    assert!(stdout(&syncscope(&["list", "rules"])).contains("SC001"));
    let commands = syncscope(&["list", "commands"]);
    for command in ["run", "check", "fmt", "test", "schema", "list", "demo"] {
        assert!(
            stdout(&commands).lines().any(|l| l.starts_with(command)),
            "{command}"
        );
    }
    for of in ["report", "scenario"] {
        let (schema, output) = json(&["schema", of]);
        assert_eq!(status(&output), Some(0));
        assert!(schema.is_object());
    }
    let (schema, _) = json(&["schema", "report"]);
    for key in [
        "schema",
        "scenario",
        "makespan_ps",
        "findings",
        "barriers",
        "commands",
    ] {
        assert!(schema["properties"].get(key).is_some(), "{key}");
    }
}

// Needs the printer.
#[test]
fn formatting_changes_only_what_differs() {
    let d = directory("fmt");
    let path = file(&d, "x.scn", CLEAN.replace("  dispatch", "      dispatch"));
    let output = syncscope(&["fmt", "--check", &path]);
    assert_eq!(status(&output), Some(1));
    assert_eq!(stdout(&output).trim_end(), path);
    assert_eq!(status(&syncscope(&["fmt", &path])), Some(0));
    let formatted = fs::read_to_string(&path).expect("it is still there");
    let output = syncscope(&["fmt", "--check", &path]);
    assert_eq!((status(&output), stdout(&output)), (Some(0), ""));
    let (value, _) = json(&["fmt", "--to", "json", &path]);
    let other = file(&d, "x.json", value.to_string());
    assert_eq!(
        stdout(&syncscope(&["fmt", "--to", "scn", &other])),
        formatted
    );
}

#[test]
fn a_text_that_is_not_understood_is_not_formatted() {
    let d = directory("fmt_broken");
    let text = "queue gfx direct direct\n";
    let path = file(&d, "x.scn", text);
    let output = syncscope(&["fmt", &path]);
    assert_eq!(status(&output), Some(1));
    assert_eq!(stdout(&output), "");
    assert!(stderr(&output).contains("SC"));
    assert_eq!(fs::read_to_string(&path).expect("it is still there"), text);
}

// Needs the pipeline.
#[test]
fn expectations_are_compared_in_both_directions() {
    let d = directory("test");
    let last = |output: &Output| stdout(output).lines().last().unwrap_or("").to_owned();
    fs::create_dir_all(d.join("below")).expect("the directory can be written");
    file(&d, "clean.scn", CLEAN);
    file(&d, "ignored.litmus", "");
    let met = HAZARD.replace("SHADER_RESOURCE b }", "SHADER_RESOURCE b } //~ HZ101");
    file(&d.join("below"), "met.scn", &met);
    let all = d.display().to_string();
    let output = syncscope(&["test", &all]);
    assert_eq!(
        (status(&output), last(&output).as_str()),
        (Some(0), "2 passed, 0 failed")
    );

    file(&d, "unexpected.scn", HAZARD);
    file(
        &d,
        "unmet.scn",
        CLEAN.replace("SHADER_RESOURCE b }\n}", "SHADER_RESOURCE b } //~ HZ101\n}"),
    );
    let output = syncscope(&["test", &all]);
    assert_eq!(
        (status(&output), last(&output).as_str()),
        (Some(1), "2 passed, 2 failed")
    );
    let text = stdout(&output);
    assert!(
        text.contains("line 5: hazard HZ101 read-after-write"),
        "{text}"
    );
    assert!(text.contains("line 8: HZ101 is expected"), "{text}");

    let output = syncscope(&["test", &all, "--only", "SC"]);
    assert_eq!(
        (status(&output), last(&output).as_str()),
        (Some(0), "4 passed, 0 failed")
    );
}

#[test]
fn a_directory_without_scenarios_is_a_mistake() {
    let d = directory("test_nothing");
    file(&d, "notes.txt", "");
    unusable(&["test", &d.display().to_string()], "no scenario", ".scn");
    unusable(&["test", "nowhere"], "nowhere", "");
}

#[test]
fn a_file_that_cannot_be_read_fails_its_test() {
    let d = directory("test_unreadable");
    file(&d, "x.scn", b"\xff");
    let output = syncscope(&["test", &d.display().to_string()]);
    assert_eq!(status(&output), Some(1));
    assert!(stdout(&output).ends_with("0 passed, 1 failed\n"));
}

// Needs the pipeline.
#[test]
fn the_demonstration_has_one_hazard_and_one_redundant_barrier() {
    let (report, output) = json(&["demo", "--format", "json"]);
    assert_eq!(status(&output), Some(1));
    let findings = report["findings"].as_array().expect("a list");
    let hazards: Vec<&Value> = findings
        .iter()
        .filter(|f| f["severity"] == "hazard" || f["severity"] == "error")
        .collect();
    assert_eq!(hazards.len(), 1, "{hazards:?}");
    assert_eq!(hazards[0]["rule"], "HZ101");
    let verdicts: Vec<&Value> = report["barriers"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|b| &b["verdict"])
        .collect();
    assert_eq!(verdicts, ["too-narrow", "redundant"]);
}

#[test]
fn standard_input_is_a_file_named_by_a_hyphen() {
    let mut child = command(&["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("it is piped");
    input
        .write_all(CLEAN.as_bytes())
        .expect("the program reads");
    drop(input);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(status(&output), Some(0));
    assert!(stdout(&output).starts_with("<stdin>"));
}

#[test]
fn what_was_formatted_stays_as_it_is_in_either_form() {
    let d = directory("fmt_twice");
    let path = file(&d, "x.scn", CLEAN);
    let output = syncscope(&["fmt", "--to", "json", &path]);
    let other = file(&d, "x.json", &output.stdout);
    let output = syncscope(&["fmt", "--check", &other]);
    assert_eq!((status(&output), stdout(&output)), (Some(0), ""));
}

#[test]
fn json_that_is_no_scenario_is_unusable() {
    let d = directory("json_broken");
    let path = file(&d, "x.json", "{ \"queues\": ");
    unusable(&["run", &path], "x.json", "");
}
