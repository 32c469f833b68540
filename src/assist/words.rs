//! Which words may be at a place, and what is expected there.

use super::Language;
use super::meaning::of_word;
use super::places::word_at;
use crate::finding::{Source, Span};
use crate::hardware::Profile;
use crate::kernel;
use crate::lower::rules;
use crate::scenario;
use crate::tokens::Offer;

/// A word for a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// The word.
    pub word: String,
    /// What it is, in a few words; empty if nothing is to be said.
    pub means: String,
}

/// Words for a place.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Words {
    /// The word at the place, which one of these replaces.
    pub replaces: Span,
    /// Those that may be there.
    pub words: Vec<Word>,
    /// What is expected there, as a message says it.
    pub wanted: Option<String>,
}

/// The words that may be in the place of the one at a byte. What is after it plays no part.
///
/// Cost: one reading of the text before the place.
pub fn at(source: &Source, language: Language, at: usize) -> Words {
    let replaces = word_at(&source.text, at);
    if is_in_comment(&source.text, replaces.start as usize, language) {
        return Words {
            replaces,
            ..Words::default()
        };
    }
    let start = replaces.start as usize;
    let offer = match language {
        Language::Scenario => scenario::parser::offer_at(source, start),
        Language::Litmus => kernel::parser::offer_at(source, start),
        Language::Rules => rules::parser::offer_at(source, start),
        Language::Profile => of_profile(&source.text, start),
    };
    let mut words: Vec<Word> = Vec::with_capacity(offer.words.len());
    let optional = offer.optional.iter().map(|word| (*word).to_owned());
    for word in offer.words.into_iter().chain(optional) {
        if words.iter().all(|known| known.word != word) {
            words.push(with_meaning(word));
        }
    }
    Words {
        replaces,
        words,
        wanted: offer.wanted,
    }
}

/// Whether a comment goes up to a byte.
fn is_in_comment(text: &str, at: usize, language: Language) -> bool {
    let head = text.get(..at).unwrap_or_default();
    let line = head.rsplit('\n').next().unwrap_or_default();
    let sign = if language == Language::Profile {
        "#"
    } else {
        "//"
    };
    let Some(comment) = line.find(sign) else {
        return false;
    };
    // A sign in a string is none.
    line[..comment].matches('"').count().is_multiple_of(2)
}

fn with_meaning(word: String) -> Word {
    let means = of_word(&word).map_or_else(String::new, |it| {
        it.split(':').next().unwrap_or_default().to_owned()
    });
    Word { word, means }
}

/// The keys of a table of a profile, from the schema of profiles.
fn of_profile(text: &str, at: usize) -> Offer {
    let head = text.get(..at).unwrap_or_default();
    let (lines, line) = head.rsplit_once('\n').unwrap_or(("", head));
    let schema: serde_json::Value = serde_json::from_str(Profile::SCHEMA.text).unwrap_or_default();
    let is_header = line.trim_start().starts_with('[');
    if !is_header && !line.trim().is_empty() {
        return Offer::default();
    }
    let table = lines.lines().rev().find_map(|line| {
        let line = line.trim();
        let name = line.strip_prefix('[')?.trim_start_matches('[');
        Some(name.split(']').next().unwrap_or_default().trim().to_owned())
    });
    let mut of = &schema;
    if !is_header {
        for step in table.as_deref().unwrap_or_default().split('.') {
            if !step.is_empty() {
                of = inside(&schema, of, step);
            }
        }
    }
    let properties = resolved(&schema, of)["properties"].as_object();
    let keys = properties.into_iter().flatten().map(|(key, _)| key.clone());
    Offer {
        words: keys.collect(),
        wanted: Some("a key of the table".to_owned()),
        ..Offer::default()
    }
}

/// What a schema refers to, if it only refers.
fn resolved<'s>(schema: &'s serde_json::Value, of: &'s serde_json::Value) -> &'s serde_json::Value {
    let alternatives = of["anyOf"].as_array().into_iter().flatten();
    let refers = |it: &'s serde_json::Value| it["$ref"].as_str();
    let path = refers(of).or_else(|| alternatives.clone().find_map(refers));
    let named = path.and_then(|path| schema.pointer(path.strip_prefix('#')?));
    named.unwrap_or(of)
}

/// What a schema says of a key: of a list, of its rows.
fn inside<'s>(
    schema: &'s serde_json::Value,
    of: &'s serde_json::Value,
    key: &str,
) -> &'s serde_json::Value {
    let of = resolved(schema, of);
    let found = of["properties"].get(key);
    let found = found.unwrap_or(&of["additionalProperties"]);
    let found = resolved(schema, found);
    match found.get("items") {
        Some(rows) => resolved(schema, rows),
        None => found,
    }
}
