//! Random edits: the server's text stays the editor's, answers come in order, and nothing stale is shown.

use super::client::{Editor, place};
use super::{SCENE, URI};
use crate::sizes;
use rand::prelude::*;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::Command;

/// Pieces that are typed.
const PIECES: [&str; 16] = [
    "\n",
    " ",
    "{",
    "}",
    "é",
    "𝄞",
    "//",
    "barrier",
    "dispatch 1x1x1 { SHADER_RESOURCE b }\n",
    "\r\n",
    "\"",
    "4KiB",
    "->",
    "list",
    "gfx signal f = 1\n",
    "texture t : R8G8B8A8_UNORM 4x4\n",
];

/// A place of a text that is between two characters.
fn random_byte(random: &mut StdRng, text: &str) -> usize {
    let mut at = random.random_range(0..=text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// One change as an editor tells it, made on the text too.
fn change(random: &mut StdRng, text: &mut String) -> Value {
    let start = random_byte(random, text);
    let mut end = start;
    if random.random_range(0..3) == 0 {
        end = text.len().min(start + random.random_range(0..40));
        while !text.is_char_boundary(end) {
            end += 1;
        }
    }
    // Between `\r` and `\n` is no place.
    let splits = |at: usize| {
        at > 0 && text.as_bytes()[at - 1] == b'\r' && text.as_bytes().get(at) == Some(&b'\n')
    };
    let (start, end) = (
        start - usize::from(splits(start)),
        end + usize::from(splits(end)),
    );
    let piece = *PIECES.choose(random).expect("a piece");
    let range = json!({"start": place(text, start), "end": place(text, end)});
    text.replace_range(start..end, piece);
    json!({"range": range, "text": piece})
}

/// The version of a text that something shown is about.
fn version_of(message: &Value) -> Option<i64> {
    message["params"]["version"].as_i64()
}

#[test]
fn two_hundred_edits_leave_the_same_text_and_nothing_stale() {
    let mut random = StdRng::seed_from_u64(39);
    let mut editor = Editor::start();
    let mut text = SCENE.to_owned();
    editor.open(URI, 0, &text);
    let mut asked: Vec<i64> = Vec::new();
    for version in 1..=200 {
        if version % 40 == 0 {
            text = SCENE.to_owned();
            editor.change(URI, version, &json!([{"text": text}]));
        } else {
            let many = random.random_range(1..3);
            let changes: Vec<Value> = (0..many).map(|_| change(&mut random, &mut text)).collect();
            editor.change(URI, version, &json!(changes));
        }
        let method = *[
            "completion",
            "hover",
            "definition",
            "signatureHelp",
            "prepareRename",
        ]
        .choose(&mut random)
        .expect("a method");
        let at = random_byte(&mut random, &text);
        let params = json!({"textDocument": {"uri": URI}, "position": place(&text, at)});
        asked.push(editor.request(&format!("textDocument/{method}"), &params));
        if version % 10 == 0 {
            let params = json!({"textDocument": {"uri": URI}});
            for method in ["semanticTokens/full", "foldingRange", "documentSymbol"] {
                asked.push(editor.request(&format!("textDocument/{method}"), &params));
            }
        }
    }
    // The text as the server has it is what formatting is a difference to; a text without mistakes has one.
    let end = 201;
    editor.change(URI, end, &json!([{"text": text}]));
    let mut answers: Vec<i64> = Vec::new();
    while answers.len() < asked.len() {
        let message = editor.read();
        if let Some(id) = message["id"].as_i64() {
            assert!(message.get("error").is_none(), "{message}");
            answers.push(id);
        } else {
            editor.told.push_back(message);
        }
    }
    assert_eq!(answers, asked, "answers come in the order of the questions");
    // What is shown last is what the program says of the same text.
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.scn");
    std::fs::write(&path, &text).expect("a file");
    let ran = Command::new(env!("CARGO_BIN_EXE_syncscope"))
        .args(["run", "--format", "json", "--parts", "findings"])
        .arg(&path)
        .output()
        .expect("it runs");
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap_or_default();
    let rules = |all: &[Value], key: &str| -> Vec<String> {
        let words = all.iter().map(|it| it[key].as_str().unwrap_or(""));
        let mut rules: Vec<String> = words.map(str::to_owned).collect();
        rules.sort();
        rules
    };
    let found = report["findings"].as_array();
    let mut versions: Vec<i64> = Vec::new();
    loop {
        versions.extend(editor.told.iter().filter_map(version_of));
        let shown = editor.diagnostics(URI, end);
        versions.push(end);
        if found.is_none_or(|found| rules(&shown, "code") == rules(found, "rule")) {
            break;
        }
    }
    assert!(versions.is_sorted(), "{versions:?}");
    assert_eq!(editor.leave(), Some(0));
}

/// The server makes each change as the editor does: text is formatted, and the difference leads to the printed text.
#[test]
fn changes_in_wide_text_are_made_where_they_are_meant() {
    let mut random = StdRng::seed_from_u64(7);
    let mut editor = Editor::start();
    let mut text = String::from("// é𝄞\nqueue gfx : direct\n");
    editor.open(URI, 0, &text);
    for version in 1..=60 {
        // Only comments grow, so that the text stays right.
        let end = text.find('\n').expect("a line");
        let mut at = random.random_range(3..=end);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let piece = *["é", "𝄞", "x", "ß"].choose(&mut random).expect("a piece");
        let range = json!({"start": place(&text, at), "end": place(&text, at)});
        text.insert_str(at, piece);
        editor.change(URI, version, &json!([{"range": range, "text": piece}]));
    }
    let tokens = editor.about("semanticTokens/full", URI, &json!({}));
    let comment = text.lines().next().expect("a line").encode_utf16().count();
    assert_eq!(tokens["data"][2], comment);
    let formatted = editor.about(
        "formatting",
        URI,
        &json!({"options": {"tabSize": 2, "insertSpaces": true}}),
    );
    assert_eq!(
        super::client::edited(&text, formatted.as_array().expect("edits")),
        text
    );
    assert_eq!(editor.leave(), Some(0));
}

/// A list of ten thousand lines: 64 buffers that are written and read, with a barrier before each.
fn long() -> String {
    let mut text = String::new();
    for buffer in 0..64 {
        let _ = writeln!(text, "buffer b{buffer} : 4KiB {{ flags UNORDERED_ACCESS }}");
    }
    text += "queue q : direct\nlist l : direct {\n";
    for at in 0..2_480 {
        let _ = writeln!(
            text,
            "  dispatch \"w{at}\" 4x1x1 {{ UNORDERED_ACCESS b{0} writes }}
  barrier {{ buffer b{0} {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }} }}
  dispatch \"r{at}\" 4x1x1 {{ SHADER_RESOURCE b{0} }}
  barrier {{ buffer b{0} {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> UNORDERED_ACCESS }} }}",
            at % 64
        );
    }
    text + "}\ntimeline { q execute l }\n"
}

#[test]
fn many_edits_of_ten_thousand_lines_need_little_memory() {
    let mut editor = Editor::start();
    let text = long();
    editor.open(URI, 0, &text);
    assert!(editor.diagnostics(URI, 0).is_empty(), "the text is right");
    // The quick tier types a third of a thousand edits.
    for version in 1..=if sizes::step(2, 1) == 1 { 1_000 } else { 300 } {
        // What one edit types, the next one takes away.
        let line = 5_000 + (version - 1) / 2 % 32;
        let (from, to, typed) = if version % 2 == 1 {
            (2, 2, "x")
        } else {
            (2, 3, "")
        };
        let range = json!({"start": {"line": line, "character": from}, "end": {"line": line, "character": to}});
        editor.change(URI, version, &json!([{"range": range, "text": typed}]));
        if version % 100 == 0 {
            for method in ["semanticTokens/full", "foldingRange", "documentSymbol"] {
                editor.about(method, URI, &json!({}));
            }
            editor.diagnostics(URI, version);
        }
    }
    if let Some(peak) = editor.memory_mib() {
        assert!(peak < 150, "{peak} MiB");
    }
    assert_eq!(editor.leave(), Some(0));
}
