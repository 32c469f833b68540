//! Graph and hazards on the five shapes of streams that the analysis must stay linear on.
//!
//! `cargo bench --bench hazards` measures; `cargo test --benches` runs each shape once on a small stream. Each prints a
//! hash of what was found, so that nobody makes it fast by changing its meaning.
//!
//! Commands include barriers; a command's cost includes the timeline (unrolling, memory, fences).
//!
//! Million commands a second, on one of two shared cores of a 2026 server, nothing else running; the last column is the
//! cost of a command at 1M over that at 10k, and whether the live ranges are a fixed set or grow with the stream:
//!
//! | shape | 10k | 100k | 1M | 1M : 10k | live ranges |
//! |---|---|---|---|---|---|
//! | chain | 5.07 | 4.44 | 4.43 | 1.15 | fixed |
//! | many-buffers | 4.39 | 2.80 | 2.84 | 1.55 | grow |
//! | live-ranges | 2.63 | 2.35 | 2.53 | 1.04 | fixed |
//! | lists | 5.12 | 5.07 | 4.95 | 1.03 | fixed |
//! | two-queues | 2.82 | 2.36 | 1.89 | 1.49 | fixed |

use criterion::{BenchmarkId, Criterion, Throughput};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use syncscope::finding::Source;
use syncscope::graph;
use syncscope::order::Timeline;
use syncscope::scenario::{self, Scenario};

