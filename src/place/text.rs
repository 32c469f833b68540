//! The placed barriers in the text as its author wrote it: every other line stays as it is.
//!
//! The text is edited and read again. If that is not the placed scenario (a repair changed more than barriers), the scenario is
//! printed as `fmt` prints it.

use super::plan::NEEDED;
use crate::finding::{Edit, Source, Span};
use crate::id::narrow;
use crate::repair;
use crate::run::lesson::without_expectations;
use crate::scenario::{
    self, Command, CommandKind, Comments, Initial, Lines, List, Resource, Scenario, Trivia,
};
use serde_json::Value;
use std::fmt::Write as _;

/// The text of `placed`, which differs from the scenario of a text in its barriers.
pub(super) fn of(original: &Source, placed: &Scenario) -> String {
    edited(original, placed)
        .filter(|text| is_same(text, placed))
        .unwrap_or_else(|| without_marks(&scenario::print(placed)))
}

/// A text without the findings that it expects; that it expects none stays true.
fn without_marks(text: &str) -> String {
    let is_none = |line: &str| line.trim() == "//~ none";
    let is_mark = |line: &str| line.trim_start().starts_with("//~") && !is_none(line);
    let kept = text.lines().filter(|line| !is_mark(line));
    let lines = kept.map(|line| {
        if is_none(line) || line.is_empty() {
            format!("{line}\n")
        } else {
            without_expectations(line)
        }
    });
    lines.collect()
}

fn is_same(text: &str, placed: &Scenario) -> bool {
    let (read, _) = scenario::parse(&Source::new("placed", text));
    content(&read) == content(placed)
}

/// Whether two scenarios differ in nothing but their barriers.
pub(super) fn is_same_but_for_barriers(one: &Scenario, other: &Scenario) -> bool {
    let bare = |scenario: &Scenario| content(&super::without_barriers(scenario.clone(), false));
    bare(one) == bare(other)
}

/// Whether the lists of two scenarios have the same commands but for barriers.
pub(super) fn has_same_commands(one: &Scenario, other: &Scenario) -> bool {
    let lists = |scenario: &Scenario| {
        let bare = content(&super::without_barriers(scenario.clone(), false));
        bare.and_then(|it| it.get("lists").cloned())
    };
    lists(one) == lists(other)
}

/// What a scenario says, without comments and the layout of the text.
fn content(scenario: &Scenario) -> Option<Value> {
    let mut value = serde_json::to_value(scenario).ok()?;
    if let Value::Object(fields) = &mut value {
        fields.remove("expectations");
    }
    scenario::json::drop_comments(&mut value);
    Some(value)
}

fn edited(original: &Source, placed: &Scenario) -> Option<String> {
    let (before, findings) = scenario::parse(original);
    if findings.iter().any(|it| it.severity.fails()) || before.lists.len() != placed.lists.len() {
        return None;
    }
    let mut edits = Vec::new();
    for (old, new) in before.resources.values().zip(placed.resources.values()) {
        created(original, (old, new), &mut edits);
    }
    let executed = super::executed(&before);
    let lists = before.lists.iter().zip(&placed.lists).zip(&executed);
    // Others stay as they are.
    for ((old, new), _) in lists.filter(|(_, is_executed)| **is_executed) {
        list(original, old, (placed, new), &mut edits)?;
    }
    let edits = repair::in_order(edits);
    let is_apart = edits.is_sorted_by(|one, next| one.span.end <= next.span.start);
    is_apart.then(|| without_marks(&repair::apply(&original.text, &edits)))
}

/// Words before the layout or the state in which a resource is created.
const CREATED: [&str; 2] = ["initial ", "state "];

/// The layout or state in which a resource is created now, where its layout was, or at the end of its line.
fn created(original: &Source, (old, new): (&Resource, &Resource), edits: &mut Vec<Edit>) {
    let said = match new.initial {
        _ if old.initial == new.initial => return,
        Initial::State(state) => format!("state {state}"),
        Initial::Layout(layout) => format!("initial {layout}"),
        Initial::Default => return,
    };
    let span = lines(original, old.span);
    let text = &original.text[span.start as usize..span.end as usize];
    let text = text.split("//").next().unwrap_or_default();
    let found = CREATED.iter().find_map(|word| {
        let start = text.find(word)?;
        let rest = &text[start..];
        let end = rest.find([';', '}', '\n']).unwrap_or(rest.len());
        Some((start, start + rest[..end].trim_end().len()))
    });
    let (from, to, text) = match (found, text.rfind('}')) {
        (Some((from, to)), _) => (from, to, said),
        (None, Some(end)) => {
            let end = text[..end].trim_end().len();
            (end, end, format!("; {said}"))
        }
        (None, None) => {
            let end = text.trim_end().len();
            (end, end, format!(" {{ {said} }}"))
        }
    };
    edits.push(Edit::new(
        Span::new(span.start + narrow(from), span.start + narrow(to)),
        text,
    ));
}

