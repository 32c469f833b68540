//! The `TextMate` grammar is made of the words that the parsers know, and every word of a scene that is no name is one of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use syncscope::assist::names::Names;
use syncscope::assist::tokens::{Kind, of};
use syncscope::assist::{Language, grammar};
use syncscope::finding::Source;

/// Files of an extension below a folder.
fn below(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            below(&path, extension, found);
        } else if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
}

#[test]
fn the_books_grammars_are_what_the_parsers_know() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let wanted = serde_json::to_string_pretty(&grammar::text_mate()).expect("JSON") + "\n";
    for path in [
        "book/src/syncscope.tmLanguage.json",
        "book/editors/vscode/syncscope.tmLanguage.json",
    ] {
        let path = root.join(path);
        if std::env::var_os("UPDATE_BOOK").is_some() {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, &wanted).expect("it can be written");
        }
        let is = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            is == wanted,
            "{} is old: `UPDATE_BOOK=1 cargo test --test suite lsp::grammar` writes it",
            path.display()
        );
    }
}

#[test]
fn every_word_of_the_scenes_is_known_to_the_grammar() {
    let registry = syncscope::catalog::registry();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let known: BTreeSet<String> = grammar::keywords().into_iter().collect();
    let mut unknown: BTreeSet<String> = BTreeSet::new();
    for (extension, language) in [
        ("scn", Language::Scenario),
        ("litmus", Language::Litmus),
        ("lower", Language::Rules),
    ] {
        let mut files = Vec::new();
        below(&root, extension, &mut files);
        assert!(!files.is_empty() || extension == "lower", "{extension}");
        for path in files {
            let text = fs::read_to_string(&path).expect("a text");
            let source = Source::new("a", text);
            let names = Names::of(&source, language, &registry);
            let words = of(&source.text, &names, language);
            for word in words.iter().filter(|it| it.kind == Kind::Property) {
                let text = &source.text[word.span.start as usize..word.span.end as usize];
                unknown.insert(text.to_owned());
            }
        }
    }
    // Names that something outside of the file gives a meaning: profiles and lowerings; and names that are nowhere declared,
    // in scenes that show just that.
    let named = |word: &String| {
        registry.entry(word).is_some()
            || registry
                .lowerings
                .iter()
                .any(|it| it.name() == word.as_str())
    };
    unknown.retain(|word| !named(word) && !known.contains(word));
    // Flags of fences are written as their header does. These few are names that scenes use without declaring them.
    unknown.retain(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
    let left: Vec<&str> = unknown.iter().map(String::as_str).collect();
    assert_eq!(left, ["b", "clear", "hits", "m", "r0", "r64", "x"]);
}
