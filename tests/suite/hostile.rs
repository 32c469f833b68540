//! Nothing that parses makes `check` or `run` panic: scenes of extremes, from seeds, under every lowering.
//!
//! `robustness.rs` throws noise at the parser; here the text mostly parses, and what it says is hostile: sizes of zero
//! and of 2^64, ranges with fields of 0xffffffff, empty lists, thousands of subresources, numbers that no header
//! knows, legacy and enhanced barriers on one resource, fences that nobody signals.
//!
//! Longer than other files: a third of it is tables of hostile words, next to the generator that takes them.

use crate::sizes;
use rand::prelude::*;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use syncscope::finding::Source;
use syncscope::run::Registry;
use syncscope::{catalog, run};

type Words = &'static [&'static str];

const SIZES: Words = &[
    "0",
    "1",
    "255",
    "4KiB",
    "64KiB",
    "1MiB",
    "16GiB",
    "18446744073709551615",
    "0xffffffff",
];
const FORMATS: Words = &[
    "R8G8B8A8_UNORM",
    "D24_UNORM_S8_UINT",
    "D32_FLOAT_S8X24_UINT",
    "NV12",
    "P010",
    "BC1_UNORM",
    "R8_UINT",
    "R32G32B32A32_FLOAT",
    "UNKNOWN",
];
const EXTENTS: Words = &[
    "0x0",
    "1x1",
    "1x1x1",
    "64x64",
    "3x5",
    "16384x16384",
    "64x64x64",
    "4294967295x4294967295",
    "1x16384",
];
const COUNTS: Words = &[
    "0",
    "1",
    "2",
    "3",
    "4",
    "7",
    "15",
    "64",
    "2048",
    "4294967295",
];
const FIELDS: Words = &[
    "0",
    "1",
    "2",
    "3",
    "5",
    "15",
    "2047",
    "0x7fffffff",
    "0xfffffffe",
    "0xffffffff",
];
const FLAGS: Words = &[
    "RENDER_TARGET",
    "UNORDERED_ACCESS",
    "DEPTH_STENCIL",
    "SIMULTANEOUS_ACCESS",
    "DENY_SHADER_RESOURCE",
    "RAYTRACING_ACCELERATION_STRUCTURE",
    "RENDER_TARGET|UNORDERED_ACCESS",
    "UNORDERED_ACCESS|SIMULTANEOUS_ACCESS",
];
const LAYOUTS: Words = &[
    "COMMON",
    "UNDEFINED",
    "RENDER_TARGET",
    "SHADER_RESOURCE",
    "UNORDERED_ACCESS",
    "COPY_DEST",
    "COPY_SOURCE",
    "GENERIC_READ",
    "DIRECT_QUEUE_COMMON",
    "COMPUTE_QUEUE_COMMON",
    "VIDEO_QUEUE_COMMON",
    "DEPTH_STENCIL_WRITE",
    "RESOLVE_DEST",
    "31",
    "32",
    "77",
    "0x80000001",
    "0xfffffffe",
    "LEGACY_COPY_DEST",
];
const SYNCS: Words = &[
    "NONE",
    "ALL",
    "DRAW",
    "COPY",
    "COMPUTE_SHADING",
    "RENDER_TARGET",
    "SPLIT",
    "SPLIT|COPY",
    "ALL_SHADING",
    "PIXEL_SHADING|COPY",
    "0x800",
    "0x200",
    "0x7fffffff",
    "0xffffffff",
    "VIDEO_DECODE",
    "CLEAR_UNORDERED_ACCESS_VIEW",
];
const ACCESSES: Words = &[
    "COMMON",
    "NO_ACCESS",
    "RENDER_TARGET",
    "UNORDERED_ACCESS",
    "SHADER_RESOURCE",
    "COPY_DEST",
    "COPY_SOURCE",
    "CONSTANT_BUFFER",
    "NO_ACCESS|COPY_DEST",
    "0x40000000",
    "0xffffffff",
    "VIDEO_DECODE_READ",
    "DEPTH_STENCIL_WRITE",
    "RAYTRACING_ACCELERATION_STRUCTURE_WRITE",
    "VERTEX_BUFFER|INDEX_BUFFER",
    "RESOLVE_SOURCE",
];
const STATES: Words = &[
    "COMMON",
    "RENDER_TARGET",
    "UNORDERED_ACCESS",
    "COPY_DEST",
    "COPY_SOURCE",
    "PIXEL_SHADER_RESOURCE",
    "PIXEL_SHADER_RESOURCE|NON_PIXEL_SHADER_RESOURCE",
    "RENDER_TARGET|COPY_SOURCE",
    "DEPTH_WRITE",
    "GENERIC_READ",
];
const TEXTURE_RANGES: Words = &[
    "",
    "",
    "",
    "[mip 0]",
    "[mip 1..3, layer 0..2]",
    "[layer 0]",
    "[plane 1]",
    "[subresource 0]",
    "[subresource 4097]",
    "[mip 0, layer 0, plane 0]",
    "[mip 3..1]",
    "[mip 4294967295]",
    "[subresource 0xffffffff]",
    "[mip 0, rect 0,0 16x16]",
    "[mip 0, rect 0,0 0x0]",
    "[mip 0, rect 4294967295,1 4294967295x1]",
    "[layer 1..2048]",
];
const BUFFER_RANGES: Words = &[
    "",
    "",
    "",
    "[0..0]",
    "[0..1]",
    "[0..256]",
    "[255..257]",
    "[1..18446744073709551615]",
    "[4KiB..0]",
    "[64KiB..1MiB]",
];
const VALUES: Words = &["0", "1", "2", "3", "18446744073709551615", "+1", "+0"];
const QUEUES: Words = &[
    "direct",
    "direct",
    "compute",
    "copy",
    "video_decode",
    "video_process",
    "video_encode",
];

