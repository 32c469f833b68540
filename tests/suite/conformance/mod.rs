//! The page "Conformance" of the book: what the source documents demand, fact by fact, and what carries it.
//!
//! `book/conformance.toml` is the list. Here it is compared with what exists, each scene that it names is run, and the
//! page is made of it; `book.rs` writes and compares the page.

mod scenes;

use rayon::prelude::*;
use scenes::{Fired, fired, scene_file, unmet};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use syncscope::catalog;
use syncscope::finding::Rule;
use syncscope::{kernel, litmus};

/// The last of the readings: they are R01 to this one.
const READING_LAST: u32 = 79;

/// `book/conformance.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Checklist {
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
    /// A rule, and where it fires because of the sentence.
    Rule(&'static Rule, Place<'c>),
    Test(&'c str),
    Scene(&'c str),
    /// A reading leaves the sentence on purpose.
    Contrary,
}

/// A scene below `scenarios/` without its ending, and the line if it has several for the rule.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place<'c> {
    scene: &'c str,
    line: Option<u32>,
}

/// What a row amounts to, for the counts.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Standing {
    Ruled,
    Shown,
    Contrary,
    NotCarried,
}

impl Row<'_> {
    fn standing(&self) -> Standing {
        let any = |f: fn(&Carrier<'_>) -> bool| self.carriers.iter().any(f);
        if any(|c| matches!(c, Carrier::Contrary)) {
            Standing::Contrary
        } else if any(|c| matches!(c, Carrier::Rule(..))) {
            Standing::Ruled
        } else if self.carriers.is_empty() {
            Standing::NotCarried
        } else {
            Standing::Shown
        }
    }

    fn place(&self) -> String {
        format!("{}: {}", self.section.heading, self.sentence)
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every rule: the registry's and those of litmus tests.
fn rules_of_the_program() -> Vec<&'static Rule> {
    let mut all = catalog::registry().rules;
    for rule in kernel::RULES.iter().copied().chain(litmus::rules::rules()) {
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

fn carrier<'c>(rules: &[&'static Rule], word: &'c str) -> Carrier<'c> {
    if word == "contrary" {
        return Carrier::Contrary;
    }
    if let Some(name) = word.strip_prefix("test:") {
        return Carrier::Test(name);
    }
    if let Some(path) = word.strip_prefix("scene:") {
        return Carrier::Scene(path);
    }
    let (id, at) = word.split_once('@').unwrap_or_else(|| {
        panic!("book/conformance.toml names `{word}` without the scene in which it fires")
    });
    let rule = rules
        .iter()
        .find(|rule| rule.id == id)
        .unwrap_or_else(|| panic!("book/conformance.toml names `{id}`, which is no rule"));
    let (scene, line) = match at.split_once(':') {
        Some((scene, line)) => (scene, Some(line.parse().expect("a line's number"))),
        None => (at, None),
    };
    Carrier::Rule(rule, Place { scene, line })
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
                    .map(|word| carrier(rules, word))
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
        let place = row.place();
        let document = &row.section.document;
        assert!(
            list.document.iter().any(|d| d.id == *document),
            "{place}: document `{document}`"
        );
        assert!(
            !row.carriers.is_empty() || !row.note.is_empty(),
            "{place}: nothing carries it and nothing says why"
        );
        if row.carriers.contains(&Carrier::Contrary) {
            assert!(
                !readings(row.note).is_empty(),
                "{place}: contrary, and no reading says so"
            );
        }
        for carrier in row.carriers {
            match carrier {
                Carrier::Test(name) => {
                    assert!(tests.iter().any(|t| t == name), "{place}: test `{name}`");
                }
                Carrier::Scene(scene) | Carrier::Rule(_, Place { scene, .. }) => {
                    assert!(scene_file(scene).is_some(), "{place}: scene `{scene}`");
                }
                Carrier::Contrary => {}
            }
        }
    }
}

/// A row is carried by a rule only if the rule fires where the row says, on a line that expects it.
#[test]
fn every_rule_fires_in_the_scene_that_its_row_names() {
    let list = checklist();
    let rows = rows(&list, &rules_of_the_program());
    let scenes: BTreeSet<&str> = rows
        .iter()
        .flat_map(|row| &row.carriers)
        .filter_map(|carrier| match carrier {
            Carrier::Rule(_, place) => Some(place.scene),
            _ => None,
        })
        .collect();
    let fired: BTreeMap<&str, Fired> = scenes
        .into_par_iter()
        .map(|scene| (scene, fired(scene)))
        .collect();
    let mut wrong = Vec::new();
    for row in &rows {
        for carrier in &row.carriers {
            let Carrier::Rule(rule, place) = carrier else {
                continue;
            };
            let Fired { found, expected } = &fired[place.scene];
            let is_found = found.iter().any(|(line, id)| {
                id == rule.id
                    && place.line.is_none_or(|wanted| wanted == *line)
                    && expected.contains(&(*line, rule.id.to_owned()))
            });
            if !is_found {
                let at = place.line.map_or(String::new(), |line| format!(":{line}"));
                wrong.push(format!(
                    "{}\n  {} does not fire in scenarios/{}{at}",
                    row.place(),
                    rule.id,
                    place.scene
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a scene expects and what is found are one: a row that a scene shows is violated where they differ. So are they
/// in every scene that was written for the page.
#[test]
fn every_scene_of_the_page_holds() {
    let list = checklist();
    let rules = rules_of_the_program();
    let rows = rows(&list, &rules);
    let mut scenes: BTreeSet<String> = rows
        .iter()
        .flat_map(|row| &row.carriers)
        .filter_map(|carrier| match carrier {
            Carrier::Scene(scene) => Some((*scene).to_owned()),
            _ => None,
        })
        .collect();
    for entry in fs::read_dir(root().join("scenarios/conformance")).expect("the page's scenes") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy();
        let stem = name.strip_suffix(".scn").or(name.strip_suffix(".litmus"));
        scenes.extend(stem.map(|stem| format!("conformance/{stem}")));
    }
    let named: BTreeSet<&str> = rows
        .iter()
        .flat_map(|row| &row.carriers)
        .filter_map(|carrier| match carrier {
            Carrier::Rule(_, Place { scene, .. }) | Carrier::Scene(scene) => Some(*scene),
            _ => None,
        })
        .collect();
    let wrong: Vec<String> = scenes
        .par_iter()
        .filter_map(|scene| {
            if !named.contains(scene.as_str()) {
                return Some(format!("{scene}: no row names it"));
            }
            let what = unmet(scene);
            (!what.is_empty()).then(|| format!("{scene}: {what}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Two sentences under one heading are two facts: one finding cannot be because of both.
#[test]
fn sentences_of_one_heading_have_places_of_their_own() {
    let list = checklist();
    let rows = rows(&list, &rules_of_the_program());
    let mut seen: BTreeMap<(&str, &str, &str, Place<'_>), &str> = BTreeMap::new();
    let mut twice = Vec::new();
    for row in &rows {
        for carrier in &row.carriers {
            let Carrier::Rule(rule, place) = carrier else {
                continue;
            };
            let section = row.section;
            let key = (
                section.document.as_str(),
                section.heading.as_str(),
                rule.id,
                *place,
            );
            if let Some(first) = seen.insert(key, row.sentence) {
                twice.push(format!(
                    "{}: {}@{}\n  {first}\n  {}",
                    section.heading, rule.id, place.scene, row.sentence
                ));
            }
        }
    }
    assert!(twice.is_empty(), "{}", twice.join("\n"));
}

/// Words of a text that are written as the number of a reading is: `R07`.
fn numbers(text: &str) -> Vec<(&str, u32)> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.len() == 3 && word.starts_with('R'))
        .filter_map(|word| word[1..].parse().ok().map(|number| (word, number)))
        .collect()
}

/// The readings that a text names. There are no others than R01 to the last.
fn readings(text: &str) -> Vec<&str> {
    numbers(text)
        .into_iter()
        .filter(|(_, number)| (1..=READING_LAST).contains(number))
        .map(|(word, _)| word)
        .collect()
}

#[test]
fn only_readings_that_exist_are_readings() {
    assert_eq!(
        readings("R00, R01; readings R07 and R79: (R80) R99 R1 R123 XR07 R7a"),
        ["R01", "R07", "R79"]
    );
    assert_eq!(readings("R99"), Vec::<&str>::new());
}

#[test]
fn every_reading_that_is_named_exists() {
    let list = checklist();
    let rules = rules_of_the_program();
    let of_rows = rows(&list, &rules);
    let pages = rules
        .iter()
        .map(|rule| (rule.id.to_owned(), rule.prose.to_owned()));
    let notes = of_rows.iter().map(|row| (row.place(), row.note.to_owned()));
    for (place, text) in notes.chain(pages) {
        let named: Vec<&str> = numbers(&text).into_iter().map(|(word, _)| word).collect();
        assert_eq!(named, readings(&text), "{place}");
    }
}

/// Nobody invents a rule of legality: each carries a sentence, or its page names the reading or the declaration of the
/// language that it stands for.
#[test]
fn every_rule_of_legality_has_a_sentence_or_a_reading() {
    let list = checklist();
    let rules = rules_of_the_program();
    let rows = rows(&list, &rules);
    for rule in rules.iter().filter(|r| ["EB", "LB"].contains(&r.family())) {
        let carries = rows.iter().any(|row| {
            row.carriers
                .iter()
                .any(|c| matches!(c, Carrier::Rule(carrier, _) if carrier.id == rule.id))
        });
        assert!(
            carries
                || !readings(rule.prose).is_empty()
                || rule.prose.contains("Language, \"Declarations\""),
            "{} {} carries no sentence of book/conformance.toml and its page names no reading",
            rule.id,
            rule.name
        );
    }
}

fn describe(carriers: &[Carrier<'_>]) -> String {
    let mut rules = Vec::new();
    let mut shown = Vec::new();
    for carrier in carriers {
        match carrier {
            Carrier::Rule(rule, place) => {
                let page = format!("rules/{}.md", rule.id);
                let line = place.line.map_or(String::new(), |line| format!(":{line}"));
                rules.push(format!("[{}]({page}) in `{}{line}`", rule.id, place.scene));
            }
            Carrier::Test(name) => shown.push(format!("test `{name}`")),
            Carrier::Scene(path) => shown.push(format!("scene `{path}`")),
            Carrier::Contrary => rules.push("*contrary, by reading*".to_owned()),
        }
    }
    rules.extend(shown);
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

Everything that the source documents demand, forbid, limit or warn of, and what carries it here: a rule that fires in a scene
below `scenarios/` because of the sentence (with the line if the rule fires there on several), or a test or scene that shows
the behaviour. *Contrary, by reading* stands where a reading decides against the sentence; a dash where nothing carries it,
and the note says why. Each row states one fact in our words, with names without their prefixes; a line in parentheses stands
for a table or an enum. Where a row names a reading (R13), [Deviations](deviations.md) says what was decided and why.
`syncscope explain ID` prints a rule's page.

This page is made from `book/conformance.toml` by `UPDATE_BOOK=1 cargo test --test suite book`. Tests run each scene that a rule
is named with, and check that the rule fires there on a line that expects it, that no finding stands for two sentences of one
heading, and that every test and scene exists.
";

fn page(list: &Checklist, rules: &[&'static Rule]) -> String {
    let rows = rows(list, rules);
    let mut page = INTRODUCTION.to_owned();
    page.push_str(
        "\n| document | sentences | carried by a rule | shown by a test or scene | contrary, by reading | not carried |\n|---|---|---|---|---|---|\n",
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
            Standing::Contrary,
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
