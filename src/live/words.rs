//! Which words may be at a place, and what a word means, as `assist` says.

use super::Question;
use crate::assist::places::{byte_of, word_at};
use crate::assist::{Language, meaning, words};
use crate::run::lesson::Kind;
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

/// The words that may be in the place of the one at the cursor. On a page, only scenarios have them.
pub(super) fn at(question: &Question) -> Words {
    if question.kind() != Kind::Scenario {
        return Words { words: Vec::new() };
    }
    let source = question.source();
    let at = byte_of(&source.text, question.at);
    let found = words::at(&source, Language::Scenario, at).words.into_iter();
    Words {
        words: found.map(|it| (it.word, it.means)).collect(),
    }
}

/// What the word at the cursor means.
pub(super) fn hover(question: &Question) -> Meaning {
    let source = question.source();
    let word = word_at(&source.text, byte_of(&source.text, question.at));
    let word = source.text.get(word.start as usize..word.end as usize);
    Meaning {
        says: word
            .and_then(meaning::of_word)
            .filter(|_| question.kind() == Kind::Scenario),
    }
}
