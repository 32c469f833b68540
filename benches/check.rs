//! Only `check`, from a text to its report, and the reading of the text in it, on four shapes of long streams.
//!
//! `cargo bench --bench check` measures; `cargo test --benches` runs each shape once, small. Each input prints a hash of what
//! was found and how long its text is, so that nobody makes a bench fast by changing its meaning.
//!
//! Measured with 100,000 commands in one thread: instructions for a command (callgrind), before and after texts were read
//! in parts and repeated blocks once. Memory with a million commands: megabytes (2^20) beyond the text.
//!
//! | shape | reading the text | legality | megabytes |
//! |---|---|---|---|
//! | chains | 2,950, now 2,080 | 4,250, now 2,110 | 278, now 131 |
//! | lists | 2,990, now 2,180 | 3,150, now 2,030 | 295, now 134 |
//! | buffers | 4,380, now 3,330 | 4,380, now 1,870 | 585, now 166 |
//! | ranges | 2,160, now 2,020 | 1,860, now 1,200 | 252, now 122 |
//!
//! All threads read the text, and legality and hazards are judged side by side, so that less time passes than that.

use criterion::{BenchmarkId, Criterion, Throughput};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use syncscope::finding::Source;
use syncscope::run::{self, Options, Report};
use syncscope::scenario;

/// Buffers that a chain goes round.
const RING: usize = 64;
/// Commands of one list, where there are many.
const LIST: usize = 100;
/// Parts of one buffer that are live at the same time.
const LIVE: usize = 4096;

fn ring() -> String {
    let mut text = String::from("queue gfx : direct\nbuffer staging : 64KiB { type upload }\n");
    for i in 0..RING {
        writeln!(
            text,
            "buffer in{i} : 64KiB\nbuffer out{i} : 64KiB {{ flags UNORDERED_ACCESS }}"
        )
        .expect("a string");
    }
    text
}

/// A copy and a dispatch that reads what it copied, with barriers between: four commands.
fn step(text: &mut String, at: usize) {
    let i = at % RING;
    writeln!(
        text,
        "  copy staging[0..{bytes}] -> in{i}\n  \
         barrier {{ buffer in{i} {{ sync COPY -> COMPUTE_SHADING; access COPY_DEST -> SHADER_RESOURCE }} }}\n  \
         dispatch \"pass {at}\" {groups}x1x1 {{ SHADER_RESOURCE in{i}; UNORDERED_ACCESS out{i} writes }}\n  \
         barrier {{ buffer in{i} {{ sync COMPUTE_SHADING -> COPY; access SHADER_RESOURCE -> COPY_DEST }}; \
         buffer out{i} {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS }} }}",
        bytes = 256 + at % 4096 * 4,
        groups = 1 + at % 60_000,
    )
    .expect("a string");
}

/// One list.
fn chains(commands: usize) -> String {
    let mut text = ring() + "list main : direct {\n";
    (0..commands / 4).for_each(|at| step(&mut text, at));
    text + "}\ntimeline { gfx execute main }\n"
}

/// Many lists, each submitted by itself.
fn lists(commands: usize) -> String {
    let count = (commands / LIST).max(1);
    let mut text = ring();
    for list in 0..count {
        writeln!(text, "list l{list} : direct {{").expect("a string");
        (0..LIST / 4).for_each(|at| step(&mut text, list * (LIST / 4) + at));
        text.push_str("}\n");
    }
    text.push_str("timeline {\n");
    for list in 0..count {
        writeln!(text, "  gfx execute l{list}").expect("a string");
    }
    text + "}\n"
}

/// One buffer for twenty commands.
fn buffers(commands: usize) -> String {
    let count = (commands / 20).max(1);
    let mut text = String::from("queue gfx : direct\n");
    for i in 0..count {
        writeln!(text, "buffer b{i} : 4KiB {{ flags UNORDERED_ACCESS }}").expect("a string");
    }
    text.push_str("list main : direct {\n");
    for at in 0..commands / 2 {
        let i = at % count;
        writeln!(
            text,
            "  dispatch 8x8x1 {{ UNORDERED_ACCESS b{i} }}\n  \
             barrier {{ buffer b{i} {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS }} }}"
        )
        .expect("a string");
    }
    text + "}\ntimeline { gfx execute main }\n"
}

/// Many live parts of one buffer, and global barriers.
fn ranges(commands: usize) -> String {
    let mut text = String::from(
        "queue gfx : direct\nbuffer big : 1GiB\nbuffer src : 64KiB { type upload }\nlist main : direct {\n",
    );
    for at in 0..commands / 2 {
        let start = at * 7919 % LIVE * 1024;
        writeln!(
            text,
            "  copy src[0..256] -> big[{start}..{end}]\n  \
             barrier {{ global {{ sync COPY -> COPY; access COPY_DEST -> COPY_DEST }} }}",
            end = start + 256
        )
        .expect("a string");
    }
    text + "}\ntimeline { gfx execute main }\n"
}

fn hash(report: &Report) -> u64 {
    let mut hasher = DefaultHasher::new();
    for finding in &report.findings {
        (finding.rule.id, finding.span, &finding.message).hash(&mut hasher);
    }
    hasher.finish()
}

/// Makes a text of about so many commands.
type Make = fn(usize) -> String;

fn benches(criterion: &mut Criterion, sizes: &[usize]) {
    let shapes: [(&str, Make); 4] = [
        ("chains", chains),
        ("lists", lists),
        ("buffers", buffers),
        ("ranges", ranges),
    ];
    let options = Options::default();
    for (name, make) in shapes {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        for &size in sizes {
            let source = Source::new("check.scn", make(size));
            let report = run::check(&source, &options);
            println!(
                "{name}/{size}: {} bytes, {} findings, result {:016x}",
                source.text.len(),
                report.findings.len(),
                hash(&report)
            );
            group.throughput(Throughput::Bytes(source.text.len() as u64));
            group.bench_with_input(BenchmarkId::new("parse", size), &source, |b, source| {
                b.iter(|| scenario::parse(black_box(source)));
            });
            group.throughput(Throughput::Elements(size as u64));
            group.bench_with_input(BenchmarkId::new("check", size), &source, |b, source| {
                b.iter(|| run::check(black_box(source), &options));
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
