//! `import` of long captures: frames of a real program that go on, and commands of which no two are alike.
//!
//! `cargo bench --bench import` measures the importer; `cargo test --benches` reads each stream once, small. A stream can be
//! written for the program itself: `SYNCSCOPE_STREAM=frames:1073741824 cargo bench --bench import > long.jsonl` writes so many
//! bytes of frames, `SYNCSCOPE_STREAM=commands:1000000` so many commands.

use criterion::{Criterion, Throughput};
use std::hint::black_box;
use std::io::{self, BufWriter, Write as _};
use syncscope::interop::import::{Importer, Options};

#[path = "data/captures.rs"]
mod captures;

/// Reads lines until they end.
fn import(lines: impl Iterator<Item = String>) -> usize {
    let mut importer = Importer::new(Options::default());
    for (number, line) in (1..).zip(lines) {
        if importer.line(number, line.as_bytes()).is_break() {
            break;
        }
    }
    importer.finish().scenario.lists.len()
}

fn measure(criterion: &mut Criterion) {
    let measures = std::env::args().any(|argument| argument == "--bench");
    let (frames, commands) = if measures {
        (20_000, 100_000)
    } else {
        (20, 200)
    };
    let mut group = criterion.benchmark_group("import");
    group.sample_size(10);
    group.throughput(Throughput::Elements(frames));
    group.bench_function("frames", |bench| {
        bench.iter(|| black_box(import(captures::frames().take_frames(frames))));
    });
    group.throughput(Throughput::Elements(commands));
    group.bench_function("commands", |bench| {
        bench.iter(|| black_box(import(captures::commands(commands))));
    });
    group.finish();
}

/// Writes a stream, if one is asked for.
fn write() -> io::Result<bool> {
    let Ok(asked) = std::env::var("SYNCSCOPE_STREAM") else {
        return Ok(false);
    };
    let (kind, size) = asked.split_once(':').unwrap_or((&asked, "1000000"));
    let mut left: u64 = size
        .parse()
        .expect("a number after `frames:` or `commands:`");
    let mut out = BufWriter::new(io::stdout().lock());
    if kind == "commands" {
        for line in captures::commands(left) {
            writeln!(out, "{line}")?;
        }
    } else {
        for line in captures::frames().take_frames(u64::MAX) {
            writeln!(out, "{line}")?;
            left = left.saturating_sub(line.len() as u64 + 1);
            if left == 0 {
                break;
            }
        }
    }
    out.flush()?;
    Ok(true)
}

fn main() {
    if write().expect("standard output takes the stream") {
        return;
    }
    let mut criterion = Criterion::default().configure_from_args();
    measure(&mut criterion);
    criterion.final_summary();
}
