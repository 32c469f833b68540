//! Litmus tests: every file's verdicts, and the laws that hold between models.

mod cli;
mod format;
mod generate;
mod hostile;
mod link;
mod naive;
mod rules;
mod scopes;
mod text;

use crate::sizes;
use naive::Caches;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use syncscope::finding::Source;
use syncscope::kernel::{self, Kernel, Verdict};
use syncscope::litmus::MachineOptions;
use syncscope::litmus::examine::{self, Answer, ExamineOptions, ModelName, examine};
use syncscope::litmus::explore::undefined;
use syncscope::litmus::mutate::{self, Weakening};
use syncscope::litmus::program::{Program, members};
use syncscope::litmus::random;
use syncscope::litmus::study::study;

/// Litmus files below a folder of the repository, in order.
pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            // Kernels of dispatches are no part of the set; some are wrong on purpose.
            if path.is_dir() && !path.ends_with("link") {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "litmus") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

pub(crate) fn read(path: &Path) -> (Source, Kernel) {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let source = Source::new(path.display().to_string(), text);
    let (kernel, findings) = kernel::parse(&source);
    assert!(findings.is_empty(), "{}: {findings:#?}", source.name);
    (source, kernel)
}

#[test]
fn every_litmus_file_holds_its_expectations() {
    let files = files("scenarios/litmus");
    assert_eq!(files.len(), 103, "the set is whole");
    let mut wrong = Vec::new();
    for path in &files {
        let (source, kernel) = read(path);
        let answer = examine(&kernel, &ExamineOptions::default());
        for judged in &answer.judged {
            let expected = kernel.expectations[judged.expectation].verdict;
            if judged.verdict != Some(expected) {
                wrong.push(format!(
                    "{}: expected {expected:?}, found {:?}",
                    source.name, judged.verdict
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Outcomes of each model, innermost first.
fn outcomes(kernel: &Kernel, options: &ExamineOptions) -> Vec<(ModelName, BTreeSet<Vec<u32>>)> {
    let answer = examine(kernel, options);
    answer
        .answers
        .into_iter()
        .map(|a| {
            assert!(a.exploration.complete, "small tests are explored whole");
            (a.model, a.exploration.outcomes.into_keys().collect())
        })
        .collect()
}

/// Law: SC ⊆ write-through ⊆ write-back ⊆ specification on every legal, defined test.
fn assert_nested(name: &str, kernel: &Kernel, options: &ExamineOptions) {
    let sets = outcomes(kernel, options);
    for pair in sets.windows(2) {
        let extra: Vec<_> = pair[0].1.difference(&pair[1].1).collect();
        assert!(
            extra.is_empty(),
            "{name}: {} has outcomes that {} lacks: {extra:?}\n{}",
            pair[0].0.word(),
            pair[1].0.word(),
            kernel::print(kernel)
        );
    }
}

fn everything(line_words: usize) -> ExamineOptions {
    ExamineOptions {
        everything: true,
        machine: MachineOptions { line_words },
        ..ExamineOptions::default()
    }
}

#[test]
fn outcome_sets_nest_on_every_file() {
    for path in files("scenarios/litmus") {
        let (source, kernel) = read(&path);
        let answer = examine(&kernel, &everything(32));
        if !answer.illegal.is_empty() || !answer.undefined.is_empty() {
            continue;
        }
        for line_words in [1, 32] {
            assert_nested(&source.name, &kernel, &everything(line_words));
        }
    }
}

fn parsed(text: &str) -> Kernel {
    let (kernel, findings) = kernel::parse(&Source::new("random.litmus", text));
    assert!(findings.is_empty(), "{findings:#?}\n{text}");
    kernel
}

#[test]
fn outcome_sets_nest_on_random_tests() {
    let mut defined = 0;
    for seed in 0..3000 {
        let text = generate::test(seed, 5 + seed as usize % 5);
        let kernel = parsed(&text);
        let answer = examine(&kernel, &everything(32));
        if answer.illegal.is_empty() && answer.undefined.is_empty() {
            defined += 1;
            assert_nested(
                &format!("seed {seed}"),
                &kernel,
                &everything(1 + 31 * (seed as usize % 2)),
            );
        }
    }
    assert!(defined > 1000, "{defined} defined tests");
}

/// Compares one test with the naive walk; how many models were compared.
fn assert_like_naive(name: &str, kernel: &Kernel, budget: u64) -> usize {
    if !kernel::legality::check(kernel).is_empty() {
        return 0;
    }
    let options = everything(2);
    let subjects = examine::subjects(kernel, true);
    let answer = examine(kernel, &options);
    let mut compared = 0;
    for it in &answer.answers {
        let found = match it.model {
            ModelName::Sequential => {
                naive::machine(kernel, &subjects, Caches::Sequential, 2, budget)
            }
            ModelName::WriteThrough => {
                naive::machine(kernel, &subjects, Caches::WriteThrough, 2, budget)
            }
            ModelName::WriteBack => naive::machine(kernel, &subjects, Caches::WriteBack, 2, budget),
            ModelName::Specification => naive::specification(kernel, &subjects, budget),
        };
        let Some(found) = found else { continue };
        compared += 1;
        let ours: BTreeSet<Vec<u32>> = it.exploration.outcomes.keys().cloned().collect();
        assert_eq!(
            ours,
            found.outcomes,
            "{name}: {}\n{}",
            it.model.word(),
            kernel::print(kernel)
        );
        if it.model == ModelName::Specification {
            let program = answer.program.as_ref().expect("a legal test is compiled");
            let flag = undefined::FOREIGN_READ.trailing_zeros() as usize;
            let foreign: BTreeSet<naive::At> = members(it.exploration.undefined[flag])
                .map(|op| (program.ops[op].thread, program.ops[op].line))
                .collect();
            assert_eq!(
                (foreign, it.exploration.did(undefined::MIXED_ATOMIC)),
                (found.foreign_reads, found.mixed_atomic),
                "{name}: what is undefined\n{}",
                kernel::print(kernel)
            );
        }
    }
    compared
}

#[test]
fn the_explorer_agrees_with_walking_every_path_of_the_files() {
    let mut compared = 0;
    for path in files("scenarios/litmus") {
        let (source, kernel) = read(&path);
        compared += assert_like_naive(&source.name, &kernel, 20_000);
    }
    assert!(compared > 200, "{compared} comparisons");
}

#[test]
fn the_explorer_agrees_with_walking_every_path_of_random_tests() {
    let tests = sizes::LITMUS.count();
    let (mut whole, mut seed) = (0, 10_000);
    while whole < tests {
        let text = generate::test(seed, 3 + seed as usize % 4);
        // All four models, each walked to the end within the budget.
        whole += u64::from(assert_like_naive(&format!("seed {seed}"), &parsed(&text), 10_000) == 4);
        seed += 1;
        assert!(
            seed < 10_000 + 3 * tests,
            "too few tests are small enough: {whole}"
        );
    }
}

/// Branches on what atomics returned, on UAVs that groups share incoherently: whether a load happens, and whose write it
/// then reads, decides whether the test is defined.
#[test]
fn the_explorer_agrees_with_walking_every_path_of_tests_with_branches() {
    let tests = sizes::LITMUS.count();
    let (mut whole, mut seed, mut undefined, mut defined) = (0, 20_000, 0, 0);
    while whole < tests {
        let kernel = parsed(&generate::branches(seed, 3 + seed as usize % 4));
        if assert_like_naive(&format!("branches {seed}"), &kernel, 10_000) == 4 {
            whole += 1;
            let answer = examine(&kernel, &everything(2));
            undefined += u64::from(!answer.undefined.is_empty());
            defined += u64::from(answer.undefined.is_empty());
        }
        seed += 1;
        assert!(
            seed < 20_000 + 3 * tests,
            "too few tests are small enough: {whole}"
        );
    }
    assert!(
        undefined > tests / 10 && defined > tests / 10,
        "both kinds are generated: {undefined} undefined, {defined} defined"
    );
}

fn verdict(text: &str) -> Option<Verdict> {
    examine(&parsed(text), &ExamineOptions::default()).judged[0].verdict
}

/// What a read under a branch finds decides only if the branch is taken, and only what the read can return counts.
#[test]
fn a_read_that_finds_no_other_group_s_write_is_defined() {
    use Verdict::{Allowed, Forbidden, Undefined};
    let cases = [
        // If the branch is taken, the other group's write is before the thread's own: the load returns 2.
        (
            "uav x\nthread group 0 cs { xchg r0 x 2; [r0==1] ld r1 x }\nthread group 1 cs { xchg r0 x 1 }\nexpect forbidden 0:r1 == 1",
            Forbidden,
        ),
        // Without the branch it may be after.
        (
            "uav x\nthread group 0 cs { xchg r0 x 2; ld r1 x }\nthread group 1 cs { xchg r0 x 1 }\nexpect undefined 0:r1 == 1",
            Undefined,
        ),
        (
            "uav x\nthread group 0 cs { xchg r0 x 2; [r0==0] ld r1 x }\nthread group 1 cs { xchg r0 x 1 }\nexpect undefined 0:r1 == 1",
            Undefined,
        ),
        // A branch that no execution takes.
        (
            "uav x\nthread group 0 cs { ld r0 x; [r0==7] ld r1 x }\nthread group 0 cs { st x 2 }\nthread group 1 cs { }\nexpect allowed 0:r0 == 2",
            Allowed,
        ),
        (
            "uav x\nuav y globallycoherent\nthread group 0 cs { ld r0 y; [r0==7] ld r1 x }\nthread group 1 cs { st x 1; st y 2 }\nexpect allowed 0:r0 == 2",
            Allowed,
        ),
        // A load may be done before its branch is known: here what the branch depends on comes after it.
        (
            "uav x\nuav y globallycoherent\nthread group 0 cs { ld r0 y; [r0==1] ld r1 x; xchg r2 x 3 }\nthread group 0 cs { or r0 x 0; [r0==3] st y 1 }\nthread group 1 cs { xchg r0 x 1 }\nexpect undefined 0:r1 == 1",
            Undefined,
        ),
        // Reading R59: an atomic reads another group's atomics, but not its plain stores.
        (
            "uav x\nthread group 0 cs { st x 1 }\nthread group 1 cs { or r0 x 0 }\nexpect undefined 1:r0 == 1",
            Undefined,
        ),
        (
            "uav x\nthread group 0 cs { xchg r0 x 1 }\nthread group 1 cs { or r0 x 0 }\nexpect allowed 1:r0 == 1",
            Allowed,
        ),
        (
            "uav x\nthread group 0 cs { st x 1 }\nthread group 0 cs { or r0 x 0 }\nexpect allowed 1:r0 == 1",
            Allowed,
        ),
        (
            "uav x globallycoherent\nthread group 0 cs { st x 1 }\nthread group 1 cs { or r0 x 0 }\nexpect allowed 1:r0 == 1",
            Allowed,
        ),
        (
            "uav x\nthread group 0 ps { st x 1 }\nthread group 1 ps helper { or r0 x 0 }\nexpect undefined 1:r0 == 1",
            Undefined,
        ),
        (
            "uav x\nthread group 0 cs { xchg r0 x 1; st x 2 }\nthread group 1 cs { cas r0 x 1 5; [r0==1] ld r1 x }\nexpect undefined 1:r1 == 2",
            Undefined,
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(verdict(text), Some(expected), "{text}");
        assert_like_naive(text, &parsed(text), 2_000_000);
    }
}

/// Reading R59, every form of `Barrier()` in every stage.
#[test]
fn barriers_of_shader_model_6_8_in_every_stage() {
    let memories = ["UAV", "TGSM", "UAV|TGSM", "ALL", "UAV|ALL", "x", "s"];
    for stage in ["cs", "ps", "vs", "hs", "ds", "gs"] {
        for memory in memories {
            for bits in 0..8 {
                let scopes = [("DEVICE", 1), ("GROUP", 2), ("SYNC", 4)];
                let flags: Vec<&str> = scopes
                    .iter()
                    .filter(|f| bits & f.1 != 0)
                    .map(|f| f.0)
                    .collect();
                let (device, group, sync) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
                let text = format!(
                    "uav x globallycoherent\ngroupshared s\nthread group 0 {stage} {{ barrier({memory};{}) }}\nexpect illegal x == 1",
                    flags.join("|")
                );
                // An object is a UAV; groupshared memory alone has no device scope; the group's scope, meeting and
                // memory are for stages with groups, and `ALL` means only the memory that there is.
                let legal = memory != "s"
                    && !(memory == "TGSM" && device)
                    && (stage == "cs"
                        || !group && !sync && !["TGSM", "UAV|TGSM"].contains(&memory));
                assert_eq!(verdict(&text) != Some(Verdict::Illegal), legal, "{text}");
                let printed = kernel::print(&parsed(&text));
                assert_eq!(kernel::print(&parsed(&printed)), printed, "{text}");
            }
        }
    }
}

/// The text asks it of pixel shaders for each UAV; for others only a plain access across groups is narrowed.
#[test]
fn undeclared_uavs_of_pixel_shaders_with_a_fence_are_told() {
    let told = |text: &str| {
        let kernel = parsed(text);
        let findings = study(&kernel, &ExamineOptions::default(), None).findings;
        findings.iter().filter(|f| f.rule.id == "LM012").count()
    };
    for (declared, access, fence, expected) in [
        ("", "st x 1", "sync_uglobal", 1),
        ("", "xchg r1 x 1", "sync_uglobal", 1),
        ("", "xchg r1 x 1", "barrier(ALL;DEVICE)", 1),
        (" globallycoherent", "st x 1", "sync_uglobal", 0),
        ("", "st x 1", "st y 1", 0),
    ] {
        let text = |stage: &str| {
            format!(
                "uav x{declared}\nuav y globallycoherent\nthread group 0 {stage} {{ {access}; {fence}; st y 1 }}"
            )
        };
        assert_eq!(told(&text("ps")), expected, "{}", text("ps"));
        assert_eq!(told(&text("cs")), 0, "{}", text("cs"));
    }
}

/// Law: an exploration that is given up decides nothing that the whole one contradicts, and says what it leaves open.
#[test]
fn what_the_limit_leaves_open_is_undecided() {
    let (mut undecided, mut decided) = (0, 0);
    for path in files("scenarios/litmus") {
        let (source, kernel) = read(&path);
        let whole = examine(&kernel, &ExamineOptions::default());
        for states_max in [2, 20, 60, 200, 600] {
            let mut options = ExamineOptions::default();
            options.limits.states_max = states_max;
            let study = study(&kernel, &options, None);
            let stopped = study
                .examination
                .specification()
                .is_some_and(|a| !a.exploration.complete);
            for (judged, full) in study.examination.judged.iter().zip(&whole.judged) {
                let told = study.findings.iter().any(|f| {
                    f.rule.id == "LM019"
                        && f.related.iter().any(|r| &*r.label == "this is undecided")
                });
                let place = format!("{} with {states_max} states", source.name);
                assert_eq!(told, judged.verdict.is_none(), "{place}");
                if judged.verdict.is_none() {
                    undecided += 1;
                    let failed = study.findings.iter().any(|f| f.rule.id == "LM020");
                    assert!(!failed, "{place}: undecided is not wrong");
                } else {
                    assert_eq!(judged.verdict, full.verdict, "{place}");
                    decided += usize::from(stopped);
                }
            }
        }
    }
    assert!(undecided > 100 && decided > 0, "{undecided}, {decided}");
}

/// Dropping a fence of a forbidden test makes the outcome reachable, or there is a reason why not.
#[test]
fn fences_of_forbidden_tests_are_needed() {
    /// Fences without which exactly the same outcomes are allowed, and why.
    const EQUIVALENT: &[(&str, &str)] = &[
        // Taking the lock decides a branch, and the only access after it is a store, which waits for its branch.
        ("AT.spinlock.once", "0: [r0==0] sync_uglobal"),
        // Thread 1 never releases the lock: between its two loads nobody can store.
        ("AT.spinlock.once", "1: [r1==0] sync_uglobal"),
    ];
    let (mut killed, mut equivalent, mut survived) = (0, Vec::new(), Vec::new());
    for path in files("scenarios/litmus") {
        let (_, kernel) = read(&path);
        if kernel.expectations[0].verdict != Verdict::Forbidden {
            continue;
        }
        for tried in mutate::try_all(&kernel, &ExamineOptions::default()) {
            if tried.mutation.weakening != Weakening::Dropped {
                continue;
            }
            let fence = format!(
                "{}: {}",
                tried.mutation.places[0].0, tried.mutation.original
            );
            let title = kernel.title.clone().unwrap_or_default();
            if tried.verdicts[0] != Some(Verdict::Forbidden) {
                killed += 1;
            } else if tried.equivalent {
                equivalent.push((title, fence));
            } else {
                survived.push((title, fence));
            }
        }
    }
    let listed: Vec<(String, String)> = EQUIVALENT
        .iter()
        .map(|(t, f)| ((*t).to_owned(), (*f).to_owned()))
        .collect();
    assert_eq!(
        equivalent, listed,
        "equivalent ones are listed with their reason"
    );
    let score = 100.0 * f64::from(killed) / (killed as usize + survived.len()) as f64;
    println!(
        "{killed} dropped fences make the outcome reachable: {score:.1} %; left: {survived:?}"
    );
    assert!(killed > 50 && score > 95.0, "{score:.1} %: {survived:?}");
}

/// Law: what random runs show, the exploration contains.
#[test]
fn random_runs_show_nothing_new() {
    for path in files("scenarios/litmus") {
        let (source, kernel) = read(&path);
        let options = everything(32);
        let answer = examine(&kernel, &options);
        if answer.program.is_none() {
            continue;
        }
        let program = &Program::new_plain(&kernel, &answer.subjects, &options.knobs);
        for it in &answer.answers {
            let seen = random::walk(program, it.model, &options, 200, 7);
            assert_eq!(seen.values().sum::<u64>(), 200);
            for outcome in seen.keys() {
                assert!(
                    it.exploration.outcomes.contains_key(outcome),
                    "{}: {outcome:?} in {}",
                    source.name,
                    it.model.word()
                );
            }
            assert_eq!(
                seen,
                random::walk(program, it.model, &options, 200, 7),
                "a seed is a result"
            );
        }
    }
}

/// A ring of threads that each store and then load their neighbour's variable: only "all loads miss" is weak.
fn ring(threads: usize) -> Kernel {
    let mut text = String::new();
    for t in 0..threads {
        writeln!(text, "uav x{t} globallycoherent").expect("a string");
    }
    for t in 0..threads {
        let next = (t + 1) % threads;
        writeln!(text, "thread group {t} cs {{ st x{t} 1; ld r0 x{next} }}").expect("a string");
    }
    parsed(&text)
}

#[test]
fn an_unfenced_ring_of_five_threads_is_explored_whole() {
    let kernel = ring(5);
    let sets = outcomes(
        &kernel,
        &ExamineOptions {
            everything: true,
            ..ExamineOptions::default()
        },
    );
    // Every load may return either value, all independently; in program order not all can miss.
    assert_eq!(sets[0].1.len(), 31);
    for (model, set) in &sets[1..] {
        assert_eq!(set.len(), 32, "{}", model.word());
    }
}

/// The same states in the same order however many threads of this computer take part.
#[test]
fn many_threads_find_what_one_finds() {
    let kernel = parsed(
        "uav x globallycoherent\nuav y globallycoherent\nuav z globallycoherent\n\
         thread group 0 cs { add r0 x 1; add r1 y 1; ld r2 z; xchg r3 z 2 }\n\
         thread group 1 cs { add r0 y 1; add r1 z 1; ld r2 x; xchg r3 x 2 }\n\
         thread group 2 cs { add r0 z 1; add r1 x 1; ld r2 y; xchg r3 y 2 }\n",
    );
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool");
        pool.install(|| {
            examine(&kernel, &ExamineOptions::default())
                .answers
                .into_iter()
                .map(|a| {
                    (
                        a.exploration.states(),
                        a.exploration.transitions,
                        a.exploration.outcomes,
                    )
                })
                .collect::<Vec<_>>()
        })
    };
    let one = run(1);
    assert!(
        one.iter().any(|(states, ..)| *states > 20_000),
        "large enough to be divided"
    );
    assert_eq!(one, run(4));
}

/// Other people's readings: a knob only ever moves the outcomes one way.
#[test]
fn knobs_move_the_outcomes_one_way() {
    for path in files("scenarios/litmus") {
        let (source, kernel) = read(&path);
        let set = |word: &str| -> BTreeSet<Vec<u32>> {
            let mut options = everything(32);
            options.specification_only = true;
            assert!(options.knobs.set(word));
            outcomes(&kernel, &options)
                .pop()
                .map(|(_, set)| set)
                .unwrap_or_default()
        };
        let base = set("default");
        for word in ["no-coherence", "takes-by-scope", "discard-free"] {
            assert!(base.is_subset(&set(word)), "{}: {word}", source.name);
        }
        for word in ["reads-in-order", "cumulative"] {
            assert!(set(word).is_subset(&base), "{}: {word}", source.name);
        }
    }
    let (_, kernel) = read(
        &files("scenarios/litmus/coherence")
            .into_iter()
            .find(|p| p.ends_with("CoRR.tgsm.none.litmus"))
            .expect("a file of the set"),
    );
    let mut options = ExamineOptions::default();
    options.knobs.reads_in_order = true;
    let verdict = examine(&kernel, &options).judged[0].verdict;
    assert_eq!(
        verdict,
        Some(Verdict::Forbidden),
        "the strict reading of decision 7"
    );
}

/// Identical threads and groups: as many outcomes, each with a witness, from fewer states.
#[test]
fn symmetry_saves_states_and_loses_nothing() {
    let mut saved = 0;
    for seed in 0..400 {
        let text = generate::twins(seed);
        let kernel = parsed(&text);
        if !kernel::legality::check(&kernel).is_empty() {
            continue;
        }
        let mut options = everything(2);
        let with = examine(&kernel, &options);
        options.without_symmetry = true;
        let without = examine(&kernel, &options);
        for (a, b) in with.answers.iter().zip(&without.answers) {
            let keys = |e: &Answer| e.exploration.outcomes.keys().cloned().collect::<Vec<_>>();
            assert_eq!(keys(a), keys(b), "{}\n{text}", a.model.word());
            let did = |e: &Answer| [1, 2, 4].map(|flag| e.exploration.did(flag));
            assert_eq!(did(a), did(b), "{}\n{text}", a.model.word());
            saved += usize::from(a.exploration.states() < b.exploration.states());
            assert!(a.exploration.states() <= b.exploration.states());
        }
        if seed < 100 {
            assert_like_naive(&format!("twins {seed}"), &kernel, 20_000);
        }
    }
    assert!(saved > 500, "{saved} explorations with fewer states");
}
