//! Verification of a lowering: the standard corpus on every profile, and searches through every program of a universe.
//!
//! `cargo bench --bench verify` measures; `cargo test --benches` runs each once, small. Each prints a hash of what was
//! found, so that nobody makes it fast by changing its meaning. Each has two sizes: twice or four times the programs take
//! twice or four times as long. When it measures, each also prints the processor time of one pass, which is what free
//! cores need; the clock on the wall depends on who else is there.
//!
//! Processor time of `syncscope verify`, the whole process, in release mode; searches on one thread. Programs that have a
//! mistake of their own are judged and not run. The goals are 2 s on two cores for the corpus, and a minute and core 200,000
//! programs static and 50,000 on the machine.
//!
//! | what | programs | processor time | programs a minute and core | memory |
//! |---|---|---|---|---|
//! | the corpus on seven profiles, four evictions | 6,450 | 3.3 s (1.7 s on two cores) | | 34 MiB |
//! | static, seven profiles | 169,455 | 10.1 s | 1.0 M | 13 MiB |
//! | static, one profile | 169,455 | 3.9 s | 2.6 M | 13 MiB |
//! | on the machine, one profile, four evictions | 169,455 | 7.8 s | 1.3 M | 13 MiB |
//! | on the machine, seven profiles, four evictions | 169,455 | 25.6 s | 0.40 M | 14 MiB |

use criterion::{BenchmarkId, Criterion, Throughput};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::lower::{PRECISE, recorded};
use syncscope::verify::{self, JudgedOn, Machine, Search, Tried, Universe, Which};

/// Processor time of all threads of this process, in seconds, to a hundredth; where the system tells it.
fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    let ticks = fields.split(' ').skip(11).take(2);
    let ticks: u32 = ticks.filter_map(|field| field.parse::<u32>().ok()).sum();
    Some(f64::from(ticks) / 100.0)
}

/// One pass: a hash of the result, and what it took.
fn pass<R: Hash>(what: &str, programs: u64, measures: bool, run: impl Fn() -> R) {
    let before = processor_seconds();
    let mut hasher = DefaultHasher::new();
    run().hash(&mut hasher);
    println!(
        "{what}: {programs} programs, result {:016x}",
        hasher.finish()
    );
    if let (true, Some(before), Some(after)) = (measures, before, processor_seconds()) {
        println!("{what}: {:.2} s of processor time", after - before);
    }
}

/// Every `step`th program of the corpus.
fn corpus(step: usize) -> Vec<Source> {
    verify::corpus().into_iter().step_by(step).collect()
}

/// Packets of some drivers for every situation, each driver's a little different.
fn packets(situations: &[Source], drivers: usize) -> String {
    const STAGES: [&str; 4] = ["ALL", "COMPUTE_SHADING", "PIXEL_SHADING", "COPY"];
    let mut text = String::new();
    for driver in 0..drivers {
        for situation in situations {
            let name = situation.name.trim_end_matches(".scn");
            let stage = STAGES[driver % STAGES.len()];
            let drops = if driver % 3 == 0 {
                ""
            } else {
                "\"L0V\",\"GL1\""
            };
            let _ = writeln!(
                text,
                "{{\"schema\":1,\"barrier\":\"{name}\",\"driver\":\"{driver}\",\"profile\":\"rdna\",\"wait\":[\"{stage}\"],\
                 \"flush\":[\"CB\",\"DB\"],\"invalidate\":[{drops}]}}"
            );
        }
    }
    text
}

/// The first blocks of a search.
fn searched(search: &Search, machines: &[Machine<'_>], blocks: u64) -> Tried {
    let words = search.universe.words();
    let mut tried = search.begin(machines).expect("few programs");
    for _ in 0..blocks {
        search.go_on(&words, machines, &mut tried);
    }
    tried
}

fn main() {
    let measures = std::env::args().any(|arg| arg == "--bench");
    let mut criterion = Criterion::default().configure_from_args();
    let profiles = catalog::registry().all_profiles();
    let every = Machine::each(&PRECISE, &profiles);

    let situations = verify::driver_situations();
    let mut group = criterion.benchmark_group("judge");
    group.sample_size(10);
    for drivers in if measures { [14, 28] } else { [1, 2] } {
        let text = packets(&situations, drivers);
        let source = Source::new("trace.jsonl", text);
        let registry = catalog::registry();
        let rdna = registry.profile("rdna").expect("it is built in");
        let on = JudgedOn::Named(&registry, &rdna);
        let run = || verify::judge_drivers(&situations, &recorded::read(&source), &source, on);
        let count = (situations.len() * drivers) as u64;
        pass(&format!("judge/{count}"), count, measures, || {
            format!("{:?}", run())
        });
        group.throughput(Throughput::Elements(count));
        group.bench_with_input(BenchmarkId::from_parameter(count), &(), |bencher, ()| {
            bencher.iter(|| black_box(run()));
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("corpus");
    group.sample_size(10);
    for step in if measures { [2, 1] } else { [80, 40] } {
        let programs = corpus(step);
        let run = || verify::verify(&every, &programs, &|_, _| true);
        let count = programs.len() as u64;
        pass(&format!("corpus/{count}"), count, measures, || {
            format!("{:?}", run())
        });
        group.throughput(Throughput::Elements(count));
        group.bench_function(BenchmarkId::from_parameter(count), |b| {
            b.iter(|| black_box(run()));
        });
    }
    group.finish();

    // Static on every profile; on the machine, with four evictions, on one.
    for (name, runs, machines) in [
        ("static", false, &every[..]),
        ("machine", true, &every[..1]),
    ] {
        let search = Search {
            universe: Universe::default(),
            commands: 2,
            runs,
            which: Which::All,
            share: (0, 1),
        };
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        for blocks in if measures { vec![1, 4] } else { vec![1] } {
            let run = || searched(&search, machines, blocks);
            let count = run().programs;
            pass(&format!("{name}/{count}"), count, measures, || {
                format!("{:?}", run())
            });
            group.throughput(Throughput::Elements(count));
            group.bench_function(BenchmarkId::new(count.to_string(), blocks), |b| {
                b.iter(|| black_box(run()));
            });
        }
        group.finish();
    }
    criterion.final_summary();
}