/// A shape: its name, and the text of a stream of about so many commands.
type Shape = (&'static str, fn(usize) -> String);

const SHAPES: [Shape; 5] = [
    ("chain", chain),
    ("many-buffers", many_buffers),
    ("live-ranges", live_ranges),
    ("lists", lists),
    ("two-queues", two_queues),
];

/// Copies along a ring of two buffers, a barrier between any two.
fn chain(commands: usize) -> String {
    let mut text = String::from("device { copies asynchronous }\nqueue gfx : direct\n");
    text.push_str("buffer a : 64KiB\nbuffer b : 64KiB\nlist main : direct {\n");
    for step in 0..commands / 2 {
        let (from, to) = if step % 2 == 0 {
            ("a", "b")
        } else {
            ("b", "a")
        };
        writeln!(
            text,
            "  copy {from} -> {to}\n  barrier {{ buffer {to} {{ sync COPY -> COPY; \
             access COPY_DEST|COPY_SOURCE -> COPY_SOURCE|COPY_DEST }} }}"
        )
        .expect("a string");
    }
    text + "}\ntimeline { gfx execute main }\n"
}

/// A set of buffers that grows with the stream, each written, made visible and read in turn.
fn many_buffers(commands: usize) -> String {
    let buffers = (commands / 16).max(1);
    let mut text = String::from("queue gfx : direct\n");
    for i in 0..buffers {
        writeln!(text, "buffer b{i} : 4KiB {{ flags UNORDERED_ACCESS }}").expect("a string");
    }
    text.push_str("list main : direct {\n");
    for step in 0..commands / 4 {
        let i = step % buffers;
        writeln!(
            text,
            "  dispatch 4x1x1 {{ UNORDERED_ACCESS b{i} writes }}\n  \
             barrier {{ buffer b{i} {{ sync COMPUTE_SHADING -> PIXEL_SHADING; \
             access UNORDERED_ACCESS -> SHADER_RESOURCE }} }}\n  \
             draw {{ SHADER_RESOURCE b{i} @ PIXEL_SHADING }}\n  \
             barrier {{ buffer b{i} {{ sync PIXEL_SHADING -> COMPUTE_SHADING; \
             access SHADER_RESOURCE -> UNORDERED_ACCESS }} }}"
        )
        .expect("a string");
    }
    text + "}\ntimeline { gfx execute main }\n"
}

/// A thousand ranges of one buffer stay alive while global barriers pass over all of them.
fn live_ranges(commands: usize) -> String {
    const RANGES: usize = 1_000;
    let mut text = String::from("queue gfx : direct\n");
    writeln!(text, "buffer b : {RANGES}KiB {{ flags UNORDERED_ACCESS }}").expect("a string");
    text.push_str("list main : direct {\n");
    for step in 0..commands / 4 {
        let (write, read) = (step * 7 % RANGES, step * 7 / 2 % RANGES);
        let bytes = |i: usize| format!("b[{}..{}]", i * 1024, (i + 1) * 1024);
        writeln!(
            text,
            "  dispatch 4x1x1 {{ UNORDERED_ACCESS {} writes }}\n  \
             barrier {{ global {{ sync COMPUTE_SHADING -> PIXEL_SHADING|COMPUTE_SHADING; \
             access UNORDERED_ACCESS -> SHADER_RESOURCE|UNORDERED_ACCESS }} }}\n  \
             draw {{ SHADER_RESOURCE {} @ PIXEL_SHADING }}\n  \
             barrier {{ global {{ sync PIXEL_SHADING -> COMPUTE_SHADING; \
             access SHADER_RESOURCE -> UNORDERED_ACCESS }} }}",
            bytes(write),
            bytes(read),
        )
        .expect("a string");
    }
    text + "}\ntimeline { gfx execute main }\n"
}

/// Ten lists a scope, ten scopes for every thousand commands.
fn lists(commands: usize) -> String {
    let mut text = String::from("queue gfx : direct\n");
    for i in 0..10 {
        writeln!(
            text,
            "texture t{i} : R8G8B8A8_UNORM 256x256 {{ flags RENDER_TARGET; initial COMMON }}\n\
             list l{i} : direct {{\n  barrier {{ texture t{i} {{ sync NONE -> RENDER_TARGET; \
             access NO_ACCESS -> RENDER_TARGET; layout COMMON -> RENDER_TARGET }} }}"
        )
        .expect("a string");
        for _ in 0..7 {
            writeln!(text, "  draw {{ RENDER_TARGET t{i} }}").expect("a string");
        }
        writeln!(
            text,
            "  barrier {{ texture t{i} {{ sync RENDER_TARGET -> PIXEL_SHADING; \
             access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> COMMON }} }}\n  \
             draw {{ SHADER_RESOURCE t{i} @ PIXEL_SHADING }}\n}}"
        )
        .expect("a string");
    }
    writeln!(
        text,
        "timeline {{\n  repeat {} {{ gfx execute l0, l1, l2, l3, l4, l5, l6, l7, l8, l9 }}\n}}",
        (commands / 100).max(1)
    )
    .expect("a string");
    text
}

/// Graphics and compute hand two buffers to and fro, with fences.
fn two_queues(commands: usize) -> String {
    let mut text = String::from("queue gfx : direct\nqueue async : compute\nfence f\nfence g\n");
    text.push_str("buffer a : 64KiB { flags UNORDERED_ACCESS }\n");
    text.push_str("buffer b : 64KiB { flags UNORDERED_ACCESS }\n");
    for (list, kind, from, to) in [("one", "direct", "b", "a"), ("two", "compute", "a", "b")] {
        writeln!(text, "list {list} : {kind} {{").expect("a string");
        for _ in 0..12 {
            writeln!(
                text,
                "  dispatch 4x1x1 {{ SHADER_RESOURCE {from}; UNORDERED_ACCESS {to} writes }}\n  \
                 barrier {{ buffer {to} {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; \
                 access UNORDERED_ACCESS -> UNORDERED_ACCESS }} }}"
            )
            .expect("a string");
        }
        text.push_str("}\n");
    }
    writeln!(
        text,
        "timeline {{\n  repeat {} {{\n    gfx execute one\n    gfx signal f +1\n    async wait f +0\n    \
         async execute two\n    async signal g +1\n    gfx wait g +0\n  }}\n}}",
        (commands / 48).max(1)
    )
    .expect("a string");
    text
}

fn parsed(shape: &str, text: String) -> Scenario {
    let (scenario, findings) = scenario::parse(&Source::new(shape, text));
    assert!(findings.is_empty(), "{shape}: {findings:?}");
    scenario
}

fn hash(what: &str, value: &impl Hash) {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    println!("{what}: result {:016x}", hasher.finish());
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
            assert!(evaluation.conflicts.is_empty(), "{name} is free of hazards");
            hash(&format!("{name}/{size}"), &evaluation.steps);
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
        &[10_000, 100_000, 1_000_000]
    } else {
        &[1_000]
    };
    let mut criterion = Criterion::default().configure_from_args();
    benches(&mut criterion, sizes);
    criterion.final_summary();
}
