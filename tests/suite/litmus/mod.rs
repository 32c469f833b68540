//! Litmus tests: every file's verdicts, and the laws that hold between models.

mod generate;
mod naive;
mod rules;
mod text;

use naive::Caches;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syncscope::finding::Source;
use syncscope::kernel::{self, Kernel};
use syncscope::litmus::MachineOptions;
use syncscope::litmus::examine::{self, ModelName, Options, examine};
use syncscope::litmus::explore::undefined;

/// Litmus files below a folder of the repository, in order.
pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
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
        let answer = examine(&kernel, &Options::default());
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
fn outcomes(kernel: &Kernel, options: &Options) -> Vec<(ModelName, BTreeSet<Vec<u32>>)> {
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
fn assert_nested(name: &str, kernel: &Kernel, options: &Options) {
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

fn everything(line_words: usize) -> Options {
    Options {
        everything: true,
        machine: MachineOptions { line_words },
        ..Options::default()
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
            let flags =
                [undefined::FOREIGN_READ, undefined::MIXED_ATOMIC].map(|f| it.exploration.did(f));
            assert_eq!(
                flags,
                [found.foreign_read, found.mixed_atomic],
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
    let mut compared = 0;
    let mut seed = 10_000;
    while compared < 2000 * 3 {
        let text = generate::test(seed, 3 + seed as usize % 4);
        compared += assert_like_naive(&format!("seed {seed}"), &parsed(&text), 30_000);
        seed += 1;
        assert!(seed < 14_000, "too few tests are small enough: {compared}");
    }
}
