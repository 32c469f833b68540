//! Graph and hazards on streams in which many ranges are live, or many submissions unordered, while something acts on all
//! of them: each is quadratic where that is done one by one.
//!
//! `cargo bench --bench shapes` measures; `cargo test --benches` runs each shape once on a small stream. Each prints a
//! hash of what was found, so that nobody makes it fast by changing its meaning.

#[path = "data/crowded.rs"]
mod crowded;

use criterion::{BenchmarkId, Criterion, Throughput};
use crowded::SHAPES;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use syncscope::finding::Source;
use syncscope::graph::{self, Evaluation};
use syncscope::order::Timeline;
use syncscope::scenario::{self, Scenario};

fn parsed(shape: &str, text: String) -> Scenario {
    let (scenario, findings) = scenario::parse(&Source::new(shape, text));
    assert!(findings.is_empty(), "{shape}: {findings:?}");
    scenario
}

fn hash(evaluation: &Evaluation) -> u64 {
    let mut hasher = DefaultHasher::new();
    evaluation.steps.hash(&mut hasher);
    for conflict in &evaluation.conflicts {
        let nodes = (conflict.first.node, conflict.second.node);
        (conflict.kind, nodes).hash(&mut hasher);
    }
    hasher.finish()
}

fn benches(criterion: &mut Criterion, sizes: &[usize]) {
    for (name, shape) in SHAPES {
        let mut group = criterion.benchmark_group(name);
        for &size in sizes {
            let scenario = parsed(name, shape(size));
            let evaluate = || {
                let timeline = Timeline::new(black_box(&scenario));
                graph::evaluate(&timeline, graph::Request::default())
            };
            let evaluation = evaluate();
            println!("{name}/{size}: result {:016x}", hash(&evaluation));
            group
                .throughput(Throughput::Elements(evaluation.steps))
                .sample_size(10);
            group.bench_function(BenchmarkId::from_parameter(size), |b| b.iter(evaluate));
        }
        group.finish();
    }
}

fn main() {
    // Cargo passes `--bench` when measuring; under test one small stream is enough.
    let measures = std::env::args().any(|arg| arg == "--bench");
    let sizes: &[usize] = if measures {
        &[10_000, 20_000, 40_000, 80_000]
    } else {
        &[400]
    };
    let mut criterion = Criterion::default().configure_from_args();
    benches(&mut criterion, sizes);
    criterion.final_summary();
}
