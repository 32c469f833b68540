//! Nothing that a user can type panics or hangs: random bytes, token soup, mutated scenarios.

use crate::{sizes, tour};
use proptest::prelude::*;
use syncscope::finding::Source;
use syncscope::scenario::parser::Parts;
use syncscope::scenario::{CommandKind, Scenario};
use syncscope::{catalog, run, scenario};

/// Parses, checks, runs and prints a text; all that matters is that each of them returns.
fn survive(text: &str) {
    let source = Source::new("random.scn", text);
    let (parsed, findings) = scenario::parse(&source);
    for bytes in [1, 40, 200] {
        let parts = Parts {
            count: Some(3),
            bytes,
        };
        let (in_parts, found) = scenario::parser::parse_in_parts(&source, parts);
        assert_eq!(in_parts, parsed, "in parts of {bytes} bytes");
        assert_eq!(format!("{found:?}"), format!("{findings:?}"));
    }
    for finding in &findings {
        assert!(
            finding.span.end as usize <= text.len(),
            "a finding points into the text"
        );
        assert!(!finding.message.is_empty());
    }
    let _ = run::check(&source, &run::Options::default());
    if !findings.iter().any(|f| f.severity.fails()) {
        // What parses prints, and what is printed parses to the same text.
        let printed = scenario::print(&parsed);
        let (again, findings) = scenario::parse(&Source::new("printed.scn", printed.clone()));
        assert!(
            findings.iter().all(|f| !f.severity.fails()),
            "{findings:?}\n{printed}"
        );
        assert_eq!(scenario::print(&again), printed);
        let _ = run::run(&source, &catalog::registry(), &run::Options::default());
    }
}

/// Words and signs of the language, so that soup comes close to sense.
const WORDS: &[&str] = &[
    "scenario",
    "\"x\"",
    "device",
    "{",
    "}",
    "heap",
    "texture",
    "buffer",
    "queue",
    "list",
    "timeline",
    "fence",
    "a",
    "b",
    "q",
    "l",
    "f",
    ":",
    "direct",
    "compute",
    "copy",
    "->",
    "|",
    ",",
    ";",
    "\n",
    "[",
    "]",
    "..",
    "@",
    "=",
    "+",
    "*",
    "0",
    "1",
    "4KiB",
    "64x64",
    "0x90",
    "0xffffffff",
    "R8G8B8A8_UNORM",
    "flags",
    "RENDER_TARGET",
    "UNORDERED_ACCESS",
    "SHADER_RESOURCE",
    "COPY_DEST",
    "barrier",
    "global",
    "sync",
    "access",
    "layout",
    "discard",
    "COMMON",
    "UNDEFINED",
    "NONE",
    "NO_ACCESS",
    "ALL",
    "COPY",
    "SPLIT",
    "draw",
    "dispatch",
    "execute",
    "signal",
    "wait",
    "present",
    "cpu",
    "repeat",
    "marker",
    "mip",
    "layer",
    "rect",
    "//~ HZ",
    "// c",
    "initial",
    "mips",
    "18446744073709551615",
    "99999999999999999999",
    "legacy",
    "transition",
    "uav",
    "alias",
    "range",
    "size",
    "all",
];

