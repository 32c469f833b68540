//! The page "Conformance" of the book: what the source documents demand, fact by fact, and what carries it.
//!
//! `book/conformance.toml` is the list. Here it is compared with what exists, and the page is made of it; `book.rs` writes
//! and compares the page.

use serde::Deserialize;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use syncscope::catalog;
use syncscope::finding::Rule;
use syncscope::{kernel, litmus};

/// `book/conformance.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Checklist {
    /// Ids and ranges of ids that are given out but may not exist yet.
    planned: Vec<String>,
    document: Vec<Document>,
    section: Vec<Section>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    id: String,
    title: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    document: String,
    heading: String,
    rows: Vec<Vec<String>>,
}

/// One fact that a document demands, as a sentence of ours.
struct Row<'c> {
    section: &'c Section,
    sentence: &'c str,
    carriers: Vec<Carrier<'c>>,
    note: &'c str,
}

/// What carries a sentence.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Carrier<'c> {
    Rule(&'static Rule),
    /// An id that is given out and whose rule is not here yet.
    Promised(&'c str),
    /// A family that will carry it.
    Planned(&'c str),
    Test(&'c str),
    Scene(&'c str),
}

/// What a row amounts to, for the counts.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Standing {
    Ruled,
    Shown,
    Planned,
    NotCarried,
}

impl Row<'_> {
    fn standing(&self) -> Standing {
        let any = |f: fn(&Carrier<'_>) -> bool| self.carriers.iter().any(f);
        if any(|c| matches!(c, Carrier::Rule(_))) {
            Standing::Ruled
        } else if any(|c| matches!(c, Carrier::Promised(_) | Carrier::Planned(_))) {
            Standing::Planned
        } else if self.carriers.is_empty() {
            Standing::NotCarried
        } else {
            Standing::Shown
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every rule: the registry's and those of litmus tests.
fn rules_of_the_program() -> Vec<&'static Rule> {
    let mut all = catalog::registry().rules;
    for rule in kernel::rules::RULES
        .iter()
        .copied()
        .chain(litmus::rules::rules())
    {
        if !all.contains(&rule) {
            all.push(rule);
        }
    }
    all
}

fn checklist() -> Checklist {
    let text = fs::read_to_string(root().join("book/conformance.toml")).expect("the checklist");
    toml::from_str(&text).unwrap_or_else(|error| panic!("book/conformance.toml: {error}"))
}

/// Whether an id is one of `EB026`, `EB026-EB047`.
fn is_promised(planned: &[String], id: &str) -> bool {
    planned.iter().any(|entry| match entry.split_once('-') {
        Some((first, last)) => first.len() == id.len() && first <= id && id <= last,
        None => entry == id,
    })
}

fn carrier<'c>(list: &Checklist, rules: &[&'static Rule], word: &'c str) -> Carrier<'c> {
    if let Some(name) = word.strip_prefix("test:") {
        return Carrier::Test(name);
    }
    if let Some(path) = word.strip_prefix("scene:") {
        return Carrier::Scene(path);
    }
    if let Some(family) = word.strip_prefix("planned:") {
        return Carrier::Planned(family);
    }
    if let Some(rule) = rules.iter().find(|rule| rule.id == word) {
        return Carrier::Rule(rule);
    }
    assert!(
        is_promised(&list.planned, word),
        "book/conformance.toml names `{word}`, which is no rule and not planned"
    );
    Carrier::Promised(word)
}

fn rows<'c>(list: &'c Checklist, rules: &[&'static Rule]) -> Vec<Row<'c>> {
    let mut all = Vec::new();
    for section in &list.section {
        for row in &section.rows {
            let (sentence, carriers, note) = match row.as_slice() {
                [sentence, carriers] => (sentence, carriers, ""),
                [sentence, carriers, note] => (sentence, carriers, note.as_str()),
                _ => panic!("{}: a row has two or three strings", section.heading),
            };
            all.push(Row {
                section,
                sentence,
                carriers: carriers
                    .split_whitespace()
                    .map(|word| carrier(list, rules, word))
                    .collect(),
                note,
            });
        }
    }
    all
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("a folder of sources")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Names of every `#[test]` function (and of those that `proptest!` makes) of the library and of this suite.
pub(crate) fn test_names() -> Vec<String> {
    let mut files = Vec::new();
    rust_files(&root().join("src"), &mut files);
    rust_files(&root().join("tests"), &mut files);
    let mut names = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).expect("a readable source");
        for (at, mark) in text.match_indices("#[test]") {
            let after = text[at + mark.len()..].trim_start();
            // Attributes between the mark and the function are not used with tests that the page names.
            if let Some(name) = after.strip_prefix("fn ") {
                names.push(name.split('(').next().unwrap_or_default().to_owned());
            }
        }
    }
    names
}

#[test]
fn every_carrier_exists() {
    let list = checklist();
    let rules = rules_of_the_program();
    let tests = test_names();
    for row in rows(&list, &rules) {
        let place = format!("{}: {}", row.section.heading, row.sentence);
        let document = &row.section.document;
        assert!(
            list.document.iter().any(|d| d.id == *document),
            "{place}: document `{document}`"
        );
        assert!(
            !row.carriers.is_empty() || !row.note.is_empty(),
            "{place}: nothing carries it and nothing says why"
        );
        for carrier in row.carriers {
            match carrier {
                Carrier::Test(name) => {
                    assert!(tests.iter().any(|t| t == name), "{place}: test `{name}`");
                }
                Carrier::Scene(path) => {
                    let file = |ending| root().join(format!("scenarios/{path}.{ending}")).is_file();
                    assert!(file("scn") || file("litmus"), "{place}: scene `{path}`");
                }
                Carrier::Planned(family) => {
                    assert_eq!(family, "FN", "{place}");
                }
                Carrier::Rule(_) | Carrier::Promised(_) => {}
            }
        }
    }
}

/// Reading numbers (`R07`) that a text names.
fn readings(text: &str) -> Vec<&str> {
    text.match_indices('R')
        .filter_map(|(at, _)| text.get(at..at + 3))
        .filter(|word| word[1..].bytes().all(|b| b.is_ascii_digit()))
        .collect()
}

#[test]
fn every_reading_that_is_named_exists() {
    let deviations =
        fs::read_to_string(root().join("book/src/deviations.md")).expect("the deviations");
    let list = checklist();
    for row in rows(&list, &rules_of_the_program()) {
        for reading in readings(row.note) {
            assert!(
                deviations.contains(&format!("| {reading} |")),
                "{}: {reading}",
                row.sentence
            );
        }
    }
}

/// Nobody invents a rule of legality: each carries a sentence, or its page names the reading that it stands for.
#[test]
fn every_rule_of_legality_has_a_sentence_or_a_reading() {
    let list = checklist();
    let rules = rules_of_the_program();
    let rows = rows(&list, &rules);
    for rule in rules.iter().filter(|r| ["EB", "LB"].contains(&r.family())) {
        let carries = rows
            .iter()
            .any(|row| row.carriers.contains(&Carrier::Rule(rule)));
        assert!(
            carries || !readings(&rule.page()).is_empty(),
            "{} {} carries no sentence of book/conformance.toml and its page names no reading",
            rule.id,
            rule.name
        );
    }
}

fn describe(carriers: &[Carrier<'_>]) -> String {
    let mut rules = Vec::new();
    let mut shown = Vec::new();
    let mut planned = Vec::new();
    for carrier in carriers {
        match carrier {
            Carrier::Rule(rule) => {
                let page = format!("rules/{}.md", rule.id);
                rules.push(format!("[{}]({page}) `{}`", rule.id, rule.name));
            }
            Carrier::Test(name) => shown.push(format!("test `{name}`")),
            Carrier::Scene(path) => shown.push(format!("scene `{path}`")),
            Carrier::Promised(id) => planned.push(format!("planned {id}")),
            Carrier::Planned(family) => planned.push(format!("planned {family}")),
        }
    }
    rules.extend(shown);
    rules.extend(planned);
    if rules.is_empty() {
        "—".to_owned()
    } else {
        rules.join(", ")
    }
}

/// A sentence as a cell of a table: nothing in it is Markdown.
fn cell(text: &str) -> String {
    let mut out = String::new();
    let mut inside_word = false;
    for c in text.chars() {
        match c {
            '|' | '*' | '[' | ']' => out.push('\\'),
            // Inside a word it means nothing.
            '_' if !inside_word => out.push('\\'),
            _ => {}
        }
        match c {
            '<' => out.push_str("&lt;"),
            c => out.push(c),
        }
        inside_word = c.is_alphanumeric() || c == '_';
    }
    out
}

/// A note keeps its emphasis and its code.
fn note_cell(text: &str) -> String {
    text.replace('|', "\\|")
}

const INTRODUCTION: &str = "# Conformance

Everything that the source documents demand, forbid, limit or warn of, and what carries it here: a rule, a test or scene
that shows the behaviour, or the reason why nothing does. Each row states one fact in our words, with names without their
prefixes; a line in parentheses stands for a table or an enum. Where a row names a reading (R13), [Deviations](deviations.md)
says what was decided and why. `syncscope explain ID` prints a rule's page.

This page is made from `book/conformance.toml` by `UPDATE_BOOK=1 cargo test --test suite book`; a test checks that every rule,
test and scene it names exists.
";

fn page(list: &Checklist, rules: &[&'static Rule]) -> String {
    let rows = rows(list, rules);
    let mut page = INTRODUCTION.to_owned();
    page.push_str(
        "\n| document | sentences | carried by a rule | shown by a test or scene | planned | not carried |\n|---|---|---|---|---|---|\n",
    );
    let counts = |of: &dyn Fn(&Row<'_>) -> bool| {
        let count = |standing| {
            rows.iter()
                .filter(|row| of(row) && row.standing() == standing)
                .count()
        };
        let each = [
            Standing::Ruled,
            Standing::Shown,
            Standing::Planned,
            Standing::NotCarried,
        ]
        .map(count);
        format!(
            "{} | {} | {} | {} | {}",
            each.iter().sum::<usize>(),
            each[0],
            each[1],
            each[2],
            each[3]
        )
    };
    for document in &list.document {
        let of = |row: &Row<'_>| row.section.document == document.id;
        let _ = writeln!(page, "| {} | {} |", document.title, counts(&of));
    }
    let _ = writeln!(page, "| together | {} |", counts(&|_| true));
    for document in &list.document {
        let _ = writeln!(page, "\n## {}", document.title);
        for section in list.section.iter().filter(|s| s.document == document.id) {
            let _ = writeln!(
                page,
                "\n### {}\n\n| sentence | carried by | note |\n|---|---|---|",
                section.heading
            );
            for row in rows.iter().filter(|r| std::ptr::eq(r.section, section)) {
                let _ = writeln!(
                    page,
                    "| {} | {} | {} |",
                    cell(row.sentence),
                    describe(&row.carriers),
                    note_cell(row.note)
                );
            }
        }
    }
    page
}

/// The page of the book, made of the checklist.
pub(crate) fn page_of_the_book() -> String {
    page(&checklist(), &rules_of_the_program())
}
