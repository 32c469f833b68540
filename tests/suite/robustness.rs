//! Nothing that a user can type panics or hangs: random bytes, token soup, mutated scenarios.

use crate::{sizes, tour};
use proptest::prelude::*;
use std::collections::BTreeSet;
use syncscope::finding::{Source, Span};
use syncscope::scenario::parser::Parts;
use syncscope::scenario::{Allow, CommandKind, Scenario, Statement, StatementKind};
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

    /// However the lines of a text fall, between brackets too: it prints as a text that prints the same, and what a comment
    /// expects of some statements, it still expects of just these.
    #[test]
    fn formatting_leaves_expectations_at_their_statements(
        scene in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..8u8), 1..12),
    ) {
        const GAPS: [&str; 6] = ["\n", " ", "; ", " //~ HZ103\n", " // c\n", " // syncscope: allow RD101\n"];
        let files = tour::files("scenarios");
        let path = scene.get(&files);
        let text = tour::source(path).text;
        let mut words = words_and_parts_of_ranges(&text);
        for (at, gap) in edits {
            // Behind a word; what is a gap already goes, where the last number but one is drawn.
            let at = at.index(words.len());
            if gap == 7 {
                expects_after_an_arrow(&mut words, at);
                continue;
            }
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

    /// The second use of a copy may be on a line of its own, and have what is expected of it there.
    #[test]
    fn formatting_leaves_expectations_at_uses_on_lines_of_their_own(
        scene in any::<prop::sample::Index>(),
        gaps in prop::collection::vec(0..BEFORE_A_USE.len(), 1..8),
        ends in prop::collection::vec(0..AFTER_A_USE.len(), 1..8),
    ) {
        let files = tour::files("scenarios");
        let path = scene.get(&files);
        let text = tour::source(path).text;
        keeps_expectations(&with_uses_on_lines_of_their_own(&without_comments(&text), &gaps, &ends));
    }

    /// Language, "Lexical rules": newlines between brackets do not end a statement. Nor do the comments before them.
    #[test]
    fn lines_may_break_anywhere_between_brackets(
        scene in any::<prop::sample::Index>(),
        gaps in prop::collection::vec(0..GAPS_IN_RANGES.len(), 1..40),
    ) {
        let files = tour::files("scenarios");
        // Where lines break, an expectation is about another line.
        let path = scene.get(&files);
        let text = tour::source(path).text.replace("//~", "//");
        let places = places_in_ranges(&text);
        let gaps: Vec<&str> = gaps.into_iter().map(|gap| GAPS_IN_RANGES[gap]).collect();
        let broken = with_gaps(&text, &places, &gaps);
        same_but_for_comments(&text, &broken);
    }
}

/// Between two tokens of a range: nothing, and line ends with and without more.
const GAPS_IN_RANGES: [&str; 6] = ["", " ", "\n", "\r\n\n\t", " // ] [c; }\n", "\n\n// c\n"];

/// Every scene of the repository, with a line end at every place between brackets.
#[test]
fn all_lines_may_break_between_brackets() {
    let mut breaks = 0;
    for path in tour::files("scenarios") {
        let text = tour::source(&path).text.replace("//~", "//");
        let places = places_in_ranges(&text);
        breaks += places.len();
        same_but_for_comments(&text, &with_gaps(&text, &places, &["\n"]));
    }
    assert!(breaks > 1000, "{breaks} places");
}

/// Brackets that do not close end with their line, and what comes next is read. A mistake between brackets that close costs
/// their statement only.
#[test]
fn a_mistake_between_brackets_costs_one_statement() {
    let declared = "texture t : R8G8B8A8_UNORM 64x64 { mips 2; layers 2; flags RENDER_TARGET }\n";
    let read = |commands: &str| {
        let text = format!("{declared}list l : direct {{\n{commands}\n  discard t\n}}\n");
        let source = Source::new("brackets.scn", text);
        let (parsed, findings) = scenario::parse(&source);
        let said = findings.iter();
        let said = said.map(|f| format!("{} {}", source.line(f.span.start) - 2, f.message));
        let commands: usize = parsed.lists.iter().map(|list| list.commands.len()).sum();
        (said.collect::<Vec<_>>(), commands)
    };
    let the_line_ends = "1 expected `]`, found the end of the line".to_owned();
    assert_eq!(
        read("discard t[mip 0\ndiscard t[mip 1]"),
        (vec![the_line_ends.clone()], 2)
    );
    assert_eq!(
        read("discard t[mip 0\npredicate off"),
        (vec![the_line_ends], 2)
    );
    let a_word = "2 expected `]`, found `layer`".to_owned();
    assert_eq!(
        read("discard t[mip 0 // ]\n layer\n 0\n]"),
        (vec![a_word], 1)
    );
    assert_eq!(read("discard t[mip 0 // ]\n, layer\n 0\n]"), (vec![], 2));
}

/// A sign that closes the wrong thing is one mistake, where the signs of the text say which it stands for: what follows is
/// read as if it were the right one.
#[test]
fn a_wrong_closing_sign_is_one_mistake() {
    let declared = "texture t : R8G8B8A8_UNORM 64x64 { mips 2; layers 2; flags RENDER_TARGET }\n";
    let scope = "sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS";
    for (commands, lines) in [
        ("discard t[mip 0 }", vec![3]),
        ("discard t[mip 0 } // ]\ndiscard t[mip }", vec![3, 4]),
        ("discard t[\n  mip 0\n}", vec![5]),
        ("discard t[mip 0, layer }", vec![3]),
        (
            "draw \"}\" { RENDER_TARGET t[mip 0 }; RENDER_TARGET t }",
            vec![3],
        ),
        // The `}` is that of the block: the `]` is missing.
        ("draw { RENDER_TARGET t[mip 0 }", vec![3]),
        ("draw { RENDER_TARGET t[mip 0\n}", vec![3]),
        ("draw { RENDER_TARGET t ]", vec![3]),
        (
            &format!("barrier {{ texture t[mip 0] {{ {scope} ] }}"),
            vec![3],
        ),
        // A `]` too many closes nothing.
        ("discard t[mip 0]]", vec![3]),
    ] {
        let text = format!(
            "{declared}list l : direct {{\n{commands}\n  discard t\n}}\nqueue q : direct\n"
        );
        let source = Source::new("closed.scn", text.clone());
        let (parsed, findings) = scenario::parse(&source);
        let found = findings.iter().map(|f| source.line(f.span.start));
        assert_eq!(found.collect::<Vec<_>>(), lines, "{text}\n{findings:#?}");
        assert_eq!((parsed.lists.len(), parsed.queues.len()), (1, 1), "{text}");
    }
}

/// A comment between brackets stays at its statement, before it or on its line; an expectation on a line on which nothing
/// begins keeps expecting nothing.
#[test]
fn comments_between_brackets_stay_at_their_statement() {
    let declared = "texture t : R8G8B8A8_UNORM 64x64 {\n  mips 2\n  flags RENDER_TARGET\n}\nbuffer b : 64KiB\n";
    let printed = |commands: &str| {
        let text = format!("{declared}list l : direct {{\n{commands}\n}}\n");
        keeps_expectations(&text);
        let (parsed, findings) = scenario::parse(&Source::new("brackets.scn", text));
        assert!(findings.is_empty(), "{findings:?}");
        let printed = scenario::print(&parsed);
        let from = printed.find("direct {\n").expect("a list") + "direct {\n".len();
        printed[from..]
            .trim_end()
            .trim_end_matches(['}', '\n'])
            .to_owned()
    };
    for (commands, expected) in [
        (
            "discard t[ //~ HZ104\n// why\nmip 0\n]",
            "  // why\n  discard t[mip 0] //~ HZ104",
        ),
        (
            "discard t[ // why\nmip 0 ] //~ HZ104",
            "  discard t[mip 0] // why\n  //~ HZ104",
        ),
        (
            "discard t[mip 0\n] //~ HZ104",
            "  discard t[mip 0]\n  //~ HZ104",
        ),
        (
            "discard t[\n// a\nmip 0 // b\n] // c",
            "  // a\n  // b\n  discard t[mip 0] // c",
        ),
        (
            "discard t[ // a\nmip 0\n] // c",
            "  // a\n  discard t[mip 0] // c",
        ),
        (
            "discard t[mip 0]; discard t[ //~ HZ104\nmip 1\n]; discard t //~ HZ103",
            "  discard t[mip 0]; discard t[mip 1] //~ HZ104\n  discard t //~ HZ103",
        ),
        (
            "draw { RENDER_TARGET t[mip 0\n]; RENDER_TARGET t[mip 1\n] } //~ HZ104",
            "  draw { RENDER_TARGET t[mip 0]; RENDER_TARGET t[mip 1] }\n  //~ HZ104",
        ),
        (
            "barrier {\nranged b[ // a\n0..256] { acquire }\nranged b[\n// b\n0..256 // c\n] { acquire } // d\n}",
            "  barrier {\n    ranged b[0..256] { // a\n      acquire\n    }\n    // b\n    // c\n    ranged b[0..256] { acquire } // d\n  ",
        ),
    ] {
        assert_eq!(printed(commands), expected, "{commands}");
    }
}

/// One empty line between two statements stays, in every kind of block.
#[test]
fn empty_lines_between_statements_stay() {
    let text = "buffer b : 64KiB\n\nbuffer c : 64KiB\nqueue q : direct\n\nlist l : direct {\n  copy b -> c // c\n\n  \
                // d\n  copy b -> c\n\n  legacy {\n    uav b // f\n\n    uav c\n  }\n\n  draw {\n    SHADER_RESOURCE b\n\n    \
                // e\n    SHADER_RESOURCE c\n  }\n}\n\ntimeline {\n  q execute l\n\n  q execute l\n}\n";
    let (parsed, findings) = scenario::parse(&Source::new("empty.scn", text));
    assert!(findings.is_empty(), "{findings:?}");
    let printed = scenario::print(&parsed);
    let blank = |text: &str| text.matches("\n\n").count();
    assert_eq!(blank(&printed), blank(text), "{printed}");
    keeps_expectations(&printed);
}

/// The places between the tokens of a text's ranges.
fn places_in_ranges(text: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let mut is_open = false;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(string) = rest.strip_prefix('"') {
            // Strings with escaped quotes and brackets are none of the scenes' names.
            string.find(['"', '\n']).map_or(rest.len(), |end| end + 2)
        } else {
            let sign = |c: char| !(c.is_alphanumeric() || c == '_');
            match rest.find(sign) {
                Some(0) if rest.starts_with("..") => 2,
                Some(0) => rest.chars().next().map_or(1, char::len_utf8),
                Some(length) => length,
                None => rest.len(),
            }
        };
        let is_bracket = rest.starts_with('[');
        is_open = (is_open || is_bracket) && !rest.starts_with(']');
        at += length;
        if is_open {
            places.push(at);
        }
    }
    places
}

