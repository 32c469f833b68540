//! Only the validate phase of `check`, on four shapes of scenario, with the memory that it keeps per live subresource.
//!
//! `cargo bench --bench legality` measures; under test each shape runs once, small. Each input prints a hash of what was
//! found, so that nobody makes a bench fast by changing its meaning, and the bytes that validation keeps at the end.
//!
//! `per-subresource` with a million commands, measured on two shared cores in release mode:
//!
//! | runs of subresources are kept as | commands a second | bytes a live subresource |
//! |---|---|---|
//! | a tree | 0.42 million | 190 |
//! | pages of 64 | 1.7 to 1.9 million | 89 |

use criterion::{BenchmarkId, Criterion, Throughput};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use syncscope::finding::{Finding, Source};
use syncscope::order::Timeline;
use syncscope::scenario::{self, Scenario};
use syncscope::validate::{self, RuleSet};

/// A scenario text, how many commands and barriers it executes, and how many subresources it touches.
struct Input {
    text: String,
    commands: usize,
    live: usize,
}

fn finish(mut text: String, lists: &str, commands: usize, live: usize) -> Input {
    writeln!(text, "queue q : direct\ntimeline {{\n{lists}}}").expect("a string");
    Input {
        text,
        commands,
        live,
    }
}

/// Thousands of buffers, each with its own state.
fn many_buffers(commands: usize) -> Input {
    let buffers = 4_096.min(commands / 2).max(1);
    let mut text = String::new();
    for i in 0..buffers {
        writeln!(text, "buffer b{i} : 4KiB {{ flags UNORDERED_ACCESS }}").expect("a string");
    }
    text.push_str("list l : direct {\n");
    for step in 0..commands / 2 {
        let i = step % buffers;
        let (one, two) = if (step / buffers) % 2 == 0 {
            ("UNORDERED_ACCESS", "SHADER_RESOURCE")
        } else {
            ("SHADER_RESOURCE", "UNORDERED_ACCESS")
        };
        writeln!(
            text,
            "  dispatch 1x1x1 {{ {one} b{i} }}\n  \
             barrier {{ buffer b{i} {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access {one} -> {two} }} }}"
        )
        .expect("a string");
    }
    text.push_str("}\n");
    finish(text, "q execute l\n", commands, buffers)
}

const MIPS: usize = 15;
const LAYERS: usize = 2_048;

fn big_texture(text: &mut String) {
    writeln!(
        text,
        "texture t : R8G8B8A8_UNORM 16384x16384 {{ mips {MIPS}; layers {LAYERS}; flags UNORDERED_ACCESS }}"
    )
    .expect("a string");
}

/// One texture with 30,720 subresources and one barrier for each, again and again; neighbours are never next to each
/// other.
fn per_subresource(commands: usize) -> Input {
    let count = MIPS * LAYERS;
    let mut text = String::new();
    big_texture(&mut text);
    text.push_str("list l : direct {\n");
    for step in 0..commands {
        // A step of 7,919 is prime to the count: every subresource comes up once a round, far from its neighbours.
        let i = step * 7_919 % count;
        let (one, two) = if (step / count).is_multiple_of(2) {
            ("COMMON", "SHADER_RESOURCE")
        } else {
            ("SHADER_RESOURCE", "COMMON")
        };
        writeln!(
            text,
            "  barrier {{ texture t[subresource {i}] {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; \
             access SHADER_RESOURCE -> SHADER_RESOURCE; layout {one} -> {two} }} }}"
        )
        .expect("a string");
    }
    text.push_str("}\n");
    finish(text, "q execute l\n", commands, commands.min(count))
}

