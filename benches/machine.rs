//! Whole runs, from text to report, on the profile `rdna`: how many commands a second, and in how much memory.
//!
//! `cargo bench --bench machine` measures; under test each shape runs once and small. Each input prints a hash of what was
//! computed, so that nobody makes a bench fast by changing its meaning. Memory is the most that a process of its own
//! had (Linux only): the bench starts itself for each size.
//!
//! Instructions that the processor executes for one command of a list of 20,000, no line like another, in one thread
//! (callgrind): unlike seconds they do not depend on what else runs. Barriers count to the command before them. And the most
//! memory of `syncscope run --parts findings`, MiB (2^20 bytes), with lines that repeat:
//!
//! | shape | lowering | check of packets | machine | memory at 10k, 100k, 1M |
//! |---|---|---|---|---|
//! | dispatches and copies | 1,420 | 350 | 7,540 | 16, 46, 303 |
//! | a barrier after each | 4,070 | 1,920 | 9,890 | 21, 78, 639 |
//! | draws | 1,020 | 150 | 25,390 | 22, 63, 495 |
//! | a repeat of a hundred, a barrier after each | | | | 16, 18, 18 |
//!
//! Before commands with the same uses were lowered once: lowering 2,410, 4,850 and 5,080, the machine 8,180, 10,230 and 29,520.
//! The calls of a repeat are kept once: ten million commands of one list need 18 MiB. Beside the text and the parsed scenario,
//! memory has the packets of the scope in flight: the first three shapes are one scope.

use criterion::{BenchmarkId, Criterion, Throughput};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::process::Command;
use syncscope::finding::Source;
use syncscope::{catalog, run};

/// Resources of a kind that a stream goes through in turn.
const RING: usize = 16;

/// A stream of commands, barriers not counted.
#[derive(Copy, Clone)]
enum Shape {
    /// Sixteen dispatches, a barrier, sixteen copies, a barrier, and so on. Hazard-free.
    DispatchesAndCopies,
    /// A dispatch or a copy, and a buffer barrier after each. Hazard-free.
    BarrierAfterEach,
    /// Indexed draws that read four resources and write depth and colour.
    Draws,
    /// One list of a hundred dispatches with a barrier after each, again and again.
    Repeat,
}

