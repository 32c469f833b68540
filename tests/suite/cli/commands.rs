//! The other commands: list, schema, fmt, test, demo, explain, litmus, fix, and the switches that they share.

use super::*;

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
    assert_eq!(status(&output), Some(2));
    assert_eq!(stdout(&output), "");
    assert!(stderr(&output).contains("SC"));
    assert_eq!(fs::read_to_string(&path).expect("it is still there"), text);
}

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
    assert_eq!(status(&output), Some(2));
    assert!(stdout(&output).ends_with("0 passed, 1 failed\n"));
}

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
