//! The program from outside: words in, bytes and an exit status out.

use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A scenario without mistakes.
pub(crate) const CLEAN: &str = "queue gfx : direct
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

pub(crate) fn command(arguments: &[&str]) -> Command {
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

/// A profile file that cannot be used: what is wrong with what, where, and what would have been right.
#[test]
fn a_bad_profile_is_refused_in_its_place() {
    let d = directory("bad_profiles");
    let clean = file(&d, "clean.scn", CLEAN);
    let rdna = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src/hardware/profiles/rdna.toml"),
    )
    .expect("a built-in profile");
    // Line and column of the first place of some text, counted here.
    let place = |text: &str, what: &str| {
        let before = &text[..text.find(what).expect("it is there")];
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.rsplit('\n').next().unwrap_or("").chars().count();
        format!("{line}:{column}")
    };
    for (from, to, wrong, says, right) in [
        (
            "parent = \"GL1\"",
            "parent = \"GL9\"",
            "\"GL9\"",
            "parent: `GL9` is not a cache",
            "its caches are L0V",
        ),
        (
            "policy = \"write-back\"",
            "policy = \"lazy\"",
            "\"lazy\"",
            "policy `lazy`",
            "write-through",
        ),
        (
            "private = true",
            "privat = true",
            "privat =",
            "privat",
            "private",
        ),
        ("summary = ", "summary = = ", "= \"modelled", "", ""),
    ] {
        let text = rdna.replacen(from, to, 1);
        let path = file(&d, "own.toml", &text);
        for verb in ["run", "fence"] {
            let output = syncscope(&[verb, &clean, "--profile", &path]);
            let message = stderr(&output);
            unusable(&[verb, &clean, "--profile", &path], says, "schema profile");
            let at = format!("{path}:{}: ", place(&text, wrong));
            assert!(message.contains(&at), "{at} in {message}");
            assert!(message.contains(right), "{right} in {message}");
        }
    }
    // Several problems: a line each, in the order of the text.
    let text = rdna
        .replacen("parent = \"GL1\"", "parent = \"GL9\"", 1)
        .replacen("GENERIC_READ = [\"C\"", "GENERIC_READ = [\"Q\"", 1);
    let path = file(&d, "two.toml", &text);
    let message = syncscope(&["run", &clean, "--profile", &path]);
    let message = stderr(&message);
    let first = message.find(&format!("\n  {path}:{}: ", place(&text, "\"GL9\"")));
    let second = message.find(&format!("\n  {path}:{}: ", place(&text, "\"Q\"")));
    assert!(first.is_some() && first < second, "{message}");
    // What a scenario would have is no help here.
    for (name, text, says) in [
        ("empty.toml", Some(""), "is empty"),
        ("no.toml", None, "no file"),
    ] {
        let path = match text {
            Some(text) => file(&d, name, text),
            None => d.join(name).display().to_string(),
        };
        unusable(&["run", &clean, "--profile", &path], says, "");
        let output = syncscope(&["run", &clean, "--profile", &path]);
        // The folder of the checkout may be called anything.
        let message = stderr(&output).replace(&d.display().to_string(), "");
        assert!(
            !message.contains("demo") && !message.contains("scenario"),
            "{message}"
        );
        // A file that is missing may be misspelt: then the one that is meant says enough.
        let says_what = message.contains("profile") || message.contains("did you mean");
        assert!(says_what, "{message}");
    }
}

/// Blanks that are not ASCII are told as what they are, a whole character each.
#[test]
fn a_blank_that_is_none_is_told() {
    let d = directory("blanks");
    for blank in ['\u{85}', '\u{a0}', '\u{2028}', '\u{2029}', '\u{3000}'] {
        let text = file(&d, "blank.scn", format!("{blank} queue gfx : direct\n"));
        let output = syncscope(&["check", &text]);
        assert_eq!(status(&output), Some(1), "{blank:?} {}", stderr(&output));
        let said = format!("{}{}", stdout(&output), stderr(&output));
        assert!(said.contains("SC001"), "{blank:?} {said}");
    }
}