/// A text with something at each of some places, in turn.
fn with_gaps(text: &str, places: &[usize], gaps: &[&str]) -> String {
    let (mut with, mut from) = (String::new(), 0);
    for (place, gap) in places.iter().zip(gaps.iter().cycle()) {
        with += &text[from..*place];
        with += gap;
        from = *place;
    }
    with + &text[from..]
}

/// Two texts mean the same, but for comments, of which none is lost.
fn same_but_for_comments(text: &str, broken: &str) {
    let read = |text: &str| {
        let (parsed, findings) = scenario::parse(&Source::new("broken.scn", text));
        let said: Vec<_> = findings
            .iter()
            .map(|f| (f.rule.id, f.message.clone()))
            .collect();
        (scenario::print(&parsed), said)
    };
    let ((one, said), (other, said_of_broken)) = (read(text), read(broken));
    assert_eq!(said, said_of_broken, "{broken}");
    if said.is_empty() {
        let bare = |text: &str| read(&without_comments(text)).0;
        assert_eq!(bare(&one), bare(&other), "{broken}");
        assert_eq!(
            other.matches("//").count(),
            broken.matches("//").count(),
            "{broken}"
        );
        assert_eq!(read(&other).0, other, "{broken}");
    }
}

fn without_comments(text: &str) -> String {
    let lines = text.lines();
    let bare = lines.map(|line| match line.find("//") {
        Some(at) if line[..at].matches('"').count().is_multiple_of(2) => &line[..at],
        _ => line,
    });
    let bare = bare.map(str::trim_end).filter(|line| !line.is_empty());
    bare.collect::<Vec<_>>().join("\n") + "\n"
}

