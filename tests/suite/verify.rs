//! `verify`: right lowerings are right, wrong ones are caught with a small program, and what is said is true.

use crate::cli::command;
use crate::sizes;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::lower::{Entry, Lowering, PRECISE, Policy, Session};
use syncscope::order::Timeline;
use syncscope::run::verify::{self, Fault, Machine, Program, Verification};
use syncscope::{ensure, scenario};

fn profiles() -> Vec<Profile> {
    catalog::registry().all_profiles()
}

fn tried(lowering: &dyn Lowering, programs: &[Program]) -> Verification {
    verify::verify(&Machine::each(lowering, &profiles()), programs, &|_, _| {})
}

/// What is in the program is what is in the repository. If this fails, a scene is newer than the program: build
/// `src/run/verify/corpus.rs` again.
#[test]
fn the_corpus_is_every_scene_of_the_repository() {
    fn walk(directory: &Path, found: &mut BTreeSet<(String, String)>) {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "scn") {
                let name = path.strip_prefix("scenarios").expect("below it");
                let text = fs::read_to_string(&path).expect("a text");
                found.insert((name.display().to_string(), text));
            }
        }
    }
    let mut scenes = BTreeSet::new();
    walk(Path::new("scenarios"), &mut scenes);
    let corpus = verify::corpus().into_iter();
    let corpus: BTreeSet<_> = corpus.map(|p| (p.name, p.source.text)).collect();
    assert_eq!(corpus.len(), scenes.len());
    assert!(
        corpus == scenes,
        "touch src/run/verify/corpus.rs and build again"
    );
    assert!(corpus.len() >= 500);
}

#[test]
fn right_lowerings_are_right_and_wrong_ones_are_not() {
    let corpus = verify::corpus();
    for lowering in catalog::registry().lowerings {
        let found = tried(lowering, &corpus);
        assert_eq!(
            found.is_right(),
            !lowering.is_wrong_on_purpose(),
            "{}: {:?}",
            lowering.name(),
            found.counterexamples.first().map(|it| &it.text)
        );
        assert_eq!(found.is_right(), found.counterexamples.is_empty());
        assert!(found.programs >= 500, "{}", found.programs);
    }
}

/// Each piece of the museum has a counterexample of at most four commands. It is a program without a mistake of its own,
/// and reading it again finds the same.
#[test]
fn counterexamples_are_small_and_fail_again() {
    let corpus = verify::corpus();
    for lowering in catalog::registry().lowerings {
        if !lowering.is_wrong_on_purpose() {
            continue;
        }
        let found = tried(lowering, &corpus);
        let least = found.counterexamples.iter().map(|it| it.commands).min();
        assert!(least <= Some(4), "{}: {least:?}", lowering.name());
        for example in &found.counterexamples {
            let again = tried(
                lowering,
                &[Program::new("again.scn", example.text.as_str())],
            );
            let first = profiles()
                .iter()
                .position(|p| p.name == example.profiles[0]);
            let first = first.expect("a profile");
            assert_eq!(
                again.profiles[first].wrong,
                1,
                "{}:\n{}",
                lowering.name(),
                example.text
            );
            let check = syncscope::run::check(
                &Source::new("again.scn", example.text.as_str()),
                &syncscope::run::Options::default(),
            );
            let mut wrong = check.findings.iter().filter(|f| f.severity.fails());
            assert!(
                wrong.next().is_none(),
                "{}:\n{}",
                lowering.name(),
                example.text
            );
        }
    }
}

/// What `verify` says is missing is what the check of one program says.
#[test]
fn a_missing_operation_is_one_that_the_check_misses() {
    let text = crate::cli::CLEAN;
    let (scenario, findings) = scenario::parse(&Source::new("clean.scn", text));
    assert!(findings.is_empty());
    let timeline = Timeline::new(&scenario);
    let lowering = catalog::registry();
    let lowering = lowering
        .lowering("forgets_invalidate")
        .expect("it is built in");
    let found = tried(lowering, &[Program::new("clean.scn", text)]);
    for (profile, verdict) in profiles().iter().zip(&found.profiles) {
        let program = lowering.lower(&timeline, profile);
        let missing = ensure::check(&timeline, profile, &program).missing;
        assert_eq!(
            verdict.wrong,
            usize::from(!missing.is_empty()),
            "{}",
            profile.name
        );
    }
}

