//! How every command ends: one table of exit statuses, and where errors of a text are shown.

use super::{CLEAN, HAZARD, directory, file, status, stderr, stdout, syncscope};

/// A use outside what the barrier before it made accessible: a warning by reading R34, no hazard.
const WARNING: &str = "buffer b : 4KiB
queue q : direct
list l : direct {
  barrier { buffer b { sync NONE -> ALL_SHADING; access NO_ACCESS -> SHADER_RESOURCE } }
  dispatch \"read\" 1x1x1 { CONSTANT_BUFFER b }
}
timeline { q execute l }
";

/// A layout that no header of the specification has (reading R10): an error of legality, and no hazard.
const ILLEGAL: &str = "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }
queue q : direct
list l : direct {
  clear-rtv t
  barrier {
    texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> 31 }
  }
}
timeline { q execute l }
";

/// An unknown name in the last line.
const MISTAKEN: &str = "queue gfx : direct
timeline { gfx execute nothing }
";

#[test]
fn one_table_says_how_every_command_ends() {
    let d = directory("ends");
    let files = [
        file(&d, "clean.scn", CLEAN),
        file(&d, "warning.scn", WARNING),
        file(&d, "hazard.scn", HAZARD),
        file(&d, "illegal.scn", ILLEGAL),
        file(&d, "mistaken.scn", MISTAKEN),
        d.join("missing.scn").display().to_string(),
        file(&d, "binary.scn", b"queue\n\xff\xfe"),
    ];
    // What judges a scene, what repairs it (nothing is left of these), what shows it, and what compares its findings.
    let (judges, repairs) = ([0, 0, 1, 1, 2, 2, 2], [0, 0, 0, 0, 2, 2, 2]);
    let (shows, compares) = ([0, 0, 0, 0, 2, 2, 2], [0, 0, 1, 1, 1, 2, 2]);
    for (words, expected) in [
        (&["run"][..], judges),
        (&["run", "--show", "path"], judges),
        (&["run", "--show", "ddi"], judges),
        (&["run", "--profiles", "rdna,tiler"], judges),
        (&["run", "--what-if"], judges),
        (&["run", "--format", "json"], judges),
        (&["check"], judges),
        (&["fix"], repairs),
        (&["place"], repairs),
        (&["place", "--style", "legacy"], repairs),
        (&["place", "--style", "vulkan"], repairs),
        (&["place", "--fences"], repairs),
        (&["graph"], shows),
        (&["graph", "--relation", "paid"], shows),
        (&["fence"], shows),
        (&["fence", "--kinds"], shows),
        (&["translate"], shows),
        (&["export", "--to", "vulkan"], shows),
        (&["roundtrip"], shows),
        (&["fmt", "--to", "json"], shows),
        (&["test"], compares),
    ] {
        for (path, expected) in files.iter().zip(expected) {
            let output = syncscope(&[words, &[path]].concat());
            let said = format!("{}{}", stdout(&output), stderr(&output));
            assert_eq!(status(&output), Some(expected), "{words:?} {path}\n{said}");
            // JSON and the list of differences have lines; all others show the place.
            if path == &files[4] && !words.ends_with(&["--format", "json"]) && words != ["test"] {
                let place = format!("--> {path}:2:24");
                let shows = said.contains(&place) && said.contains("^^^^^^^");
                assert!(shows, "{words:?}: {said}");
            }
            if expected == 2 {
                assert!(!said.is_empty(), "{words:?} {path}");
            }
        }
    }
}

