//! `mutate`: mistakes in a lowering are those that its packets leave room for, and the corpus notices them.

use crate::cli::command;
use crate::{sizes, verify as trying};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::lower::rules::RuleLowering;
use syncscope::lower::{Lowering, PRECISE};
use syncscope::verify::{self, Fate, Machine, Mutation, Part, Phase, Reached};

/// One write and one read with the barrier that they need.
pub(crate) const PAIR: &str = "\
buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
timeline {
  q execute {
    dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
    barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
    dispatch \"read\" 1x1x1 { SHADER_RESOURCE b }
  }
}
";

fn profile(name: &str) -> Profile {
    catalog::registry().profile(name).expect("it is built in")
}

fn mutated(lowering: &dyn Lowering, names: &[&str], corpus: &[Source]) -> Mutation {
    let profiles: Vec<Profile> = names.iter().map(|name| profile(name)).collect();
    let machines = Machine::each(lowering, &profiles);
    let found = verify::mutate(&machines, corpus, 3, &|_| true);
    found.expect("nobody stops it")
}

fn pair() -> Vec<Source> {
    vec![Source::new("pair.scn", PAIR)]
}

/// The goal that the corpus has: it notices 89 of 100 mistakes in `precise` that are not known to change nothing. Of the others,
/// no program of the corpus has two uses that rest on what they leave out (reading R78).
#[test]
fn the_corpus_notices_mistakes_in_precise() {
    let names: Vec<&str> = catalog::registry()
        .profiles
        .iter()
        .map(|p| p.name)
        .collect();
    // The quick tier takes the machine with the fewest caches, where fewest mistakes are possible.
    let names = match sizes::step(3, 2) {
        1 => &names[..],
        2 => &names[..1],
        _ => &["reference"],
    };
    let found = mutated(&PRECISE, names, &verify::corpus());
    for profile in &found.profiles {
        let (noticed, different) = (profile.noticed(), profile.different());
        assert!(
            noticed * 100 >= different * 89,
            "{}: {noticed} of {different}",
            profile.profile
        );
        // What a program of the small space shows belongs into the corpus.
        assert_eq!(profile.missed(), 0, "{}", profile.profile);
    }
}

/// On `rdna12` the barrier becomes a wait for compute shading, drops of L0V and K with one reason, and a hold of compute
/// shading (`reference/hardware.md`: shader reads go through the vector or the scalar cache, both below L2). That leaves
/// room for ten mistakes: each drop not done, done by half, done as a whole (3 × 2), the bit of either side without its
/// stage, either side with every stage. The program notices seven: the wait keeps the front end, so that nothing shows a hold of
/// every stage; a drop as a whole finds no lines of others in it.
#[test]
fn the_mistakes_of_one_barrier_are_those_of_its_packet() {
    let found = mutated(&PRECISE, &["rdna12"], &pair());
    assert_eq!(found.programs, 1);
    let mut fates: BTreeMap<Part, Vec<&Fate>> = BTreeMap::new();
    for mutant in &found.profiles[0].mutants {
        assert_eq!(mutant.met, 1, "{}", mutant.says);
        fates.entry(mutant.part).or_default().push(&mutant.fate);
    }
    let counts: Vec<(Part, usize)> = fates.iter().map(|(part, all)| (*part, all.len())).collect();
    let expected = [
        (Part::Dropped, 2),
        (Part::Halved, 2),
        (Part::Whole, 2),
        (Part::Forgotten, 2),
        (Part::Widened, 2),
    ];
    assert_eq!(counts, expected);
    for (part, fates) in fates {
        let is_noticed =
            |fate: &&Fate| matches!(fate, Fate::Noticed { by, .. } if by == "pair.scn");
        let noticed = fates.into_iter().filter(is_noticed).count();
        let expected = match part {
            Part::Whole => 0,
            // To hold every stage costs nothing where the wait keeps the front end.
            Part::Widened => 1,
            _ => 2,
        };
        assert_eq!(noticed, expected, "{part:?}");
    }
}

/// A rule file's own mistakes: each rule left out, each condition left out, neighbours swapped.
#[test]
fn rule_files_lose_rules_and_conditions() {
    let text = "\
lowering two {
  summary \"writes back, then drops\"
  match first
}

rule \"to shaders\" {
  before access UNORDERED_ACCESS
  after access SHADER_RESOURCE
  invalidate L0V K
}

rule \"never\" {
  before access VIDEO_DECODE_WRITE
  nothing
}

