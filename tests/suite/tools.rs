//! Formats that other programs open, read by what is not their writer: an XML parser, Graphviz, a rasteriser, a reader of
//! CSV, and field by field where no reader is at hand (SARIF 2.1.0, Chrome's trace events, GitHub's workflow commands).

use crate::cli::{CLEAN, command};
use crate::{schema, sizes};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn syncscope(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program starts")
}

fn printed(arguments: &[&str]) -> String {
    let output = syncscope(arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() < Some(2), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

fn json(arguments: &[&str]) -> Value {
    let text = printed(arguments);
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{arguments:?}: {e}"))
}

fn scene(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenarios")
        .join(name);
    path.display().to_string()
}

fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the target directory can be written");
    path
}

/// Scenes of every shape: queues, splits, races, legacy barriers, aliases.
const SCENES: [&str; 6] = [
    "rules/HZ101/fires.scn",
    "rules/HZ107/fires.scn",
    "rules/HZ201/fires.scn",
    "rules/HZ108/fires.scn",
    "rules/RD115/fires.scn",
    "rules/LB023/fires.scn",
];

/// Names that would be markup, would end a string, or would turn the text around.
const HOSTILE: &str = "scenario \"<script>alert(1)</script> & \u{202e}left\"
queue gfx : direct
buffer b : 4KiB { flags UNORDERED_ACCESS }
list main : direct {
  dispatch \"a\\\\b --> ]]> <b> 'x' {| &amp; \u{202e}\" 1x1x1 { UNORDERED_ACCESS b writes }
  dispatch \"%, : read\" 1x1x1 { SHADER_RESOURCE b }
}
timeline { gfx execute main }
";

fn hostile(test: &str) -> String {
    let path = directory(test).join("a, b%.scn");
    fs::write(&path, HOSTILE).expect("the target directory can be written");
    path.display().to_string()
}

/// The byte of a line and column, both counted from 1, columns in characters.
fn byte(text: &str, line: &Value, column: &Value) -> usize {
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let start: usize = text
        .split_inclusive('\n')
        .take(number(line) - 1)
        .map(str::len)
        .sum();
    let rest = &text[start..];
    let mut chars = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    start + chars.nth(number(column) - 1).expect("a column of the line")
}

/// A text with the replacements of a fix: lines and columns are all that is read.
fn replaced(text: &str, fix: &Value) -> String {
    let changes = fix["artifactChanges"].as_array().expect("changes");
    assert_eq!(changes.len(), 1, "a scenario is one file");
    let mut edits: Vec<(usize, usize, &str)> = changes[0]["replacements"]
        .as_array()
        .expect("replacements")
        .iter()
        .map(|it| {
            let region = &it["deletedRegion"];
            let from = byte(text, &region["startLine"], &region["startColumn"]);
            let to = byte(text, &region["endLine"], &region["endColumn"]);
            let new = it["insertedContent"]["text"].as_str().expect("a text");
            (from, to, new)
        })
        .collect();
    edits.sort_unstable_by(|a, b| b.cmp(a));
    let mut text = text.to_owned();
    for (from, to, new) in edits {
        text.replace_range(from..to, new);
    }
    text
}

/// What the standard asks of a log and of its results (3.13, 3.14, 3.27, 3.30, 3.49), and fixes that are applied by lines
/// and columns only: each removes its finding.
#[test]
fn sarif_says_what_the_standard_asks_for() {
    let d = directory("tools-sarif");
    let mut fixes = 0;
    for name in SCENES {
        let path = scene(name);
        let log = json(&["check", &path, "--format", "sarif"]);
        assert_eq!(log["version"], "2.1.0");
        let runs = log["runs"].as_array().expect("runs");
        assert_eq!(runs.len(), 1);
        let run = &runs[0];
        assert_eq!(run["columnKind"], "unicodeCodePoints");
        let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
        let ids: BTreeSet<&str> = rules.iter().filter_map(|r| r["id"].as_str()).collect();
        assert_eq!(ids.len(), rules.len(), "each rule once");
        for rule in rules {
            for field in ["shortDescription", "fullDescription", "help"] {
                assert!(!rule[field]["text"].as_str().expect("a text").is_empty());
            }
        }
        let text = fs::read_to_string(&path).expect("a scene");
        let plain = json(&["check", &path, "--format", "json"]);
        let findings = plain["findings"].as_array().expect("findings");
        let results = run["results"].as_array().expect("results");
        assert_eq!(results.len(), findings.len(), "{name}");
        for (result, finding) in results.iter().zip(findings) {
            let index = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(rules[index]["id"], result["ruleId"]);
            assert_eq!(result["ruleId"], finding["rule"]);
            let level = result["level"].as_str().expect("a level");
            assert!(["error", "warning", "note"].contains(&level), "{level}");
            let place = &result["locations"][0]["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
            assert!(uri.starts_with("file:///") && uri.is_ascii(), "{uri}");
            let region = &place["region"];
            assert_eq!(region["startLine"], finding["line"]);
            assert_eq!(region["startColumn"], finding["column"]);
            let sides = result["relatedLocations"].as_array().expect("places");
            let mut numbers = BTreeSet::new();
            for side in sides {
                assert!(numbers.insert(side["id"].as_u64().expect("an id")));
                let region = &side["physicalLocation"]["region"];
                let from = byte(&text, &region["startLine"], &region["startColumn"]);
                let to = byte(&text, &region["endLine"], &region["endColumn"]);
                assert!(from <= to && to <= text.len());
            }
            if finding["first"].is_object() {
                assert!(sides.len() >= 2, "both sides are related locations");
            }
            for fix in result["fixes"].as_array().into_iter().flatten() {
                let path = d.join("fixed.scn");
                fs::write(&path, replaced(&text, fix)).expect("it can be written");
                let after = json(&["check", &path.display().to_string(), "--format", "json"]);
                let after = after["findings"].as_array().expect("findings");
                let same =
                    |f: &&Value| f["rule"] == finding["rule"] && f["message"] == finding["message"];
                assert!(
                    !after.iter().any(|f| same(&f)),
                    "{name}: {}",
                    finding["message"]
                );
                fixes += 1;
            }
        }
    }
    assert!(fixes >= 3, "some scenes have fixes: {fixes}");
    // Many scenarios are one log.
    let both = [scene(SCENES[0]), scene(SCENES[2])];
    let log = json(&["check", &both[0], &both[1], "--format", "sarif"]);
    let artifacts = log["runs"][0]["artifacts"].as_array().expect("artifacts");
    assert_eq!(
        (log["runs"].as_array().map(Vec::len), artifacts.len()),
        (Some(1), 2)
    );
    let strange = json(&[
        "check",
        &hostile("tools-sarif-hostile"),
        "--format",
        "sarif",
    ]);
    let uri = strange["runs"][0]["artifacts"][0]["location"]["uri"]
        .as_str()
        .expect("a URI");
    assert!(uri.ends_with("a%2C%20b%25.scn"), "{uri}");
}

/// The schema that OASIS publishes.
fn sarif_schema() -> Value {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sarif/sarif-schema-2.1.0.json");
    let text = fs::read_to_string(path).expect("the schema");
    serde_json::from_str(&text).expect("JSON")
}

/// The module `jsonschema` of Python: a program that has a schema and a log on its standard input, and prints a line for
/// each complaint.
const VALIDATE: &str = "import json, sys
from jsonschema import Draft7Validator
schema, log = json.load(sys.stdin)
Draft7Validator.check_schema(schema)
for e in Draft7Validator(schema).iter_errors(log): print(list(e.absolute_path), e.message)";

/// Logs of every shape are what the schema of the standard says; another program says so too, where it is there. Logs that
/// are broken are not.
#[test]
fn sarif_is_as_its_schema_says() {
    let schema = sarif_schema();
    let strange = hostile("tools-sarif-schema");
    let mut logs: Vec<Value> = Vec::new();
    for name in sizes::first(2, &SCENES) {
        logs.push(json(&["check", &scene(name), "--format", "sarif"]));
        logs.push(json(&["run", &scene(name), "--format", "sarif"]));
    }
    logs.push(json(&["check", &strange, "--format", "sarif"]));
    logs.push(json(&[
        "check",
        &scene("rules/HZ101"),
        &strange,
        "--format",
        "sarif",
    ]));
    logs.push(json(&[
        "check",
        &scene("tour/01-render-target-to-texture.scn"),
        "--format",
        "sarif",
    ]));
    let has_python = piped_if_found("python3", &["-c", "import jsonschema"], "").is_some();
    if !has_python {
        skipped("`python3` with `jsonschema` is not installed");
    }
    for log in &logs {
        assert_eq!(schema::complaints(&schema, log), Vec::<String>::new());
        if has_python {
            let both = serde_json::to_string(&[&schema, log]).expect("JSON");
            let output = piped("python3", &["-c", VALIDATE], &both);
            let says = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && says.is_empty(), "{says}");
        }
    }
    let breaks: [fn(&mut Value); 7] = [
        |log| log["version"] = "2.2.0".into(),
        |log| log["runs"][0]["tool"]["driver"]["name"] = Value::Null,
        |log| log["runs"][0]["results"][0]["level"] = "hazard".into(),
        |log| log["runs"][0]["results"][0]["colour"] = "red".into(),
        |log| log["runs"][0]["artifacts"][0]["location"]["uri"] = "a b".into(),
        |log| {
            let place = &mut log["runs"][0]["results"][0]["locations"][0];
            place["physicalLocation"]["region"]["startLine"] = 0.into();
        },
        |log| {
            let message = log["runs"][0]["results"][0]["message"].as_object_mut();
            message.expect("an object").remove("text");
        },
    ];
    for (index, spoil) in breaks.into_iter().enumerate() {
        let mut log = logs[0].clone();
        spoil(&mut log);
        assert!(
            !schema::complaints(&schema, &log).is_empty(),
            "break {index}"
        );
    }
}

/// As the runner reads a workflow command.
fn annotation(line: &str) -> (String, BTreeMap<String, String>, String) {
    let rest = line.strip_prefix("::").expect("a command");
    let (head, data) = rest.split_once("::").expect("a message");
    let (word, properties) = head.split_once(' ').expect("properties");
    let plain = |text: &str| {
        text.replace("%0A", "\n")
            .replace("%0D", "\r")
            .replace("%3A", ":")
            .replace("%2C", ",")
            .replace("%25", "%")
    };
    let properties = properties.split(',').map(|pair| {
        let (key, value) = pair.split_once('=').expect("a property");
        (key.to_owned(), plain(value))
    });
    (word.to_owned(), properties.collect(), plain(data))
}

#[test]
fn annotations_are_what_the_runner_reads() {
    let strange = hostile("tools-github");
    let scenes = SCENES.map(scene);
    for path in scenes.iter().chain([&strange]) {
        let text = printed(&["check", path, "--format", "github"]);
        let plain = json(&["check", path, "--format", "json"]);
        let findings = plain["findings"].as_array().expect("findings");
        assert_eq!(text.lines().count(), findings.len());
        for (line, finding) in text.lines().zip(findings) {
            let (word, properties, says) = annotation(line);
            let expected = match finding["severity"].as_str() {
                Some("error" | "hazard") => "error",
                Some("warning") => "warning",
                _ => "notice",
            };
            assert_eq!(word, expected);
            assert_eq!(&properties["file"], path);
            assert_eq!(properties["line"], finding["line"].to_string());
            if let Some(column) = properties.get("col") {
                assert_eq!(*column, finding["column"].to_string());
                assert_eq!(properties["endLine"], properties["line"]);
            }
            assert!(properties["title"].starts_with(finding["rule"].as_str().expect("a rule")));
            assert!(!says.is_empty() && !says.contains('\u{202e}'));
        }
    }
}

#[test]
fn tables_are_read_back() {
    for name in SCENES {
        let path = scene(name);
        let text = printed(&["run", &path, "--format", "csv"]);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let heads: Vec<String> = reader
            .headers()
            .expect("heads")
            .iter()
            .map(str::to_owned)
            .collect();
        let plain = json(&["run", &path, "--format", "json"]);
        let barriers = plain["barriers"].as_array().expect("barriers");
        let rows: Vec<csv::StringRecord> =
            reader.records().map(|row| row.expect("a row")).collect();
        assert_eq!(rows.len(), barriers.len(), "{name}");
        for (row, barrier) in rows.iter().zip(barriers) {
            let cell = |head: &str| &row[heads.iter().position(|h| h == head).expect("a column")];
            for head in ["id", "queue", "verdict"] {
                assert_eq!(
                    cell(head),
                    barrier[head].as_str().expect("a word"),
                    "{head}"
                );
            }
            for head in [
                "line",
                "drain_ps",
                "operation_ps",
                "refill_ps",
                "exposed_ps",
                "start_ps",
                "end_ps",
            ] {
                assert_eq!(cell(head), barrier[head].to_string(), "{head}");
            }
            assert!(!cell("sync_before").is_empty() && !cell("access_after").is_empty());
        }
    }
}

/// Without a machine, a line for each finding: what is wrong, where, and both sides.
#[test]
fn findings_are_read_back_from_a_table() {
    let strange = hostile("tools-csv");
    let scenes = SCENES.map(scene);
    let mut sides = 0;
    for path in scenes.iter().chain([&strange]) {
        let text = printed(&["check", path, "--format", "csv"]);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let heads = reader.headers().expect("heads").clone();
        let plain = json(&["check", path, "--format", "json"]);
        let findings = plain["findings"].as_array().expect("findings");
        let rows: Vec<csv::StringRecord> =
            reader.records().map(|row| row.expect("a row")).collect();
        assert_eq!(rows.len(), findings.len(), "{path}");
        for (row, finding) in rows.iter().zip(findings) {
            let cell = |head: &str| &row[heads.iter().position(|h| h == head).expect("a column")];
            assert_eq!(cell("file"), path);
            for head in ["rule", "name", "severity", "message"] {
                assert_eq!(
                    cell(head),
                    finding[head].as_str().expect("a word"),
                    "{head}"
                );
            }
            for head in ["line", "column"] {
                assert_eq!(cell(head), finding[head].to_string(), "{head}");
            }
            assert_eq!(
                cell("resource"),
                finding["resource"].as_str().unwrap_or_default()
            );
            for head in ["first", "second"] {
                let command = finding[head]["command"].as_str().unwrap_or_default();
                assert_eq!(cell(head), command, "{head}");
                sides += usize::from(!command.is_empty());
            }
        }
    }
    assert!(sides >= 8, "hazards have two sides: {sides}");
}

#[test]
fn junit_is_xml_with_counts_that_add_up() {
    let d = directory("tools-junit");
    fs::write(d.join("good.scn"), CLEAN).expect("it can be written");
    fs::write(d.join("bad <&>.scn"), HOSTILE).expect("it can be written");
    let d = d.display().to_string();
    for (arguments, cases, failed) in [
        (&["test", &d, "--format", "junit"][..], 2, 1),
        (
            &[
                "verify",
                "--lowering",
                "forgets_invalidate",
                "--profile",
                "rdna,intel",
                "--only",
                &d,
                "--format",
                "junit",
            ],
            2,
            2,
        ),
    ] {
        let text = printed(arguments);
        let document = roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
        let root = document.root_element();
        assert_eq!(root.tag_name().name(), "testsuites");
        for suite in root.children().filter(roxmltree::Node::is_element) {
            assert_eq!(suite.tag_name().name(), "testsuite");
            let own: Vec<_> = suite
                .children()
                .filter(|c| c.has_tag_name("testcase"))
                .collect();
            let failures = own
                .iter()
                .filter(|c| c.children().any(|f| f.has_tag_name("failure")));
            let failures = failures.count();
            assert_eq!((own.len(), failures), (cases, failed), "{text}");
            assert_eq!(suite.attribute("tests"), Some(cases.to_string().as_str()));
            assert_eq!(
                suite.attribute("failures"),
                Some(failed.to_string().as_str())
            );
            assert!(
                own.iter()
                    .all(|c| c.attribute("name").is_some() && c.attribute("classname").is_some())
            );
        }
    }
}

/// Says that a part of a test is skipped, and why. With `SYNCSCOPE_TOOLS=required`, which `.ci/run` sets, that fails.
pub(crate) fn skipped(why: &str) {
    let is_required = std::env::var_os("SYNCSCOPE_TOOLS").is_some_and(|it| it == "required");
    assert!(!is_required, "{why}");
    eprintln!("skipped: {why}");
}

/// A program of the system, if it is there; otherwise it is said that its part of the test is skipped.
fn found(program: &str) -> bool {
    let is_there = Command::new(program)
        .arg("-V")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok();
    if !is_there {
        skipped(&format!("`{program}` is not installed"));
    }
    is_there
}

/// What a program makes of a text.
fn piped(program: &str, arguments: &[&str], text: &str) -> Output {
    let mut running = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = running.stdin.take().expect("a pipe");
    let text = text.to_owned();
    let feeding = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = running.wait_with_output().expect("the program ends");
    let _ = feeding.join();
    output
}

/// The same, if the program is there and ends well.
fn piped_if_found(program: &str, arguments: &[&str], text: &str) -> Option<Output> {
    found(program)
        .then(|| piped(program, arguments, text))
        .filter(|o| o.status.success())
}

#[test]
fn graphviz_draws_every_graph() {
    if !found("dot") {
        return;
    }
    let strange = hostile("tools-dot");
    let scenes = SCENES.map(scene);
    for path in scenes.iter().chain([&strange]) {
        let text = printed(&["graph", path, "--relation", "needed,asked,ensured,paid"]);
        let output = piped("dot", &["-Tsvg"], &text);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{path}: {said}");
        let drawing = String::from_utf8(output.stdout).expect("text");
        assert!(drawing.contains("legend"), "{path}");
        assert!(!drawing.contains("<script") && !drawing.contains('\u{202e}'));
    }
}

/// A graph of many nodes is drawn in part, and says so where one looks; `--nodes` draws more, or fewer.
#[test]
fn graphs_say_what_they_leave_out() {
    let d = directory("tools-many-nodes");
    let (mut buffers, mut pairs) = (String::new(), String::new());
    for n in 0..300 {
        let _ = writeln!(buffers, "buffer b{n} : 4KiB {{ flags UNORDERED_ACCESS }}");
        let _ = writeln!(
            pairs,
            "  dispatch \"w{n}\" 1x1x1 {{ UNORDERED_ACCESS b{n} writes }}"
        );
        let _ = writeln!(
            pairs,
            "  dispatch \"r{n}\" 1x1x1 {{ SHADER_RESOURCE b{n} }}"
        );
    }
    let text = format!(
        "{buffers}queue gfx : direct\nlist main : direct {{\n{pairs}}}\ntimeline {{ gfx execute main }}\n"
    );
    let path = d.join("many.scn");
    fs::write(&path, text).expect("it can be written");
    let path = path.display().to_string();
    let graph = json(&["graph", &path, "--format", "json"]);
    let all = graph["nodes"].as_array().expect("nodes").len();
    assert!(all > 500, "{all}");
    let drawn = |format: &str, nodes: &[&str]| {
        let arguments = [&["graph", &path, "--format", format][..], nodes].concat();
        let text = printed(&arguments);
        let count = match format {
            "dot" => text.matches(", line ").count(),
            _ => {
                text.matches("class=\"node\"><title>").count()
                    + text.matches("class=\"submission\"><title>").count()
            }
        };
        let says = text.contains("are not drawn: --nodes all draws everything");
        (count, says)
    };
    assert_eq!(drawn("dot", &[]), (500, true));
    assert_eq!(drawn("svg", &[]), (250, true));
    for format in ["dot", "svg"] {
        assert_eq!(drawn(format, &["--nodes", "7"]), (7, true), "{format}");
        assert_eq!(drawn(format, &["--nodes", "all"]), (all, false), "{format}");
        assert_eq!(
            drawn(format, &["--nodes", "100000"]),
            (all, false),
            "{format}"
        );
    }
    for wrong in ["0", "-1", "many", "1.5", ""] {
        let option = format!("--nodes={wrong}");
        let output = syncscope(&["graph", &path, &option]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{wrong}: {said}");
        assert!(
            said.contains("expected a number from 1, or `all`"),
            "{said}"
        );
    }
}

/// Every drawing is XML, has a title and a description, keeps its text inside, and is drawn by another program.
#[test]
fn drawings_are_drawn() {
    let strange = hostile("tools-svg");
    let scenes = SCENES.map(scene);
    let draws = found("rsvg-convert");
    for path in scenes.iter().chain([&strange]) {
        for command in ["run", "graph", "step"] {
            let text = printed(&[command, path, "--format", "svg"]);
            let document =
                roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
            let root = document.root_element();
            assert_eq!(root.tag_name().name(), "svg");
            for name in ["title", "desc"] {
                let own = root
                    .children()
                    .find(|c| c.has_tag_name(("http://www.w3.org/2000/svg", name)));
                assert!(!own.and_then(|c| c.text()).expect("it is there").is_empty());
            }
            let number = |node: &roxmltree::Node<'_, '_>, name: &str| -> f64 {
                node.attribute(name)
                    .expect("a number")
                    .parse()
                    .expect("a number")
            };
            let (width, height) = (number(&root, "width"), number(&root, "height"));
            for words in root.descendants().filter(|n| n.tag_name().name() == "text") {
                let (x, y) = (number(&words, "x"), number(&words, "y"));
                assert!(
                    (0.0..=width).contains(&x) && (0.0..=height).contains(&y),
                    "{words:?}"
                );
                assert!(!words.text().unwrap_or_default().contains('\u{202e}'));
            }
            assert!(root.descendants().all(|n| n.tag_name().name() != "script"));
            if draws {
                let output = piped("rsvg-convert", &["-w", "1280"], &text);
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(
                    output.status.success() && output.stdout.len() > 2_000,
                    "{path}: {said}"
                );
            }
        }
    }
}

/// A long run is drawn with less detail, not with more bytes.
#[test]
fn a_drawing_of_a_long_run_stays_small() {
    let d = directory("tools-svg-long");
    let text = CLEAN.replace("gfx execute main", "repeat 3000 { gfx execute main }");
    let path = d.join("long.scn");
    fs::write(&path, text).expect("it can be written");
    let drawing = printed(&["run", &path.display().to_string(), "--format", "svg"]);
    assert!(drawing.len() < 400_000, "{} bytes", drawing.len());
    assert!(roxmltree::Document::parse(&drawing).is_ok());
}

/// Picoseconds of a time in microseconds.
fn ps(value: &Value) -> u64 {
    (value.as_f64().expect("a number") * 1e6).round() as u64
}

/// Dirty and clean bytes of each cache over time.
type Levels = BTreeMap<String, Vec<(u64, u64, u64)>>;

/// As the counters of a trace say: they start with nothing at the start, and go on in time.
fn levels_of_trace(events: &[Value]) -> Levels {
    let mut levels = Levels::new();
    let counters = events.iter().filter(|e| e["ph"] == "C");
    for counter in counters.filter(|e| e["name"].as_str().is_some_and(|n| n.ends_with(" bytes"))) {
        let name = counter["name"]
            .as_str()
            .expect("a name")
            .trim_end_matches(" bytes");
        let bytes = |what: &str| counter["args"][what].as_u64().expect("bytes");
        let known = levels.entry(name.to_owned()).or_default();
        known.push((ps(&counter["ts"]), bytes("dirty"), bytes("clean")));
    }
    for (name, points) in &levels {
        assert!(
            points.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "{name}"
        );
        assert!(
            points[0].0 > 0 || points[0].1 + points[0].2 > 0 || points.len() > 1,
            "{name}"
        );
    }
    after_start(levels)
}

/// Without the point at the start where there is nothing yet.
fn after_start(mut levels: Levels) -> Levels {
    for points in levels.values_mut() {
        let empty = points
            .iter()
            .take_while(|point| (point.1, point.2) == (0, 0))
            .count();
        points.drain(..empty);
    }
    levels.retain(|_, points| !points.is_empty());
    levels
}

/// As the memory view of a page of the same run says: added up over what each cache holds of each block.
fn levels_of_page(path: &str) -> Levels {
    let page = printed(&["run", path, "--format", "html"]);
    let (_, rest) = page.split_once("id=\"data\">").expect("data");
    let (data, _) = rest.split_once("</script>").expect("an end");
    let data: Value = serde_json::from_str(data).expect("JSON");
    let detail = &data["detail"];
    if detail.is_null() {
        return Levels::new();
    }
    let items = |value: &Value| value.as_array().expect("a list").clone();
    let number = |value: &Value| value.as_u64().expect("a number");
    let places = items(&detail["contents"]["places"]);
    let name = |place: u64| {
        let word = number(&places[place as usize]["name"]) as usize;
        detail["words"][word].as_str().expect("a word").to_owned()
    };
    let mut held: BTreeMap<(u64, u64), (u64, u64)> = BTreeMap::new();
    let mut levels = Levels::new();
    for moment in items(&detail["contents"]["moments"]) {
        let at = number(&moment["at"]);
        for block in items(&moment["blocks"]) {
            let place = number(&block[0]);
            if name(place) == "memory" {
                continue;
            }
            let (mut dirty, mut clean) = (0, 0);
            for run in items(&block[2]) {
                let sum = if run[3] == 1 { &mut dirty } else { &mut clean };
                *sum += number(&run[1]) - number(&run[0]);
            }
            held.insert((place, number(&block[1])), (dirty, clean));
            let own = held.iter().filter(|((of, _), _)| *of == place);
            let sum = own.fold((0, 0), |sum, (_, now)| (sum.0 + now.0, sum.1 + now.1));
            let points = levels.entry(name(place)).or_default();
            match points.last_mut() {
                Some(last) if last.0 == at => *last = (at, sum.0, sum.1),
                Some(last) if (last.1, last.2) == sum => {}
                _ => points.push((at, sum.0, sum.1)),
            }
        }
    }
    after_start(levels)
}

/// The JSON format of trace events: names for every process and thread, slices of a thread that do not overlap, flows with
/// both ends in slices, counters with numbers. Times are those of the JSON report to the picosecond.
#[test]
fn traces_hold_together() {
    for name in SCENES {
        let path = scene(name);
        let trace = json(&["run", &path, "--format", "perfetto"]);
        assert_eq!(trace["displayTimeUnit"], "ns");
        let events = trace["traceEvents"].as_array().expect("events");
        let of = |ph: &'static str| events.iter().filter(move |e| e["ph"] == ph);
        let place = |e: &Value| {
            (
                e["pid"].as_u64().expect("a pid"),
                e["tid"].as_u64().unwrap_or(0),
            )
        };
        let named = |what: &str| -> BTreeSet<(u64, u64)> {
            of("M").filter(|e| e["name"] == what).map(place).collect()
        };
        let processes: BTreeSet<u64> = named("process_name")
            .into_iter()
            .map(|(pid, _)| pid)
            .collect();
        let threads = named("thread_name");
        let mut rows: BTreeMap<(u64, u64), Vec<(u64, u64)>> = BTreeMap::new();
        for slice in of("X") {
            let (pid, tid) = place(slice);
            assert!(
                processes.contains(&pid) && threads.contains(&(pid, tid)),
                "{slice}"
            );
            assert!(!slice["name"].as_str().expect("a name").is_empty());
            let start = ps(&slice["ts"]);
            rows.entry((pid, tid))
                .or_default()
                .push((start, start + ps(&slice["dur"])));
        }
        assert!(!rows.is_empty(), "{name}");
        for row in rows.values_mut() {
            row.sort_unstable();
            for pair in row.windows(2) {
                assert!(pair[0].1 <= pair[1].0, "{name}: slices overlap: {pair:?}");
            }
        }
        let mut ends: BTreeMap<u64, Vec<(&str, u64)>> = BTreeMap::new();
        for flow in of("s").chain(of("f")) {
            let at = ps(&flow["ts"]);
            let row = rows.get(&place(flow)).expect("a thread with slices");
            assert!(
                row.iter().any(|(from, to)| (*from..=*to).contains(&at)),
                "{flow}"
            );
            let ph = flow["ph"].as_str().expect("a phase");
            assert!(ph == "s" || flow["bp"] == "e", "{flow}");
            ends.entry(flow["id"].as_u64().expect("an id"))
                .or_default()
                .push((ph, at));
        }
        for (id, both) in &ends {
            let [("s", from), ("f", to)] = both.as_slice() else {
                panic!("{name}: flow {id}: {both:?}");
            };
            assert!(from <= to, "{name}: flow {id}");
        }
        for counter in of("C") {
            assert!(processes.contains(&place(counter).0), "{counter}");
            assert!(!counter["name"].as_str().expect("a name").is_empty());
            let values = counter["args"].as_object().expect("values");
            assert!(values.values().all(Value::is_u64) && !values.is_empty());
        }
        assert_eq!(levels_of_trace(events), levels_of_page(&path), "{name}");
        let plain = json(&["run", &path, "--format", "json"]);
        for row in plain["commands"].as_array().expect("commands") {
            let (start, end) = (row["start_ps"].as_u64(), row["end_ps"].as_u64());
            let own = of("X").find(|e| e["cat"] == "command" && e["args"]["id"] == row["id"]);
            if let (Some(own), true) = (own, start < end) {
                let from = ps(&own["ts"]);
                assert_eq!(
                    (Some(from), Some(from + ps(&own["dur"]))),
                    (start, end),
                    "{own}"
                );
            }
        }
    }
}
