//! The program from outside: switches, formatting, and kernels of dispatches as files.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(path.join("shaders")).expect("the target directory can be written");
    path
}

fn file(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    fs::write(&path, text).expect("the target directory can be written");
    path.display().to_string()
}

fn syncscope(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_syncscope"))
        .args(arguments)
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("the program starts")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn status(arguments: &[&str]) -> Option<i32> {
    syncscope(arguments).status.code()
}

/// A redundant fence (advice) and a plain race (advice), in a test whose expectation holds.
const REDUNDANT: &str = "uav x globallycoherent
thread group 0 cs { st x 1; sync_uglobal }
thread group 1 cs { ld r0 x }
expect allowed 1:r0 == 0
";

#[test]
fn findings_of_litmus_tests_are_switched_by_command_line_and_text() {
    let directory = directory("litmus-switches");
    let path = file(&directory, "redundant.litmus", REDUNDANT);
    let rules = |arguments: &[&str]| -> Vec<(String, String)> {
        let all = [&["litmus", &path, "--format", "json"][..], arguments].concat();
        let value: Value = serde_json::from_slice(&syncscope(&all).stdout).expect("JSON");
        let found = value[0]["findings"].as_array().expect("findings").clone();
        let word = |f: &Value, key: &str| f[key].as_str().expect("a word").to_owned();
        found
            .iter()
            .map(|f| (word(f, "rule"), word(f, "severity")))
            .collect()
    };
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        let own = |(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned());
        pairs.iter().map(own).collect()
    };
    let plain = rules(&[]);
    assert_eq!(plain, pairs(&[("LM016", "advice"), ("LM018", "advice")]));
    assert_eq!(status(&["litmus", &path]), Some(0));
    assert_eq!(
        rules(&["--deny", "LM016", "--allow", "LM018"]),
        pairs(&[("LM016", "error")])
    );
    assert_eq!(
        status(&["litmus", &path, "--deny", "redundant-fence"]),
        Some(1)
    );
    assert_eq!(
        status(&["litmus", &path, "--deny", "LM", "--allow", "LM"]),
        Some(0)
    );
    assert_eq!(rules(&["--allow", "LM"]), pairs(&[]));
    assert_eq!(
        rules(&["--warn", "LM"]),
        pairs(&[("LM016", "warning"), ("LM018", "warning")])
    );
    // The text is closer to the place.
    let allowing = REDUNDANT.replace(
        "thread group 0",
        "// syncscope: allow LM016\nthread group 0",
    );
    let path = file(&directory, "redundant.litmus", &allowing);
    assert_eq!(status(&["litmus", &path, "--deny", "LM016"]), Some(0));
    // An expectation that does not hold is not switched off, nor is a text that is not understood.
    let wrong = file(
        &directory,
        "wrong.litmus",
        &REDUNDANT.replace("allowed", "forbidden"),
    );
    assert_eq!(status(&["litmus", &wrong, "--allow", "LM"]), Some(1));
    assert_eq!(status(&["test", &wrong, "--allow", "LM"]), Some(1));
    for fixed in ["LM001", "LM004", "LM020", "expectation-failed"] {
        let refused = syncscope(&["litmus", &path, "--allow", fixed]);
        assert_eq!(refused.status.code(), Some(2), "{fixed}");
        assert!(err(&refused).contains("can be neither allowed"), "{fixed}");
    }
    assert_eq!(status(&["litmus", &path, "--deny", "LM999"]), Some(2));
    // `test` compares what is left: denied advice must be expected.
    let path = file(
        &directory,
        "redundant.litmus",
        &REDUNDANT.replace("sync_uglobal }", "sync_uglobal } //~ LM016"),
    );
    assert_eq!(status(&["test", &path]), Some(0));
    assert_eq!(status(&["test", &path, "--allow", "LM016"]), Some(1));
    assert_eq!(status(&["test", &path, "--deny", "LM018"]), Some(1));
}

