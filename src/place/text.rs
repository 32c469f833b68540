//! The placed barriers in the text as its author wrote it: every other line stays as it is.
//!
//! The text is edited and read again. If that is not the placed scenario (a command shares its line with another one, a
//! repair changed more than barriers), the scenario is printed as `fmt` prints it.

use super::plan::NEEDED;
use crate::finding::{Edit, Source, Span};
use crate::repair;
use crate::run::lesson::without_expectations;
use crate::scenario::{self, Command, Comments, Lines, List, Scenario, Trivia};
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
    for (old, new) in before.lists.iter().zip(&placed.lists) {
        list(original, old, (placed, new), &mut edits)?;
    }
    let edits = repair::in_order(edits);
    let is_apart = edits.is_sorted_by(|one, next| one.span.end <= next.span.start);
    is_apart.then(|| without_marks(&repair::apply(&original.text, &edits)))
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
    for command in old.commands.iter().filter(|it| it.kind.is_barrier_call()) {
        let span = lines(original, command.span);
        edits.push(Edit {
            span: with_comments(&original.text, span, comments_before(command), is_of_call),
            text: String::new(),
        });
    }
    let mut at = 0;
    let mut calls = String::new();
    for command in &new.commands {
        if command.kind.is_barrier_call() {
            calls.push_str(&printed(scenario, command));
            continue;
        }
        if !calls.is_empty() {
            edits.push(before(original, own[at], &std::mem::take(&mut calls))?);
        }
        at += 1;
    }
    if !calls.is_empty() {
        let last = lines(original, own.last()?.span);
        let indent = indent(&original.text, last);
        edits.push(Edit {
            span: Span {
                start: last.end,
                end: last.end,
            },
            text: indented(&calls, indent),
        });
    }
    Some(())
}

fn before(original: &Source, command: &Command, calls: &str) -> Option<Edit> {
    let span = lines(original, command.span);
    let own = original.text.get(span.start as usize..)?;
    // A command that is not the first on its line is not moved.
    let starts = own.trim_start_matches([' ', '\t']);
    let offset = own.len() - starts.len();
    // Above its comments, which stay with it.
    let text = &original.text;
    let above = with_comments(text, span, comments_before(command), |_| true);
    (span.start as usize + offset == command.span.start as usize).then(|| Edit {
        text: indented(calls, indent(text, span)),
        span: Span {
            start: above.start,
            end: above.start,
        },
    })
}

/// How many lines of comments a command has before it.
fn comments_before(command: &Command) -> usize {
    let comments = command.trivia.0.as_ref();
    comments.map_or(0, |it| it.before.iter().count())
}

/// Whole lines, the line end included.
fn lines(text: &Source, span: Span) -> Span {
    Span {
        start: text.line_start(text.line(span.start)),
        end: text.line_start(text.line(span.end) + 1),
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
        start: crate::id::narrow(start),
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
    let entries: Vec<String> = command
        .kind
        .barriers()
        .iter()
        .map(|it| scenario::print_barrier(scenario, it))
        .collect();
    if let [only] = entries.as_slice()
        && only.len() + "barrier {  }".len() <= COLUMNS
    {
        return text + &format!("barrier {{ {only} }}\n");
    }
    text.push_str("barrier {\n");
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