/// Barriers on everything between uses and barriers of single subresources.
fn whole_and_part(commands: usize) -> Input {
    let mut text = String::new();
    big_texture(&mut text);
    text.push_str("list l : direct {\n");
    for step in 0..commands / 4 {
        let (mip, layer) = (step % MIPS, step * 37 % LAYERS);
        writeln!(
            text,
            "  barrier {{ texture t {{ sync ALL -> ALL; access COMMON -> COMMON; layout UNDEFINED -> UNDEFINED }} }}\n  \
             dispatch 1x1x1 {{ SHADER_RESOURCE t[mip {mip}, layer {layer}] }}\n  \
             barrier {{ texture t[mip {mip}] {{ sync ALL -> ALL; access SHADER_RESOURCE -> COPY_SOURCE; \
             layout COMMON -> COMMON }} }}\n  \
             dispatch 1x1x1 {{ SHADER_RESOURCE t[layer {layer}] }}"
        )
        .expect("a string");
    }
    text.push_str("}\n");
    finish(text, "q execute l\n", commands, MIPS * LAYERS)
}

/// A hundred short lists, executed again and again.
fn many_lists(commands: usize) -> Input {
    const LISTS: usize = 100;
    const EACH: usize = 10;
    let mut text = String::new();
    for i in 0..LISTS {
        writeln!(
            text,
            "texture t{i} : R8G8B8A8_UNORM 64x64 {{ mips 4; flags RENDER_TARGET; initial RENDER_TARGET }}"
        )
        .expect("a string");
        writeln!(text, "list l{i} : direct {{").expect("a string");
        for _ in 0..EACH / 2 {
            writeln!(
                text,
                "  barrier {{ texture t{i} {{ sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; \
                 layout RENDER_TARGET -> SHADER_RESOURCE }} }}\n  \
                 barrier {{ texture t{i} {{ sync PIXEL_SHADING -> RENDER_TARGET; access SHADER_RESOURCE -> RENDER_TARGET; \
                 layout SHADER_RESOURCE -> RENDER_TARGET }} }}"
            )
            .expect("a string");
        }
        text.push_str("}\n");
    }
    let rounds = (commands / (LISTS * EACH)).max(1);
    let mut calls = String::new();
    for _ in 0..rounds {
        for i in 0..LISTS {
            writeln!(calls, "q execute l{i}").expect("a string");
        }
    }
    finish(text, &calls, rounds * LISTS * EACH, LISTS * 4)
}

fn validate(scenario: &Scenario, timeline: &Timeline<'_>) -> Vec<Finding> {
    validate::validate(scenario, timeline, RuleSet::Specification)
}

fn hash(findings: &[Finding]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for finding in findings {
        (finding.rule.id, finding.span.start).hash(&mut hasher);
    }
    hasher.finish()
}

/// Makes an input of about so many commands.
type Make = fn(usize) -> Input;

#[allow(clippy::cast_precision_loss, reason = "both are far below 2^52")]
fn per_item(bytes: usize, items: usize) -> f64 {
    bytes as f64 / items as f64
}

fn benches(criterion: &mut Criterion, sizes: &[usize]) {
    let shapes: [(&str, Make); 4] = [
        ("many-buffers", many_buffers),
        ("per-subresource", per_subresource),
        ("whole-and-part", whole_and_part),
        ("many-lists", many_lists),
    ];
    for (name, make) in shapes {
        let mut group = criterion.benchmark_group(name);
        for &size in sizes {
            let input = make(size);
            let source = Source::new("legality.scn", input.text);
            let (parsed, findings) = scenario::parse(&source);
            assert!(
                findings.is_empty(),
                "the generated text is sound: {:?}",
                findings.first()
            );
            let timeline = Timeline::new(&parsed);
            let found = validate(&parsed, &timeline);
            let bytes = validate::state::bytes(&parsed, &timeline);
            println!(
                "{name}/{size}: {} commands, {} findings, result {:016x}; {} live subresources, {:.1} bytes each",
                input.commands,
                found.len(),
                hash(&found),
                input.live,
                per_item(bytes, input.live)
            );
            group
                .throughput(Throughput::Elements(input.commands as u64))
                .sample_size(10);
            group.bench_with_input(BenchmarkId::from_parameter(size), &parsed, |b, parsed| {
                b.iter(|| validate(black_box(parsed), &timeline));
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