default { nothing }
";
    let (rules, _) = RuleLowering::read(&Source::new("two.lower", text)).expect("it is right");
    let found = mutated(&rules, &["rdna12"], &pair());
    let mutants = &found.profiles[0].mutants;
    let of = |part: Part| -> Vec<(&str, bool)> {
        let of = mutants.iter().filter(|it| it.part == part);
        of.map(|it| (it.says.as_str(), matches!(it.fate, Fate::Noticed { .. })))
            .collect()
    };
    // Without its first rule the barrier gets the default. What leaves the packets of every program as they are is no
    // mistake in any: the second rule, its place, and conditions that the barrier meets.
    assert_eq!(
        of(Part::Rule),
        [("without rule \"to shaders\" (line 6)", true)]
    );
    assert_eq!(of(Part::Condition), []);
    assert_eq!(of(Part::Order), []);
    // Packets of rules have mistakes like any others: two drops, whose reasons are the rule's line.
    assert_eq!(of(Part::Dropped).len(), 2);
    assert!(
        of(Part::Dropped)
            .iter()
            .all(|(says, noticed)| *noticed && says.contains("two.lower:9"))
    );
}

/// Where a lowering is wrong already, a mistake more says nothing.
#[test]
fn programs_on_which_the_lowering_is_wrong_do_not_count() {
    let registry = catalog::registry();
    let wrong = registry
        .lowering("forgets_invalidate")
        .expect("it is built in");
    let found = mutated(wrong, &["rdna12"], &pair());
    assert_eq!(found.programs, 0);
    assert!(found.profiles[0].mutants.is_empty());
}

#[test]
fn somebody_may_stop_it() {
    let profiles = [profile("rdna12")];
    let machines = Machine::each(&PRECISE, &profiles);
    assert_eq!(verify::mutate(&machines, &pair(), 3, &|_| false), None);
    // How far it is: phase by phase, each from its start, never beyond its end.
    let reached = RefCell::new(Vec::new());
    let watch = |at: Reached<'_>| {
        assert_eq!(at.profile, "rdna12");
        assert!(at.done <= at.all, "{at:?}");
        reached.borrow_mut().push((at.phase, at.done));
        at.phase == Phase::Corpus
    };
    assert_eq!(verify::mutate(&machines, &pair(), 3, &watch), None);
    let reached = reached.into_inner();
    assert!(reached.is_sorted(), "{reached:?}");
    assert_eq!(reached[0], (Phase::Corpus, 0));
    assert_eq!(reached.last().map(|last| last.0), Some(Phase::Space));
}

fn program(arguments: &[&str]) -> Output {
    command(&[&["mutate"], arguments].concat())
        .output()
        .expect("it runs")
}

fn on_stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_command_line_is_told_what_is_wrong_with_it() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutate");
    fs::create_dir_all(&directory).expect("the target directory can be written");
    let scene = directory.join("pair.scn");
    fs::write(&scene, PAIR).expect("it can be written");
    let scene = scene.to_str().expect("a plain name");
    let bare = directory.join("bare.scn");
    let text: String = PAIR
        .lines()
        .filter(|line| !line.contains("barrier"))
        .collect::<Vec<_>>()
        .join("\n");
    fs::write(&bare, text).expect("it can be written");
    let bare = bare.to_str().expect("a plain name");
    let wrong: [(&[&str], &str); 6] = [
        (&[], "--lowering"),
        (&["--lowering", "precice"], "precise"),
        (&["--lowering", "precise", "--commands", "2"], "3..=5"),
        (&["--lowering", "precise", "--only"], "PATH"),
        (&["--lowering", "precise", "--format", "dot"], "terminal"),
        (
            &["--lowering", "precise", "--only", bare],
            "no program has a barrier to lower",
        ),
    ];
    for (arguments, says) in wrong {
        let output = program(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = on_stderr(&output);
        assert!(message.contains(says), "{arguments:?}: {message}");
    }
    let output = program(&[
        "--lowering",
        "precise",
        "--profile",
        "rdna12",
        "--only",
        scene,
        "--format",
        "json",
    ]);
    // In the space a copy reads its source through L0V (`reference/hardware.md`), so that a drop of all of L0V takes longer;
    // one's own corpus has no such copy. No program reads anything but its one resource through K.
    assert_eq!(output.status.code(), Some(1), "{}", on_stderr(&output));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    // To hold every stage is nothing else where the wait keeps the front end.
    assert_eq!(document["profiles"][0]["noticed"], 7);
    assert_eq!(document["profiles"][0]["missed"], 2);
    assert_eq!(document["profiles"][0]["equivalent"], 1);
    assert_eq!(
        document["profiles"][0]["mutants"].as_array().map(Vec::len),
        Some(10)
    );
}

/// Situations are part of the corpus that `verify` tries; the sample of the quick tier has some of each form.
#[test]
fn the_sample_has_every_form_of_situation() {
    let form = |program: &Source| {
        program
            .name
            .strip_prefix("situations/")
            .map(|rest| rest.split('/').next().unwrap_or("").to_owned())
    };
    let all: std::collections::BTreeSet<String> =
        verify::corpus().iter().filter_map(form).collect();
    let sample: std::collections::BTreeSet<String> =
        trying::sample().iter().filter_map(form).collect();
    assert_eq!(all, sample);
    assert!(all.len() >= 15, "{all:?}");
}
