//! What a run prints: who reads it, how wide it is, the JSON contract, its parts.

use super::*;

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
        // The text has errors, which the command may have told before anybody left.
        let code = output.status.code();
        let is_told = arguments[0] == "check" && code == Some(2);
        assert!(code == Some(0) || is_told, "{arguments:?}: {code:?}");
    }
}

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

#[test]
fn a_check_simulates_nothing() {
    let d = directory("check");
    let path = file(&d, "hazard.scn", HAZARD);
    let (report, output) = json(&["check", &path, "--format", "json"]);
    assert_eq!(status(&output), Some(1));
    assert!(report["makespan_ps"].is_null());
    assert!(report["findings"][0]["visible"].is_null());
}

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