fn of(random: &mut StdRng, words: Words) -> &'static str {
    words.choose(random).expect("words")
}

/// A resource's name with a range that suits its kind, mostly.
fn target(random: &mut StdRng) -> String {
    let texture = random.random_range(0..20) > 0;
    if random.random() {
        let range = of(
            random,
            if texture {
                TEXTURE_RANGES
            } else {
                BUFFER_RANGES
            },
        );
        format!("t{}{range}", random.random_range(0..3))
    } else {
        let range = of(
            random,
            if texture {
                BUFFER_RANGES
            } else {
                TEXTURE_RANGES
            },
        );
        format!("b{}{range}", random.random_range(0..3))
    }
}

/// Declarations: three textures, three buffers, a heap, fences, queues.
fn declarations(random: &mut StdRng, out: &mut String) {
    let mut line = |text: String| writeln!(out, "{text}").expect("a string");
    if random.random_range(0..4) == 0 {
        let on = ["on", "off"][random.random_range(0..2)];
        line(format!(
            "device {{ copies asynchronous; capability enhanced-barriers {on} }}"
        ));
    }
    line(format!("heap h : {}", of(random, SIZES)));
    let place = |random: &mut StdRng| match random.random_range(0..6) {
        0 => "; reserved".to_owned(),
        1 | 2 => format!(
            "; heap h at {}",
            of(random, &["0", "64KiB", "4MiB", "1", "0xffffffffffff0000"])
        ),
        _ => String::new(),
    };
    for i in 0..3 {
        let tame = random.random_range(0..3) > 0;
        let (extent, format) = if tame {
            ("64x64", "R8G8B8A8_UNORM")
        } else {
            (of(random, EXTENTS), of(random, FORMATS))
        };
        let (mips, layers) = if tame {
            ("2", "2")
        } else {
            (of(random, COUNTS), of(random, COUNTS))
        };
        let initial = match random.random_range(0..4) {
            0 => format!("; initial {}", of(random, LAYOUTS)),
            1 => format!("; state {}", of(random, STATES)),
            _ => String::new(),
        };
        let (flags, place) = (of(random, FLAGS), place(random));
        line(format!(
            "texture t{i} : {format} {extent} {{ mips {mips}; layers {layers}; flags {flags}{initial}{place} }}"
        ));
    }
    for i in 0..3 {
        let (size, flags, place) = (of(random, SIZES), of(random, FLAGS), place(random));
        line(format!("buffer b{i} : {size} {{ flags {flags}{place} }}"));
    }
    line(format!(
        "fence f = {}",
        of(random, VALUES).trim_start_matches('+')
    ));
    line("fence g { kind native }".into());
    for i in 0..3 {
        line(format!("queue q{i} : {}", of(random, QUEUES)));
    }
}