impl Shape {
    const ALL: [(&'static str, Self); 4] = [
        ("dispatches and copies", Self::DispatchesAndCopies),
        ("barrier after each", Self::BarrierAfterEach),
        ("draws", Self::Draws),
        ("repeat", Self::Repeat),
    ];

    fn text(self, commands: usize) -> String {
        let mut text = String::from("queue gfx : direct\n");
        for i in 0..RING {
            let writable = "{ flags UNORDERED_ACCESS }";
            line(
                &mut text,
                &format!(
                    "buffer in{i} : 64KiB {writable}\nbuffer out{i} : 64KiB {writable}\nbuffer to{i} : 64KiB"
                ),
            );
        }
        match self {
            Self::DispatchesAndCopies => Self::dispatches_and_copies(&mut text, commands),
            Self::BarrierAfterEach => Self::barrier_behind_each(&mut text, commands),
            Self::Draws => Self::draws(&mut text, commands),
            Self::Repeat => Self::repeat(&mut text, commands),
        }
        text
    }

    fn dispatches_and_copies(text: &mut String, commands: usize) {
        text.push_str("list main : direct {\n");
        for _ in 0..commands / (2 * RING) {
            for i in 0..RING {
                line(
                    text,
                    &format!(
                        "dispatch 64x1x1 {{ SHADER_RESOURCE in{i}; UNORDERED_ACCESS out{i} writes }}"
                    ),
                );
            }
            text.push_str(
                "barrier { global { sync COMPUTE_SHADING -> COPY; access UNORDERED_ACCESS -> COPY_SOURCE } }\n",
            );
            for i in 0..RING {
                line(text, &format!("copy out{i} -> to{i}"));
            }
            text.push_str(
                "barrier { global { sync COPY -> COMPUTE_SHADING; access COPY_SOURCE -> UNORDERED_ACCESS } }\n",
            );
        }
        text.push_str("}\ntimeline { gfx execute main }\n");
    }

    fn barrier_behind_each(text: &mut String, commands: usize) {
        text.push_str("list main : direct {\n");
        for step in 0..commands / 2 {
            let i = step % RING;
            line(
                text,
                &format!(
                    "dispatch 64x1x1 {{ UNORDERED_ACCESS in{i} writes }}\n\
                     barrier {{ buffer in{i} {{ sync COMPUTE_SHADING -> COPY; access UNORDERED_ACCESS -> COPY_SOURCE }} }}\n\
                     copy in{i} -> out{i}\n\
                     barrier {{ buffer in{i} {{ sync COPY -> COMPUTE_SHADING; access COPY_SOURCE -> UNORDERED_ACCESS }} }}"
                ),
            );
        }
        text.push_str("}\ntimeline { gfx execute main }\n");
    }

    fn draws(text: &mut String, commands: usize) {
        text.push_str(
            "texture colour : R8G8B8A8_UNORM 1920x1080 { flags RENDER_TARGET; initial RENDER_TARGET }\n\
             texture depth : D32_FLOAT 1920x1080 { flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }\n\
             texture albedo : R8G8B8A8_UNORM 256x256 { initial SHADER_RESOURCE }\n\
             list main : direct {\n",
        );
        for step in 0..commands {
            let i = step % RING;
            line(
                text,
                &format!(
                    "draw-indexed vertices 300 pixels 10000 {{ VERTEX_BUFFER in{i}; INDEX_BUFFER out{i}; \
                     CONSTANT_BUFFER to{i}; SHADER_RESOURCE albedo @ PIXEL_SHADING; RENDER_TARGET colour; \
                     DEPTH_STENCIL_WRITE depth }}"
                ),
            );
        }
        text.push_str("}\ntimeline { gfx execute main }\n");
    }

    fn repeat(text: &mut String, commands: usize) {
        text.push_str("list main : direct {\n");
        for _ in 0..100 {
            text.push_str(
                "dispatch 64x1x1 { UNORDERED_ACCESS in0 }\n\
                 barrier { buffer in0 { sync COMPUTE_SHADING -> COMPUTE_SHADING; \
                 access UNORDERED_ACCESS -> UNORDERED_ACCESS } }\n",
            );
        }
        line(
            text,
            &format!(
                "}}\ntimeline {{ repeat {} {{ gfx execute main }} }}",
                commands / 100
            ),
        );
    }
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a string");
}

/// A run whose report has no row for a command or barrier.
fn whole(source: &Source) -> run::Report {
    let options = run::Options {
        profile: Some("rdna".into()),
        without_commands: true,
        without_barriers: true,
        without_path: true,
        ..run::Options::default()
    };
    let report = run::run(source, &catalog::registry(), &options).expect("a run");
    assert!(
        report.findings.iter().all(|f| !f.severity.fails()),
        "the generated streams are sound: {:?}",
        report.findings.first()
    );
    report
}

fn hash(what: &str, value: &impl Hash) {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    println!("{what}: result {:016x}", hasher.finish());
}

fn speed(criterion: &mut Criterion, sizes: &[usize]) {
    for (name, shape) in Shape::ALL {
        let mut group = criterion.benchmark_group(name);
        for &size in sizes {
            let source = Source::new("stream.scn", shape.text(size));
            let report = whole(&source);
            hash(
                &format!("{name}/{size}"),
                &(report.makespan, report.exposed),
            );
            group
                .throughput(Throughput::Elements(size as u64))
                .sample_size(10)
                .bench_with_input(BenchmarkId::from_parameter(size), &source, |b, source| {
                    b.iter(|| whole(black_box(source)));
                });
        }
        group.finish();
    }
}

/// The deferred frame of the tour on every profile, as `--profiles all` runs it.
fn frame(criterion: &mut Criterion) {
    let text = include_str!("../scenarios/tour/deferred_frame.scn");
    let source = Source::new("deferred_frame.scn", text);
    let registry = catalog::registry();
    let names: Vec<String> = registry.profiles.iter().map(|p| p.name.into()).collect();
    criterion.bench_function("deferred frame on all profiles", |b| {
        b.iter(|| {
            run::on_profiles(
                black_box(&source),
                &registry,
                &names,
                &run::Options::default(),
            )
            .expect("a table")
        });
    });
}

/// The most memory that a process had that ran one stream, in KiB.
fn memory(name: &str, size: usize) -> Option<u64> {
    let own = std::env::current_exe().ok()?;
    let output = Command::new(own)
        .args(["--peak-of", name, &size.to_string()])
        .output()
        .ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// What [`memory`] starts: one run, then what the kernel says of this process.
fn peak_of(name: &str, size: usize) {
    let shape = Shape::ALL.iter().find(|(n, _)| *n == name);
    let (_, shape) = shape.expect("a shape");
    black_box(whole(&Source::new("stream.scn", shape.text(size))));
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    println!("{}", peak.map_or("", |p| p.trim().trim_end_matches(" kB")));
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let [_, word, name, size] = words.as_slice()
        && word == "--peak-of"
    {
        peak_of(name, size.parse().expect("a number"));
        return;
    }
    // Cargo passes `--bench` when measuring; under test one small input is enough.
    let measures = words.iter().any(|word| word == "--bench");
    let mut criterion = Criterion::default().configure_from_args();
    let sizes: &[usize] = if measures {
        &[10_000, 100_000, 1_000_000]
    } else {
        &[1_000]
    };
    speed(&mut criterion, sizes);
    frame(&mut criterion);
    criterion.final_summary();
    println!("memory of a process, KiB");
    for (name, shape) in Shape::ALL {
        let mut sizes = sizes.to_vec();
        if measures && matches!(shape, Shape::Repeat) {
            sizes.push(10_000_000);
        }
        for size in sizes {
            let peak = memory(name, size).map_or("unknown".into(), |peak| peak.to_string());
            println!("{name:24} {size:9} {peak:>9}");
        }
    }
}
