//! `run --without` from outside: words in, text, JSON and pages out.

use crate::cli::{CLEAN, command};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the target directory can be written");
    path
}

/// A clean scenario in a directory of this test's own.
fn clean(test: &str) -> (PathBuf, String) {
    let directory = directory(test);
    let file = directory.join("clean.scn");
    fs::write(&file, CLEAN).expect("the target directory can be written");
    let name = file.display().to_string();
    (directory, name)
}

fn said(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = command(arguments).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn refused(arguments: &[&str], message: &str, help: &str) {
    let (status, out, error) = said(arguments);
    assert_eq!(status, Some(2), "{error}");
    assert_eq!(out, "");
    assert!(error.contains(message) && error.contains(help), "{error}");
    assert_eq!(error.matches("error: ").count(), 1, "{error}");
}

#[test]
fn what_names_no_barrier_is_refused_with_those_that_are_near() {
    let (_, file) = clean("without-names");
    let of = |word| ["run", &file, "--without", word];
    refused(
        &of("gfx#3.0"),
        "has no barrier `gfx#3.0`",
        "did you mean `gfx#2.0`?",
    );
    refused(
        &of("gfx#2.1"),
        "has no barrier `gfx#2.1`",
        "did you mean `gfx#2.0`?",
    );
    refused(&of("99"), "no barrier at line 99", "at line `6`");
    refused(&of(""), "has no barrier ``", "did you mean");
    let (directory, _) = clean("without-nothing");
    let none = directory.join("none.scn");
    fs::write(&none, "queue gfx : direct\ntimeline { gfx execute { } }\n").expect("written");
    let none = none.display().to_string();
    refused(
        &["run", &none, "--without", "gfx#1.0"],
        "has no barrier",
        "nothing to leave out",
    );
    refused(
        &["run", &file, &none, "--without", "gfx#2.0"],
        "a barrier of one scenario",
        "name one file",
    );
    for other in [
        &["--what-if"][..],
        &["--profiles", "all"],
        &["--show", "ddi"],
    ] {
        let mut arguments = of("gfx#2.0").to_vec();
        arguments.extend(other);
        let (status, out, error) = said(&arguments);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{error}");
        assert!(error.contains("cannot be used with"), "{error}");
    }
}

/// Everything that names a barrier gives the same.
#[test]
fn the_terminal_has_both_timelines_on_one_axis_and_what_differs() {
    let (_, file) = clean("without-terminal");
    let (status, text, error) = said(&["run", &file, "--without", "gfx#2.0"]);
    assert_eq!((status, error.as_str()), (Some(0), ""));
    for word in ["gfx#2", "6", "line 6"] {
        let (_, same, _) = said(&["run", &file, "--without", word]);
        assert_eq!(same, text, "{word}");
    }
    for part in [
        "without gfx#2.0, line 6",
        "1 read goes wrong here: dispatch \"read\" (gfx#3)",
        "as written: ",
        "✖ new: HZ101 read-after-write",
        "gfx#3    b",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // Both axes have the same labels in the same columns.
    let axes: Vec<&str> = text
        .lines()
        .filter(|line| line.trim_start().starts_with("0  "))
        .collect();
    assert_eq!(axes.len(), 2, "{text}");
    assert_eq!(axes[0], axes[1]);
    // The barrier's bar is in the first only.
    let (first, second) = text.split_once("\nwithout gfx#2.0").expect("two timelines");
    assert!(
        first.contains("barriers") && !second.contains("barriers"),
        "{text}"
    );
    for width in [80_usize, 100, 160] {
        let columns = width.to_string();
        let (_, text, _) = said(&["run", &file, "--without", "gfx#2.0", "--width", &columns]);
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
    let (_, ascii, _) = said(&["run", &file, "--without", "gfx#2.0", "--ascii"]);
    assert!(ascii.is_ascii(), "{ascii}");
}

#[test]
fn json_and_pages_of_one_barrier_agree() {
    let (directory, file) = clean("without-json");
    let (status, text, _) = said(&["run", &file, "--without", "gfx#2.0", "--format", "json"]);
    assert_eq!(status, Some(0));
    let json: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["barriers"], serde_json::json!(["gfx#2.0"]));
    let copy = &json["without"];
    let with = json["with"]["makespan_ps"].as_i64().expect("a time");
    let without = copy["makespan_ps"].as_i64().expect("a time");
    assert_eq!(copy["difference_ps"].as_i64(), Some(without - with));
    assert_eq!(copy["wrong_reads"].as_array().map(Vec::len), Some(1));
    assert_eq!(copy["new_findings"][0]["rule"], "HZ101");
    assert_eq!(copy["reads"][0]["same"], false);
    let page = directory.join("without.html");
    let name = page.display().to_string();
    let (status, _, error) = said(&["run", &file, "--without", "gfx#2.0", "--out", &name]);
    assert_eq!(status, Some(0), "{error}");
    let data = crate::html::data(&fs::read_to_string(page).expect("written"));
    let own = &data["detail"]["without"];
    assert_eq!(own["opened"], "gfx#2.0");
    assert_eq!(own["rows"][0]["makespan_ps"].as_i64(), Some(without));
    let words = data["detail"]["words"].as_array().expect("a list");
    let says = own["rows"][0]["says"].as_u64().expect("a word");
    assert_eq!(words[says as usize], json["says"]);
}