fn entry(random: &mut StdRng) -> String {
    let pair =
        |random: &mut StdRng, words| format!("{} -> {}", of(random, words), of(random, words));
    let (sync, access) = (pair(random, SYNCS), pair(random, ACCESSES));
    let layout = pair(random, LAYOUTS);
    let id = random.random_range(0..3);
    match random.random_range(0..12) {
        0 => format!("global {{ sync {sync}; access {access} }}"),
        1 => format!("texture null {{ sync {sync}; access {access}; layout {layout} }}"),
        2 => format!("buffer null {{ sync {sync}; access {access} }}"),
        3 => "texture { }".into(),
        4 => format!("buffer t{id} {{ sync {sync}; access {access} }}"),
        5 | 6 => {
            let (offset, size) = (of(random, SIZES), of(random, SIZES));
            format!("buffer b{id} {{ sync {sync}; access {access}; offset {offset}; size {size} }}")
        }
        7 => {
            let what = ["atomic-copy", "acquire", "release"][random.random_range(0..3)];
            format!("ranged {} {{ {what} }}", target(random))
        }
        8 | 9 => {
            let fields: Vec<_> = (0..6).map(|_| of(random, FIELDS)).collect();
            format!(
                "texture t{id} {{ sync {sync}; access {access}; layout {layout}; range {} }}",
                fields.join(" ")
            )
        }
        _ => {
            let discard = if random.random() { "; discard" } else { "" };
            let range = of(random, TEXTURE_RANGES);
            format!(
                "texture t{id}{range} {{ sync {sync}; access {access}; layout {layout}{discard} }}"
            )
        }
    }
}

fn uses(random: &mut StdRng) -> String {
    let count = random.random_range(0..3);
    let all: Vec<_> = (0..count)
        .map(|_| format!("{} {}", of(random, ACCESSES), target(random)))
        .collect();
    all.join("; ")
}

fn command(random: &mut StdRng, depth: u32, out: &mut String) {
    let line = match random.random_range(0..22) {
        0..7 => {
            let entries: Vec<_> = (0..random.random_range(0..4))
                .map(|_| entry(random))
                .collect();
            format!("barrier {{ {} }}", entries.join("; "))
        }
        7 => format!(
            "draw \"d\" vertices {} pixels {} {{ {} }}",
            of(random, COUNTS),
            of(random, COUNTS),
            uses(random)
        ),
        8 => format!(
            "dispatch {} {{ {} }}",
            of(random, &["1x1x1", "0x0x0", "65535x65535x65535"]),
            uses(random)
        ),
        9 => format!(
            "dispatch-rays {} {{ {} }}",
            of(random, &["1x1", "0x0", "64x64"]),
            uses(random)
        ),
        10 => format!("copy {} -> {}", target(random), target(random)),
        11 => format!("resolve {} -> {}", target(random), target(random)),
        12 => format!(
            "{} {}",
            of(
                random,
                &[
                    "clear-rtv",
                    "clear-dsv",
                    "clear-uav",
                    "discard",
                    "predicate"
                ]
            ),
            target(random)
        ),
        13 => format!(
            "set-root {} {{ {} }}",
            of(random, &["graphics", "compute"]),
            uses(random)
        ),
        14 => format!("assert access {} {}", target(random), of(random, ACCESSES)),
        15 => format!("assert layout {} {}", target(random), of(random, LAYOUTS)),
        16 => format!(
            "legacy {{ transition {} {} -> {} {} }}",
            target(random),
            of(random, STATES),
            of(random, STATES),
            of(random, &["", "begin", "end"])
        ),
        17 => format!(
            "legacy {{ uav {}; alias * -> * }}",
            of(random, &["*", "t0", "b0"])
        ),
        18 if depth < 3 => {
            let mut inner = String::new();
            for _ in 0..random.random_range(0..3) {
                command(random, depth + 1, &mut inner);
            }
            format!("marker \"m\" {{\n{inner}}}")
        }
        19 => format!(
            "execute-indirect \"e\" {} {{ INDIRECT_ARGUMENT b0; {} }}",
            of(random, &["draw", "dispatch", "rays"]),
            uses(random)
        ),
        20 => format!(
            "{} f {} {{ {} }}",
            of(random, &["signal-barrier", "wait-barrier"]),
            of(random, &["0", "1", "2"]),
            entry(random)
        ),
        _ => of(
            random,
            &[
                "execute-bundle k",
                "build-as \"x\" { }",
                "copy-as b0 -> b1",
                "emit-as-postbuild b0 -> b1",
                "dispatch 1x1x1 takes 5us { }",
            ],
        )
        .into(),
    };
    writeln!(out, "{line}").expect("a string");
}

