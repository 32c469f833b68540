//! Graph and hazards on streams in which many ranges are live, or many submissions unordered, while something acts on all
//! of them: each is quadratic where that is done one by one.
//!
//! `cargo bench --bench shapes` measures; `cargo test --benches` runs each shape once on a small stream. Each prints a
//! hash of what was found, so that nobody makes it fast by changing its meaning.
//!
//! Seconds of needed and asked, on one of two cores of a 2026 server that others use too; the last two columns are those
//! of an engine that acts range by range:
//!
//! | shape | 10k | 20k | 40k | 80k | 10k, range by range | 20k |
//! |---|---|---|---|---|---|---|
//! | whole-barriers | 0.16 | 0.43 | 0.62 | 1.17 | 1.11 | 6.80 |
//! | scattered-ranges | 0.53 | 1.45 | 3.76 | 9.31 | 0.71 | 4.61 |
//! | mixed-barriers | 0.42 | 0.94 | 1.48 | 3.12 | 1.30 | > 15 |
//! | whole-copies | 0.17 | 0.40 | 0.93 | 1.63 | 0.89 | 3.83 |
//! | global-and-whole | 0.11 | 0.24 | 0.54 | 1.11 | 0.31 | 1.21 |
//! | global-only | 0.03 | 0.07 | 0.16 | 0.32 | 0.31 | 1.62 |
//! | alias | 0.51 | 0.77 | 1.91 | 3.72 | 1.11 | > 15 |
//! | layers | 0.01 | 0.02 | 0.05 | 0.11 | 0.01 | 0.03 |
//! | layer-transitions | 0.16 | 0.36 | 0.71 | 1.48 | 0.18 | – |
//! | unordered-queues | 0.003 | 0.006 | 0.012 | 0.025 | 0.16 | 0.42 |
//! | unordered-parts | 0.11 | 0.23 | 0.45 | 1.03 | – | – |
//! | storm | 0.002 | 0.004 | 0.007 | 0.014 | – | – |
//!
//! The same while four times as many threads ran as there are cores; the last two columns are of an engine that looks at
//! each part that was lost, remembers each alias that wrote, and walks a scope for each transition through an alias:
//!
//! | shape | 10k | 20k | 40k | 80k | 10k, before | 20k |
//! |---|---|---|---|---|---|---|
//! | lost-parts | 0.49 | 0.93 | 1.70 | 3.31 | 1.11 | 4.23 |
//! | aliases | 0.04 | 0.09 | 0.14 | 0.35 | 18.4 | > 20 |
//! | attachments | 0.08 | 0.14 | 0.32 | 1.30 | 1.28 | 4.08 |

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