/// A text after each blank and line end, and between the tokens of its ranges.
fn words_and_parts_of_ranges(text: &str) -> Vec<&str> {
    let mut places = places_in_ranges(text);
    places.extend(text.match_indices([' ', '\n']).map(|(at, _)| at + 1));
    places.sort_unstable();
    places.dedup();
    let mut from = 0;
    let mut words: Vec<&str> = Vec::with_capacity(places.len() + 1);
    for place in places {
        words.push(&text[from..place]);
        from = place;
    }
    words.push(&text[from..]);
    words
}

/// What may be between an arrow and the use after it.
const BEFORE_A_USE: [&str; 5] = [" ", "\n", " //~ HZ101\n", " // c\n", "\n // c\n"];
/// What may end the line of a use.
const AFTER_A_USE: [&str; 4] = ["\n", " //~ HZ103\n", "; //~ HZ103\n", " // d\n"];

/// A text in whose copies the second use has a line of its own, with comments.
fn with_uses_on_lines_of_their_own(text: &str, gaps: &[usize], ends: &[usize]) -> String {
    let mut with = String::new();
    let mut all = gaps.iter().cycle().zip(ends.iter().cycle());
    for line in text.lines() {
        let is_copy = ["copy ", "resolve "]
            .iter()
            .any(|word| line.trim().starts_with(word));
        let parts = line.split_once(" -> ").filter(|_| is_copy);
        match (parts, all.next()) {
            (Some((source, target)), Some((gap, end))) if !target.contains(['{', '}', ';']) => {
                with += source;
                with += " ->";
                with += BEFORE_A_USE[*gap];
                with += target;
                with += AFTER_A_USE[*end];
            }
            _ => {
                with += line;
                with += "\n";
            }
        }
    }
    with
}

