//! Numbers in the sentences of pages, each with where it comes from, and lists of words that a page must have.

use super::{name, pages, root, shell};
use std::collections::BTreeSet;
use std::fs;
use syncscope::analyze::stalls::CAUSES_MAX;
use syncscope::kernel::{LOCATIONS_MAX, OPS_MAX, THREADS_MAX};
use syncscope::scenario::Capability;

/// A number in a sentence: the words before it and after it, which occur together once on the page.
struct Fact {
    page: &'static str,
    before: &'static str,
    after: &'static str,
    value: fn() -> String,
}

const FACTS: &[Fact] = &[
    Fact {
        page: "README.md",
        before: "- `scenarios/tour/`: ",
        after: " scenes to read in order",
        value: scenes_of_the_tour,
    },
    Fact {
        page: "CHANGELOG.md",
        before: "- The tour: ",
        after: " scenes in reading order",
        value: scenes_of_the_tour,
    },
    Fact {
        page: "book/src/machine.md",
        before: "The sources of ",
        after: " numbers say `fitted to`",
        value: fitted_numbers,
    },
    Fact {
        page: "book/src/litmus.md",
        before: "Bounds: ",
        after: " threads (`THREADS_MAX`)",
        value: || THREADS_MAX.to_string(),
    },
    Fact {
        page: "book/src/litmus.md",
        before: "(`THREADS_MAX`), ",
        after: " instructions (`OPS_MAX`)",
        value: || OPS_MAX.to_string(),
    },
    Fact {
        page: "book/src/litmus.md",
        before: "(`OPS_MAX`), ",
        after: " variables",
        value: || LOCATIONS_MAX.to_string(),
    },
    Fact {
        page: "book/src/output.md",
        before: "Runs of more than ",
        after: " packets record no causes",
        value: || CAUSES_MAX.to_string(),
    },
];

/// What a command prints in its JSON form.
fn json(line: &str) -> serde_json::Value {
    let outcome = shell::run(line);
    serde_json::from_str(&outcome.output)
        .unwrap_or_else(|error| panic!("`{line}`: {error}\n{}", outcome.complaint))
}

fn scenes_of_the_tour() -> String {
    const WORDS: [&str; 13] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    let count = fs::read_dir(root().join("scenarios/tour"))
        .expect("the tour")
        .count();
    WORDS
        .get(count)
        .map_or_else(|| count.to_string(), |word| (*word).to_owned())
}

fn fitted_numbers() -> String {
    let numbers = json("syncscope list profiles --numbers --format json");
    let numbers = numbers.as_array().expect("a list").iter();
    numbers
        .filter(|n| n["profile"] == "hopper")
        .filter(|n| {
            n["source"]
                .as_str()
                .is_some_and(|s| s.contains("fitted to"))
        })
        .count()
        .to_string()
}

/// A page with its numbers as they are now; a sentence that is not on it goes to `wrong`.
pub(super) fn restated(name: &str, mut page: String, wrong: &mut Vec<String>) -> String {
    for fact in FACTS.iter().filter(|fact| fact.page == name) {
        let Fact { before, after, .. } = fact;
        let place = page.find(before).and_then(|at| {
            let start = at + before.len();
            let length = page[start..].find(after)?;
            Some(start..start + length)
        });
        match place {
            Some(place) => page.replace_range(place, &(fact.value)()),
            None => wrong.push(format!("{name} does not say `{before}…{after}`")),
        }
    }
    page
}

/// Words of the language that are in no sample of the page, because they are words of its messages only.
const NOT_LANGUAGE: [&str; 5] = ["assertion", "byte", "format", "statements", "switch"];

/// Every word in lower case that the parser's sources quote.
fn words_of_the_language() -> Vec<String> {
    let mut words = BTreeSet::new();
    for entry in fs::read_dir(root().join("src/scenario/parser")).expect("the parser") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            continue;
        }
        let text = fs::read_to_string(path).expect("a source");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        words.extend(
            code.split('"')
                .filter(|word| word.len() > 1 && word.starts_with(|c: char| c.is_ascii_lowercase()))
                .filter(|word| word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'))
                .map(str::to_owned),
        );
    }
    words.retain(|word| !NOT_LANGUAGE.contains(&word.as_str()));
    words.into_iter().collect()
}

#[test]
fn the_page_on_the_language_has_every_word_of_the_parser() {
    let page = root().join("book/src/language.md");
    let page = fs::read_to_string(page).expect("the page");
    let known: BTreeSet<&str> = page
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_')
        .map(|word| word.trim_matches('-'))
        .collect();
    let words = words_of_the_language();
    assert!(words.len() > 100, "the parser has {} words", words.len());
    let missing: Vec<_> = words
        .iter()
        .filter(|w| !known.contains(w.as_str()))
        .collect();
    assert!(missing.is_empty(), "book/src/language.md lacks {missing:?}");
}

/// Words that a page must have as code, because the program knows them.
fn words() -> Vec<(&'static str, Vec<String>)> {
    let capabilities = Capability::ALL.map(|c| c.word().to_owned()).to_vec();
    vec![("book/src/language.md", capabilities)]
}

#[test]
fn the_book_names_every_word_of_the_program() {
    let pages = pages();
    for (page, words) in words() {
        let (_, text) = pages
            .iter()
            .find(|(path, _)| name(path) == page)
            .expect("a page of the book");
        for word in words {
            assert!(text.contains(&format!("`{word}`")), "{page} lacks `{word}`");
        }
    }
}
