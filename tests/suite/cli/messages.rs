//! What is said where it used to mislead, and floods that are grouped.

use super::{directory, file, json, status, stdout, syncscope, unusable};
use std::fmt::Write as _;

/// One barrier that names the wrong access, and many draws after it.
fn flood(draws: usize) -> String {
    let mut text = String::from(
        "queue gfx : direct
buffer b : 4KiB { flags UNORDERED_ACCESS }
list main : direct {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> VERTEX_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
",
    );
    for draw in 0..draws {
        let (from, to) = (draw * 8, draw * 8 + 8);
        let _ = writeln!(
            text,
            "  draw \"d{draw}\" {{ VERTEX_BUFFER b[{from}..{to}] }}"
        );
    }
    text + "}\ntimeline { gfx execute main }\n"
}

#[test]
fn hazards_of_one_mistake_are_one_with_a_count() {
    let path = file(&directory("messages-flood"), "a.scn", flood(99));
    for command in ["check", "run"] {
        let grouped = syncscope(&[command, &path]);
        let text = stdout(&grouped);
        assert_eq!(text.matches("hazard[HZ101").count(), 1, "{text}");
        assert!(
            text.contains("= and 98 more like this, lines 7, 8, 9,"),
            "{text}"
        );
        assert!(text.contains("--all shows each"), "{text}");
        assert!(text.contains("99 hazards"), "{text}");
        assert!(text.lines().count() < 130, "{text}");
        let all = syncscope(&[command, &path, "--all"]);
        assert_eq!(stdout(&all).matches("hazard[HZ101").count(), 99);
    }
    let (report, _) = json(&["check", &path, "--format", "json"]);
    let findings = report["findings"].as_array().expect("findings");
    let hazards = findings.iter().filter(|f| f["rule"] == "HZ101");
    assert_eq!(hazards.count(), 99);
}

/// Without a barrier between them, each resource lacks one of its own: ten are shown, and the rest is counted.
#[test]
fn ten_causes_are_shown() {
    let mut text = String::from("queue gfx : direct\n");
    let (mut writes, mut reads) = (String::new(), String::new());
    for n in 0..25 {
        let _ = writeln!(text, "buffer b{n} : 4KiB {{ flags UNORDERED_ACCESS }}");
        let _ = writeln!(
            writes,
            "  dispatch 1x1x1 {{ UNORDERED_ACCESS b{n} writes }}"
        );
        let _ = writeln!(reads, "  dispatch 1x1x1 {{ SHADER_RESOURCE b{n} }}");
    }
    let text =
        format!("{text}list l : direct {{\n{writes}{reads}}}\ntimeline {{ gfx execute l }}\n");
    let path = file(&directory("messages-ten"), "a.scn", text);
    let shown = syncscope(&["check", &path]);
    assert_eq!(stdout(&shown).matches("hazard[HZ101").count(), 10);
    assert!(
        stdout(&shown).contains("… and 15 more findings; --all shows them"),
        "{}",
        stdout(&shown)
    );
    let all = syncscope(&["check", &path, "--all"]);
    assert_eq!(stdout(&all).matches("hazard[HZ101").count(), 25);
}

#[test]
fn work_at_once_has_rows_of_its_own_and_nothing_is_left_out_in_silence() {
    let draws = |n: usize| {
        let each = (0..n).map(|d| format!("  dispatch \"d{d}\" 1x1x1 takes {}us {{ }}\n", 50 + d));
        let each = each.collect::<Vec<_>>().concat();
        format!("queue gfx : direct\nlist l : direct {{\n{each}}}\ntimeline {{ gfx execute l }}\n")
    };
    let here = directory("messages-lanes");
    let rows = |text: &str| {
        text.lines()
            .filter(|l| l.contains('┣') && !l.contains("work"))
            .count()
    };
    let three = syncscope(&[
        "run",
        &file(&here, "a.scn", draws(3)),
        "--parts",
        "commands",
    ]);
    assert_eq!(rows(stdout(&three)), 3, "{}", stdout(&three));
    for name in ["┣d0━", "┣d1━", "┣d2━"] {
        assert!(stdout(&three).contains(name), "{}", stdout(&three));
    }
    assert!(!stdout(&three).contains("not drawn"), "{}", stdout(&three));
    let path = file(&here, "b.scn", draws(12));
    let twelve = syncscope(&["run", &path, "--parts", "commands"]);
    assert_eq!(rows(stdout(&twelve)), 8, "{}", stdout(&twelve));
    let said =
        "4 commands not drawn (8 rows a queue: hazards first, then the longest); --all draws all";
    assert!(stdout(&twelve).contains(said), "{}", stdout(&twelve));
    // The table has every one of them.
    for n in 0..12 {
        assert!(
            stdout(&twelve).contains(&format!("dispatch \"d{n}\"")),
            "{}",
            stdout(&twelve)
        );
    }
    let all = syncscope(&["run", &path, "--parts", "commands", "--all"]);
    assert_eq!(rows(stdout(&all)), 12, "{}", stdout(&all));
    let plain = syncscope(&["run", &path]);
    assert!(
        stdout(&plain).contains("--parts commands lists each command"),
        "{}",
        stdout(&plain)
    );
}

#[test]
fn no_gain_is_said_once_and_caches_are_explained_where_they_occur() {
    let output = syncscope(&["run", "scenarios/rules/RD112/fires.scn"]);
    let text = stdout(&output);
    assert_eq!(text.matches("no gain on").count(), 1, "{text}");
    assert!(text.contains("no gain on `rdna`, `rdna12`,"), "{text}");
    let demo = syncscope(&["demo", "--show", "path"]);
    assert_ne!(status(&demo), Some(0));
    let wrong = syncscope(&[
        "run",
        "scenarios/tour/03-wrong-access.scn",
        "--show",
        "path",
    ]);
    let text = stdout(&wrong);
    assert_eq!(text.matches("caches of rdna:").count(), 1, "{text}");
    let quiet = syncscope(&[
        "run",
        "scenarios/tour/03-wrong-access.scn",
        "--parts",
        "barriers",
    ]);
    assert!(!stdout(&quiet).contains("caches of"), "{}", stdout(&quiet));
}

#[test]
fn a_cycle_names_the_barriers_of_its_lists() {
    let text = "fence a { kind native }
fence b { kind native }
queue gfx : direct
queue async : compute
list one : direct {
  dispatch \"x\" 64x1x1 { }
  wait-barrier a 1 { }
  dispatch \"first\" 64x1x1 { }
  signal-barrier b 1 { }
}
list two : compute {
  dispatch \"y\" 64x1x1 { }
  wait-barrier b 1 { }
  dispatch \"second\" 64x1x1 { }
  signal-barrier a 1 { }
}
timeline {
  gfx execute one
  async execute two
}
";
    let path = file(&directory("messages-cycle"), "a.scn", text);
    let (report, _) = json(&["check", &path, "--format", "json"]);
    let findings = report["findings"].as_array().expect("findings");
    let cycle = findings
        .iter()
        .find(|f| f["rule"] == "FN102")
        .expect("a cycle");
    assert_eq!(cycle["line"], 7);
    let output = syncscope(&["check", &path, "--width", "160"]);
    let said = "the cycle: `gfx wait-barrier a 1` → `async signal-barrier a 1`, `async wait-barrier b 1` → `gfx signal-barrier b 1`";
    assert!(stdout(&output).contains(said), "{}", stdout(&output));
    assert!(
        stdout(&output).contains("13 |   wait-barrier b 1"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn small_things_that_misled() {
    let here = directory("messages-small");
    let open = format!(
        "queue gfx : direct\nlist l : direct {{\n{}",
        "  repeat 2 {\n".repeat(30)
    );
    let output = syncscope(&["check", &file(&here, "open.scn", open)]);
    assert!(
        stdout(&output).contains("the file ends inside a block"),
        "{}",
        stdout(&output)
    );
    assert!(
        !stdout(&output).contains("executions"),
        "{}",
        stdout(&output)
    );
    // A number that is written as it should be and is too large is not called malformed.
    let size = "buffer b : 99999999999999999GiB\n";
    let output = syncscope(&["check", &file(&here, "size.scn", size)]);
    assert!(
        stdout(&output).contains("`99999999999999999GiB` is too large for the buffer's size")
            && !stdout(&output).contains("write `9"),
        "{}",
        stdout(&output)
    );
    let quiet = file(&here, "quiet.scn", "queue gfx : direct\nfence f\n");
    unusable(
        &["fence", &quiet, "--kinds"],
        "has no timeline: there is nothing to compare",
        "add `timeline",
    );
    let queue = file(&here, "queue.json", "{\"queues\": {\"gfx\": 3}}");
    unusable(
        &["check", &queue],
        "at `/queues/gfx`: found integer `3`, expected an object",
        "schema scenario",
    );
    let array = file(&here, "array.json", "[1, 2]");
    unusable(
        &["check", &array],
        "a scenario is an object",
        "schema scenario",
    );
    let wide = syncscope(&["run", "scenarios/rules/RD104/fires.scn"]);
    let said = "help: narrow SyncBefore to COMPUTE_SHADING and SyncAfter to COMPUTE_SHADING";
    assert!(stdout(&wide).contains(said), "{}", stdout(&wide));
}

/// A rule file names caches of some machine: on another one, the message says on which it is right.
#[test]
fn a_rule_file_for_another_profile_names_its_profile() {
    let scenes = "scenarios/lowering/rule-files";
    let (scene, rules) = (
        format!("{scenes}/colour-to-texture.scn"),
        format!("{scenes}/first-try.lower"),
    );
    let on = ["--lowering", &rules, "--profile", "intel"];
    unusable(
        &[&["run", &scene], &on[..]].concat(),
        "first-try.lower` has ",
        "the rules fit `--profile ",
    );
    let output = syncscope(&[&["run", &scene], &on[..]].concat());
    let text = super::stderr(&output);
    assert!(text.contains("`--profile rdna`"), "{text}");
    assert!(text.contains(" --profile intel` shows each"), "{text}");
}
