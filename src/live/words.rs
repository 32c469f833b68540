//! Which words may be at a place, and what a word means.

use super::Question;
use super::marks::byte_of;
use crate::api::{BarrierAccess, BarrierSync, Layout, Leaf, compat};
use crate::finding::Source;
use crate::run::lesson::Kind;
use crate::scenario::parser::words_at;
use serde::Serialize;

/// Words for a place, each with what it means if that is known.
#[derive(Serialize)]
pub(super) struct Words {
    words: Vec<(String, String)>,
}

/// What the word at a place means.
#[derive(Serialize)]
pub(super) struct Meaning {
    says: Option<String>,
}

/// The words that may be in the place of the one at the cursor. Other languages than scenarios have none yet.
pub(super) fn at(question: &Question) -> Words {
    if question.kind() != Kind::Scenario {
        return Words { words: Vec::new() };
    }
    let source = question.source();
    let words = words_at(
        &source,
        word_at(&source, byte_of(&source.text, question.at)).0,
    );
    let with_meaning = |word: String| {
        let meaning = meaning_of(&word).map_or_else(String::new, |it| {
            it.split(':').next().unwrap_or_default().to_owned()
        });
        (word, meaning)
    };
    Words {
        words: words.into_iter().map(with_meaning).collect(),
    }
}

/// What the word at the cursor means.
pub(super) fn hover(question: &Question) -> Meaning {
    let source = question.source();
    let (from, to) = word_at(&source, byte_of(&source.text, question.at));
    let says = source.text.get(from..to).and_then(meaning_of);
    Meaning {
        says: says.filter(|_| question.kind() == Kind::Scenario),
    }
}

/// Where the word at a byte begins and ends.
fn word_at(source: &Source, at: usize) -> (usize, usize) {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let (before, after) = source.text.as_bytes().split_at(at);
    let back = before.iter().rev().take_while(|byte| is_word(byte)).count();
    let on = after.iter().take_while(|byte| is_word(byte)).count();
    (at - back, at + on)
}

/// What a name of D3D12 means. A name may be an access, a scope and a layout: each is told.
fn meaning_of(word: &str) -> Option<String> {
    let mut says = Vec::new();
    if let Some(access) = BarrierAccess::parse_one(word) {
        says.push(access_says(access));
    }
    if let Some(sync) = BarrierSync::parse_one(word) {
        says.push(format!(
            "synchronization scope {:#x}: {}",
            sync.bits(),
            stages(sync)
        ));
    }
    if let Some(layout) = Layout::parse(word) {
        let accesses = compat::layout_accesses(layout);
        says.push(format!("layout {:#x}: allows {accesses}", layout.value()));
    }
    (!says.is_empty()).then(|| says.join("\n"))
}

fn access_says(access: BarrierAccess) -> String {
    let does = match (access.reads(), access.writes()) {
        (true, true) => "reads and writes",
        (false, true) => "writes",
        (true, false) => "reads",
        (false, false) => "touches nothing",
    };
    let leaves = compat::access_leaves(access);
    let at = if leaves.is_empty() {
        String::new()
    } else {
        format!(" at {}", BarrierSync::named(leaves))
    };
    format!("access {:#x}: {does}{at}", access.bits())
}

fn stages(sync: BarrierSync) -> String {
    let leaves: Vec<&str> = sync.leaves().iter().map(Leaf::name).collect();
    if leaves.is_empty() {
        "no stage".to_owned()
    } else {
        leaves.join(", ")
    }
}
