//! A `TextMate` grammar of scenarios, litmus tests and rule files, made of the words that their parsers know.

use crate::{kernel, lower::rules, scenario};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The grammar as JSON. One serves the three languages: they have comments, texts and numbers in common, and a word of one of
/// them is rarely a name in another.
pub fn text_mate() -> Value {
    let scope = "syncscope";
    let words: BTreeSet<String> = keywords().into_iter().collect();
    let longest_first = |words: &BTreeSet<String>| {
        // An alternative that begins another one comes after it.
        let mut all: Vec<&str> = words.iter().map(String::as_str).collect();
        all.sort_by_key(|word| (std::cmp::Reverse(word.len()), *word));
        all.join("|")
    };
    json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "syncscope",
        "scopeName": "source.syncscope",
        "fileTypes": ["scn", "litmus", "lower"],
        "patterns": [
            { "name": format!("keyword.control.expectation.{scope}"), "match": "//~.*$" },
            { "name": format!("comment.line.double-slash.{scope}"), "match": "//.*$" },
            { "name": format!("string.quoted.double.{scope}"), "begin": "\"", "end": "\"|$",
              "patterns": [{ "name": format!("constant.character.escape.{scope}"), "match": "\\\\." }] },
            { "name": format!("constant.numeric.{scope}"), "match": "(?<![\\w.-])-?[0-9][0-9A-Za-z_]*(\\.[0-9][0-9A-Za-z_]*)?" },
            { "name": format!("constant.other.{scope}"), "match": "(?<![\\w.-])[A-Z][A-Z0-9_*]+(?![\\w])" },
            { "name": format!("keyword.control.{scope}"), "match": format!("(?<![\\w.-])({})(?![\\w.-])", longest_first(&words)) },
            { "name": format!("keyword.operator.{scope}"), "match": "->|\\.\\.|==|!=|&&|\\|\\||[|&!=@+*]" },
            { "name": format!("punctuation.{scope}"), "match": "[\\[\\](){};:,]" }
        ]
    })
}

/// Words of the three grammars that are no names.
pub fn keywords() -> Vec<String> {
    let scenario = scenario::parser::keywords().into_iter().map(str::to_owned);
    let litmus = kernel::parser::keywords().into_iter().map(str::to_owned);
    let rules = rules::keywords()
        .into_iter()
        .filter(|word| !word.contains('*'));
    let is_word = |word: &String| word.starts_with(|c: char| c.is_ascii_lowercase());
    scenario
        .chain(litmus)
        .chain(rules)
        .filter(is_word)
        .collect()
}
