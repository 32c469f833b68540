//! Barriers placed in long lists: 64 textures and 64 buffers that draws and dispatches write and read at random.
//!
//! `cargo bench --bench place` measures; `cargo test --benches` places one short text. Each prints a hash of the placed text, so that
//! nobody makes it fast by changing its meaning.

use criterion::{BenchmarkId, Criterion, Throughput};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::place::{Placing, Policy, place};
use syncscope::run::Options;

/// Resources of a kind.
const THINGS: u32 = 64;

fn text(commands: usize) -> String {
    let random = &mut StdRng::seed_from_u64(1);
    let mut text = String::from("queue q : direct\n");
    for at in 0..THINGS {
        let flags = "flags RENDER_TARGET|UNORDERED_ACCESS";
        let _ = writeln!(text, "texture t{at} : R8G8B8A8_UNORM 512x512 {{ {flags} }}");
        let _ = writeln!(text, "buffer b{at} : 1MiB {{ flags UNORDERED_ACCESS }}");
    }
    text += "list l : direct {\n";
    for _ in 0..commands {
        let mut any = || random.random_range(0..THINGS);
        let (one, other) = (any(), any());
        let _ = match any() % 4 {
            0 => writeln!(
                text,
                "  draw vertices 300 pixels 60000 {{ RENDER_TARGET t{one}; SHADER_RESOURCE b{other} @ PIXEL_SHADING }}"
            ),
            1 => writeln!(
                text,
                "  dispatch 64x1x1 {{ UNORDERED_ACCESS b{one} writes; SHADER_RESOURCE t{other} }}"
            ),
            2 => writeln!(
                text,
                "  dispatch 64x1x1 {{ UNORDERED_ACCESS t{one}; SHADER_RESOURCE b{other} }}"
            ),
            _ => writeln!(
                text,
                "  draw vertices 300 pixels 60000 {{ SHADER_RESOURCE t{one} @ PIXEL_SHADING; SHADER_RESOURCE b{other} @ VERTEX_SHADING }}"
            ),
        };
    }
    text + "}\ntimeline { q execute l }\n"
}

fn benches(criterion: &mut Criterion, sizes: &[usize]) {
    let registry = catalog::registry();
    for (name, policy) in [("search", Policy::Search), ("rps_like", Policy::RpsLike)] {
        let mut group = criterion.benchmark_group(name);
        for &size in sizes {
            let source = Source::new(name, text(size));
            let mut placing = Placing::default();
            placing.policy = policy;
            let options = Options::default();
            let run = || place(black_box(&source), &[], &registry, &options, &placing);
            let placed = run().expect("every command can be served");
            assert!(placed.left.is_empty(), "{:?}", placed.left);
            let mut hasher = DefaultHasher::new();
            placed.source.text.hash(&mut hasher);
            println!("{name}/{size}: result {:016x}", hasher.finish());
            group
                .throughput(Throughput::Elements(size as u64))
                .sample_size(10);
            group.bench_function(BenchmarkId::from_parameter(size), |b| b.iter(run));
        }
        group.finish();
    }
}

fn main() {
    // Cargo passes `--bench` when measuring; under test one short text is enough.
    let measures = std::env::args().any(|arg| arg == "--bench");
    let sizes: &[usize] = if measures {
        &[100, 1_000, 10_000, 100_000]
    } else {
        &[30]
    };
    let mut criterion = Criterion::default().configure_from_args();
    benches(&mut criterion, sizes);
    criterion.final_summary();
}