/// Settings are those of the machines that are compared, not of the one that the text would run on by itself.
#[test]
fn settings_of_a_table_are_those_of_its_machines() {
    let d = directory("table-settings");
    let clean = file(&d, "clean.scn", CLEAN);
    let arguments = ["run", &clean, "--profiles", "tiler", "--set"];
    let good = syncscope(&[&arguments[..], &["CCHE.size_bytes=1024"]].concat());
    assert_eq!(status(&good), Some(0), "{}", stderr(&good));
    let arguments = [&arguments[..], &["GL1.size_bytes=1024"]].concat();
    unusable(&arguments, "`tiler`", "one of each");
}

/// Settings are read alike wherever there are some.
#[test]
fn settings_are_read_alike_everywhere() {
    let d = directory("settings");
    let clean = file(&d, "clean.scn", CLEAN);
    for verb in ["run", "fence"] {
        unusable(
            &[verb, &clean, "--set", "L2.line_bytes"],
            "has no `=`",
            "KEY=VALUE",
        );
        unusable(
            &[verb, &clean, "--set", "L2.lines=64"],
            "L2.line_bytes",
            "--numbers",
        );
        unusable(&[verb, &clean, "--profile", "rdnb"], "`rdnb`", "rdna");
        let good = syncscope(&[verb, &clean, "--set", " L2.line_bytes = 64"]);
        assert_eq!(status(&good), Some(0), "{}", stderr(&good));
    }
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
        &["explain", "SC", "EB", "LB", "FN", "HZ", "RD", "LW"],
        &["explain", "EB012", "HZ101", "--ascii"],
        &["explain", "LW101", "EB012"],
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
        "propose", "report",
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
    assert!(report["commands"][0]["slack_ps"].is_u64());
    assert!(report["barriers"][0]["critical_ps"].is_u64());
    the_critical_path_tiles_the_report(&report);
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

/// Segments follow each other from zero to the makespan; what they do adds up to it, and so do frames.
fn the_critical_path_tiles_the_report(report: &Value) {
    let number = |value: &Value| value.as_u64().expect("a number");
    let rows = |key: &str| report[key].as_array().expect("a list").clone();
    for key in ["critical_path", "frames"] {
        let mut at = 0;
        for row in rows(key) {
            assert_eq!(number(&row["start_ps"]), at, "{key}");
            at = number(&row["end_ps"]);
        }
        assert_eq!(at, number(&report["makespan_ps"]), "{key}");
    }
    let causes = rows("critical_causes");
    let total: u64 = causes.iter().map(|row| number(&row["time_ps"])).sum();
    assert_eq!(total, number(&report["makespan_ps"]));
    let segment = &rows("critical_path")[0];
    for key in [
        "frame",
        "command",
        "label",
        "line",
        "queue",
        "did",
        "target",
        "because",
        "after",
        "refill_ps",
        "shared_ps",
        "shared_with",
    ] {
        assert!(segment.get(key).is_some(), "critical_path[].{key}");
    }
    let queue = &report["utilisation"]["queues"][0];
    for key in [
        "queue",
        "busy_ps",
        "permille",
        "barrier_ps",
        "fence_ps",
        "submit_ps",
        "stages",
    ] {
        assert!(queue.get(key).is_some(), "utilisation.queues[].{key}");
    }
}

/// The short report shows the longest segments; `--show path` shows as many lines as there are segments.
#[test]
fn the_whole_path_is_shown_if_asked_for() {
    let d = directory("path");
    let path = file(&d, "clean.scn", CLEAN);
    let (report, _) = json(&["run", &path, "--format", "json"]);
    let segments = report["critical_path"].as_array().expect("a list").len();
    let rows = |output: &Output| {
        let text = stdout(output);
        let from = text.lines().position(|l| l.starts_with("critical path: "));
        let rows = text.lines().skip(from.expect("a section") + 1);
        rows.take_while(|l| l.starts_with("  ")).count()
    };
    assert!(segments > 5, "{segments}");
    assert_eq!(rows(&syncscope(&["run", &path])), 5);
    assert_eq!(
        rows(&syncscope(&["run", &path, "--show", "path"])),
        segments
    );
    unusable(
        &["run", &path, "--show", "paht"],
        "there is no view `paht`",
        "did you mean `path`",
    );
}

// Needs the pipeline.
#[test]
fn parts_limit_the_report() {
    let d = directory("parts");
    let path = file(&d, "hazard.scn", HAZARD);
    let (report, _) = json(&["run", &path, "--format", "json", "--parts", "findings"]);
    assert!(report.get("findings").is_some());
    assert!(report.get("commands").is_none() && report.get("barriers").is_none());
    assert!(report.get("critical_path").is_none() && report.get("utilisation").is_none());
    let (report, _) = json(&[
        "run",
        &path,
        "--format",
        "json",
        "--parts",
        "path,utilisation",
    ]);
    assert!(report.get("findings").is_none() && report.get("commands").is_none());
    assert!(report["critical_path"].is_array() && report["utilisation"]["queues"].is_array());
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
fn the_dependency_graph_is_printed() {
    let d = directory("graph");
    let text = "queue gfx : direct\nbuffer a : 4KiB { flags UNORDERED_ACCESS }\nlist main : direct {\n  \
                dispatch \"fill\" 1x1x1 { UNORDERED_ACCESS a writes }\n  \
                barrier { buffer a { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }\n  \
                dispatch \"sum\" 1x1x1 { SHADER_RESOURCE a }\n  \
                draw \"late\" { SHADER_RESOURCE a @ PIXEL_SHADING }\n}\ntimeline { gfx execute main }\n";
    let path = file(&d, "x.scn", text);
    let (graph, output) = json(&["graph", &path, "--format", "json"]);
    assert_eq!(status(&output), Some(0));
    let edge = |from: &str, to: &str, relation: &str, reason: &str| {
        graph["edges"].as_array().expect("edges").iter().any(|e| {
            (e["from"] == from && e["to"] == to)
                && (e["relation"] == relation && e["reason"] == reason)
        })
    };
    // The fill is needed by both reads; the barrier leads only to the first.
    assert!(edge("gfx#1", "gfx#3", "needed", "covered"), "{graph:#}");
    assert!(edge("gfx#1", "gfx#4", "needed", "missing"), "{graph:#}");
    assert!(edge("gfx#1", "gfx#2.0", "asked", "barrier"), "{graph:#}");
    assert!(edge("gfx#2.0", "gfx#3", "asked", "barrier"), "{graph:#}");
    assert!(!edge("gfx#2.0", "gfx#4", "asked", "barrier"), "{graph:#}");

    let (needed, _) = json(&["graph", &path, "--format", "json", "--relation", "needed"]);
    let edges = needed["edges"].as_array().expect("edges");
    assert!(edges.len() == 2 && edges.iter().all(|e| e["relation"] == "needed"));
    let (near, _) = json(&["graph", &path, "--format", "json", "--around", "gfx#2.0"]);
    let ids: Vec<&Value> = near["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .map(|n| &n["id"])
        .collect();
    assert!(!ids.contains(&&Value::from("gfx#4")), "{ids:?}");
    let (reduced, _) = json(&[
        "graph",
        &path,
        "--format",
        "json",
        "--relation",
        "asked",
        "--reduced",
    ]);
    let fewer = reduced["edges"].as_array().expect("edges").len();
    let (asked, _) = json(&["graph", &path, "--format", "json", "--relation", "asked"]);
    assert!(fewer < asked["edges"].as_array().expect("edges").len());
    let output = syncscope(&["graph", &path]);
    let dot = stdout(&output);
    assert!(
        dot.starts_with("digraph") && dot.contains("color=red"),
        "{dot}"
    );
    let unknown = syncscope(&["graph", &path, "--around", "gfx#9"]);
    assert_eq!(status(&unknown), Some(2));
    assert!(stderr(&unknown).contains("gfx#9"));
}

#[test]
fn lists_and_schemas_come_from_what_exists() {
    assert!(stdout(&syncscope(&["list", "profiles"])).contains("rdna"));
    assert!(stdout(&syncscope(&["list", "lowerings"])).contains("precise"));
    assert!(stdout(&syncscope(&["list", "rules"])).contains("SC001"));
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
    file(&d, "ignored.txt", "");
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

#[test]
fn a_rule_is_explained_by_its_id_or_name_and_a_family_lists_its_rules() {
    let page = syncscope(&["explain", "EB012"]);
    assert_eq!(status(&page), Some(0));
    let text = stdout(&page);
    assert!(
        text.starts_with("EB012 discard-without-undefined (error)\n\nWhat it finds. "),
        "{text}"
    );
    for part in [
        "\nWhy it matters. ",
        "\nFiring example\n    texture t",
        "\nSource. ",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert!(!text.contains("**") && !text.contains("```"), "{text}");
    assert_eq!(
        page.stdout,
        syncscope(&["explain", "discard-without-undefined"]).stdout
    );
    let colour = syncscope(&["explain", "EB012", "--color", "always"]);
    assert!(stdout(&colour).contains("\u{1b}[1mWhat it finds.\u{1b}[0m"));
    let raw = syncscope(&["explain", "EB012", "--format", "markdown"]);
    assert!(stdout(&raw).starts_with("# EB012 discard-without-undefined\n"));
    assert!(stdout(&raw).contains("**Why it matters.** "));
    let family = syncscope(&["explain", "EB"]);
    assert!(stdout(&family).starts_with("EB: enhanced barriers\n\nEB001 "));
    assert!(!stdout(&family).contains("HZ101"));
    unusable(&["explain", "EB012", "EB01"], "`EB01`", "`EB001`");
    unusable(
        &["explain", "discard-without-undefind"],
        "rule or family",
        "`discard-without-undefined`",
    );
    unusable(
        &["explain", "nothing-like-it"],
        "`nothing-like-it`",
        "list rules",
    );
}

#[test]
fn rules_are_listed_as_values_too() {
    let (rules, _) = json(&["list", "rules", "--format", "json"]);
    let rules = rules.as_array().expect("a list");
    let rule = rules
        .iter()
        .find(|r| r["id"] == "HZ101")
        .expect("it is listed");
    assert_eq!(rule["name"], "read-after-write");
    assert_eq!(rule["severity"], "hazard");
    assert_eq!(rule["family"], "HZ");
    assert!(rule["summary"].is_string());
    let listed = syncscope(&["list", "rules"]);
    let heads = stdout(&listed)
        .lines()
        .filter(|l| !l.starts_with(' '))
        .count();
    assert_eq!(heads, rules.len());
}

#[test]
fn the_last_switch_on_the_command_line_decides() {
    let d = directory("switches");
    let path = file(&d, "hazard.scn", HAZARD);
    let severity = |arguments: &[&str]| {
        let (report, output) = json(&[&["check", &path, "--format", "json"], arguments].concat());
        let severity = report["findings"][0]["severity"]
            .as_str()
            .map(str::to_owned);
        (severity.unwrap_or_default(), status(&output))
    };
    let is = |word: &str, status: i32| (word.to_owned(), Some(status));
    assert_eq!(severity(&[]), is("hazard", 1));
    assert_eq!(severity(&["--warn", "HZ101"]), is("warning", 0));
    assert_eq!(severity(&["--deny", "read-after-write"]), is("error", 1));
    assert_eq!(severity(&["--allow", "HZ"]), is("", 0));
    // Across options and within one, in the order in which they are written.
    assert_eq!(
        severity(&["--allow", "HZ", "--warn", "HZ101"]),
        is("warning", 0)
    );
    assert_eq!(severity(&["--warn", "HZ101", "--allow", "HZ"]), is("", 0));
    assert_eq!(
        severity(&["--deny", "HZ,EB", "--warn", "EB", "--deny=FN"]),
        is("error", 1)
    );
    assert_eq!(
        severity(&["--allow", "EB,HZ", "--deny", "FN,HZ101", "--warn", "RD"]),
        is("error", 1)
    );
    assert_eq!(
        severity(&[
            "--deny", "HZ", "--allow", "EB", "--warn", "HZ", "--deny", "EB"
        ]),
        is("warning", 0)
    );
    let (report, output) = json(&["run", &path, "--format", "json", "--warn", "HZ"]);
    assert_eq!(report["findings"][0]["severity"], "warning");
    assert_eq!(status(&output), Some(0));
    let output = syncscope(&["test", &path]);
    assert_eq!(status(&output), Some(1));
    let output = syncscope(&["test", &path, "--allow", "HZ"]);
    assert_eq!(status(&output), Some(0), "{}", stdout(&output));
    for verb in ["run", "check", "test"] {
        for option in ["--deny", "--warn", "--allow"] {
            unusable(&[verb, &path, option, "HZ,EB01"], "`EB01`", "`EB001`");
            unusable(
                &[verb, &path, option, "read-after-wriet"],
                "wriet",
                "`read-after-write`",
            );
        }
        unusable(
            &[verb, &path, "--allow", "SC003"],
            "`SC003`",
            "correct the text",
        );
        unusable(&[verb, &path, "--warn", "SC"], "`SC`", "correct the text");
    }
}

/// Readings R10 and R31: layout 31 is one of newer headers; `DRAW` with `RENDER_TARGET` is refused by the shipped layer.
#[test]
fn the_rule_set_decides_where_sources_disagree() {
    let d = directory("rule_sets");
    let frame = |entry: &str| {
        format!(
            "texture t : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET }}
queue q : direct
list l : direct {{
  clear-rtv t
  barrier {{
    texture t {{ {entry} }}
  }}
}}
timeline {{
  q execute l
}}
"
        )
    };
    let newer = file(
        &d,
        "newer.scn",
        frame(
            "sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> 31",
        ),
    );
    let draw = file(
        &d,
        "draw.scn",
        frame(
            "sync DRAW -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE",
        ),
    );
    let found = |path: &str, rules: &str| {
        let output = syncscope(&["check", path, "--rules", rules]);
        (status(&output), stdout(&output).to_owned())
    };
    let (code, text) = found(&newer, "specification");
    assert_eq!(code, Some(1));
    assert!(text.contains("EB014"), "{text}");
    assert!(
        text.contains("no finding under `--rules debug-layer`"),
        "{text}"
    );
    assert_eq!(found(&newer, "debug-layer").0, Some(0));
    assert_eq!(found(&draw, "specification").0, Some(0));
    let (code, text) = found(&draw, "debug-layer");
    assert_eq!(code, Some(1));
    assert!(text.contains("EB020"), "{text}");
    assert!(text.contains("`--rules specification`"), "{text}");
    let output = syncscope(&["check", &draw, "--rules", "shipped"]);
    assert_eq!(status(&output), Some(2));
    let text = stderr(&output);
    assert!(
        text.contains("debug-layer") && text.contains("shipped"),
        "{text}"
    );
}

const LITMUS: &str = "uav x globallycoherent
thread group 0 cs { st x 1 }
thread group 1 cs { ld r0 x }
expect VERDICT 1:r0 == 0
";

#[test]
fn litmus_ends_with_what_the_expectations_came_to() {
    let directory = directory("litmus");
    let good = file(
        &directory,
        "good.litmus",
        LITMUS.replace("VERDICT", "allowed"),
    );
    let bad = file(
        &directory,
        "bad.litmus",
        LITMUS.replace("VERDICT", "forbidden"),
    );
    let none = file(&directory, "none.litmus", "nonsense\n");
    let status = |arguments: &[&str]| syncscope(arguments).status.code();
    assert_eq!(status(&["litmus", &good]), Some(0));
    assert_eq!(status(&["litmus", &bad]), Some(1));
    assert_eq!(status(&["litmus", &none]), Some(2));
    assert_eq!(status(&["litmus", &good, &none]), Some(2));
    assert_eq!(status(&["litmus", "missing.litmus"]), Some(2));
    assert_eq!(status(&["litmus", &good, "--profile", "nothing"]), Some(2));
    assert_eq!(status(&["litmus", &good, "--reading", "nothing"]), Some(2));
    assert_eq!(status(&["litmus", &good, "--states", "0"]), Some(2));
    assert_eq!(status(&["test", &good]), Some(0));
    assert_eq!(status(&["test", &bad]), Some(1));
    let all = syncscope(&["test", &directory.display().to_string()]);
    let text = String::from_utf8(all.stdout).expect("text");
    assert!(text.ends_with("1 passed, 2 failed\n"), "{text}");
}

#[test]
fn litmus_prints_for_people_and_for_programs() {
    let directory = directory("litmus-print");
    let bad = file(
        &directory,
        "bad.litmus",
        LITMUS.replace("VERDICT", "forbidden"),
    );
    let text = syncscope(&[
        "litmus", &bad, "--all", "--mutate", "--random", "50", "--ascii",
    ]);
    let text = String::from_utf8(text.stdout).expect("text");
    for wanted in [
        "allowed, not forbidden",
        "even in program order",
        "LM020",
        "50 random runs",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert!(
        text.is_ascii() && text.lines().all(|l| l.len() <= 100),
        "{text}"
    );
    let json = syncscope(&["litmus", &bad, "--format", "json"]);
    let value: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let expectation = &value[0]["expectations"][0];
    assert_eq!(value[0]["holds"], false);
    assert_eq!(expectation["verdict"], "allowed");
    assert_eq!(expectation["reached"]["sc"], true);
    assert_eq!(value[0]["findings"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_fix_is_printed_or_made_and_what_it_settles_is_expected_no_more() {
    let directory = directory("fix");
    let marked = HAZARD.replace(
        "{ SHADER_RESOURCE b }\n",
        "{ SHADER_RESOURCE b } //~ HZ101\n",
    );
    let path = file(&directory, "hazard.scn", &marked);
    let output = syncscope(&["fix", &path]);
    assert_eq!(status(&output), Some(0), "{}", stderr(&output));
    assert!(
        stdout(&output)
            .contains("\n+  barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING")
    );
    assert!(stderr(&output).contains("1 change, verified; no error or hazard is left"));
    assert_eq!(fs::read_to_string(&path).expect("still there"), marked);

    let output = syncscope(&["fix", "--write", &path]);
    assert_eq!(status(&output), Some(0), "{}", stderr(&output));
    let written = fs::read_to_string(&path).expect("still there");
    assert!(
        written.contains("barrier {") && !written.contains("//~"),
        "{written}"
    );
    assert_eq!(status(&syncscope(&["test", &path])), Some(0));
    // A second time there is nothing to do, and nothing is printed.
    let output = syncscope(&["fix", &path]);
    assert_eq!((status(&output), stdout(&output)), (Some(0), ""));

    // The JSON form is changed in its own form.
    let path = file(
        &directory,
        "hazard.json",
        stdout(&syncscope(&[
            "fmt",
            "--to",
            "json",
            &file(&directory, "h.scn", HAZARD),
        ])),
    );
    assert_eq!(status(&syncscope(&["fix", "--write", &path])), Some(0));
    assert_eq!(status(&syncscope(&["check", &path])), Some(0));
    let (value, _) = json(&[
        "fix",
        "--format",
        "json",
        &file(&directory, "again.scn", HAZARD),
    ]);
    assert_eq!(value["changes"][0]["rule"], "HZ101");
    assert_eq!(value["left"], serde_json::json!([]));

    unusable(
        &["fix", "--only", "HZ999", &path],
        "`HZ999` is no rule",
        "list rules",
    );
}

#[test]
fn the_graph_says_what_a_machine_ensures_and_what_was_paid() {
    let directory = directory("graph-machine");
    let path = file(&directory, "clean.scn", CLEAN);
    let (value, output) = json(&[
        "graph",
        &path,
        "--format",
        "json",
        "--relation",
        "asked,ensured,paid",
    ]);
    assert_eq!(status(&output), Some(0));
    let edges = value["edges"].as_array().expect("edges");
    let of = |relation: &str| {
        let edges = edges.iter().filter(|e| e["relation"] == relation);
        edges
            .map(|e| {
                (
                    e["from"].to_string(),
                    e["to"].to_string(),
                    e["reason"].to_string(),
                )
            })
            .collect::<Vec<_>>()
    };
    // The precise lowering sees to everything that was asked.
    assert_eq!(of("asked"), of("ensured"));
    // The barrier drained the writer and held the reader.
    let paid = of("paid");
    let quoted = |from: &str, to: &str, why: &str| {
        (
            format!("\"{from}\""),
            format!("\"{to}\""),
            format!("\"{why}\""),
        )
    };
    assert!(
        paid.contains(&quoted("gfx#1", "gfx#2.0", "drain")),
        "{paid:?}"
    );
    assert!(
        edges
            .iter()
            .all(|e| (e["relation"] == "paid") == e["paid_ps"].is_u64()),
        "{edges:?}"
    );

    // A lowering that forgets to invalidate leaves visibility unensured.
    let (value, _) = json(&[
        "graph",
        &path,
        "--format",
        "json",
        "--relation",
        "ensured",
        "--lowering",
        "forgets_invalidate",
    ]);
    let edges = value["edges"].as_array().expect("edges");
    assert!(edges.iter().any(|e| e["reason"] == "missing"), "{edges:?}");

    // Two queues that wait for each other: the cycle is named, and the status says so.
    let circle = "queue a : direct
queue b : compute
fence f
fence g
timeline {
  a wait g 1
  a signal f 1
  b wait f 1
  b signal g 1
}
";
    let path = file(&directory, "circle.scn", circle);
    let output = syncscope(&["graph", &path]);
    assert_eq!(status(&output), Some(1));
    assert!(
        stderr(&output).contains("deadlock: each of these waits for the next: end of a#1, end of a#2, end of b#1, end of b#2"),
        "{}",
        stderr(&output)
    );
    unusable(
        &["graph", &path, "--reduced"],
        "deadlock",
        "break the cycle",
    );
}

#[test]
fn the_graph_holds_what_is_needed_across_calls_and_fences() {
    let directory = directory("graph-across");
    let text = "queue q : direct
queue p : compute
fence f
buffer b : 4KiB { flags UNORDERED_ACCESS }
list l : direct { dispatch \"w\" 1x1x1 { UNORDERED_ACCESS b writes } }
list m : compute { dispatch \"r\" 1x1x1 { SHADER_RESOURCE b } }
timeline {
  q execute l
  q signal f 1
  p wait f 1
  p execute m
}
";
    let path = file(&directory, "across.scn", text);
    let (value, output) = json(&["graph", &path, "--format", "json"]);
    assert_eq!(status(&output), Some(0));
    let edges = value["edges"].as_array().expect("edges");
    // The call ends with everything finished and flushed, and the fence orders the queues: needed, and covered.
    let needed: Vec<_> = edges.iter().filter(|e| e["relation"] == "needed").collect();
    assert_eq!(needed.len(), 1, "{needed:?}");
    assert_eq!(
        (&needed[0]["from"], &needed[0]["to"], &needed[0]["reason"]),
        (&"q#1".into(), &"p#2".into(), &"covered".into())
    );
    let output = syncscope(&["graph", &path, "--around", "q#1"]);
    assert_eq!(status(&output), Some(0), "{}", stderr(&output));
}