fn statement(random: &mut StdRng, depth: u32, out: &mut String) {
    let queue = random.random_range(0..3);
    let line = match random.random_range(0..16) {
        0..7 => {
            let count = random.random_range(1..3);
            let lists: Vec<_> = (0..count)
                .map(|_| format!("l{}", random.random_range(0..4)))
                .collect();
            format!("q{queue} execute {}", lists.join(", "))
        }
        7 => format!("q{queue} signal f {}", of(random, VALUES)),
        8 => format!("q{queue} wait f {}", of(random, VALUES)),
        9 => format!(
            "cpu {} f {}",
            of(random, &["signal", "wait"]),
            of(random, VALUES)
        ),
        10 => format!(
            "cpu {} b0{}",
            of(random, &["write", "read"]),
            of(random, BUFFER_RANGES)
        ),
        11 => format!("q{queue} present t0"),
        12 => of(
            random,
            &[
                "cpu work 5us",
                "cpu work 0ns",
                "reset device",
                "reset queue q1",
            ],
        )
        .into(),
        13 if depth < 2 => {
            let mut inner = String::new();
            for _ in 0..random.random_range(0..3) {
                statement(random, depth + 1, &mut inner);
            }
            format!("repeat {} {{\n{inner}}}", of(random, &["0", "1", "3", "7"]))
        }
        14 => {
            let mut inner = String::new();
            command(random, 1, &mut inner);
            format!("q{queue} execute {{\n{inner}}}")
        }
        _ => format!("q{queue} signal g 1"),
    };
    writeln!(out, "{line}").expect("a string");
}

fn scene(seed: u64) -> String {
    let random = &mut StdRng::seed_from_u64(seed);
    let mut text = String::new();
    declarations(random, &mut text);
    let kinds: Vec<_> = text
        .lines()
        .filter_map(|l| l.strip_prefix("queue q"))
        .map(|l| l[4..].to_owned())
        .collect();
    writeln!(text, "list k : bundle {{ draw {{ {} }} }}", uses(random)).expect("a string");
    for i in 0..4 {
        let kind = kinds.choose(random).expect("queues");
        writeln!(text, "list l{i} : {kind} {{").expect("a string");
        for _ in 0..random.random_range(0..6) {
            command(random, 0, &mut text);
        }
        text.push_str("}\n");
    }
    if random.random_range(0..10) > 0 {
        text.push_str("timeline {\n");
        for _ in 0..random.random_range(0..7) {
            statement(random, 0, &mut text);
        }
        text.push_str("}\n");
    }
    text
}

