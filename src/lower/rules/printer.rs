//! Value to text, the one way. What is printed parses to the same value.

use super::model::{
    Base, Block, Condition, Dropped, Emit, Line, Match, Name, Naming, Operation, Passes, Place,
    RuleFile, Setting, Stages, Statement,
};
use super::sets::How;
use std::fmt::Write as _;

/// A rule file as text.
pub fn print(file: &RuleFile) -> String {
    let mut out = String::new();
    let name = word_or_quoted(&file.name);
    block(&mut out, &format!("lowering {name}"), &file.header, setting);
    for rule in &file.rules {
        let head = match &rule.name {
            Some(name) => format!("rule {}", quoted(name)),
            None => "default".to_owned(),
        };
        out.push('\n');
        // What an entry must be comes first, then what its packet gets.
        let is_emit = |line: &Line<Statement>| matches!(line.item, Statement::Do(_));
        let mut sorted = rule.block.clone();
        sorted.lines.sort_by_key(is_emit);
        block(&mut out, &head, &sorted, statement);
    }
    if !file.at_end.is_empty() {
        out.push('\n');
    }
    for comment in &file.at_end {
        let _ = writeln!(out, "{comment}");
    }
    out
}

fn block<T>(out: &mut String, head: &str, block: &Block<T>, print: fn(&T) -> String) {
    for comment in &block.before {
        let _ = writeln!(out, "{comment}");
    }
    let _ = writeln!(out, "{head} {{");
    for line in &block.lines {
        for comment in &line.before {
            let _ = writeln!(out, "  {comment}");
        }
        let _ = write!(out, "  {}", print(&line.item));
        if let Some(comment) = &line.after {
            let _ = write!(out, "  {comment}");
        }
        out.push('\n');
    }
    for comment in &block.at_end {
        let _ = writeln!(out, "  {comment}");
    }
    out.push_str("}\n");
}

/// A setting as text.
pub fn setting(setting: &Setting) -> String {
    match setting {
        Setting::Summary(text) => format!("summary {}", quoted(text)),
        Setting::Match(Match::First) => "match first".to_owned(),
        Setting::Match(Match::Accumulate) => "match accumulate".to_owned(),
        Setting::Base(Base::Nothing) => "based-on nothing".to_owned(),
        Setting::Base(Base::Precise) => "based-on precise".to_owned(),
        Setting::Passes(Passes::Keep) => "passes keep".to_owned(),
        Setting::Passes(Passes::Break) => "passes break".to_owned(),
    }
}

/// A statement of a rule as text.
pub fn statement(statement: &Statement) -> String {
    match statement {
        Statement::If(it) => condition(it),
        Statement::Do(it) => emit(it),
    }
}

fn condition(condition: &Condition) -> String {
    match condition {
        Condition::Bits(set) => {
            let how = match set.how {
                How::Any | How::None => String::new(),
                other => format!(" {}", other.word()),
            };
            let but = if set.but.is_empty() {
                String::new()
            } else {
                format!(" but {}", set.but.join("|"))
            };
            format!("{} {}{but}{how}", set.of.head(), set.words.join("|"))
        }
        Condition::Choice(choice) => format!("{} {}", choice.of.head(), choice.words.join("|")),
        Condition::Names(of, list) => {
            let list: Vec<String> = list.iter().map(|it| named(*of, it)).collect();
            format!("{} {}", of.word(), list.join("|"))
        }
    }
}

fn named(of: Naming, name: &Name) -> String {
    if of == Naming::Surface {
        let parts = name.text.split(" + ").map(word_or_quoted);
        return parts.collect::<Vec<_>>().join(" + ");
    }
    word_or_quoted(&name.text)
}

fn emit(emit: &Emit) -> String {
    match emit {
        Emit::Wait(it) => format!("wait {}", stages(it)),
        Emit::Hold(it) => format!("hold {}", stages(it)),
        Emit::Clean(it) => format!("clean {}", operation(it)),
        Emit::Invalidate(it) => format!("invalidate {}", operation(it)),
        Emit::Layout(None) => "layout".to_owned(),
        Emit::Layout(Some(name)) => format!("layout {}", quoted(&name.text)),
        Emit::FrontEnd => "front-end".to_owned(),
        Emit::Driver(name, time) => format!("driver {} {}", quoted(name), time.in_whole_units()),
        Emit::AfterAll => "after-all".to_owned(),
        Emit::InOrder => "in order".to_owned(),
        Emit::Nothing => "nothing".to_owned(),
        Emit::Drop(Dropped::Clean(list)) => format!("drop clean {}", caches(list)),
        Emit::Drop(Dropped::Invalidate(list)) => format!("drop invalidate {}", caches(list)),
        Emit::Drop(Dropped::Layout) => "drop layout".to_owned(),
        Emit::Drop(Dropped::FrontEnd) => "drop front-end".to_owned(),
    }
}

fn stages(stages: &Stages) -> String {
    match stages {
        Stages::AsAsked => "as-asked".to_owned(),
        Stages::None => "none".to_owned(),
        Stages::These(words, _) => words.join("|"),
    }
}

fn operation(operation: &Operation) -> String {
    let mut text = caches(&operation.caches);
    if operation.whole {
        text.push_str(" whole");
    }
    if operation.place != Place::Usual {
        text = text + " " + operation.place.word();
    }
    text
}

fn caches(list: &[Name]) -> String {
    let list: Vec<String> = list.iter().map(|it| word_or_quoted(&it.text)).collect();
    list.join(" ")
}

/// A text in quotes.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A word as it is, anything else in quotes. A word that means something after a cache is no name without them.
fn word_or_quoted(text: &str) -> String {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '*');
    let inside = |c: char| c.is_ascii_alphanumeric() || "_*.-".contains(c);
    let is_modifier = text == "whole" || Place::ALL.iter().any(|place| place.word() == text);
    if begins && text.chars().all(inside) && !is_modifier {
        text.to_owned()
    } else {
        quoted(text)
    }
}
