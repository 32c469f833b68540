//! `diff`: two lowerings, two profiles or two files, barrier by barrier.

use crate::cli::{CLEAN, command};
use std::fs;
use std::path::Path;

fn scene(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the target directory can be written");
    path.display().to_string()
}

fn diff(arguments: &[&str]) -> (Option<i32>, String, String) {
    let all: Vec<&str> = ["diff"].iter().chain(arguments).copied().collect();
    let output = command(&all).output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// What the wrong lowering leaves out is only on the right one's side, and both costs are those of the two runs.
#[test]
fn two_lowerings_differ_in_what_one_leaves_out() {
    let file = scene("diff-lowerings.scn", CLEAN);
    let words = [
        "--lowering",
        "precise,forgets_invalidate",
        "--profile",
        "rdna",
    ];
    let arguments = [&[file.as_str()], &words[..], &["--format", "json"]].concat();
    let (status, out, error) = diff(&arguments);
    assert_eq!(status, Some(1), "{error}");
    let told: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let row = &told["barriers"][0];
    let only = |side: usize| row["sides"][side]["only"].as_array().expect("a list").len();
    assert!(only(0) > 0 && only(1) == 0, "{out}");
    let names: Vec<String> =
        serde_json::from_value(row["sides"][0]["only"].clone()).expect("words");
    assert!(
        names.iter().all(|name| name.starts_with("invalidate ")),
        "{names:?}"
    );
    assert_eq!(row["sides"][0]["lacks"], false);
    assert_eq!(row["sides"][1]["lacks"], true);
    for (side, lowering) in ["precise", "forgets_invalidate"].iter().enumerate() {
        let run = [
            "run",
            &file,
            "--lowering",
            lowering,
            "--profile",
            "rdna",
            "--format",
            "json",
        ];
        let report = command(&run).output().expect("the program starts").stdout;
        let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
        assert_eq!(told["sides"][side]["makespan_ps"], report["makespan_ps"]);
        for cost in ["drain_ps", "operation_ps", "refill_ps", "exposed_ps"] {
            assert_eq!(
                row["sides"][side][cost], report["barriers"][0][cost],
                "{cost}"
            );
        }
    }
    let (status, out, _) = diff(&[&[file.as_str()], &words[..]].concat());
    assert_eq!(status, Some(1));
    assert!(
        out.starts_with("precise against forgets_invalidate\n"),
        "{out}"
    );
    let words: Vec<&str> = out.split_whitespace().collect();
    assert!(words.join(" ").contains("what is asked (LW101)"), "{out}");
}

#[test]
fn two_profiles_and_two_files() {
    let file = scene("diff-profiles.scn", CLEAN);
    let (status, out, _) = diff(&[&file, "--profile", "rdna,intel"]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.starts_with("rdna against intel\n"), "{out}");
    // A barrier that only one file has stands alone; the others are paired with their like.
    let more = CLEAN.replace(
        "  dispatch \"read\"",
        "  barrier { buffer b { sync COMPUTE_SHADING -> COPY; access UNORDERED_ACCESS -> COPY_SOURCE } }\n  dispatch \"read\"",
    );
    let other = scene("diff-more.scn", &more);
    let (status, out, _) = diff(&[&file, &other, "--format", "json"]);
    assert_eq!(status, Some(1), "{out}");
    let told: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let sides = |row: usize| told["barriers"][row]["sides"].clone();
    assert!(sides(0)[0].is_object() && sides(0)[1].is_object(), "{out}");
    assert!(sides(1)[0].is_null() && sides(1)[1].is_object(), "{out}");
    let same = scene("diff-same.scn", CLEAN);
    let (status, out, _) = diff(&[&file, &same]);
    assert_eq!(status, Some(0), "{out}");
    assert!(out.contains("1 barrier is the same in both"), "{out}");
}

#[test]
fn a_table_has_a_line_for_each_barrier_and_side() {
    let text = CLEAN
        .replace("buffer b", "buffer bb")
        .replace(" b ", " bb ");
    let file = scene("diff,\"table\".scn", &text);
    let (status, out, error) = diff(&[&file, "--lowering", "precise,lazy", "--format", "csv"]);
    assert!(matches!(status, Some(0 | 1)), "{error}");
    let mut table = csv::Reader::from_reader(out.as_bytes());
    let rows: Vec<csv::StringRecord> = table.records().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), 2, "{out}");
    for (row, lowering) in rows.iter().zip(["precise", "lazy"]) {
        assert_eq!((&row[0], &row[2]), (file.as_str(), lowering));
        assert_eq!(row.len(), 14);
    }
}

#[test]
fn what_cannot_be_compared_is_told() {
    let file = scene("diff-bad.scn", CLEAN);
    for (arguments, message) in [
        (&[file.as_str()][..], "compares two of one kind"),
        (
            &[
                &file,
                "--lowering",
                "precise,lazy",
                "--profile",
                "rdna,intel",
            ],
            "compares two of one kind",
        ),
        (
            &[&file, "--lowering", "precise,lazi"],
            "did you mean `lazy`?",
        ),
        (&[&file, "nowhere.scn"], "there is no file `nowhere.scn`"),
    ] {
        let (status, _, error) = diff(arguments);
        assert_eq!(status, Some(2), "{arguments:?}");
        assert!(error.contains(message), "{error}");
    }
    let run = command(&["run", &file, "--lowering", "precise,lazy"]).output();
    let error = run.expect("the program starts").stderr;
    let error = String::from_utf8_lossy(&error);
    assert!(
        error.contains("`syncscope diff FILE --lowering precise,lazy` compares them"),
        "{error}"
    );
}