fn cases() -> ProptestConfig {
    ProptestConfig {
        cases: u32::try_from(sizes::CASES.count()).expect("fewer than 2^32 texts"),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn random_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        survive(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn token_soup_is_survived(words in prop::collection::vec(prop::sample::select(WORDS), 0..200)) {
        survive(&words.join(" "));
    }

    #[test]
    fn mutated_scenes_are_survived(
        scene in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, prop::sample::select(WORDS)), 1..8),
    ) {
        let files = tour::files("scenarios");
        let path = scene.get(&files);
        let text = tour::source(path).text;
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
        for (at, what, word) in &edits {
            let at = at.index(words.len());
            match what {
                0 => { words.remove(at); }
                1 => words.insert(at, words[at]),
                2 => words[at] = word,
                _ => { let other = words.len() - 1 - at; words.swap(at, other); }
            }
            if words.is_empty() {
                break;
            }
        }
        survive(&words.concat());
    }

    /// However the lines of a text fall: it prints as a text that prints the same, and what a comment expects of a
    /// statement, it still expects of that statement.
    #[test]
    fn formatting_leaves_expectations_at_their_statements(
        scene in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..5u8), 1..12),
    ) {
        const GAPS: [&str; 4] = ["\n", " ", "; ", " //~ HZ103\n"];
        let files = tour::files("scenarios");
        let path = scene.get(&files);
        let text = tour::source(path).text;
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
        for (at, gap) in edits {
            // Behind a word; what is a gap already goes, where the last number is drawn.
            let at = at.index(words.len());
            let end = words[at].trim_end().len();
            match GAPS.get(usize::from(gap)) {
                Some(gap) => {
                    words[at] = &words[at][..end];
                    words.insert(at + 1, gap);
                }
                None if end == 0 => { words.remove(at); }
                None => {}
            }
            if words.is_empty() {
                break;
            }
        }
        keeps_expectations(&words.concat());
    }
}

/// Prints a text that parses, and the print.
fn keeps_expectations(text: &str) {
    let before = Source::new("before.scn", text);
    let (parsed, findings) = scenario::parse(&before);
    if findings.iter().any(|f| f.severity.fails()) {
        return;
    }
    let after = Source::new("after.scn", scenario::print(&parsed));
    let (again, findings) = scenario::parse(&after);
    assert!(findings.is_empty(), "{findings:?}\n{}", after.text);
    assert_eq!(scenario::print(&again), after.text, "{text}");
    // A line that takes up another one may name more than before.
    let kept = expected(&after, &again);
    for (ids, here) in expected(&before, &parsed) {
        let stays = |(of, there): &(Vec<String>, Vec<usize>)| {
            *of == ids && here.iter().all(|at| there.contains(at))
        };
        assert!(
            kept.iter().any(stays),
            "{ids:?} at {here:?}:\n{text}\n{}",
            after.text
        );
    }
}

/// What each expectation names, with the numbers of the commands, entries and uses in blocks that begin on its line. An expectation of
/// a line on which nothing begins fails wherever it is.
fn expected(source: &Source, parsed: &Scenario) -> Vec<(Vec<String>, Vec<usize>)> {
    let mut starts = Vec::new();
    for list in &parsed.lists {
        for command in &list.commands {
            starts.push(command.span);
            match &command.kind {
                CommandKind::Barrier(entries) => starts.extend(entries.iter().map(|e| e.span)),
                CommandKind::Legacy(entries) => starts.extend(entries.iter().map(|e| e.span)),
                CommandKind::Draw { .. } | CommandKind::Dispatch { .. } => {
                    starts.extend(command.uses.iter().map(|u| u.span));
                }
                _ => {}
            }
        }
    }
    let lines: Vec<u32> = starts.iter().map(|span| source.line(span.start)).collect();
    let expectations = parsed.expectations.iter();
    expectations
        .map(|expectation| {
            let here = (0..lines.len()).filter(|at| lines[*at] == expectation.line);
            (expectation.ids.clone(), here.collect::<Vec<_>>())
        })
        .filter(|(_, here)| !here.is_empty())
        .collect()
}

#[test]
fn deep_nesting_is_refused_not_survived_by_luck() {
    let deep = format!(
        "list l : direct {{\n{}{}\n}}\n",
        "marker \"m\" {\n".repeat(100_000),
        "}\n".repeat(100_000)
    );
    let (_, findings) = scenario::parse(&Source::new("deep.scn", deep));
    assert!(
        findings.iter().any(|f| f.message.contains("nested")),
        "the limit is named"
    );
    let json = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(scenario::json::to_text(&Source::new("deep.json", json)).is_err());
}

#[test]
fn huge_numbers_and_repeats_end() {
    let text = "queue q : direct\nbuffer b : 4KiB\nlist l : direct {\n  copy b -> b\n}\n\
                timeline { repeat 1000000000 { repeat 1000000000 { q execute l } } }\n";
    let (_, findings) = scenario::parse(&Source::new("repeat.scn", text));
    assert!(
        findings.iter().any(|f| f.severity.fails()),
        "the product of repeats is limited"
    );
}