/// Breaks the line after the next arrow, and expects something of the word after it.
fn expects_after_an_arrow(words: &mut Vec<&str>, from: usize) {
    let arrow = words[from..]
        .iter()
        .position(|word| word.trim_end() == "->");
    if let Some(at) = arrow.map(|at| from + at)
        && let Some(next) = words.get(at + 1).copied()
    {
        words[at] = "->";
        words[at + 1] = next.trim_end();
        words.insert(at + 1, "\n");
        words.insert(at + 3, " //~ HZ103\n");
    }
}

/// A text that was drawn once, and printed otherwise the second time.
#[test]
fn an_empty_line_after_a_declaration_without_a_block_stays() {
    keeps_expectations(
        "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }
queue q : direct

list l : direct // syncscope: allow RD101
 //~ HZ103
{
 // c
; barrier //~ HZ103
{ texture t
{ sync NONE -> RENDER_TARGET; access COMMON -> RENDER_TARGET; layout COMMON -> RENDER_TARGET } } //~ EB010
}

timeline {
  q execute l
}
",
    );
    let text = "buffer b : 4KiB\nqueue q : direct\n\n// The list.\nlist l : direct { }\n";
    let (parsed, findings) = scenario::parse(&Source::new("kept.scn", text));
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(scenario::print(&parsed), text);
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
    let (said, kept) = (expected(&before, &parsed), expected(&after, &again));
    assert_eq!(kept, said, "{text}\n{}", after.text);
    let allowed = |parsed: &Scenario| {
        let covers = |allow: &Allow| {
            let mut starts = starts(parsed).into_iter();
            (
                allow.ids.clone(),
                starts.position(|at| at.start == allow.covers.start),
            )
        };
        parsed.allows.iter().map(covers).collect::<Vec<_>>()
    };
    assert_eq!(allowed(&again), allowed(&parsed), "{text}\n{}", after.text);
    // Expectations of two lines may come to be one comment.
    let comments = |text: &str| text.matches("//").count() - text.matches("//~").count();
    assert_eq!(
        comments(&after.text),
        comments(text),
        "{text}\n{}",
        after.text
    );
}

