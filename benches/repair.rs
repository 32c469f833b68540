//! Repairs of texts with many hazards: of few causes, and of as many causes as hazards.
//!
//! `cargo bench --bench repair` measures; `cargo test --benches` runs each shape once on a short text. Each prints a hash
//! of the repaired text, so that nobody makes it fast by changing its meaning.
//!
//! Seconds of `syncscope fix`, the whole process, on two cores of a 2026 server that others use too:
//!
//! | shape | 300 hazards | 1,000 | 4,000 | 24,000 | 24,000, each try on the whole text |
//! |---|---|---|---|---|---|
//! | readers | 0.10 | 0.06 | 0.09 | 0.30 | > 100 |
//! | storm | 0.38 | 1.7 | 3.2 | 12 | – |

use criterion::{BenchmarkId, Criterion, Throughput};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use syncscope::finding::Source;
use syncscope::run;
use syncscope::validate::RuleSet;

/// What makes the text of a shape with about so many hazards.
type Shape = fn(usize) -> String;

const SHAPES: [(&str, Shape); 2] = [("readers", readers), ("storm", storm)];

/// Fifty textures that are read in the layout in which they were cleared: one transition mends all reads of one.
fn readers(hazards: usize) -> String {
    const TEXTURES: usize = 50;
    let mut text = String::from("queue q : direct\n");
    for at in 0..TEXTURES {
        let flags = "flags RENDER_TARGET; initial RENDER_TARGET";
        let _ = writeln!(text, "texture t{at} : R8G8B8A8_UNORM 64x64 {{ {flags} }}");
    }
    text += "list l : direct {\n";
    for at in 0..TEXTURES {
        let _ = writeln!(text, "  clear-rtv t{at}");
        for _ in 0..hazards.div_ceil(TEXTURES) {
            let _ = writeln!(text, "  dispatch 8x8x1 {{ SHADER_RESOURCE t{at} }}");
        }
    }
    text + "}\ntimeline { q execute l }\n"
}

/// Sixteen buffers that dispatches write and read in turn, without a barrier: two hazards a command.
fn storm(hazards: usize) -> String {
    const BUFFERS: usize = 16;
    let mut text = String::from("queue q : direct\n");
    for at in 0..BUFFERS {
        let _ = writeln!(text, "buffer b{at} : 64KiB {{ flags UNORDERED_ACCESS }}");
    }
    text += "list l : direct {\n";
    for at in 0..hazards / 2 {
        let (write, read) = (at % BUFFERS, (at + 3) % BUFFERS);
        let _ = writeln!(
            text,
            "  dispatch 8x8x1 {{ UNORDERED_ACCESS b{write}; SHADER_RESOURCE b{read} }}"
        );
    }
    text + "}\ntimeline { q execute l }\n"
}

fn benches(criterion: &mut Criterion, sizes: &[usize]) {
    for (name, shape) in SHAPES {
        let mut group = criterion.benchmark_group(name);
        for &size in sizes {
            let source = Source::new(name, shape(size));
            let repair = || run::repair(black_box(&source), RuleSet::default(), |_| true);
            let repaired = repair();
            assert!(repaired.left.is_empty(), "{:?}", repaired.left);
            let mut hasher = DefaultHasher::new();
            repaired.source.text.hash(&mut hasher);
            println!("{name}/{size}: result {:016x}", hasher.finish());
            group
                .throughput(Throughput::Elements(size as u64))
                .sample_size(10);
            group.bench_function(BenchmarkId::from_parameter(size), |b| b.iter(repair));
        }
        group.finish();
    }
}

fn main() {
    // Cargo passes `--bench` when measuring; under test one short text is enough.
    let measures = std::env::args().any(|arg| arg == "--bench");
    let sizes: &[usize] = if measures {
        &[300, 1_000, 4_000, 24_000]
    } else {
        &[60]
    };
    let mut criterion = Criterion::default().configure_from_args();
    benches(&mut criterion, sizes);
    criterion.final_summary();
}