/// A table that shows no findings says that there are some.
#[test]
fn what_a_table_does_not_show_is_counted() {
    let path = file(&directory("ends-counted"), "a.scn", HAZARD);
    for words in [&["run", "--what-if"][..], &["run", "--show", "ddi"]] {
        let output = syncscope(&[words, &[&path]].concat());
        let said = format!("{path}: 1 hazard; `syncscope ");
        assert!(stderr(&output).contains(&said), "{}", stderr(&output));
    }
    // The table of machines has the hazards itself, but no errors of legality.
    let rows = syncscope(&["run", "--profiles", "rdna", &path]);
    assert_eq!((stderr(&rows), status(&rows)), ("", Some(1)));
    let illegal = file(&directory("ends-illegal"), "a.scn", ILLEGAL);
    let rows = syncscope(&["run", "--profiles", "rdna", &illegal]);
    assert!(stderr(&rows).contains("a.scn: 1 error; `syncscope check` shows where"));
    // A switch that makes it a warning counts here as well.
    for words in [&["--what-if"][..], &["--profiles", "rdna"]] {
        let output = syncscope(&[&["run", "--warn", "HZ"], words, &[&path]].concat());
        assert_eq!(status(&output), Some(0), "{}", stderr(&output));
    }
}

/// A kernel that cannot be read is unusable input of whatever runs it.
#[test]
fn a_kernel_that_is_missing_is_unusable_input() {
    let d = directory("ends-kernel");
    let text = CLEAN.replace(
        "dispatch \"read\" 1x1x1",
        "dispatch \"read\" 1x1x1 kernel \"no.litmus\"",
    );
    let path = file(&d, "a.scn", text);
    for words in [
        &["run"][..],
        &["check"],
        &["run", "--what-if"],
        &["run", "--profiles", "rdna"],
        &["run", "--show", "ddi"],
        &["graph"],
        &["fence"],
    ] {
        let output = syncscope(&[words, &[&path]].concat());
        let said = format!("{}{}", stdout(&output), stderr(&output));
        assert_eq!(status(&output), Some(2), "{words:?}: {said}");
        assert!(
            said.contains("SC015") && said.contains("^^^"),
            "{words:?}: {said}"
        );
    }
}

/// A litmus test that holds, one that does not, one that cannot be read.
const HOLDS: &str = "uav x
thread group 0 cs { st x 1; ld r0 x }
expect forbidden 0:r0 == 0
";

#[test]
fn litmus_tests_end_like_scenarios() {
    let d = directory("ends-litmus");
    let files = [
        file(&d, "holds.litmus", HOLDS),
        file(&d, "fails.litmus", HOLDS.replace("forbidden", "allowed")),
        file(&d, "mistaken.litmus", HOLDS.replace("st x", "st y")),
        file(
            &d,
            "unknown.litmus",
            HOLDS.replace("uav x", "uav x //~ LM099"),
        ),
        file(
            &d,
            "allows.litmus",
            format!("// syncscope: allow LM0011\n{HOLDS}"),
        ),
        d.join("missing.litmus").display().to_string(),
        file(&d, "binary.litmus", b"uav\n\xff\xfe"),
    ];
    for (words, expected) in [
        (&["litmus"][..], [0, 1, 2, 2, 2, 2, 2]),
        (&["test"], [0, 1, 1, 1, 1, 2, 2]),
        // What cannot be read was not checked, whatever family was asked for.
        (&["test", "--only", "EB"], [0, 0, 1, 1, 1, 2, 2]),
    ] {
        for (path, expected) in files.iter().zip(expected) {
            let output = syncscope(&[words, &[path]].concat());
            let said = format!("{}{}", stdout(&output), stderr(&output));
            assert_eq!(status(&output), Some(expected), "{words:?} {path}\n{said}");
        }
    }
    let said = |at: usize| {
        let output = syncscope(&["litmus", &files[at]]);
        stderr(&output).to_owned()
    };
    let (expected, allowed) = (said(3), said(4));
    for (text, place) in [(&expected, ":1:7"), (&allowed, ":1:21")] {
        assert!(text.contains("SC013"), "{text}");
        assert!(text.contains(place), "{text}");
    }
    assert!(expected.contains("`LM099` names no rule"), "{expected}");
    assert!(allowed.contains("did you mean `LM001`"), "{allowed}");
}

