//! What the reflection says of shaders, against what their sources say, and on bytes that are no shader.

use crate::sizes;
use rand::prelude::*;
use std::path::{Path, PathBuf};
use syncscope::interop::shader::{
    Binding, Count, DescriptorKind, Elements, EntryPoint, Module, Stage,
};

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn bytes(path: &str) -> Vec<u8> {
    std::fs::read(fixtures().join(path)).expect("a fixture")
}

/// The only entry point of a module.
fn entry(path: &str) -> EntryPoint {
    let module = Module::read(&bytes(path)).expect("a module");
    assert_eq!(module.entries.len(), 1, "{path}");
    module.entries.into_iter().next().expect("one")
}

/// `0.1 StorageImage[4] 0,2 read write atomic always name`.
fn text(binding: &Binding) -> String {
    let count = match binding.count {
        Count::Known(1) => String::new(),
        Count::Known(count) => format!("[{count}]"),
        Count::Unbounded => "[]".to_owned(),
    };
    let elements = match &binding.elements {
        Elements::These(all) => {
            let all: Vec<String> = all.iter().map(ToString::to_string).collect();
            all.join(",")
        }
        Elements::Any => "any".to_owned(),
    };
    let words = [
        (binding.reads, " read"),
        (binding.writes, " write"),
        (binding.atomics, " atomic"),
        (binding.always, " always"),
    ];
    let words = words.iter().filter(|(is, _)| *is).map(|(_, word)| *word);
    format!(
        "{}.{} {:?}{count} {elements}{} {}",
        binding.set,
        binding.binding,
        binding.kind,
        words.collect::<String>(),
        binding.name
    )
}

fn texts(path: &str) -> Vec<String> {
    entry(path).bindings.iter().map(text).collect()
}

#[test]
fn every_kind_of_descriptor_is_told_with_what_is_done_to_it() {
    let entry = entry("shaders/kinds.comp.spv");
    assert_eq!((entry.name.as_str(), entry.stage), ("main", Stage::Compute));
    assert!(!entry.reads_addresses && !entry.writes_addresses);
    let expected = [
        "0.0 UniformBuffer 0 read always constants",
        "0.1 StorageBuffer 0 read always source",
        "0.2 StorageBuffer 0 write always result",
        "0.3 StorageBuffer 0 read write atomic always counter",
        "0.4 CombinedImageSampler 0 read always combined",
        "0.5 SampledImage 0 read always separate",
        "0.6 Sampler 0 always own",
        "0.7 StorageImage 0 write always stored",
        "0.8 StorageImage 0 read always loaded",
        "0.9 StorageImage 0 read write atomic always counted",
        "0.10 UniformTexelBuffer 0 read always texels",
        "0.11 StorageTexelBuffer 0 read write always stored_texels",
        "0.12 StorageBuffer 0 read write always both",
        // Asked for its length only. `unused` is not listed.
        "0.13 StorageBuffer 0 sized",
        "1.0 CombinedImageSampler[] any read table",
        "1.1 CombinedImageSampler[4] 0,2 read fixed_table",
        "1.2 StorageBuffer[3] 1 write bins",
    ];
    assert_eq!(texts("shaders/kinds.comp.spv"), expected);
}

#[test]
fn descriptors_are_followed_into_functions() {
    let expected = [
        "0.0 StorageImage 0 read always a",
        "0.1 StorageImage 0 write always b",
        // Some invocations return before.
        "0.2 StorageImage 0 write late",
        "0.3 CombinedImageSampler[2] 1 read always tables",
    ];
    assert_eq!(texts("shaders/calls.comp.spv"), expected);
}

#[test]
fn memory_by_address_is_flagged() {
    let entry = entry("shaders/addresses.comp.spv");
    assert!(entry.reads_addresses && entry.writes_addresses);
    assert!(entry.bindings.is_empty());
}

#[test]
fn an_input_attachment_has_its_number() {
    let entry = entry("shaders/attachment.frag.spv");
    let before = &entry.bindings[0];
    assert_eq!(before.kind, DescriptorKind::InputAttachment);
    assert_eq!(before.input_attachment, Some(1));
    let expected = [
        "0.0 InputAttachment 0 read always before",
        "0.1 CombinedImageSampler 0 always sized",
    ];
    assert_eq!(texts("shaders/attachment.frag.spv"), expected);
}

/// Bindings of captured applications, as `spirv-dis` shows them.
#[test]
fn captured_shaders_are_read() {
    let vertex = "captures/vkcube/shaders/sh37";
    assert_eq!(texts(vertex), ["0.0 UniformBuffer 0 read always ubuf"]);
    let fragment = "captures/vkcube/shaders/sh38";
    assert_eq!(
        texts(fragment),
        ["0.1 CombinedImageSampler 0 read always tex"]
    );
    assert_eq!(
        texts("captures/vkd3d-gears/shaders/sh60"),
        ["0.0 UniformBuffer 0 read always cb0_0"]
    );
    assert!(texts("captures/vkd3d-gears/shaders/sh61").is_empty());
    // Planes of a picture, one after the other: the index is a loop's.
    assert_eq!(
        texts("captures/ffmpeg-overlay/shaders/sh95"),
        [
            "0.0 CombinedImageSampler[3] any read input_img",
            "0.1 StorageImage[3] any write always output_img"
        ]
    );
}

#[test]
fn bytes_that_are_no_module_get_a_sentence() {
    let good = bytes("shaders/calls.comp.spv");
    let wrong = |bytes: &[u8]| Module::read(bytes).expect_err("no module");
    assert_eq!(
        wrong(&[]),
        "a SPIR-V module begins with 20 bytes, and there are 0"
    );
    assert!(wrong(&good[..good.len() - 2]).contains("words of 4 bytes"));
    assert!(wrong(&[0; 24]).contains("0x07230203, not 0x00000000"));
    assert!(wrong(&good[..good.len() - 4]).contains("does not end"));
    let mut zero = good.clone();
    zero[20..24].fill(0);
    assert!(wrong(&zero).contains("the instruction at byte 20"));
    // The other byte order is a module too.
    let swapped: Vec<u8> = good
        .chunks(4)
        .flat_map(|w| w.iter().rev().copied())
        .collect();
    assert_eq!(Module::read(&swapped), Module::read(&good));
}

#[test]
fn mutated_modules_are_read_or_refused() {
    let paths = [
        "shaders/kinds.comp.spv",
        "shaders/calls.comp.spv",
        "shaders/addresses.comp.spv",
        "captures/vkd3d-gears/shaders/sh60",
    ];
    let mut read = 0;
    for seed in sizes::CASES.seeds_times(4) {
        let mut random = StdRng::seed_from_u64(seed);
        let mut module = bytes(paths.choose(&mut random).expect("one"));
        for _ in 0..random.random_range(1..8) {
            let at = random.random_range(0..module.len());
            module[at] = random.random();
        }
        if random.random_range(0..4) == 0 {
            module.truncate(random.random_range(0..module.len()));
        }
        read += usize::from(Module::read(&module).is_ok());
    }
    assert!(read > 0, "some changes leave a module");
}