#[test]
fn threads_change_nothing() {
    let registry = catalog::registry();
    let lowering = registry.lowering("constants_kept").expect("it is built in");
    let corpus = verify::corpus();
    let told = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let found = pool.expect("threads").install(|| tried(lowering, &corpus));
        format!("{found:?}")
    };
    assert_eq!(told(1), told(3));
}

/// A lowering with a mistake that no check of packets sees.
struct Panics;

impl Lowering for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }

    fn summary(&self) -> &'static str {
        "panics at a barrier on a texture"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

impl Policy for Panics {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        assert!(entry.barrier.layouts().is_none(), "textures come later");
        let draft = PRECISE.draft(session, entry);
        session.barrier(entry, &draft);
    }
}

#[test]
fn a_lowering_that_panics_is_told_with_the_program() {
    let found = tried(&Panics, &verify::corpus());
    let [only] = found.counterexamples.as_slice() else {
        panic!("{:?}", found.counterexamples);
    };
    assert_eq!(
        only.faults,
        [Fault::Panics("textures come later".to_owned())]
    );
    assert_eq!(only.commands, 1, "{}", only.text);
    assert!(only.text.contains("  barrier {"), "{}", only.text);
}

#[test]
#[should_panic(expected = "the lowering `panics` is wrong on rdna")]
fn a_test_of_a_driver_fails_with_the_program() {
    verify::assert_lowering(&Panics, &profiles());
}

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command(arguments).output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn the_command_says_right_or_wrong() {
    let (status, out, _) = run(&["verify", "--lowering", "precise", "--profile", "rdna,intel"]);
    assert_eq!(status, Some(0), "{out}");
    assert!(out.starts_with("precise: right, tried on "), "{out}");
    let (status, out, _) = run(&["verify", "--lowering", "constants_kept", "--format", "json"]);
    assert_eq!(status, Some(1), "{out}");
    let told: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(told["right"], false);
    assert!(told["counterexamples"][0]["scenario"].is_string());
}

#[test]
fn bad_words_are_told() {
    let bare = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verify-bare.scn");
    let text = "queue q : direct\ntimeline { q execute { dispatch 1x1x1 { } } }\n";
    fs::write(&bare, text).expect("the target directory can be written");
    let bare = bare.display().to_string();
    for (arguments, message) in [
        (
            &["verify", "--lowering", "precice"][..],
            "did you mean `precise`?",
        ),
        (
            &["verify", "--lowering", "precise", "--profile", "rdna,amd"],
            "there is no hardware profile `amd`",
        ),
        (
            &["verify", "--lowering", "precise", "--only", &bare],
            "no file has a barrier to lower",
        ),
        (
            &["verify", "--lowering", "precise", "nowhere"],
            "there is no file or directory `nowhere`",
        ),
    ] {
        let (status, out, error) = run(arguments);
        assert_eq!(status, Some(2), "{out}");
        assert!(error.contains(message), "{error}");
    }
}

/// A crate outside the package depends on it by path: its tests pass, and its private `syncscope` knows its lowerings. Its
/// code and tests are in this binary too; as a crate it is built from nothing, which only the full tier has time for.
#[test]
fn a_driver_of_ones_own_links_the_library() {
    if !sizes::is_full() {
        return;
    }
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/driver/Cargo.toml");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("driver");
    let cargo = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO"))
            .args(arguments)
            .arg("--quiet")
            .arg("--target-dir")
            .arg(&target)
            .arg("--manifest-path")
            .arg(&manifest)
            .output();
        let output = output.expect("cargo starts");
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(cargo(&["test"]).contains("2 passed"));
    cargo(&["build"]);
    let mine = Command::new(target.join("debug/driver"))
        .args(["verify", "--lowering", "whole_caches"])
        .output();
    let said = mine.expect("it was built").stdout;
    let said = String::from_utf8_lossy(&said);
    assert!(said.starts_with("whole_caches: right"), "{said}");
}
