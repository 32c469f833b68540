//! A capture as a plain file, compressed, and on standard input: the same bytes come out. A cut one says what was kept.

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A capture of the fixtures, as it is compressed there and as text.
fn fixture() -> (Vec<u8>, Vec<u8>) {
    let path = crate::shaders::fixtures().join("captures/vkcube/capture.jsonl.zst");
    let compressed = std::fs::read(path).expect("a capture");
    let mut decoder = StreamingDecoder::new(&*compressed).expect("zstd");
    let mut text = Vec::new();
    decoder.read_to_end(&mut text).expect("text");
    (compressed, text)
}

fn gz(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

/// Imports a file of a folder, or standard input.
fn import(folder: &Path, name: &str, bytes: &[u8]) -> Output {
    let path = folder.join("given");
    std::fs::write(&path, bytes).expect("a file");
    if name != "-" {
        std::fs::rename(&path, folder.join(name)).expect("a name");
    }
    let input = if name == "-" {
        Stdio::from(File::open(&path).expect("a file"))
    } else {
        Stdio::null()
    };
    let mut program = Command::new(env!("CARGO_BIN_EXE_syncscope"));
    program.current_dir(folder).args(["import", name]);
    program.stdin(input).output().expect("it runs")
}

/// The scenario, which must come without a word on the side. Its title is the name of the file.
fn scenario(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

#[test]
fn each_form_of_a_file_gives_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (compressed, text) = fixture();
    let expected = scenario(&import(folder.path(), "capture.jsonl.zst", &compressed));
    assert!(expected.contains("timeline"), "{expected}");
    let half = text.len() / 2;
    let two = |pack: &dyn Fn(&[u8]) -> Vec<u8>| [pack(&text[..half]), pack(&text[half..])].concat();
    let zst = |text: &[u8]| compress_to_vec(text, CompressionLevel::Fastest);
    for (name, bytes) in [
        ("capture.jsonl", text.clone()),
        ("capture.jsonl.gz", gz(&text)),
        // Two members, and two frames, are one file.
        ("capture.jsonl.gz", two(&gz)),
        ("capture.jsonl.zst", two(&zst)),
        // What it is, not how it is called, decides.
        ("capture.jsonl", compressed.clone()),
    ] {
        assert_eq!(
            scenario(&import(folder.path(), name, &bytes)),
            expected,
            "{name}"
        );
    }
}

#[test]
fn standard_input_gives_the_same_bytes_without_a_title() {
    let folder = tempfile::tempdir().expect("a folder");
    let (compressed, text) = fixture();
    let named = scenario(&import(folder.path(), "capture.jsonl", &text));
    let untitled: Vec<&str> = named
        .lines()
        .filter(|line| !line.starts_with("scenario "))
        .collect();
    assert_eq!(untitled.len() + 1, named.lines().count(), "{named}");
    for bytes in [text.clone(), gz(&text), compressed] {
        let piped = scenario(&import(folder.path(), "-", &bytes));
        assert_eq!(piped.lines().collect::<Vec<_>>(), untitled);
    }
}

#[test]
fn what_came_before_a_cut_is_kept_and_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let (compressed, text) = fixture();
    let whole = scenario(&import(folder.path(), "capture.jsonl", &text));
    // Many blocks, so that a cut leaves some of them.
    let blocks: Vec<u8> = text
        .chunks(text.len() / 20)
        .flat_map(|part| compress_to_vec(part, CompressionLevel::Fastest))
        .collect();
    for (name, bytes) in [
        ("capture.jsonl.gz", gz(&text)),
        ("capture.jsonl.zst", blocks),
    ] {
        let cut = &bytes[..bytes.len() * 9 / 10];
        let output = import(folder.path(), name, cut);
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            said.contains("cannot be read after line") && said.contains("before are kept"),
            "{name}: {said}"
        );
        let kept = String::from_utf8_lossy(&output.stdout);
        assert!(kept.contains("timeline"), "{name}: {kept}");
        assert_ne!(kept, whole, "{name}");
    }
    // Nothing is left of one that ends in its header.
    for (name, bytes) in [
        ("capture.jsonl.gz", &gz(&text)[..20]),
        ("capture.jsonl.zst", &compressed[..20]),
    ] {
        let output = import(folder.path(), name, bytes);
        assert_eq!(output.status.code(), Some(2), "{name}: {output:?}");
        assert!(
            output.stdout.is_empty() && !output.stderr.is_empty(),
            "{name}"
        );
    }
}
