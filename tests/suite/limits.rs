//! The limits on what a text may say, as the book's table has them, and that a file over its limit is refused by its size.

use std::fmt::Write as _;
use std::fs::File;
use std::process::Command;
use std::time::{Duration, Instant};
use syncscope::finding::Source;
use syncscope::kernel;
use syncscope::run::{BASES_MAX, FINDINGS_LISTED_MAX, KERNELS_MAX};
use syncscope::scenario::{parse, parser as scenario};

/// What is limited, and to what.
const LIMITS: [(&str, u64); 30] = [
    (
        "bytes of a scenario's file",
        scenario::SOURCE_BYTES_MAX as u64,
    ),
    (
        "mistakes that are reported before the rest is not read",
        scenario::FINDINGS_MAX as u64,
    ),
    (
        "blocks inside blocks: groups, repeats",
        scenario::NESTING_MAX as u64,
    ),
    ("bytes of a name", scenario::NAME_BYTES_MAX as u64),
    ("bytes of a string", scenario::TEXT_BYTES_MAX as u64),
    ("textures and buffers", scenario::RESOURCES_MAX as u64),
    (
        "different ends of placed textures that share a byte",
        scenario::NESTED_MAX as u64,
    ),
    ("heaps", scenario::HEAPS_MAX as u64),
    ("queues, processes and threads", scenario::QUEUES_MAX as u64),
    ("fences", scenario::FENCES_MAX as u64),
    ("lists, named or in place", scenario::LISTS_MAX as u64),
    (
        "commands and barrier entries in all lists",
        scenario::COMMANDS_MAX,
    ),
    (
        "executions of one statement by the repeats around it",
        scenario::REPEAT_PRODUCT_MAX,
    ),
    (
        "statements that the timeline executes",
        scenario::STATEMENTS_MAX,
    ),
    (
        "commands that the timeline executes",
        scenario::EXECUTED_MAX,
    ),
    ("bytes of a buffer or heap", scenario::SIZE_BYTES_MAX),
    (
        "texels of a texture's width or height",
        scenario::TEXTURE_DIMENSION_MAX as u64,
    ),
    (
        "texels of a volume's depth, and array slices",
        scenario::TEXTURE_LAYERS_MAX as u64,
    ),
    (
        "thread groups in one dimension",
        scenario::GROUPS_MAX as u64,
    ),
    ("threads of a thread group", scenario::GROUP_THREADS_MAX),
    (
        "bytes of groupshared memory of a thread group",
        scenario::GROUP_SHARED_MAX,
    ),
    ("rays of a dispatch", scenario::RAYS_MAX),
    ("vertices or pixels of a draw", scenario::WORK_MAX),
    (
        "picoseconds of a duration: an hour",
        scenario::DURATION_PS_MAX,
    ),
    (
        "findings that a report lists; further ones are counted, by rule",
        FINDINGS_LISTED_MAX as u64,
    ),
    ("bytes of a kernel's file", kernel::SOURCE_BYTES_MAX as u64),
    ("threads of a kernel", kernel::THREADS_MAX as u64),
    ("instructions of a kernel", kernel::OPS_MAX as u64),
    ("different kernels of a scenario", KERNELS_MAX as u64),
    ("profile files that one is based on", BASES_MAX as u64),
];

/// A number as people read it.
fn shown(number: u64) -> String {
    if number.is_power_of_two() && number >= 1 << 30 {
        format!("2^{}", number.ilog2())
    } else if number >= 1 << 20 && number.is_multiple_of(1 << 20) {
        format!("{} × 2^20", number >> 20)
    } else if number >= 1_000_000_000 && number.is_multiple_of(1_000_000_000) {
        format!("{} × 10^9", number / 1_000_000_000)
    } else {
        number.to_string()
    }
}

/// The table as the book prints it.
pub(crate) fn table() -> String {
    let mut table = String::from("| limit on | at most |\n|---|---|\n");
    for (what, most) in LIMITS {
        let _ = writeln!(table, "| {what} | {} |", shown(most));
    }
    table
}

/// A file of a terabyte without contents: reading it would take minutes.
#[test]
fn a_file_over_the_limit_is_refused_by_its_size() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.scn");
    let file = File::create(&path).expect("a file");
    if file.set_len(1 << 40).is_err() {
        return;
    }
    let started = Instant::now();
    let mut program = Command::new(env!("CARGO_BIN_EXE_syncscope"));
    let output = program.arg("check").arg(&path).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("is larger than 192 MiB"), "{said}");
    assert!(started.elapsed() < Duration::from_secs(20), "it was read");
}

/// What is said of a word, and the line that is shown, do not grow with the word.
#[test]
fn a_word_as_long_as_the_file_is_not_repeated() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("word.scn");
    let word = "x".repeat(1 << 20);
    for text in [
        format!("queue q : direct\n{word}\n"),
        format!("queue q : {word}\n"),
        format!("queue q : direct\nlist l : direct {{ dispatch \"{word}\" 1x1x1 }}\n"),
    ] {
        std::fs::write(&path, text).expect("a file");
        let mut program = Command::new(env!("CARGO_BIN_EXE_syncscope"));
        let output = program.arg("check").arg(&path).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("xxx"), "{said}");
        assert!(said.len() < 16 << 10, "{} bytes are said", said.len());
    }
}

/// Textures of different sizes at one place cut each other into ranges.
#[test]
fn nested_textures_have_a_limit() {
    let text = |count: usize| {
        let mut text = String::from("heap pool : 2MiB\n");
        for height in 1..=count {
            let _ = writeln!(
                text,
                "texture t{height} : R8G8B8A8_UNORM 64x{height} {{ heap pool at 0 }}"
            );
        }
        // Of one size, and next to each other.
        for place in 0..1_024 {
            let at = if place % 2 == 0 {
                0
            } else {
                place / 2 * 65_536 + (1 << 20)
            };
            let _ = writeln!(
                text,
                "texture u{place} : R8G8B8A8_UNORM 64x1 {{ heap pool at {at}B }}"
            );
        }
        text
    };
    let findings = |count| parse(&Source::new("nested", text(count))).1;
    assert!(findings(scenario::NESTED_MAX).is_empty());
    let too_many = findings(scenario::NESTED_MAX + 1);
    let said: Vec<_> = too_many
        .iter()
        .map(|found| (found.rule.id, &*found.message))
        .collect();
    assert_eq!(
        said,
        [(
            "SC007",
            "more than 256 textures over one byte of the heap `pool`, each ending at another byte"
        )]
    );
}