/// What changes in a list: its barriers go, and the placed ones come before the commands that they are before.
fn list(
    original: &Source,
    old: &List,
    (scenario, new): (&Scenario, &List),
    edits: &mut Vec<Edit>,
) -> Option<()> {
    let own: Vec<&Command> = old
        .commands
        .iter()
        .filter(|it| !it.kind.is_barrier_call())
        .collect();
    let kept = new
        .commands
        .iter()
        .filter(|it| !it.kind.is_barrier_call())
        .count();
    if own.len() != kept {
        return None;
    }
    // Where what goes ends, ascending.
    let mut removed: Vec<u32> = Vec::new();
    for command in old.commands.iter().filter(|it| it.kind.is_barrier_call()) {
        let own = own_lines(original, command.span);
        let with_said =
            |it| with_comments(&original.text, it, comments_before(command), is_of_call);
        let span = own.map_or_else(|| with_separator(original, command.span), with_said);
        removed.push(span.end);
        edits.push(gone(original, span));
    }
    let mut at = 0;
    let mut calls = String::new();
    for command in &new.commands {
        if command.kind.is_barrier_call() {
            calls.push_str(&printed(scenario, command));
            continue;
        }
        if !calls.is_empty() {
            let start = own[at].span.start;
            let floor = removed[..removed.partition_point(|end| *end <= start)].last();
            let calls = std::mem::take(&mut calls);
            edits.push(before(original, (old, own[at]), floor.copied(), &calls));
        }
        at += 1;
    }
    if !calls.is_empty() {
        let last = own.last()?;
        let indent = indent_of(original, (old, last));
        edits.push(match own_lines(original, last.span) {
            Some(lines) => insertion(lines.end, indented(&calls, &indent)),
            // What closes the list is on its line.
            None => insertion(last.span.end, format!("\n{}", indented(&calls, &indent))),
        });
    }
    Some(())
}

fn insertion(at: u32, text: String) -> Edit {
    Edit::insertion(at, text)
}

/// Calls before a command: above its line, or between it and what it shares its line with.
fn before(
    original: &Source,
    (list, command): (&List, &Command),
    floor: Option<u32>,
    calls: &str,
) -> Edit {
    let indent = indent_of(original, (list, command));
    let calls = indented(calls, &indent);
    let span = lines(original, command.span);
    let text = &original.text;
    let shared = text[span.start as usize..command.span.start as usize].trim_end();
    if shared.is_empty() {
        // Above its comments, which stay with it.
        let above = with_comments(text, span, comments_before(command), |_| true);
        return insertion(above.start, calls);
    }
    Edit {
        span: Span {
            // What goes before it goes by itself.
            start: (span.start + narrow(shared.len())).max(floor.unwrap_or_default()),
            end: command.span.start,
        },
        text: format!("\n{calls}{indent}"),
    }
}

/// How far a command is indented; where its list starts on the same line, how far it would be.
fn indent_of(original: &Source, (list, command): (&List, &Command)) -> String {
    let span = lines(original, command.span);
    let own = indent(&original.text, span);
    if list.span.start >= span.start {
        format!("{own}  ")
    } else {
        own.to_owned()
    }
}

/// How many lines of comments a command has before it.
fn comments_before(command: &Command) -> usize {
    let comments = command.trivia.0.as_ref();
    comments.map_or(0, |it| it.before.iter().count())
}

/// Whole lines, the line end included.
fn lines(text: &Source, span: Span) -> Span {
    Span::new(
        text.line_start(text.line(span.start)),
        text.line_start(text.line(span.end) + 1),
    )
}

