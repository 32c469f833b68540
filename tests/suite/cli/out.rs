//! `--out`: files next to what the terminal gets; `--quiet`; `--color`.

use super::{CLEAN, HAZARD, command, directory, file, json, status, stderr, stdout, syncscope};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

/// Names in a directory, hidden ones too.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let names = entries.map(|e| {
        e.expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned()
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn text(directory: &Path, name: &str) -> String {
    fs::read_to_string(directory.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn within(directory: &Path, name: &str) -> String {
    directory.join(name).display().to_string()
}

#[test]
fn files_get_the_format_of_their_names_and_the_terminal_gets_its_report() {
    let d = directory("out");
    let scenario = file(&d, "a.scn", HAZARD);
    let (a, b) = (within(&d, "r.json"), within(&d, "r.TXT"));
    let usual = syncscope(&["run", &scenario]);
    let output = syncscope(&["run", &scenario, "--out", &a, "--out", &b]);
    assert_eq!(status(&output), Some(1), "{}", stderr(&output));
    assert_eq!(stdout(&output), stdout(&usual));
    assert_eq!(text(&d, "r.TXT"), stdout(&usual));
    let as_json = syncscope(&["run", &scenario, "--format", "json"]);
    assert_eq!(text(&d, "r.json"), stdout(&as_json));
    assert_eq!(names(&d), ["a.scn", "r.TXT", "r.json"]);

    // `--format` is for a file whose name says nothing, and otherwise for the terminal. A terminal's width and colours are none of theirs.
    let c = within(&d, "r");
    let arguments = ["run", &scenario, "--out", &c, "--format", "json", "--quiet"];
    let output = syncscope(&arguments);
    assert_eq!((status(&output), stdout(&output)), (Some(1), ""));
    assert_eq!(text(&d, "r"), stdout(&as_json));
    let both = ["run", &scenario, "--out", &b, "--format", "json"];
    assert_eq!(stdout(&syncscope(&both)), stdout(&as_json));
    assert_eq!(text(&d, "r.TXT"), stdout(&usual));
    let output = command(&["run", &scenario, "--out", &b])
        .env("COLUMNS", "72")
        .env("CLICOLOR_FORCE", "1")
        .output()
        .expect("the program starts");
    assert!(stdout(&output).contains("\u{1b}["), "{}", stdout(&output));
    assert_eq!(text(&d, "r.TXT"), stdout(&usual));
}

#[test]
fn every_command_with_a_document_writes_files() {
    let d = directory("out-commands");
    let scenario = file(&d, "a.scn", CLEAN);
    let s = scenario.as_str();
    for (name, arguments) in [
        ("check.json", &["check", s][..]),
        ("demo.json", &["demo"]),
        ("profiles.json", &["run", s, "--profiles", "rdna,intel"]),
        ("what.json", &["run", s, "--what-if"]),
        ("ddi.json", &["run", s, "--show", "ddi"]),
        ("graph.gv", &["graph", s]),
        ("diff.csv", &["diff", s, "--lowering", "precise,lazy"]),
        ("test.txt", &["test", s]),
        (
            "verify.json",
            &["verify", "--lowering", "precise", "--only", s],
        ),
    ] {
        let path = within(&d, name);
        let usual = syncscope(arguments);
        let output = syncscope(&[arguments, &["--out", &path]].concat());
        assert_eq!(
            status(&output),
            status(&usual),
            "{name}: {}",
            stderr(&output)
        );
        // A drawing in a file is all that `graph` was asked for.
        let page = if arguments[0] == "graph" {
            ""
        } else {
            stdout(&usual)
        };
        assert_eq!(stdout(&output), page, "{name}");
        let format = match name.rsplit_once('.').expect("an extension").1 {
            "gv" => "dot",
            "txt" => "text",
            other => other,
        };
        let asked = syncscope(&[arguments, &["--format", format]].concat());
        assert_eq!(text(&d, name), stdout(&asked), "{name}");
    }
}

#[test]
fn a_name_that_means_no_format_is_refused_with_those_that_do() {
    let d = directory("out-refused");
    let scenario = file(&d, "a.scn", CLEAN);
    let own = within(&d, "a.scn");
    let as_json = syncscope(&["fmt", "--to", "json", &scenario]);
    let input = file(&d, "in.json", stdout(&as_json));
    let before = names(&d);
    let twice = within(&d, "t.json");
    for (arguments, message, help) in [
        (
            &["run", &scenario, "--out", &within(&d, "r.bmp")][..],
            "r.bmp` ends in no format",
            ".json",
        ),
        (
            &["run", &scenario, "--out", &within(&d, ".json")],
            "ends in no format",
            ".txt",
        ),
        (
            &["run", &scenario, "--out", &within(&d, "r.gv")],
            "a report cannot be written as `dot`",
            ".json, .sarif, .sarif.json, .perfetto.json, .trace.json, .perfetto, or name a format with `--format`; \
             `syncscope graph` writes the dependency graph as dot",
        ),
        (
            &["graph", &scenario, "--out", &within(&d, "r.txt")],
            "a graph cannot be written as",
            ".dot, .gv",
        ),
        (
            &["run", &scenario, "--out", &own],
            "a report cannot be written as `scn`",
            ".json",
        ),
        (
            &["run", &input, "--out", &input],
            "is what is read",
            "another file",
        ),
        (
            &["run", &scenario, "--out", &twice, "--out", &twice],
            "is given twice",
            "once",
        ),
        (
            &["run", &scenario, "--out", &within(&d, "no/r.json")],
            "cannot be written",
            "create its directory",
        ),
        (
            &["run", &scenario, "--out", "-"],
            "names no file",
            "--format",
        ),
    ] {
        let output = syncscope(arguments);
        assert_eq!(status(&output), Some(2), "{arguments:?}");
        let said = stderr(&output);
        assert!(said.contains(message), "{said}");
        assert!(said.contains("\nhelp: ") && said.contains(help), "{said}");
        assert_eq!(stdout(&output), "", "{arguments:?}");
        assert_eq!(names(&d), before, "{arguments:?}");
    }
}

#[test]
fn several_scenarios_share_a_file_or_have_one_each() {
    let d = directory("out-several");
    let a = file(&d, "a.scn", CLEAN);
    let b = file(&d, "b.scn", HAZARD);
    let (all, each) = (within(&d, "all.json"), within(&d, "{}-report.json"));
    let output = syncscope(&["check", &a, &b, "-q", "--out", &all, "--out", &each]);
    assert_eq!(status(&output), Some(1), "{}", stderr(&output));
    let one = |scenario: &str| json(&["check", scenario, "--format", "json"]).1.stdout;
    let (one_a, one_b) = (one(&a), one(&b));
    assert_eq!(
        text(&d, "all.json").as_bytes(),
        [one_a.clone(), one_b.clone()].concat()
    );
    assert_eq!(text(&d, "a-report.json").as_bytes(), one_a);
    assert_eq!(text(&d, "b-report.json").as_bytes(), one_b);
    // Two of one name have no room.
    let other = directory("out-several/other");
    let same = file(&other, "a.scn", HAZARD);
    let output = syncscope(&["check", &a, &same, "-q", "--out", &each]);
    assert_eq!(status(&output), Some(2));
    assert!(
        stderr(&output).contains("two scenarios"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_file_is_whole_or_as_it_was() {
    let d = directory("out-whole");
    let broken = within(&d, "nothing.scn");
    let kept = file(&d, "kept.json", "old\n");
    let output = syncscope(&["run", &broken, "--out", &kept]);
    assert_eq!(status(&output), Some(2));
    assert_eq!(text(&d, "kept.json"), "old\n");
    assert_eq!(names(&d), ["kept.json"]);
    // A reader who leaves early takes no file away.
    let scenario = file(&d, "a.scn", HAZARD);
    let mut running = command(&["run", &scenario, "--out", &kept])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(running.stdout.take());
    running.wait().expect("it ends");
    let report = json(&["run", &scenario, "--format", "json"]).1.stdout;
    assert_eq!(text(&d, "kept.json").as_bytes(), report);
}

#[cfg(unix)]
#[test]
fn links_permissions_and_pipes_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let d = directory("out-kinds");
    let scenario = file(&d, "a.scn", CLEAN);
    let real = file(&d, "real.json", "old\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("it is ours");
    let link = within(&d, "link.json");
    symlink("real.json", &link).expect("a link can be made");
    let new = within(&d, "new.json");
    let output = syncscope(&["run", &scenario, "-q", "--out", &link, "--out", &new]);
    assert_eq!(status(&output), Some(0), "{}", stderr(&output));
    assert!(
        fs::symlink_metadata(&link)
            .expect("it is there")
            .is_symlink()
    );
    assert_eq!(text(&d, "real.json"), text(&d, "new.json"));
    let mode = |path: &str| {
        fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(&real), 0o640);
    let plain = file(&d, "plain", "");
    assert_eq!(mode(&new), mode(&plain), "as any new file");
    let device = [
        "run",
        &scenario,
        "-q",
        "--format",
        "json",
        "--out",
        "/dev/stdout",
    ];
    let output = syncscope(&device);
    assert_eq!(stdout(&output), text(&d, "new.json"));
}

/// The run waits for its scenario when it is interrupted: its file has begun, and nothing of it stays.
#[cfg(unix)]
#[test]
fn ctrl_c_leaves_no_half_file() {
    let d = directory("out-interrupted");
    let path = within(&d, "r.json");
    let mut running = command(&["run", "-", "--out", &path])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    // Waiting would close it, and the program would find an empty scenario.
    let _open = running.stdin.take();
    let has_begun = (0..3_000).any(|_| {
        thread::sleep(Duration::from_millis(20));
        !names(&d).is_empty()
    });
    assert!(has_begun, "a file is begun before the scenario is read");
    // The handler is there a moment after the file.
    thread::sleep(Duration::from_millis(300));
    let kill = std::process::Command::new("kill")
        .args(["-INT", &running.id().to_string()])
        .status();
    assert!(kill.expect("kill is there").success());
    let ended = running.wait().expect("it ends");
    assert_eq!(ended.code(), Some(130));
    assert_eq!(names(&d), Vec::<String>::new());
}

/// Starts a program, interrupts it as soon as it listens, and waits for its end.
#[cfg(target_os = "linux")]
fn interrupted(arguments: &[&str]) -> std::process::Output {
    let running = command(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let id = running.id().to_string();
    let listens = || {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
        caught.is_some_and(|bits| bits & 0b10 != 0)
    };
    let is_ready = (0..6_000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        listens()
    });
    assert!(is_ready, "{arguments:?} listens to Ctrl-C");
    let kill = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(kill.expect("kill is there").success());
    running.wait_with_output().expect("it ends")
}

/// What was tried by then is told, and nobody is told that the rest is right.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_verification_with_what_is_known() {
    for lowering in ["precise", "forgets_invalidate"] {
        let arguments = ["verify", "--lowering", lowering];
        let output = interrupted(&arguments);
        let said = stdout(&output);
        assert!(
            said.contains("stopped: ")
                && said.contains("programs were not tried and may show more"),
            "{said} {}",
            stderr(&output)
        );
        assert!(!said.contains(": right"), "{said}");
        let is_wrong = said.contains(": wrong");
        assert_eq!(
            status(&output),
            Some(if is_wrong { 1 } else { 2 }),
            "{said}"
        );
    }
    let arguments = ["verify", "--lowering", "precise", "--format", "json"];
    let output = interrupted(&arguments);
    let found: serde_json::Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert_eq!(found["right"], false);
    assert!(found["untried"].as_u64() > Some(0), "{found}");
    let arguments = ["verify", "--lowering", "precise", "--format", "junit"];
    let output = interrupted(&arguments);
    assert!(
        stdout(&output).contains("programs were not tried"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn colour_is_for_every_command_and_so_is_silence() {
    let d = directory("out-colour");
    let scenario = file(&d, "a.scn", HAZARD);
    let is_colourful = |arguments: &[&str], variable: &str| {
        let output = command(arguments)
            .env(variable, "1")
            .output()
            .expect("the program starts");
        stdout(&output).contains('\u{1b}')
    };
    for arguments in [&["check", &scenario][..], &["explain", "HZ101"], &["demo"]] {
        assert!(!is_colourful(arguments, "NO_COLOR"));
        assert!(is_colourful(arguments, "CLICOLOR_FORCE"));
        let with = |when| [arguments, &["--color", when]].concat();
        assert!(is_colourful(&with("always"), "NO_COLOR"));
        assert!(!is_colourful(&with("never"), "CLICOLOR_FORCE"));
        let quiet = syncscope(&[arguments, &["--quiet"]].concat());
        assert_eq!(stdout(&quiet), "");
        assert_eq!(status(&quiet), status(&syncscope(arguments)));
    }
    for command in ["list", "schema", "verify", "graph", "fix"] {
        let help = syncscope(&[command, "--help"]);
        let help = stdout(&help);
        assert!(
            help.contains("--color") && help.contains("--quiet"),
            "{help}"
        );
    }
}
