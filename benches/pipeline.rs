//! Parse, graph, simulate and whole runs on generated one-queue scenarios.
//!
//! `cargo bench` measures; `cargo test --benches` runs each bench once on small inputs. Each input prints a hash of what
//! was computed, so that nobody makes a bench fast by changing its meaning.
//!
//! Measured on two shared cores, release mode, mean of ten samples; commands include barriers. What counts is the last
//! column of each row: the cost of one command does not grow with the length of the stream.
//!
//! | phase | 10k commands | 100k | 1M | per command, 1M : 10k |
//! |---|---|---|---|---|
//! | parse | 10.5 ms | 142 ms | 1.19 s | 1.13 |
//! | graph and hazards | 2.38 ms | 31.9 ms | 288 ms | 1.21 |
//! | simulate | 25.7 ms | 244 ms | – | 0.95 (100k : 10k) |
//!
//! Per command: parse 1.05–1.42 µs, graph 0.24–0.32 µs, simulate 2.4–2.6 µs. A whole run adds the proofs of barrier
//! verdicts, whose cost is bounded (`STEPS_MAX` in `run/prove.rs`) and does not grow with the stream.

use criterion::{BenchmarkId, Criterion, Throughput};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use syncscope::finding::Source;
use syncscope::graph;
use syncscope::order::Timeline;
use syncscope::{catalog, run, scenario, sim};

/// A scenario of about `commands` commands (barriers included) on one queue: copies into a ring of buffers that
/// dispatches read and write, with barriers before each new use. Hazard-free.
fn stream(commands: usize) -> Source {
    const RING: usize = 16;
    let mut text = String::with_capacity(commands * 90 + 4096);
    text.push_str("queue gfx : direct\nbuffer staging : 64KiB { type upload }\n");
    for i in 0..RING {
        writeln!(
            text,
            "buffer in{i} : 64KiB\nbuffer out{i} : 64KiB {{ flags UNORDERED_ACCESS }}"
        )
        .expect("a string");
    }
    text.push_str("list main : direct {\n");
    for step in 0..commands / 4 {
        let i = step % RING;
        writeln!(
            text,
            "  copy staging -> in{i}\n  \
             barrier {{ buffer in{i} {{ sync COPY -> COMPUTE_SHADING; access COPY_DEST -> SHADER_RESOURCE }} }}\n  \
             dispatch 64x1x1 {{ SHADER_RESOURCE in{i}; UNORDERED_ACCESS out{i} writes }}\n  \
             barrier {{ global {{ sync COMPUTE_SHADING -> COMPUTE_SHADING|COPY; \
             access UNORDERED_ACCESS -> UNORDERED_ACCESS }} }}"
        )
        .expect("a string");
    }
    text.push_str("}\ntimeline { gfx execute main }\n");
    Source::new("stream.scn", text)
}

fn hash(what: &str, value: &impl Hash) {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    println!("{what}: result {:016x}", hasher.finish());
}

fn benches(criterion: &mut Criterion, sizes: &[usize]) {
    let registry = catalog::registry();
    for &size in sizes {
        let source = stream(size);
        let mut group = criterion.benchmark_group("stream");
        group
            .throughput(Throughput::Elements(size as u64))
            .sample_size(10);

        let (parsed, findings) = scenario::parse(&source);
        assert!(findings.is_empty(), "the generated text is sound");
        hash(
            &format!("parse/{size}"),
            &parsed.lists[syncscope::id::ListId(0)].commands.len(),
        );
        group.bench_with_input(BenchmarkId::new("parse", size), &source, |b, source| {
            b.iter(|| scenario::parse(black_box(source)));
        });

        let evaluation = graph::evaluate(&Timeline::new(&parsed), graph::Request::default());
        assert!(
            evaluation.conflicts.is_empty(),
            "the generated stream is hazard-free"
        );
        hash(&format!("graph/{size}"), &evaluation.steps);
        group.bench_with_input(BenchmarkId::new("graph", size), &parsed, |b, parsed| {
            b.iter(|| {
                let timeline = Timeline::new(black_box(parsed));
                graph::evaluate(&timeline, graph::Request::default())
            });
        });

        if size <= 100_000 {
            let profile = registry.profile("rdna").expect("a built-in profile");
            let timeline = Timeline::new(&parsed);
            let program = registry
                .lowering("precise")
                .expect("a built-in lowering")
                .lower(&timeline, &profile);
            let trace = sim::simulate(&program, &profile, &sim::SimOptions::default());
            hash(&format!("simulate/{size}"), &trace.makespan);
            group.bench_with_input(
                BenchmarkId::new("simulate", size),
                &program,
                |b, program| {
                    b.iter(|| {
                        sim::simulate(black_box(program), &profile, &sim::SimOptions::default())
                    });
                },
            );
            let options = run::Options::default();
            let report = run::run(&source, &registry, &options).expect("a run");
            hash(
                &format!("run/{size}"),
                &(report.makespan, report.findings.len()),
            );
            group.bench_with_input(BenchmarkId::new("run", size), &source, |b, source| {
                b.iter(|| run::run(black_box(source), &registry, &options));
            });
        }
        group.finish();
    }
}

fn main() {
    // Cargo passes `--bench` when measuring; under test one small input is enough.
    let measures = std::env::args().any(|arg| arg == "--bench");
    let mut criterion = Criterion::default().configure_from_args();
    benches(
        &mut criterion,
        if measures {
            &[10_000, 100_000, 1_000_000]
        } else {
            &[1_000]
        },
    );
    criterion.final_summary();
}