#[test]
fn litmus_files_are_formatted_and_converted() {
    let directory = directory("litmus-fmt");
    let messy = "// head\nuav   x globallycoherent\nthread group 0 cs {st x 0x1;;sync_uglobal // c\n}\nexpect allowed x==1\n";
    let neat = "// head\nuav x globallycoherent\nthread group 0 cs {\n  st x 1\n  sync_uglobal // c\n}\nexpect allowed x == 1\n";
    let path = file(&directory, "a.litmus", messy);
    let check = syncscope(&["fmt", "--check", &path]);
    assert_eq!(
        (check.status.code(), out(&check).trim()),
        (Some(1), path.as_str())
    );
    assert_eq!(status(&["fmt", &path]), Some(0));
    assert_eq!(fs::read_to_string(&path).expect("still there"), neat);
    assert_eq!(status(&["fmt", "--check", &path]), Some(0));
    // To JSON and back.
    let twin = out(&syncscope(&["fmt", "--to", "json", &path]));
    let twin_path = file(&directory, "a.json", &twin);
    assert_eq!(status(&["fmt", "--check", &twin_path]), Some(0));
    assert_eq!(
        out(&syncscope(&["fmt", "--to", "litmus", &twin_path])),
        neat
    );
    assert_eq!(status(&["litmus", &twin_path]), Some(0));
    // A form that there is not, and what is not one test.
    for (arguments, says) in [
        (
            ["fmt", "--to", "scn", &path],
            "a litmus test cannot be printed as `scn`",
        ),
        (
            ["fmt", "--to", "scn", &twin_path],
            "a litmus test cannot be printed as `scn`",
        ),
    ] {
        let refused = syncscope(&arguments);
        assert_eq!(refused.status.code(), Some(2));
        assert!(err(&refused).contains(says), "{}", err(&refused));
    }
    let two = file(
        &directory,
        "two.json",
        &format!("{{\"tests\": [{twin}, {twin}]}}"),
    );
    let refused = syncscope(&["fmt", &two]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(err(&refused).contains("holds 2 tests"), "{}", err(&refused));
    let bad = file(&directory, "bad.litmus", "uav x\nnonsense\n");
    let refused = syncscope(&["fmt", &bad]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        err(&refused).contains("was not formatted"),
        "{}",
        err(&refused)
    );
    assert_eq!(
        fs::read_to_string(&bad).expect("still there"),
        "uav x\nnonsense\n"
    );
    let scenario = file(&directory, "a.scn", "queue q : direct\n");
    assert_eq!(status(&["fmt", "--to", "litmus", &scenario]), Some(2));
}

/// Every word that `--reading` and `--model` take is in the help.
#[test]
fn the_help_lists_readings_and_models() {
    let help = out(&syncscope(&["litmus", "--help"]));
    let models =
        syncscope::litmus::examine::ModelName::ALL.map(syncscope::litmus::examine::ModelName::word);
    let readings = syncscope::litmus::Knobs::WORDS.map(|w| w.0);
    for word in models.iter().chain(&readings) {
        assert!(help.contains(word), "`{word}` is not in the help:\n{help}");
    }
}

/// A test that `--states` stops is neither met nor wrong: the limit is told, the expectation is not blamed.
#[test]
fn a_run_that_the_limit_stops_is_undecided() {
    let directory = directory("litmus-undecided");
    let text = "uav x globallycoherent
thread group 0 cs { xchg r0 x 1; add r1 x 3 }
thread group 1 cs { xchg r0 x 2; add r1 x 3 }
expect forbidden x == 77
";
    let path = file(&directory, "stopped.litmus", text);
    let run = syncscope(&["litmus", &path, "--states", "2"]);
    let page = out(&run);
    assert_eq!(run.status.code(), Some(1), "not known to hold\n{page}");
    assert!(
        page.contains("LM019") && page.contains("undecided"),
        "{page}"
    );
    assert!(!page.contains("LM020"), "{page}");
    assert_eq!(status(&["litmus", &path]), Some(0));
}

const STALE: &str = "uav x globallycoherent
uav y globallycoherent
thread group 0 cs { st x 1; FENCE add r0 y 1 }
thread group 1 cs { or r0 y 0; FENCE ld r1 x }
expect forbidden 1:r0 == 1 & 1:r1 == 0
";

fn scene(kernel: &str) -> String {
    format!(
        "queue q : direct\nlist l : direct {{\n  dispatch \"sum\" 2x1x1 group-takes 1us kernel \"{kernel}\" {{ }}\n}}\n\
         timeline {{\n  q execute l\n}}\n"
    )
}

#[test]
fn kernels_are_read_beside_their_scenario() {
    let directory = directory("litmus-kernels");
    file(
        &directory,
        "shaders/stale.litmus",
        &STALE.replace("FENCE ", ""),
    );
    file(
        &directory,
        "shaders/fenced.litmus",
        &STALE.replace("FENCE", "sync_uglobal;"),
    );
    let stale = file(&directory, "stale.scn", &scene("shaders/stale.litmus"));
    let fenced = file(&directory, "fenced.scn", &scene("shaders/fenced.litmus"));
    for command in ["run", "check", "test"] {
        assert_eq!(status(&[command, &stale]), Some(1), "{command}");
        assert_eq!(status(&[command, &fenced]), Some(0), "{command}");
    }
    let text = out(&syncscope(&["check", "--ascii", &stale]));
    let says = "`shaders/stale.litmus` line 5: this is allowed, not forbidden";
    assert!(text.contains("LM020") && text.contains(says), "{text}");
    let report = |path: &str| -> Value {
        let output = syncscope(&["run", path, "--format", "json"]);
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let value = report(&stale);
    let found = value["findings"].as_array().expect("findings");
    let found = found.iter().find(|f| f["rule"] == "LM020").expect("found");
    assert_eq!(
        (&found["line"], &found["severity"]),
        (&3.into(), &"error".into())
    );
    // The fence costs what the profile says.
    let life = |value: &Value| {
        let row = &value["commands"][0];
        row["end_ps"].as_u64().expect("a time") - row["start_ps"].as_u64().expect("a time")
    };
    assert_eq!(life(&report(&fenced)) - life(&value), 339_000);
    let marked = scene("shaders/stale.litmus").replace("{ }", "{ } //~ LM020");
    let marked = file(&directory, "marked.scn", &marked);
    assert_eq!(status(&["test", &marked]), Some(0));
    // Formatting keeps the word, and the JSON form of a scenario finds the kernel as well.
    let other = scene("shaders/fenced.litmus");
    let (words, moved) = ("group-takes 1us kernel", "kernel");
    let other = other
        .replace(words, moved)
        .replace(" { }", " group-takes 1us { }");
    fs::write(&fenced, other).expect("written");
    assert_eq!(status(&["fmt", "--check", &fenced]), Some(1));
    assert_eq!(status(&["fmt", &fenced]), Some(0));
    let kept = fs::read_to_string(&fenced).expect("still there");
    assert!(kept.contains("kernel \"shaders/fenced.litmus\""), "{kept}");
    let twin = out(&syncscope(&["fmt", "--to", "json", &stale]));
    let twin = file(&directory, "stale.json", &twin);
    assert_eq!(status(&["run", &twin]), Some(1));
    assert_eq!(status(&["graph", &fenced, "--relation", "paid"]), Some(0));
    assert_eq!(
        status(&["fix", &stale]),
        Some(0),
        "nothing of it can be fixed by barriers"
    );
    assert_eq!(status(&["run", &fenced, "--profiles", "rdna"]), Some(0));
    assert_eq!(status(&["run", &fenced, "--what-if"]), Some(0));
    // A kernel in JSON.
    let json = out(&syncscope(&[
        "fmt",
        "--to",
        "json",
        &directory.join("shaders/stale.litmus").display().to_string(),
    ]));
    file(&directory, "shaders/stale.json", &json);
    let path = file(&directory, "twin.scn", &scene("shaders/stale.json"));
    assert_eq!(status(&["check", &path]), Some(1));
}

#[test]
fn a_kernel_that_is_no_litmus_file_is_one_message() {
    let directory = directory("litmus-no-kernels");
    file(&directory, "binary.litmus", "x");
    fs::write(directory.join("binary.litmus"), [0xff, 0xfe, 0]).expect("written");
    file(&directory, "empty.litmus", "\n");
    file(&directory, "large.litmus", &"// padding\n".repeat(100_000));
    file(
        &directory,
        "two.json",
        r#"{"tests":[{"threads":[]},{"threads":[]}]}"#,
    );
    file(&directory, "other.json", r#"{"queues":{}}"#);
    for (kernel, says) in [
        ("missing.litmus", "there is no file"),
        ("binery.litmus", "there is no file"),
        ("shaders", "is no plain file"),
        ("/dev/zero", "is no plain file"),
        ("-", "there is no file"),
        ("binary.litmus", "is not UTF-8"),
        ("empty.litmus", "is empty"),
        ("large.litmus", "is larger than"),
        ("two.json", "holds 2 tests"),
        ("other.json", "not the JSON form of a litmus test"),
        ("scene.scn", "the kernel has mistakes"),
    ] {
        let path = file(&directory, "scene.scn", &scene(kernel));
        let output = syncscope(&["check", &path, "--format", "json"]);
        assert_eq!(output.status.code(), Some(2), "{kernel}: {}", err(&output));
        let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let found = value["findings"].as_array().expect("findings");
        assert_eq!(found.len(), 1, "{kernel}: {found:?}");
        assert_eq!(found[0]["rule"], "SC015", "{kernel}");
        assert_eq!(found[0]["line"], 3, "{kernel}");
        let message = found[0]["message"].as_str().expect("a message");
        assert!(message.contains(says), "{kernel}: {message}");
    }
}
