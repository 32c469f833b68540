//! What is given on the command line: files that cannot be read, words that nobody knows, profiles and settings.

use super::*;

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
        if verb == "fmt" {
            let d = d.display().to_string();
            unusable(&[verb, &d], "is a directory", "syncscope test");
        } else {
            let none = directory("unusable_files_none").display().to_string();
            unusable(&[verb, &none], "there is no scenario below", "`.scn`");
        }
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
        .replacen("GENERIC_READ = [\"CF\"", "GENERIC_READ = [\"Q\"", 1);
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
        assert_eq!(status(&output), Some(2), "{blank:?} {}", stderr(&output));
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

#[test]
fn the_exit_status_is_that_of_the_worst_file() {
    let d = directory("exit_status");
    let clean = file(&d, "clean.scn", CLEAN);
    let hazard = file(&d, "hazard.scn", HAZARD);
    let broken = file(&d, "broken.scn", "queue gfx direct direct\n");
    for verb in ["run", "check"] {
        assert_eq!(status(&syncscope(&[verb, &clean])), Some(0));
        assert_eq!(status(&syncscope(&[verb, &hazard])), Some(1));
        assert_eq!(status(&syncscope(&[verb, &broken])), Some(2));
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