/// The lines of something, if nothing else but a comment is on them.
pub(super) fn own_lines(text: &Source, span: Span) -> Option<Span> {
    let lines = lines(text, span);
    let before = &text.text[lines.start as usize..span.start as usize];
    let after = text.text[span.end as usize..lines.end as usize].trim();
    let is_alone = before.trim().is_empty() && (after.is_empty() || after.starts_with("//"));
    is_alone.then_some(lines)
}

/// Takes lines away. That a text expects no finding stays.
pub(super) fn gone(text: &Source, lines: Span) -> Edit {
    let own = &text.text[lines.start as usize..lines.end as usize];
    let expects_none = own
        .lines()
        .any(|line| line.trim_end().ends_with("//~ none"));
    Edit {
        span: lines,
        text: if expects_none {
            "//~ none\n".to_owned()
        } else {
            String::new()
        },
    }
}

/// Something that shares its line, with what separates it from what follows.
fn with_separator(text: &Source, span: Span) -> Span {
    let after = &text.text[span.end as usize..];
    let rest = after.trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix(';').unwrap_or(rest);
    let rest = rest.trim_start_matches([' ', '\t']);
    Span {
        end: span.end + narrow(after.len() - rest.len()),
        ..span
    }
}

/// Whether a comment goes with the call below it: the program wrote it, or it allows findings of that call.
fn is_of_call(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(NEEDED) || line.starts_with("// syncscope: allow")
}

/// The same with up to so many lines of comments before it, as long as they are such ones.
fn with_comments(text: &str, span: Span, count: usize, is_such: impl Fn(&str) -> bool) -> Span {
    let mut start = span.start as usize;
    for _ in 0..count {
        let before = text[..start.saturating_sub(1)]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let line = &text[before..start];
        if !line.trim_start().starts_with("//") || !is_such(line) {
            break;
        }
        start = before;
    }
    Span {
        start: narrow(start),
        ..span
    }
}

/// The comments above a command that stay when it goes.
pub(super) fn said_above(command: &Command) -> Vec<String> {
    let comments = command.trivia.0.iter().flat_map(|it| it.before.iter());
    comments
        .filter(|line| !is_of_call(line))
        .map(str::to_owned)
        .collect()
}

/// Puts comments above those of a command.
pub(super) fn say_above(command: &mut Command, said: &mut Vec<String>) {
    if !said.iter().any(|line| !line.is_empty()) {
        said.clear();
        return;
    }
    let mut comments = command
        .trivia
        .0
        .take()
        .map_or_else(Comments::default, |it| *it);
    said.extend(comments.before.iter().map(str::to_owned));
    comments.before = Lines::from(std::mem::take(said));
    command.trivia = Trivia(Some(Box::new(comments)));
}

fn indent(text: &str, span: Span) -> &str {
    let line = &text[span.start as usize..span.end as usize];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn indented(calls: &str, indent: &str) -> String {
    let lines = calls.lines().flat_map(|line| [indent, line, "\n"]);
    lines.collect()
}

/// Columns of a line, without indentation.
const COLUMNS: usize = 112;

/// A call with its comments, without indentation.
fn printed(scenario: &Scenario, command: &Command) -> String {
    let mut text = String::new();
    let comments = command.trivia.0.iter().flat_map(|it| it.before.iter());
    for line in comments {
        text.push_str(line);
        text.push('\n');
    }
    let (word, entries): (&str, Vec<String>) = match &command.kind {
        CommandKind::Legacy(entries) => {
            let entries = entries.iter();
            let printed = entries.map(|it| scenario::print_legacy(scenario, it));
            ("legacy", printed.collect())
        }
        kind => {
            let entries = kind.barriers().iter();
            let printed = entries.map(|it| scenario::print_barrier(scenario, it));
            ("barrier", printed.collect())
        }
    };
    if let [only] = entries.as_slice()
        && only.len() + word.len() + " {  }".len() <= COLUMNS
    {
        return text + &format!("{word} {{ {only} }}\n");
    }
    let _ = writeln!(text, "{word} {{");
    for entry in entries {
        match entry.split_once(" { ") {
            Some((head, fields)) if entry.len() + 2 > COLUMNS => {
                let _ = writeln!(text, "  {head} {{");
                for field in fields.trim_end_matches(" }").split("; ") {
                    let _ = writeln!(text, "    {field}");
                }
                text.push_str("  }\n");
            }
            _ => {
                let _ = writeln!(text, "  {entry}");
            }
        }
    }
    text + "}\n"
}
