//! `verify`: right lowerings are right, wrong ones are caught with a small program, and what is said is true.

use crate::cli::command;
use crate::once::Once;
use crate::sizes;
use rayon::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::{Arc, OnceLock};
use syncscope::api::{BarrierAccess, LeafSet};
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::id::{CacheId, Table};
use syncscope::lower::{Entry, Lowering, PRECISE, Policy, Session, StepDraft};
use syncscope::order::Timeline;
use syncscope::verify::{
    self, Fault, Form, Help, Machine, ProgramResources, Search, Stage, Tried, Universe,
    Verification, Which,
};
use syncscope::{ensure, report, scenario};

fn profiles() -> Vec<Profile> {
    catalog::registry().all_profiles()
}

/// The corpus of the full tier; of the quick one its scenes and a few situations of each form.
pub(crate) fn sample() -> Vec<Source> {
    static SAMPLE: OnceLock<Vec<Source>> = OnceLock::new();
    let sample = SAMPLE.get_or_init(|| {
        let mut forms: BTreeMap<String, usize> = BTreeMap::new();
        let mut programs = verify::corpus();
        programs.retain(|program| {
            let (folder, rest) = program.name.split_once('/').unwrap_or_default();
            // Steps that are prime to how many rows a kind has meet each of them.
            let (form, step) = match folder {
                "situations" => (rest.split('/').next(), sizes::step(37, 17)),
                // Most are about what a text may say.
                "conformance" | "legality" | "rules" => (Some(folder), sizes::step(3, 1)),
                _ => return true,
            };
            let seen = forms
                .entry(form.unwrap_or_default().to_owned())
                .or_default();
            *seen += 1;
            step == 1 || *seen % step == 1
        });
        programs
    });
    sample.clone()
}

fn tried(lowering: &dyn Lowering, programs: &[Source]) -> Verification {
    verify::verify(&Machine::each(lowering, &profiles()), programs, &|_, _| {
        true
    })
}

/// The lowerings that are tried on the sample: of those with a mistake the quick tier takes every third one.
fn lowerings_for_the_sample() -> impl Iterator<Item = &'static dyn Lowering> {
    let (wrong, right): (Vec<_>, Vec<_>) = catalog::registry()
        .lowerings
        .into_iter()
        .partition(|lowering| lowering.is_wrong_on_purpose());
    right
        .into_iter()
        .chain(wrong.into_iter().step_by(sizes::step(3, 1)))
}

/// A lowering on the sample. Two tests ask for those that are wrong: each is tried once, on every profile. The quick tier tries those
/// that are right on every fifth profile.
fn tried_on_the_sample(lowering: &'static dyn Lowering) -> Arc<Verification> {
    static KNOWN: Once<&str, Arc<Verification>> = Once::new();
    let step = if lowering.is_wrong_on_purpose() {
        1
    } else {
        sizes::step(5, 1)
    };
    KNOWN.of(lowering.name(), || {
        let profiles: Vec<Profile> = profiles()
            .into_iter()
            .skip(lowering.name().len() % step)
            .step_by(step)
            .collect();
        let machines = Machine::each(lowering, &profiles);
        Arc::new(verify::verify(&machines, &sample(), &|_, _| true))
    })
}

/// What is in the program is what is in the repository, but for whole frames. If this fails, a scene is newer than the program: build
/// `src/workbench/corpus.rs` again.
#[test]
fn the_corpus_is_every_scene_of_the_repository() {
    fn walk(directory: &Path, found: &mut BTreeSet<(String, String)>) {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                if !path.ends_with("frame-graphs") {
                    walk(&path, found);
                }
            } else if path.extension().is_some_and(|e| e == "scn") {
                let name = path.strip_prefix("scenarios").expect("below it");
                let text = fs::read_to_string(&path).expect("a text");
                found.insert((name.display().to_string(), text));
            }
        }
    }
    let mut scenes = BTreeSet::new();
    walk(Path::new("scenarios"), &mut scenes);
    // What nobody has written comes after them.
    let is_scene = |program: &Source| !program.name.starts_with("situations/");
    let corpus = verify::corpus().into_iter().take_while(is_scene);
    let corpus: BTreeSet<_> = corpus.map(|p| (p.name, p.text)).collect();
    assert_eq!(corpus.len(), scenes.len());
    assert!(
        corpus == scenes,
        "touch src/workbench/corpus.rs and build again"
    );
    assert!(corpus.len() >= 500);
}

/// A situation with a mistake of its own, or without a barrier, would be tried and say nothing. The quick tier takes every seventh.
#[test]
fn situations_have_barriers_and_no_mistakes() {
    let mut all = verify::corpus();
    all.retain(|program| program.name.starts_with("situations/"));
    let names: BTreeSet<&str> = all.iter().map(|program| &*program.name).collect();
    assert_eq!(names.len(), all.len(), "two have one name");
    let some: Vec<Source> = all.into_iter().step_by(sizes::step(7, 1)).collect();
    let wrong = some
        .par_iter()
        .find_first(|program| !verify::mistakes(program).is_empty());
    assert!(wrong.is_none(), "{wrong:?}");
    let reference = [catalog::registry()
        .profile("reference")
        .expect("it is built in")];
    let found = verify::verify(&Machine::each(&PRECISE, &reference), &some, &|_, _| true);
    assert_eq!((found.programs, found.legal), (some.len(), some.len()));
}

