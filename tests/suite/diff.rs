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

/// `diff --corpus`: what is newly wrong is what `verify` finds wrong in one lowering and not in the other.
mod on_a_corpus {
    use crate::cli::command;
    use crate::mutate::PAIR;
    use serde_json::Value;
    use std::fs;
    use std::path::Path;
    use syncscope::catalog;
    use syncscope::finding::Source;
    use syncscope::verify::{self, Became, Comparison, Machine};

    fn compared(old: &str, new: &str, profile: &str, programs: &[Source]) -> Comparison {
        let registry = catalog::registry();
        let profile = registry.profile(profile).expect("it is built in");
        let machine = |name: &str| Machine {
            profile: &profile,
            lowering: registry.lowering(name).expect("it is built in"),
        };
        let names = [old.to_owned(), new.to_owned()];
        verify::compare(names, &[[machine(old), machine(new)]], programs, &|_, _| {
            true
        })
    }

    /// Legal programs of the corpus on which a lowering is wrong, as `verify` has it.
    fn wrong(lowering: &str, profile: &str, programs: &[Source]) -> usize {
        let registry = catalog::registry();
        let profiles = [registry.profile(profile).expect("it is built in")];
        let lowering = registry.lowering(lowering).expect("it is built in");
        let machines = Machine::each(lowering, &profiles);
        verify::verify(&machines, programs, &|_, _| true).profiles[0].wrong
    }

    #[test]
    fn what_is_newly_wrong_is_what_verify_finds_wrong() {
        let programs = crate::verify::sample();
        let count = |found: &Comparison, became| {
            let changes = found.changes.iter();
            let own = changes.filter(|it| it.is_legal && it.became() == became);
            own.count()
        };
        let lost = wrong("lost_splits", "reference", &programs);
        assert!(lost > 0 && wrong("precise", "reference", &programs) == 0);
        let worse = compared("precise", "lost_splits", "reference", &programs);
        assert_eq!(count(&worse, Became::Wrong), lost);
        assert!(worse.has_newly_wrong());
        let better = compared("lost_splits", "precise", "reference", &programs);
        assert_eq!(count(&better, Became::Right), lost);
        assert!(!better.has_newly_wrong());
        let same = compared("precise", "precise", "reference", &programs);
        assert!(same.changes.is_empty(), "{:?}", same.changes.first());
    }

    /// On `rdna` the pair needs one wait and the drops of L0V, K and GL1; `full_flush` does that and more. What each costs
    /// alone is what `verify` says that it costs.
    #[test]
    fn what_is_saved_is_what_each_costs() {
        let programs = [Source::new("pair.scn", PAIR)];
        let found = compared("full_flush", "precise", "rdna", &programs);
        let [change] = found.changes.as_slice() else {
            panic!("{:?}", found.changes);
        };
        let [old, new] = change.paid.expect("both are right");
        assert_eq!((new.waits, new.operations), (1, 3));
        let registry = catalog::registry();
        let rdna = [registry.profile("rdna").expect("it is built in")];
        for (name, paid) in [("full_flush", old), ("precise", new)] {
            let lowering = registry.lowering(name).expect("it is built in");
            let found = verify::verify(&Machine::each(lowering, &rdna), &programs, &|_, _| true);
            assert_eq!(found.profiles[0].paid, paid, "{name}");
        }
        assert!(old.operations > new.operations && old.makespan > new.makespan);
    }

    fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = command(&[&["diff"], arguments].concat()).output();
        let output = output.expect("the program starts");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    #[test]
    fn the_command_fails_only_where_something_is_newly_wrong() {
        let corpus = ["--corpus", "--profile", "reference"];
        let diff = |more: &[&str]| run(&[&corpus[..], more].concat());
        let (status, out, error) = diff(&["precise", "lost_splits", "--format", "json"]);
        assert_eq!(status, Some(1), "{error}");
        let told: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(told["newly_wrong"], true);
        let changes = told["changes"].as_array().expect("rows");
        let newly = changes
            .iter()
            .filter(|it| it["became"] == "newly wrong" && it["legal"] == true);
        let newly = newly.count();
        let (status, out, _) = diff(&["lost_splits", "precise"]);
        assert_eq!(status, Some(0), "{out}");
        let says = format!("precise is newly wrong on 0 legal ones, newly right on {newly}");
        assert!(out.replace('\n', " ").contains(&says), "{says}: {out}");
        assert!(out.contains("; --all shows them"), "{out}");
        assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
        let (status, out, _) = diff(&["precise", "precise"]);
        assert_eq!(status, Some(0));
        assert!(out.contains("packets are the same on all of them"), "{out}");
    }

    #[test]
    fn bad_words_are_told() {
        let mine = Path::new(env!("CARGO_TARGET_TMPDIR")).join("diff-unfit.lower");
        let text = "lowering unfit {\n  summary \"a cache of nobody\"\n}\nrule \"r\" {\n  clean NOWHERE\n}\n";
        fs::write(&mine, text).expect("the target directory can be written");
        let mine = mine.display().to_string();
        let cases: [(&[&str], &str); 6] = [
            (&["--corpus", "precise"], "compares two lowerings"),
            (
                &["--corpus", "precise", "precice"],
                "did you mean `precise`?",
            ),
            (&["--corpus", "precise", "a.scn"], "`a.scn` is a scenario"),
            (
                &["--corpus", "precise", "lazy", "--profile", "amd"],
                "no hardware profile `amd`",
            ),
            (
                &["--corpus", "precise", "lazy", "--lowering", "lazy"],
                "cannot be used with",
            ),
            (
                &["--corpus", "precise", &mine, "--profile", "rdna"],
                "NOWHERE",
            ),
        ];
        for (arguments, says) in cases {
            let (status, out, error) = run(arguments);
            assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments:?}");
            assert!(error.contains(says), "{arguments:?}: {error}");
        }
    }
}