/// What happened to a text: whether it was accepted, or what panicked.
fn survives(text: &str, registry: &Registry) -> Result<bool, String> {
    let told = |panic: Box<dyn std::any::Any + Send>| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
            .unwrap_or_default()
    };
    let source = Source::new("hostile.scn", text);
    let report = catch_unwind(AssertUnwindSafe(|| {
        run::check(&source, &run::Options::default())
    }))
    .map_err(|panic| format!("check: {}", told(panic)))?;
    if report
        .findings
        .iter()
        .any(|f| f.rule.family() == "SC" && f.severity.fails())
    {
        return Ok(false);
    }
    for lowering in &registry.lowerings {
        let options = run::Options {
            lowering: Some(lowering.name().into()),
            ..run::Options::default()
        };
        catch_unwind(AssertUnwindSafe(|| run::run(&source, registry, &options)))
            .map_err(|panic| format!("run with {}: {}", lowering.name(), told(panic)))?
            .ok();
    }
    // Every machine in one table takes as long as all of that: some texts do.
    if text.len().is_multiple_of(8) {
        let names: Vec<String> = registry.profiles.iter().map(|p| p.name.into()).collect();
        let options = run::Options::default();
        catch_unwind(AssertUnwindSafe(|| {
            run::on_profiles(&source, registry, &names, &options)
        }))
        .map_err(|panic| format!("on all profiles: {}", told(panic)))?
        .ok();
    }
    Ok(true)
}

/// Takes lines away for as long as the text panics.
fn shrink(text: &str, registry: &Registry) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        let mut less = lines.clone();
        less.remove(at);
        if survives(&less.join("\n"), registry).is_err() {
            (lines, at) = (less, 0);
        } else {
            at += 1;
        }
    }
    lines.join("\n")
}

/// Lines that do not parse are taken out, so that the rest gets a chance.
fn tamed(text: String) -> String {
    let mut text = text;
    for _ in 0..40 {
        let source = Source::new("hostile.scn", text.clone());
        let (_, findings) = syncscope::scenario::parse(&source);
        let bad: Vec<usize> = findings
            .iter()
            .filter(|f| f.severity.fails())
            .map(|f| source.line(f.span.start) as usize - 1)
            .collect();
        if bad.is_empty() {
            break;
        }
        // A line with a brace left open would take the rest with it.
        let keep = |line: &str| match (line.ends_with('{'), line.trim_start().starts_with('}')) {
            (true, _) => "marker \"x\" {".to_owned(),
            (_, true) => "}".to_owned(),
            _ => String::new(),
        };
        let declares = |line: &str| {
            ["texture t", "buffer b", "heap", "queue", "fence"]
                .iter()
                .any(|w| line.starts_with(w))
        };
        text = text
            .lines()
            .enumerate()
            .map(|(i, line)| match () {
                () if !bad.contains(&i) => line.to_owned(),
                () if declares(line) && line.starts_with("texture") => {
                    format!("{} : R8_UINT 8x8", line.split(" :").next().expect("a name"))
                }
                () if declares(line) && line.starts_with("buffer") => {
                    format!("{} : 256", line.split(" :").next().expect("a name"))
                }
                () if declares(line) => "heap h : 64MiB".to_owned(),
                () => keep(line),
            })
            .collect::<Vec<_>>()
            .join("\n");
    }
    text
}

#[test]
fn nothing_that_parses_makes_a_run_panic() {
    let registry = catalog::registry();
    let seeds = sizes::HOSTILE.seeds();
    let count = seeds.end - seeds.start;
    let mut accepted = 0;
    let mut panics = std::collections::BTreeMap::new();
    let mut slowest = (std::time::Duration::ZERO, 0);
    for seed in seeds {
        let start = std::time::Instant::now();
        let raw = scene(seed);
        for text in [raw.clone(), tamed(raw)] {
            match survives(&text, &registry) {
                Ok(yes) => accepted += u64::from(yes),
                Err(told) if panics.len() < 8 => {
                    panics
                        .entry(told)
                        .or_insert_with(|| shrink(&text, &registry));
                }
                Err(_) => {}
            }
        }
        slowest = slowest.max((start.elapsed(), seed));
    }
    println!(
        "{accepted} of {count} scenes run; the slowest took {:?} (seed {})",
        slowest.0, slowest.1
    );
    let all: Vec<_> = panics
        .iter()
        .map(|(told, text)| format!("{told}\n{text}"))
        .collect();
    assert!(all.is_empty(), "{}", all.join("\n\n"));
    assert!(
        accepted * 2 > count,
        "only {accepted} of {count} scenes were accepted"
    );
}