#[test]
fn a_scene_that_allows_what_is_no_rule_is_not_understood() {
    let allows = HAZARD.replace(
        "  dispatch \"read\"",
        "  // syncscope: allow HZ101, HZ1O1\n  dispatch \"read\"",
    );
    let path = file(&directory("ends-allow"), "a.scn", allows);
    let output = syncscope(&["check", &path]);
    assert_eq!(status(&output), Some(2));
    let said = format!("{}{}", stdout(&output), stderr(&output));
    let has = |words: &str| assert!(said.contains(words), "{said}");
    has("SC013");
    has(":5:30");
    has("did you mean `HZ101`");
    let only = syncscope(&["test", "--only", "HZ", &path]);
    assert_eq!(status(&only), Some(1), "{}", stdout(&only));
}

#[test]
fn every_command_says_in_its_help_how_it_ends() {
    let help = syncscope(&["--help"]);
    let commands: Vec<&str> = stdout(&help)
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|word| !word.is_empty() && *word != "help")
        .collect();
    assert!(commands.len() >= 13, "{commands:?}");
    for command in commands {
        let help = syncscope(&[command, "--help"]);
        let said = stdout(&help);
        assert!(said.contains("Exit status: 0 "), "{command}: {said}");
    }
}

#[test]
fn a_flood_of_repairs_is_named_only_on_demand() {
    let use_of = |n: u32| {
        format!(
            "  dispatch \"w{n}\" 1x1x1 {{ UNORDERED_ACCESS b{n} writes }}\n  dispatch \"r{n}\" 1x1x1 {{ SHADER_RESOURCE b{n} }}\n"
        )
    };
    let buffers = (0..12).map(|n| format!("buffer b{n} : 4KiB {{ flags UNORDERED_ACCESS }}\n"));
    let buffers = buffers.collect::<Vec<_>>().concat();
    let uses: String = (0..12).map(use_of).collect();
    let text = format!(
        "queue q : direct\n{buffers}list l : direct {{\n{uses}}}\ntimeline {{ q execute l }}\n"
    );
    let path = file(&directory("ends-flood"), "a.scn", text);
    let said = |arguments: &[&str]| {
        let output = syncscope(arguments);
        assert_eq!(status(&output), Some(0));
        stderr(&output).to_owned()
    };
    let short = said(&["fix", &path]);
    assert_eq!(short.matches("HZ101").count(), 10, "{short}");
    assert!(
        short.contains("… and 2 more changes; --all names them"),
        "{short}"
    );
    assert!(short.contains("12 changes, verified"), "{short}");
    let limited = syncscope(&["fix", "--limit", "3", &path]);
    assert_eq!(status(&limited), Some(1), "nine hazards are left");
    let summary = "3 changes, verified; 9 findings are left, because of `--limit`";
    assert!(stderr(&limited).contains(summary), "{}", stderr(&limited));
    let none = syncscope(&["fix", "--limit", "0", &path]);
    assert_eq!(status(&none), Some(2), "{}", stderr(&none));
    let long = said(&["fix", "--all", &path]);
    assert_eq!(long.matches("HZ101").count(), 12, "{long}");
    assert!(!long.contains("--all"), "{long}");
}

/// A hazard has the change that removes it, unless nobody asked for one.
#[test]
fn proposals_are_made_on_demand() {
    let path = file(&directory("ends-proposals"), "a.scn", HAZARD);
    for command in ["check", "run"] {
        let count = |which: &[&str]| {
            let output = syncscope(&[&[command, "--format", "json"], which, &[&path]].concat());
            assert_eq!(status(&output), Some(1));
            stdout(&output).matches("\"fix\":[{").count()
        };
        assert_eq!(count(&["--proposals", "none"]), 0, "{command}");
        assert!(count(&[]) > 0, "{command}");
        assert_eq!(
            count(&["--proposals", "all"]),
            count(&["--proposals", "quick"]),
            "{command}"
        );
    }
}