#[test]
fn right_lowerings_are_right_and_wrong_ones_are_not() {
    for lowering in lowerings_for_the_sample() {
        let found = tried_on_the_sample(lowering);
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

/// What a layout change finds in the caches depends on more than the use before it: chains of three uses, each in every
/// layout, read right under every right lowering. The sample is spread over all of them.
#[test]
fn chains_of_three_uses_are_right() {
    let all: Vec<Source> = verify::chains().collect();
    let count = usize::try_from(sizes::CHAINS.count()).expect("it fits");
    let sample: Vec<Source> = (0..count.min(all.len()))
        .map(|at| all[at * all.len() / count.min(all.len())].clone())
        .collect();
    for lowering in catalog::registry().lowerings {
        if lowering.is_wrong_on_purpose() {
            continue;
        }
        let found = tried(lowering, &sample);
        let first = found.counterexamples.first();
        let name = lowering.name();
        assert!(found.is_right(), "{name}: {:?}", first.map(|it| &it.text));
        assert!(found.programs * 2 > sample.len(), "{}", found.programs);
    }
}

/// Each piece of the museum has a counterexample of at most four commands. It is a program without a mistake of its own,
/// and reading it again finds the same.
#[test]
fn counterexamples_are_small_and_fail_again() {
    for lowering in lowerings_for_the_sample().filter(|it| it.is_wrong_on_purpose()) {
        let found = tried_on_the_sample(lowering);
        let least = found.counterexamples.iter().map(|it| it.commands).min();
        assert!(least <= Some(4), "{}: {least:?}", lowering.name());
        for example in &found.counterexamples {
            let again = tried(lowering, &[Source::new("again.scn", example.text.as_str())]);
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
    let found = tried(lowering, &[Source::new("clean.scn", text)]);
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
    let corpus: Vec<Source> = sample().into_iter().step_by(sizes::step(3, 1)).collect();
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
    let found = tried(&Panics, &sample());
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
    verify::assert_lowering(&Panics, &profiles()[..1]);
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
    let mut right = vec!["verify", "--lowering", "precise", "--profile", "intel"];
    if sizes::step(2, 1) > 1 {
        right.extend(["--only", "scenarios/lowering"]);
    }
    let (status, out, _) = run(&right);
    assert_eq!(status, Some(0), "{out}");
    assert!(out.starts_with("precise: right, tried on "), "{out}");
    assert!(!out.contains("it fails on"), "{out}");
    let wrong = "verify --lowering constants_kept --profile nvidia --format json";
    let (status, out, _) = run(&wrong.split(' ').collect::<Vec<_>>());
    assert_eq!(status, Some(1), "{out}");
    let told: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(told["right"], false);
    assert!(told["counterexamples"][0]["scenario"].is_string());
}

/// A write and a read with the barrier that they need.
const PAIR: &str = "buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
timeline {
  q execute {
    dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
    barrier { buffer b { sync ALL -> COMPUTE_SHADING; access UNORDERED_ACCESS -> CONSTANT_BUFFER } }
    dispatch \"read\" 1x1x1 { CONSTANT_BUFFER b }
  }
}
";

/// Drops nothing where a buffer is said to be a render target, which is no legal barrier (`EB017`).
const FAILS_ON_ILLEGAL: &str = "lowering fails_on_illegal {
  summary \"drops nothing of buffers that are render targets\"
  match accumulate
  based-on precise
}
rule \"no buffer is a render target\" {
  before access RENDER_TARGET
  resource buffer
  drop invalidate *
}
";

/// The pair, illegal: its barrier names an access that no buffer has.
fn illegal() -> String {
    PAIR.replace(
        "access UNORDERED_ACCESS",
        "access UNORDERED_ACCESS|RENDER_TARGET",
    )
}

fn written(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the target directory can be written");
    path.display().to_string()
}

/// The verdict rests on legal programs; what a lowering does on others is counted apart, and told after.
#[test]
fn illegal_programs_are_counted_apart() {
    let rules = written("verify-fails.lower", FAILS_ON_ILLEGAL);
    let bad = written("verify-illegal.scn", &illegal());
    let good = written("verify-legal.scn", PAIR);
    let base = [
        "verify",
        "--lowering",
        &rules,
        "--profile",
        "rdna",
        "--only",
    ];
    let verify = |more: &[&str]| run(&[&base[..], more].concat());
    let (status, out, error) = verify(&[&bad, &good]);
    assert_eq!(status, Some(0), "{out}{error}");
    for says in [
        "fails_on_illegal: right, tried on 2 programs (1 legal, 1 illegal)",
        "it fails on 1 illegal program, with errors or hazards of its own: the verdict does not rest",
        "does not drop: GL1, K (1 illegal program, on rdna)",
        "the program has mistakes of its own: EB017 creation-flags",
    ] {
        assert!(out.contains(says), "{says}: {out}");
    }
    let (status, out, _) = verify(&[&bad, &good, "--legal-only"]);
    assert_eq!(status, Some(0), "{out}");
    assert!(
        out.contains("tried on 1 program (1 legal, 0 illegal)"),
        "{out}"
    );
    assert!(out.contains("1 illegal program was left out"), "{out}");
    assert!(!out.contains("does not drop"), "{out}");
    // Where nothing is legal, nothing is right.
    let (status, out, _) = verify(&[&bad]);
    assert_eq!(status, Some(2), "{out}");
    assert!(out.contains("no verdict (no program is legal)"), "{out}");
    let (status, _, error) = verify(&[&bad, "--legal-only"]);
    assert_eq!(status, Some(2));
    assert!(
        error.contains("every program has errors or hazards of its own"),
        "{error}"
    );
    // As values.
    let (_, out, _) = verify(&[&bad, &good, "--format", "json"]);
    let told: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(told["schema"], 2);
    assert_eq!(told["right"], true);
    assert_eq!(
        (&told["programs"], &told["legal_programs"]),
        (&2.into(), &1.into())
    );
    assert_eq!(told["wrong_illegal_programs"], 1);
    let row = &told["profiles"][0];
    assert_eq!(row["wrong_programs"], 1);
    assert_eq!(row["wrong_legal_programs"], 0);
    assert_eq!(row["wrong_illegal_programs"], 1);
    assert_eq!(told["counterexamples"][0]["illegal_programs"], 1);
}

/// A counterexample comes from a legal program if one fails so, however small an illegal one is.
#[test]
fn a_legal_program_is_shown_before_a_smaller_illegal_one() {
    let registry = catalog::registry();
    let lowering = registry
        .lowering("forgets_invalidate")
        .expect("it is built in");
    let rdna = [registry.profile("rdna").expect("it is built in")];
    let legal = PAIR.replace(
        "  q execute {",
        "  // as long as one likes, as long as one likes\n  q execute {",
    );
    let programs = [
        Source::new("illegal.scn", illegal()),
        Source::new("legal.scn", legal),
    ];
    let found = verify::verify(&Machine::each(lowering, &rdna), &programs, &|_, _| true);
    assert_eq!(
        (found.programs, found.legal, found.wrong_illegal),
        (2, 1, 1)
    );
    assert_eq!(
        (found.profiles[0].wrong, found.profiles[0].wrong_illegal),
        (1, 1)
    );
    for example in &found.counterexamples {
        assert_eq!(example.made_from, "legal.scn");
        assert!(example.is_legal());
        assert_eq!((example.programs, example.illegal_programs), (2, 1));
    }
    // What is left of an illegal program alone is legal, and then the lowering is wrong all the same.
    let found = verify::verify(&Machine::each(lowering, &rdna), &programs[..1], &|_, _| {
        true
    });
    assert_eq!((found.legal, found.profiles[0].wrong), (0, 0));
    assert!(found.counterexamples[0].is_legal());
    assert!(!found.is_right() && found.is_wrong_on(&found.profiles[0]));
}

/// Numbers of a profile are overridden as `run --set` does it, each in its profile.
#[test]
fn numbers_are_set_by_profile() {
    let good = written("verify-set.scn", PAIR);
    let verify = |profiles: &str, set: &str| {
        let base = [
            "verify",
            "--lowering",
            "precise",
            "--only",
            &good,
            "--format",
            "json",
        ];
        run(&[&base[..], &["--profile", profiles, "--set", set]].concat())
    };
    let spans = |out: &str| -> Vec<u64> {
        let told: serde_json::Value = serde_json::from_str(out).expect("JSON");
        let rows = told["profiles"].as_array().expect("rows").clone();
        let span = |row: &serde_json::Value| row["paid"]["makespan_ps"].as_u64();
        rows.iter().map(|row| span(row).expect("a time")).collect()
    };
    let (_, usual, _) = verify("rdna,intel", "rdna.L0V.invalidate_ns=100");
    let (status, slow, error) = verify("rdna,intel", "rdna.L0V.invalidate_ns=9000");
    assert_eq!(status, Some(0), "{error}");
    let (usual, slow) = (spans(&usual), spans(&slow));
    assert!(slow[0] > usual[0], "{usual:?} {slow:?}");
    assert_eq!(slow[1], usual[1]);
    // Where there is one profile its name may be left out.
    let (_, alone, _) = verify("rdna", "L0V.invalidate_ns=9000");
    assert_eq!(spans(&alone), slow[..1]);
    for (set, says) in [
        (
            "L0V.invalidate_ns=1",
            "names none of the profiles rdna, intel",
        ),
        (
            "tiler.L2.line_bytes=64",
            "names none of the profiles rdna, intel",
        ),
        (
            "rdna.L2.lines=64",
            "the profile `rdna` has no number `L2.lines`",
        ),
        ("rdna.L2.line_bytes", "has no `=`"),
        ("rdna.L2.line_bytes=x", "`x` is not a whole number"),
    ] {
        let (status, out, error) = verify("rdna,intel", set);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{set}");
        assert!(error.contains(says), "{set}: {error}");
    }
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
        (
            &[
                "verify",
                "--lowering",
                "precise",
                "--only",
                "--exhaustive",
                "2",
            ],
            "cannot be used with",
        ),
    ] {
        let (status, out, error) = run(arguments);
        assert_eq!(status, Some(2), "{out}");
        assert!(error.contains(message), "{error}");
    }
}

fn search(universe: Universe, commands: u32, share: (u64, u64)) -> Search {
    Search {
        universe,
        commands,
        runs: false,
        which: Which::All,
        share,
    }
}

fn searched(search: &Search, machines: &[Machine<'_>]) -> Tried {
    let mut tried = search.begin(machines).expect("few programs");
    let words = search.universe.words();
    while search.go_on(&words, machines, &mut tried) {}
    assert!(tried.is_complete());
    tried
}

fn universes() -> Vec<Universe> {
    let textures = Universe {
        kind: ProgramResources::Texture,
        accesses: Universe::accesses_of(ProgramResources::Texture),
        forms: vec![Form::Resource, Form::Split],
        ..Universe::default()
    };
    let aliases = Universe {
        resources: 2,
        aliased: true,
        accesses: Universe::accesses_of(ProgramResources::Buffer)[..3].to_vec(),
        forms: vec![Form::Resource, Form::Split],
        ..Universe::default()
    };
    vec![Universe::default(), textures, aliases]
}

/// Every right lowering is right on every program of two work commands.
#[test]
fn right_lowerings_have_no_counterexample_in_small_universes() {
    let registry = catalog::registry();
    let profiles = profiles();
    let right = registry.lowerings.iter();
    let right = right.filter(|l| !l.is_wrong_on_purpose());
    for (at, lowering) in right.enumerate() {
        let machines = Machine::each(*lowering, &profiles);
        for (turn, universe) in universes().into_iter().enumerate() {
            // The quick tier takes `precise` in each, and every other one in turn.
            if lowering.name() != "precise" && (at + turn) % sizes::step(14, 3) != 0 {
                continue;
            }
            let few = Universe {
                accesses: universe.accesses[..2].to_vec(),
                ..universe
            };
            let mut search = search(few, 2, (0, 1));
            search.runs = lowering.name() == "precise";
            let tried = searched(&search, &machines);
            assert_eq!(tried.wrong_legal, 0, "{tried:?}");
            assert!(tried.legal > 100, "{tried:?}");
        }
    }
}

/// Two uses and four barriers on one buffer: 2 × 5 programs of one use, and (2 × 5)² of two. Legal are the ten; of two uses a
/// read and a read, whatever is between them (5); a read and a write with any barrier (4), and a write and a read, or a write
/// and a write, with the one barrier that names both (1 + 1): 11 for each of the five first gaps. Two barriers of one buffer
/// must fit (`EB027`): where the first gap has `-> x`, the second must not have another `x ->`. That forbids half of the
/// barriers of each first gap that has one: of the 4 + 4 + 1 + 1 programs with a second barrier, with a first gap `-> C` (two
/// of them) those `U ->`, and with `-> U` those `C ->`.
#[test]
fn a_search_tries_every_program_with_a_barrier_or_none_in_each_gap() {
    let registry = catalog::registry();
    let lowering = registry.lowering("constants_kept").expect("it is built in");
    let profiles = [registry.profile("nvidia").expect("it is built in")];
    let machines = Machine::each(lowering, &profiles);
    let few = Universe {
        accesses: vec![
            BarrierAccess::UNORDERED_ACCESS,
            BarrierAccess::CONSTANT_BUFFER,
        ],
        forms: vec![Form::Resource],
        ..Universe::default()
    };
    let mut search = search(few, 2, (0, 1));
    let tried = searched(&search, &machines);
    assert_eq!(tried.programs, 10 + 100);
    // With a first gap `-> C` those `U ->` go: 2 + 2 + 1 + 1; with `-> U` those `C ->`: 2 + 2.
    let unfit = 2 * (2 + 2 + 1 + 1) + 2 * (2 + 2);
    assert_eq!(tried.legal, 10 + 5 * 11 - unfit);
    // Wrong is what writes, has `U -> C` and reads constants: after nothing, and after `-> U` (two barriers) where it is legal.
    assert_eq!(tried.wrong_legal, 1 + 2);
    let words = search.universe.words();
    let found = search
        .counterexample(&words, &machines, &tried)
        .expect("one");
    assert_eq!(found.commands, 3, "{}", found.text);
    assert!(found.is_legal());
    assert!(
        found.text.contains("UNORDERED_ACCESS -> CONSTANT_BUFFER"),
        "{}",
        found.text
    );
    // Without illegal ones the same is said of the legal ones.
    search.which = Which::Legal;
    let legal = searched(&search, &machines);
    assert_eq!((legal.programs, legal.legal), (tried.programs, tried.legal));
    assert_eq!((legal.wrong, legal.wrong_legal), (3, 3));
}

/// Where no two uses of any program need anything, a search proves nothing, and says so.
#[test]
fn a_search_that_proves_nothing_is_refused() {
    let base = ["verify", "--lowering", "precise", "--profile", "rdna"];
    for more in [
        &["--exhaustive", "1"][..],
        &["--exhaustive", "3", "--accesses", "SHADER_RESOURCE"],
    ] {
        let (status, out, error) = run(&[&base[..], more].concat());
        assert_eq!(status, Some(2), "{out}");
        assert!(error.contains("no two uses need a barrier"), "{error}");
    }
    // A change of a layout is a use of its own.
    let textures = ["--exhaustive", "1", "--resource", "texture"];
    let (status, out, error) = run(&[&base[..], &textures].concat());
    assert_eq!(status, Some(0), "{error}");
    assert!(
        out.contains("of up to one work command") || out.contains("of one work command"),
        "{out}"
    );
}

/// Shares of a search add up to the whole; what is missing, there twice, unfinished or of another search is refused.
#[test]
fn shares_add_up_and_gaps_do_not() {
    let registry = catalog::registry();
    let lowering = registry
        .lowering("forgets_invalidate")
        .expect("it is built in");
    let profiles = [registry.profile("rdna").expect("it is built in")];
    let machines = Machine::each(lowering, &profiles);
    let mut universe = Universe::default();
    universe.accesses.truncate(4);
    let whole = searched(&search(universe.clone(), 2, (0, 1)), &machines);
    // Four uses and a gap of 1 + 2 × 16: 132 + 132², in two blocks.
    assert_eq!((whole.programs, whole.blocks), (17_556, 2));
    let named = |share: u64| {
        let tried = searched(&search(universe.clone(), 2, (share, 2)), &machines);
        (format!("{share}.json"), tried)
    };
    let shares: Vec<(String, Tried)> = (0..2).map(named).collect();
    let sum = Tried::merged(&shares).expect("all of them");
    assert_eq!(sum, whole);
    let refused = |shares: &[(String, Tried)]| Tried::merged(shares).expect_err("refused").message;
    assert_eq!(refused(&shares[1..]), "of 2 shares, these are missing: 0");
    let mut twice = shares.clone();
    twice.push(("again.json".to_owned(), shares[1].1.clone()));
    assert_eq!(
        refused(&twice),
        "`again.json` and `1.json` are both share 1"
    );
    let mut cut = shares.clone();
    cut[1].1.blocks -= 1;
    assert!(
        refused(&cut).starts_with("`1.json` is not complete: "),
        "{}",
        refused(&cut)
    );
    let mut other = shares.clone();
    other[1].1.commands = 4;
    assert_eq!(
        refused(&other),
        "`1.json` is of another search than `0.json`: commands `4`, not `2`"
    );
    let mut changed = shares.clone();
    changed[0].1.wrong = changed[0].1.programs + 1;
    assert_eq!(
        refused(&changed),
        "the numbers of `0.json` do not fit together"
    );
    let mut contents = shares.clone();
    contents[1].1.contents = "0".to_owned();
    assert!(
        refused(&contents).contains("contents `0`"),
        "{}",
        refused(&contents)
    );
    let mut older = shares;
    older[1].1.version = "0.0.9".to_owned();
    assert!(
        refused(&older).contains("version `0.0.9`"),
        "{}",
        refused(&older)
    );
    assert!(refused(&[]).contains("no result"));
    // However many shares there should be, the message is a line.
    let one = Tried {
        share: 1 << 40,
        shares: u64::MAX,
        blocks: 0,
        programs: 0,
        legal: 0,
        wrong: 0,
        first_wrong: None,
        wrong_legal: 0,
        first_wrong_legal: None,
        ..whole.clone()
    };
    let crowd = [("one.json".to_owned(), one)];
    let gaps = "these are missing: 0 to 1099511627775, 1099511627777 to 18446744073709551614";
    assert!(refused(&crowd).contains(gaps), "{}", refused(&crowd));
}

/// The command goes on from its file, merges a directory, and says that there is no counterexample only of all programs.
#[test]
fn a_search_goes_on_from_its_file() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verify-shares");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("the target directory can be written");
    let file = |share: u64| {
        directory
            .join(format!("{share}.json"))
            .display()
            .to_string()
    };
    let search = |more: &[&str]| {
        let mut arguments = vec!["verify", "--lowering", "precise", "--profile", "rdna"];
        arguments.extend(["--exhaustive", "2"]);
        arguments.extend([
            "--accesses",
            "UNORDERED_ACCESS,SHADER_RESOURCE,COPY_DEST,CONSTANT_BUFFER",
        ]);
        arguments.extend(more);
        run(&arguments)
    };
    let (status, out, error) = search(&[]);
    assert_eq!(status, Some(0), "{error}");
    // Four uses and a gap of 1 + 2 × 16: 132 + 132², in two blocks.
    let legal = out
        .split(" among ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let legal = legal.expect("it counts legal programs");
    let whole = format!(
        "precise: no counterexample among {legal} legal programs (of 17,556) of up to 2 work commands"
    );
    assert!(out.starts_with(&whole), "{out}");
    let (status, out, _) = search(&["--resume", &file(0), "--shard", "0/2"]);
    assert_eq!(status, Some(0));
    let said = out.replace('\n', " ");
    assert!(
        said.contains("share 0 of 2; the share is complete"),
        "{out}"
    );
    assert!(!out.contains("no counterexample"), "{out}");
    let merge = |directory: &Path| run(&["verify", "--merge", &directory.display().to_string()]);
    let (status, _, error) = merge(&directory);
    assert_eq!(status, Some(2));
    assert!(
        error.contains("of 2 shares, these are missing: 1"),
        "{error}"
    );
    search(&["--resume", &file(1), "--shard", "1/2"]);
    let (status, out, error) = merge(&directory);
    assert_eq!(status, Some(0), "{error}");
    assert!(out.starts_with(&whole), "{out}");
    // A finished search says the same again, and a file of another search is left alone.
    let before = fs::read(file(0)).expect("a result");
    let (status, ..) = search(&["--resume", &file(0), "--shard", "0/2"]);
    assert_eq!(status, Some(0));
    let (status, _, error) = search(&["--resume", &file(0), "--shard", "0/3"]);
    assert_eq!(status, Some(2));
    assert!(
        error.contains("is of another search: shares `2`, not `3`"),
        "{error}"
    );
    assert_eq!(fs::read(file(0)).expect("a result"), before);
    // A file with more blocks than its share has is no result of this program.
    let text = String::from_utf8(before.clone()).expect("text");
    let (_, blocks) = text.split_once("\"blocks\": ").expect("it counts blocks");
    let blocks = blocks.split(',').next().expect("a number");
    let more = text.replacen(
        &format!("\"blocks\": {blocks}"),
        &format!("\"blocks\": {blocks}00"),
        1,
    );
    fs::write(file(0), more).expect("the target directory can be written");
    let (status, _, error) = search(&["--resume", &file(0), "--shard", "0/2"]);
    assert_eq!(status, Some(2));
    assert!(error.contains("do not fit together"), "{error}");
    // A file of a version that counted barriers is told as that.
    let older: String = text
        .lines()
        .filter(|line| !line.contains("\"counting\""))
        .collect();
    fs::write(file(0), older).expect("the target directory can be written");
    let (status, _, error) = search(&["--resume", &file(0), "--shard", "0/2"]);
    assert_eq!(status, Some(2));
    assert!(
        error.contains("0.json` counts barriers as commands"),
        "{error}"
    );
    fs::write(file(0), &before).expect("the target directory can be written");
    // A file that was cut in half is told, and is not taken for a result.
    fs::write(file(1), &before[..before.len() / 2]).expect("the target directory can be written");
    let (status, _, error) = merge(&directory);
    assert_eq!(status, Some(2));
    assert!(
        error.contains("1.json` is no result of a search"),
        "{error}"
    );
}

/// Like `precise`, but the first half of a split barrier on a texture leaves its layout operation out.
struct NoSplitLayout;

impl Lowering for NoSplitLayout {
    fn name(&self) -> &'static str {
        "no_split_layout"
    }

    fn summary(&self) -> &'static str {
        "like precise, but split barriers change no layout"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

impl Policy for NoSplitLayout {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        if entry.is_split_begin {
            let is_layout = |step: &StepDraft| matches!(step, StepDraft::Layout(_));
            draft.steps.retain(|step| !is_layout(step));
        }
        session.barrier(entry, &draft);
    }
}

/// Both halves of a split barrier are one change of a layout: the reader after the second needs what the first lacks.
#[test]
fn a_layout_operation_of_a_split_barrier_is_needed_by_the_reader_after_it() {
    let text = "texture t : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; initial RENDER_TARGET }
queue q : direct
list l : direct {
  clear-rtv t
  barrier { texture t { sync RENDER_TARGET -> SPLIT; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
  barrier { texture t { sync SPLIT -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
  draw { SHADER_RESOURCE t @ PIXEL_SHADING }
}
timeline { q execute l }
";
    let program = [Source::new("split.scn", text)];
    let vega = catalog::registry().profile("vega").expect("it is built in");
    let profiles = [vega];
    let machines = Machine::each(&NoSplitLayout, &profiles);
    let found = verify::verify(&machines, &program, &|_, _| true);
    assert_eq!(found.profiles[0].wrong, 1);
    let faults: Vec<String> = found
        .counterexamples
        .iter()
        .flat_map(|c| &c.faults)
        .map(Fault::kind)
        .collect();
    assert!(
        faults
            .iter()
            .any(|f| f.starts_with("lacks a layout operation")),
        "{faults:?}"
    );
}

/// A scene whose barrier is too narrow reads old data: the barrier is named, and what is left is three commands.
#[test]
fn bisect_names_the_barrier_and_the_smallest_scene() {
    let text = "buffer b : 4KiB { flags UNORDERED_ACCESS }
buffer other : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
list l : direct {
  dispatch \"first\" 1x1x1 { CONSTANT_BUFFER b }
  barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access CONSTANT_BUFFER -> UNORDERED_ACCESS } }
  dispatch \"other\" 1x1x1 { UNORDERED_ACCESS other writes }
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  dispatch \"read\" 1x1x1 { CONSTANT_BUFFER b }
}
timeline { q execute l }
";
    let registry = catalog::registry();
    let profile = registry.profile("nvidia").expect("it is built in");
    let machine = Machine {
        profile: &profile,
        lowering: &PRECISE,
    };
    let stages = RefCell::new(Vec::new());
    let watch = |stage| stages.borrow_mut().push(stage);
    let found =
        verify::bisect(machine, &Source::new("narrow.scn", text), &watch).expect("it reads wrong");
    let (barriers, scenes) = stages
        .into_inner()
        .into_iter()
        .partition::<Vec<Stage>, _>(|stage| matches!(stage, Stage::Barriers(..)));
    assert_eq!(barriers, [Stage::Barriers(0, 2), Stage::Barriers(1, 2)]);
    assert!(!scenes.is_empty());
    let counts_up = |(at, stage): (usize, &Stage)| match stage {
        Stage::Scenes(done, all) => *done == at + 1 && done <= all,
        Stage::Barriers(..) => false,
    };
    assert!(scenes.iter().enumerate().all(counts_up), "{scenes:?}");
    let culprits: Vec<(u32, Help)> = found.culprits.iter().map(|c| (c.line, c.helps)).collect();
    assert_eq!(culprits, [(9, Help::Widen)], "{found:?}");
    assert!(
        !found.smallest.text.contains("other"),
        "{}",
        found.smallest.text
    );
    assert!(found.smallest.commands <= 5, "{}", found.smallest.text);
    assert!(!found.steps.is_empty());
    assert!(
        verify::bisect(
            machine,
            &Source::new("clean.scn", crate::cli::CLEAN),
            &|_| ()
        )
        .is_none()
    );
}

/// What a lowering does wrong is found at the barrier that it lowers wrong.
#[test]
fn bisect_names_the_barrier_that_is_lowered_wrong() {
    let scene = "scenarios/lowering/museum/constants_kept/exposes.scn";
    let (status, out, error) = run(&["bisect", scene]);
    assert_eq!(status, Some(1), "{error}");
    assert!(
        out.contains("on nvidia with constants_kept: does not drop:"),
        "{out}"
    );
    assert!(
        out.contains("line 11: without this barrier, it does not happen"),
        "{out}"
    );
    let (status, out, error) = run(&["bisect", scene, "--lowering", "precise"]);
    assert_eq!((status, out.as_str()), (Some(0), ""), "{error}");
    assert!(error.contains("every read sees what it should"), "{error}");
    let typo = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verify-typo.scn");
    fs::write(&typo, "queue q : direkt\n").expect("the target directory can be written");
    let typo = typo.display().to_string();
    let (status, _, error) = run(&["verify", "--lowering", "precise", &typo]);
    assert_eq!(status, Some(2), "a file that is named must run");
    assert!(error.contains("verify-typo.scn`: "), "{error}");
    let (status, _, error) = run(&["bisect", "nowhere.scn"]);
    assert_eq!(status, Some(2));
    assert!(error.contains("there is no file `nowhere.scn`"), "{error}");
}

/// What the job scripts run is a command line that the program takes, and each task's file is named by its variable.
#[test]
fn job_scripts_name_options_that_exist() {
    let directory = Path::new("book/jobs");
    let scripts = fs::read_dir(directory).expect("scripts");
    let mut count = 0;
    for script in scripts {
        let path = script.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a script");
        let line = text.lines().find(|line| line.contains("exec syncscope"));
        let (_, line) = line
            .expect("a command")
            .split_once("exec syncscope")
            .expect("it");
        let words: Vec<&str> = line
            .split_whitespace()
            .map(|w| w.trim_matches('"'))
            .collect();
        let words: Vec<&str> = words
            .into_iter()
            .map(|w| if w == "3" { "2" } else { w })
            .chain(["--accesses", "UNORDERED_ACCESS,SHADER_RESOURCE"])
            .collect();
        let file = words.iter().rfind(|w| w.contains(".json"));
        let file = (*file.expect("the file")).to_owned();
        assert!(
            file.contains("_INDEX.json") || file.contains("_TASK_ID.json"),
            "{file}"
        );
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verify-job.json");
        let _ = fs::remove_file(&kept);
        let kept = kept.display().to_string();
        let words: Vec<&str> = words
            .into_iter()
            .map(|w| if w == file { &kept } else { w })
            .collect();
        let output = command(&words)
            .env("JOB_COMPLETION_INDEX", "0")
            .env("SYNCSCOPE_SHARDS", "1")
            .output();
        let output = output.expect("the program starts");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "{}: {}",
            path.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        // Two uses and a gap of 1 + 2 × 4: 18 + 18².
        assert!(
            said.contains("no counterexample among 187 legal programs (of 342)"),
            "{said}"
        );
        count += 1;
    }
    assert_eq!(count, 3);
}

/// A rule file that forgets to wait for a stage: what the runs of the corpus show, the check of packets knows. A synchronous
/// copy or resolve ends with a packet that waits for it; that helps nothing that does not follow this packet.
#[test]
fn no_read_goes_wrong_without_a_missing_operation() {
    use syncscope::lower::rules::{RuleLowering, export::export, print};
    let programs = sample();
    let names = ["rdna", "nvidia", "intel", "hopper"];
    // The quick tier takes every other machine, and every other stage on each.
    for (at, name) in names.iter().enumerate().step_by(sizes::step(2, 1)) {
        let profile = catalog::registry().profile(name).expect("it is built in");
        let file =
            export(&PRECISE, &profile).unwrap_or_else(|refused| panic!("{}", refused.message));
        let rules = print(&file);
        let stages = ["RESOLVE", "COPY", "COMPUTE_SHADING", "RENDER_TARGET"];
        let step = sizes::step(2, 1);
        for stage in stages.iter().skip(at / step % step).step_by(step) {
            let text = format!(
                "{rules}\nrule \"forgets\" {{\n  before sync {stage}\n  wait none\n}}\n\
                 rule \"waits\" {{\n  before sync * but {stage}\n  wait as-asked\n}}\n"
            );
            let read = RuleLowering::read(&Source::new("forgets.lower", text));
            let (lowering, _) = read.unwrap_or_else(|findings| panic!("{:?}", findings[0]));
            let machines = [Machine {
                profile: &profile,
                lowering: &lowering,
            }];
            let found = verify::verify(&machines, &programs, &|_, _| true);
            assert!(!found.is_right(), "{name}, {stage}");
            for counterexample in &found.counterexamples {
                let unseen = counterexample.faults.contains(&Fault::ReadsWrong);
                assert!(!unseen, "{name}, {stage}:\n{}", counterexample.text);
            }
        }
    }
}

/// Like `precise`, but a driver that knows: buffers are never in the colour cache.
struct NoColour;

impl Lowering for NoColour {
    fn name(&self) -> &'static str {
        "no_colour"
    }

    fn summary(&self) -> &'static str {
        "like precise, but reads of constants write back no colour"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

impl Policy for NoColour {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        if entry.after.accesses == BarrierAccess::CONSTANT_BUFFER {
            let colour = session.profile().caches.iter();
            let colour: Table<CacheId, bool> = colour.map(|cache| cache.name == "CB").collect();
            draft
                .steps
                .retain(|step| !matches!(step, StepDraft::Clean { cache, .. } if colour[*cache]));
        }
        session.barrier(entry, &draft);
    }
}

/// `COMMON` asks for a write-back of the colour cache, which another packet has; the drop of GL1 comes before that one. What
/// the dispatch has written was never there: `UNORDERED_ACCESS` goes through L0V, GL1 and L2, so no use needs the order.
#[test]
fn an_order_that_no_use_needs_is_not_missed() {
    let text = "buffer a : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
timeline {
  q execute {
    dispatch 1x1x1 { UNORDERED_ACCESS a }
    barrier { buffer a { sync ALL -> COMPUTE_SHADING; access COMMON -> CONSTANT_BUFFER } }
    barrier { buffer a { sync ALL -> COPY; access COMMON -> COPY_DEST } }
    dispatch 1x1x1 { CONSTANT_BUFFER a }
  }
}
";
    let program = [Source::new("colour.scn", text)];
    let rdna = [catalog::registry().profile("rdna").expect("it is built in")];
    let found = verify::verify(&Machine::each(&NoColour, &rdna), &program, &|_, _| true);
    assert_eq!(found.programs, 1);
    assert!(found.is_right(), "{:?}", found.counterexamples);
    // The masks ask for it all the same.
    let (scenario, _) = scenario::parse(&program[0]);
    let timeline = Timeline::new(&scenario);
    let check = ensure::check(&timeline, &rdna[0], &NoColour.lower(&timeline, &rdna[0]));
    assert!(check.missing.iter().any(|missing| missing.early));
}

/// A program that is too wide for a page is broken where it says the same.
#[test]
fn folded_programs_say_the_same() {
    let parsed = |text: &str| {
        let (parsed, findings) = scenario::parse(&Source::new("folded.scn", text));
        let fails = findings.iter().filter(|f| f.severity.fails()).count();
        // A printer keeps a block on one line or on several, as it was written.
        let printed = scenario::print(&parsed);
        let words = printed
            .split([';', ' ', '\n'])
            .filter(|word| !word.is_empty());
        (words.collect::<Vec<_>>().join(" "), fails)
    };
    let mut folded = 0;
    for program in sample().iter().step_by(3) {
        for columns in [24, 60, 96] {
            let lines = program.text.lines();
            let lines: Vec<String> = lines
                .flat_map(|line| report::text::folded(line, columns))
                .collect();
            let text = lines.join("\n") + "\n";
            folded += usize::from(text.lines().count() > program.text.lines().count());
            assert_eq!(parsed(&text), parsed(&program.text), "{}", program.name);
            // What is left too long is one statement, or a block that is open at its end.
            let is_whole = |line: &&String| {
                let has_block = line.contains("{ ") && line.ends_with('}');
                let has_block = has_block && !line.ends_with("{ }");
                line.chars().count() > columns && has_block && !line.contains("//")
            };
            let left: Vec<&String> = lines.iter().filter(is_whole).collect();
            assert!(left.is_empty(), "{}: {left:#?}", program.name);
        }
    }
    assert!(folded > 200, "{folded}");
    let folded = report::text::folded("a { b \"{;\" c; d { } } // e { f; g }", 10);
    assert_eq!(
        folded,
        ["a {", "  b \"{;\" c", "  d { }", "} // e { f; g }"]
    );
}

/// Like `precise`, but layout operations come before write-backs, and nothing is waited for.
struct Hasty {
    waits: bool,
}

impl Lowering for Hasty {
    fn name(&self) -> &'static str {
        "hasty"
    }

    fn summary(&self) -> &'static str {
        "like precise, but layouts change first, or at once"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

impl Policy for Hasty {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        draft
            .steps
            .sort_by_key(|step| !matches!(step, StepDraft::Layout(_)));
        if !self.waits {
            draft.wait = LeafSet::EMPTY;
        }
        session.barrier(entry, &draft);
    }
}

fn says(lowering: &dyn Lowering, text: &str, on: &str) -> Vec<String> {
    let profile = [catalog::registry().profile(on).expect("it is built in")];
    let program = [Source::new("hasty.scn", text)];
    let found = verify::verify(&Machine::each(lowering, &profile), &program, &|_, _| true);
    let examples = found.counterexamples.into_iter();
    examples.flat_map(|example| example.says).collect()
}

/// A render target is written through CB and its metadata through CBM, and the decompression reads from L2 on
/// (`reference/hardware.md`): both come first.
#[test]
fn a_layout_operation_that_is_early_is_told_with_what_must_come_first() {
    let text = "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }
queue q : direct
timeline {
  q execute {
    clear-rtv t
    barrier { texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
    draw { SHADER_RESOURCE t @ PIXEL_SHADING }
  }
}
";
    let says = says(&Hasty { waits: true }, text, "vega");
    for told in [
        "runs too early the layout operation `fast clear eliminate`: it must come after the end of clear-rtv",
        "clear-rtv (q#1, RENDER_TARGET) and the write-back of CB, CBM, or ",
    ] {
        assert!(says.iter().any(|it| it.contains(told)), "{says:#?}");
    }
}

/// The barrier waits for `ALL`; what matters is the stage at which the first use works.
#[test]
fn a_missing_wait_names_the_stages_of_the_use_that_is_not_waited_for() {
    let says = says(&Hasty { waits: false }, PAIR, "rdna");
    let told = "does not wait for COMPUTE_SHADING: dispatch \"write\" (q#1, UNORDERED_ACCESS) may still run";
    assert!(says.iter().any(|it| it.contains(told)), "{says:#?}");
}

/// The one machine that is known on which a run of `precise` reads wrong: that says nothing of another lowering, and is said.
#[test]
fn what_precise_reads_wrong_too_is_no_fault_of_a_lowering() {
    let text = include_str!("../fixtures/open/machine.toml");
    let base = include_str!("../../src/hardware/profiles/rdna.toml");
    let profile = Profile::parse_on(&[text, base]).expect("it is a profile");
    let program = [Source::new(
        "machine.scn",
        include_str!("../fixtures/open/machine.scn"),
    )];
    let of = |name: &str| {
        let registry = catalog::registry();
        let lowering = registry.lowering(name).expect("it is built in");
        let machine = Machine {
            profile: &profile,
            lowering,
        };
        verify::verify(&[machine], &program, &|_, _| true)
    };
    let precise = of("precise");
    assert_eq!(precise.profiles[0].wrong, 1, "if it is right, take it away");
    assert_eq!(precise.profiles[0].open, 0);
    for name in ["lazy", "rdna_like", "intel_like"] {
        let found = of(name);
        assert_eq!(found.profiles[0].wrong, 0, "{name}");
        assert_eq!(found.profiles[0].open, 1, "{name}");
        assert!(found.counterexamples.is_empty(), "{name}");
    }
}
