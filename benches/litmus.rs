//! The litmus explorer: the whole set of tests in all models, and states per second on one large test.
//!
//! `cargo bench --bench litmus` measures; `cargo test --benches` runs each once. Each input prints a hash of what was
//! found, so that nobody makes it fast by changing its meaning.
//!
//! Measured with `RAYON_NUM_THREADS=1` in release mode on two cores that three other builds shared: the clock on the wall,
//! and in brackets the rate in processor time, which is what a free core does.
//!
//! | input | time | states per second |
//! |---|---|---|
//! | the set, 103 tests in four models | 9.3 ms | |
//! | `crowd`, write-through machine, 4,126 states | 2.1 ms | 2.0 M (5.1 M) |
//! | `crowd`, write-back machine, 4,126 states | 1.5 ms | 2.8 M (4.9 M) |
//! | `crowd`, specification, 9,191 states | 8.7 ms | 1.06 M (1.8 M) |
//! | `ring` of five threads, write-back machine, 1,053 states | 0.27 ms | 3.9 M (6.4 M) |
//! | `ring` of five threads, specification, 79 states | 0.05 ms | 1.5 M (2.5 M) |
//!
//! As a process, `syncscope litmus` takes 25 ms of processor time for the whole set, with weaker versions, witnesses and
//! JSON, and at most 3.2 ms for one test of it, its own start included.

use criterion::{Criterion, Throughput};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use syncscope::finding::Source;
use syncscope::kernel::{self, Kernel};
use syncscope::litmus::examine::{ExamineOptions, ModelName, examine, run, subjects};
use syncscope::litmus::program::Program;

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("the tests of the repository") {
        let path = entry.expect("an entry").path();
        // Kernels of dispatches are no part of the set.
        if path.is_dir() && !path.ends_with("link") {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "litmus") {
            found.push(path);
        }
    }
    found.sort();
}

fn parse(name: &str, text: &str) -> Kernel {
    let (kernel, findings) = kernel::parse(&Source::new(name, text));
    assert!(findings.is_empty(), "{name} is sound");
    kernel
}

fn set() -> Vec<Kernel> {
    let mut found = Vec::new();
    files(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/litmus"),
        &mut found,
    );
    found
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).expect("a readable file");
            parse(&path.display().to_string(), &text)
        })
        .collect()
}

/// Threads of four groups that all touch the same variables: atomics, loads and a device fence.
fn crowd(threads: usize) -> Kernel {
    let mut text = String::new();
    for name in ["x", "y", "z"] {
        let _ = writeln!(text, "uav {name} globallycoherent");
    }
    for t in 0..threads {
        let at = |i: usize| ["x", "y", "z"][(t + i) % 3];
        let _ = writeln!(
            text,
            "thread group {t} cs {{ add r0 {} 1; ld r1 {}; sync_uglobal; xchg r2 {} {}; ld r3 {} }}",
            at(0),
            at(1),
            at(2),
            t + 1,
            at(0)
        );
    }
    parse("crowd", &text)
}

fn ring(threads: usize) -> Kernel {
    let mut text = String::new();
    for t in 0..threads {
        let _ = writeln!(text, "uav x{t} globallycoherent");
    }
    for t in 0..threads {
        let _ = writeln!(
            text,
            "thread group {t} cs {{ st x{t} 1; ld r0 x{} }}",
            (t + 1) % threads
        );
    }
    parse("ring", &text)
}

fn hash(what: &str, value: &impl Hash) {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    println!("{what}: result {:016x}", hasher.finish());
}

fn main() {
    let measures = std::env::args().any(|arg| arg == "--bench");
    let mut criterion = Criterion::default().configure_from_args();
    let options = ExamineOptions::default();

    let tests = set();
    let found: Vec<_> = tests
        .iter()
        .map(|k| examine(k, &options))
        .flat_map(|e| e.answers)
        .map(|a| a.exploration.outcomes.into_keys().collect::<Vec<_>>())
        .collect();
    hash("set", &found);
    let mut group = criterion.benchmark_group("set");
    group.throughput(Throughput::Elements(tests.len() as u64));
    group.bench_function("all models", |b| {
        b.iter(|| {
            for test in &tests {
                black_box(examine(black_box(test), &options));
            }
        });
    });
    group.finish();

    let large = [
        ("ring", ring(5)),
        ("crowd", crowd(if measures { 3 } else { 2 })),
    ];
    for (name, kernel) in &large {
        let asked = subjects(kernel, true);
        let program = Program::new(kernel, &subjects(kernel, true), &options.knobs);
        let mut group = criterion.benchmark_group(*name);
        group.sample_size(10);
        for model in ModelName::ALL {
            let exploration = run(kernel, &program, &asked, model, &options);
            hash(
                &format!("{name}/{}", model.word()),
                &exploration.outcomes.keys().collect::<Vec<_>>(),
            );
            println!("{name}/{}: {} states", model.word(), exploration.states());
            group.throughput(Throughput::Elements(exploration.states() as u64));
            group.bench_function(model.word(), |b| {
                b.iter(|| run(kernel, black_box(&program), &asked, model, &options));
            });
        }
        group.finish();
    }
    criterion.final_summary();
}
