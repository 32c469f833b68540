//! Commands that take rule files, and what the book says about them.

use super::*;

/// The command line from the repository's root.
pub(super) fn command(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_syncscope"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("NO_COLOR", "1")
        .env_remove("COLUMNS")
        .output()
        .expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn commands_take_rule_files() {
    let scene = "scenarios/rules/RF005/scene.scn";
    let quiet = "scenarios/rules/RF005/quiet.lower";
    let fires = "scenarios/rules/RF005/fires.lower";
    let (code, out, err) = command(&["run", scene, "--lowering", quiet]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(
        out.contains("on rdna with quiet (named by the command line)"),
        "{out}"
    );
    let (code, out, _) = command(&["run", scene, "--lowering", fires]);
    assert_eq!(code, Some(1), "a read goes wrong: {out}");
    assert!(out.contains("RF005") && out.contains("LW101"), "{out}");
    assert!(out.contains("no rule of the rule file matches it"), "{out}");
    let (code, out, _) = command(&[
        "run",
        scene,
        "--lowering",
        quiet,
        "--profiles",
        "rdna,rdna12",
    ]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "rdna12 has no GL1");
    let (code, _, err) = command(&[
        "run",
        scene,
        "--lowering",
        "scenarios/rules/RF002/fires.lower",
    ]);
    assert_eq!(code, Some(2));
    assert!(
        err.contains("the profile `rdna` has no cache `RT`") && err.contains("known: L0V, K"),
        "{err}"
    );
    let (code, _, err) = command(&[
        "run",
        scene,
        "--lowering",
        "scenarios/rules/RF005/queit.lower",
    ]);
    assert_eq!(code, Some(2));
    assert!(
        err.contains("did you mean `scenarios/rules/RF005/quiet.lower`?"),
        "{err}"
    );
    let (code, _, err) = command(&[
        "run",
        scene,
        "--lowering",
        "scenarios/rules/RF004/fires.lower",
    ]);
    assert_eq!(code, Some(1));
    assert!(
        err.contains(
            "warning: scenarios/rules/RF004/fires.lower:11:6: rule \"colour\" never counts"
        ),
        "{err}"
    );
    let (code, out, _) = command(&[
        "check",
        "scenarios/rules/RF003/fires.lower",
        "--profile",
        "rdna",
    ]);
    assert_eq!(code, Some(2));
    assert!(out.contains("RF003") && out.contains("clean K"), "{out}");
    let (code, out, _) = command(&["fmt", "--check", quiet, fires]);
    assert_eq!((code, out.as_str()), (Some(0), ""));
    // The JSON form is the same lowering.
    let (code, json, _) = command(&["fmt", "--to", "json", fires]);
    assert_eq!(code, Some(0));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rule_files_json");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("fires.lower.json");
    fs::write(&path, json).expect("a file");
    let path = path.display().to_string();
    let (_, text, _) = command(&["lower", scene, "--lowering", fires, "--format", "json"]);
    let (_, same, err) = command(&["lower", scene, "--lowering", &path, "--format", "json"]);
    let without_places = |text: &str| {
        let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
        let operations = value["barriers"][0]["operations"].as_array().map(Vec::len);
        (
            value["lowering"].clone(),
            value["barriers"][0]["wait"].clone(),
            operations,
        )
    };
    assert_eq!(without_places(&same), without_places(&text), "{err}");
    let (code, out, _) = command(&["fmt", "--to", "lower", &path]);
    assert_eq!(code, Some(0));
    let (file, _) = rules::parse(&Source::new("fires.lower", out));
    assert_eq!(file.name, "fires");
}

/// A scenario names a rule file next to it.
#[test]
fn a_scenario_names_a_rule_file() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rule_files");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("x.lower"), MINE).expect("a file");
    let scene = folder.join("x.scn");
    fs::write(
        &scene,
        format!("device {{ profile rdna; lowering \"x.lower\" }}\n{COLOUR}"),
    )
    .expect("a file");
    let scene = scene.display().to_string();
    let (code, out, err) = command(&["run", &scene]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(
        out.contains("with my_driver (named by the scenario)"),
        "{out}"
    );
    let (code, out, err) = command(&["test", &scene]);
    assert_eq!(code, Some(0), "{out}{err}");
}

/// Every packet of every barrier, at 100 columns: no line is longer.
#[test]
fn packets_are_listed_with_reasons_ways_and_prices() {
    let scene = "scenarios/rules/RF005/scene.scn";
    let quiet = "scenarios/rules/RF005/quiet.lower";
    let (code, out, err) = command(&["lower", scene, "--lowering", quiet]);
    assert_eq!(code, Some(0), "{err}");
    for said in [
        "rule \"compute\", line 12 of the rule file, matched by UNORDERED_ACCESS before",
        "waits for COMPUTE_SHADING: 300.0 ns beyond the work",
        "invalidate L0V (INV_VCACHE), 4.0 KiB: 200.0 ns",
        "why: rule \"compute\", scenarios/rules/RF005/quiet.lower:14",
        "way: SHADER_RESOURCE: L0V → GL1 → L2 → memory",
        "holds PIXEL_SHADING",
    ] {
        assert!(out.contains(said), "{said}\n{out}");
    }
    for lowering in ["precise", "full_flush", "nvidia_like", "lazy"] {
        for path in tour::files("scenarios/tour")
            .into_iter()
            .chain(tour::files("scenarios/machine"))
        {
            let path = path.display().to_string();
            let arguments = ["lower", &path, "--lowering", lowering, "--width", "100"];
            let (_, out, _) = command(&arguments);
            let long = out.lines().find(|line| line.chars().count() > 100);
            assert!(long.is_none(), "{path}: {long:?}");
        }
    }
    let (_, out, _) = command(&["lower", scene, "--lowering", "precise", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let operation = &value["barriers"][0]["operations"][0];
    assert_eq!(operation["op"], "invalidate");
    assert_eq!(
        operation["why"],
        "UNORDERED_ACCESS written before, SHADER_RESOURCE follows"
    );
    assert_eq!(operation["price_least_ps"], 200_000);
    assert_eq!(operation["ways"][0]["path"], "L0V → GL1 → L2 → memory");
}

/// The story of the book's page: the first try lacks operations, and a read shows it; the second lacks none.
#[test]
fn the_story_of_the_page_is_true() {
    let folder = "scenarios/lowering/rule-files";
    let scene = format!("{folder}/colour-to-texture.scn");
    let run = |lowering: &str| {
        let lowering = format!("{folder}/{lowering}.lower");
        let (code, out, err) =
            command(&["run", &scene, "--lowering", &lowering, "--format", "json"]);
        let value: serde_json::Value =
            serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
        let of = |f: &&serde_json::Value| f["rule"] == "LW101";
        let findings = value["findings"].as_array().expect("findings");
        let missing: Vec<_> = findings.iter().filter(of).cloned().collect();
        (code, missing)
    };
    let (code, missing) = run("first-try");
    // The clean that the first barrier lacks, no use needs.
    assert_eq!((code, missing.len()), (Some(1), 1));
    assert!(
        missing.iter().any(|f| f["visible"] == true),
        "a read shows it"
    );
    let said: String = missing.iter().map(ToString::to_string).collect();
    let rule = r#"what lowers it: rule \"colour to texture\", scenarios/lowering/rule-files/first-try.lower:7"#;
    assert!(said.contains(rule), "{said}");
    assert_eq!(run("second-try"), (Some(0), Vec::new()));
}

/// The grammar for editors colours every word that the parser knows, and no other.
#[test]
fn the_editor_grammar_has_every_keyword() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src/lower.tmLanguage.json");
    let text = fs::read_to_string(path).expect("the grammar");
    let grammar: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let patterns = grammar["patterns"].as_array().expect("patterns");
    let mut coloured = BTreeSet::new();
    for pattern in patterns {
        let name = pattern["name"].as_str().unwrap_or_default();
        let is_words = name.starts_with("keyword.") || name.starts_with("constant.language.");
        let Some(list) = pattern["match"].as_str().filter(|_| is_words) else {
            continue;
        };
        let words = list
            .split_once("(?<![\\w-])(")
            .and_then(|(_, rest)| rest.split_once(")(?!"));
        let (words, _) = words.unwrap_or_else(|| panic!("{name}: a list of words"));
        for word in words.split('|') {
            assert!(coloured.insert(word.to_owned()), "{word} is there twice");
        }
    }
    let known: BTreeSet<String> = rules::keywords().into_iter().collect();
    assert_eq!(coloured, known);
}

/// What the JSON form may have is what the schema says.
#[test]
fn the_schema_names_what_the_json_form_has() {
    let (_, out, _) = command(&["schema", "lowering"]);
    let schema: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let properties = schema["properties"].as_object().expect("properties");
    let (file, _) = rules::parse(&Source::new("all.lower", ALL_OF_IT));
    let value: serde_json::Value = serde_json::from_str(&json::to_json(&file)).expect("JSON");
    for key in value.as_object().expect("an object").keys() {
        assert!(properties.contains_key(key), "{key}");
    }
    let wrong = Source::new(
        "x.lower.json",
        "{ \"format\": \"syncscope-lowering-1\", \"lowering\": \"a\", \"ruels\": [] }",
    );
    let finding = json::to_text(&wrong).expect_err("a mistake");
    assert!(
        finding.message.contains("unknown field `ruels`"),
        "{}",
        finding.message
    );
}