/// What each expectation names, with the numbers of the statements, entries and uses that begin on its line: their findings
/// are what it expects. Each name by itself, sorted, as a comment may come to be before another one, or a part of it. A use that
/// is written outside of a block is its command.
fn expected(source: &Source, parsed: &Scenario) -> Vec<(Option<String>, Vec<usize>)> {
    let starts = starts(parsed);
    let number = |span: &Span| starts.iter().position(|start| start == span);
    let of_uses = uses_outside_of_blocks(parsed).into_iter();
    let of_uses = of_uses.map(|(used, command)| (used, number(&command)));
    let own = starts.iter().map(|span| (*span, number(span)));
    let numbers: Vec<(u32, Option<usize>)> = own
        .chain(of_uses)
        .map(|(span, number)| (source.line(span.start), number))
        .collect();
    let expectations = parsed.expectations.iter();
    let mut expected: Vec<_> = expectations
        .flat_map(|expectation| {
            let here = numbers.iter().filter(|(line, _)| *line == expectation.line);
            let here: BTreeSet<usize> = here.filter_map(|(_, number)| *number).collect();
            let here: Vec<usize> = here.into_iter().collect();
            let ids = expectation.ids.iter().cloned().map(Some);
            let none = expectation.ids.is_empty().then_some(None);
            ids.chain(none).map(move |id| (id, here.clone()))
        })
        .collect();
    expected.sort();
    expected
}

/// The uses of copies and their like, each with its command.
fn uses_outside_of_blocks(parsed: &Scenario) -> Vec<(Span, Span)> {
    let commands = parsed.lists.iter().flat_map(|list| &list.commands);
    let is_transfer = |kind: &CommandKind| {
        use CommandKind::{Copy, CopyAs, EmitAs, Resolve};
        matches!(kind, Copy | Resolve | CopyAs | EmitAs)
    };
    let transfers = commands.filter(|command| is_transfer(&command.kind));
    transfers
        .flat_map(|command| command.uses.iter().map(|used| (used.span, command.span)))
        .collect()
}

/// The places at which findings may be: of everything that a text says, in the same order however its lines fall.
fn starts(parsed: &Scenario) -> Vec<Span> {
    let mut starts: Vec<Span> = parsed.resources.values().map(|r| r.span).collect();
    starts.extend(parsed.heaps.values().map(|heap| heap.span));
    starts.extend(parsed.fences.values().map(|fence| fence.span));
    starts.extend(parsed.queues.values().map(|queue| queue.span));
    if parsed.device.span != Span::default() {
        starts.push(parsed.device.span);
    }
    starts.extend(parsed.timeline.iter().map(|timeline| timeline.span));
    if let Some(timeline) = &parsed.timeline {
        starts_of_statements(&timeline.statements, &mut starts);
    }
    for list in &parsed.lists {
        starts.push(list.span);
        for command in &list.commands {
            starts.push(command.span);
            match &command.kind {
                CommandKind::Barrier(entries)
                | CommandKind::FenceBarrier {
                    barriers: entries, ..
                } => starts.extend(entries.iter().map(|e| e.span)),
                CommandKind::Legacy(entries) => starts.extend(entries.iter().map(|e| e.span)),
                _ => {
                    let written = command.uses.iter().filter(|used| !used.implied);
                    starts.extend(written.map(|used| used.span));
                }
            }
        }
    }
    starts
}

fn starts_of_statements(statements: &[Statement], starts: &mut Vec<Span>) {
    for statement in statements {
        starts.push(statement.span);
        if let StatementKind::Repeat { body, .. } = &statement.kind {
            starts_of_statements(body, starts);
        }
    }
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
