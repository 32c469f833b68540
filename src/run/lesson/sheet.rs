//! What a student gets: the start with what the lesson says and asks, and nothing that gives an answer away.

use super::Lesson;
use super::header::MARK;
use std::fmt::Write as _;

/// Columns of a line.
const COLUMNS: usize = 100;

/// The sheet of a lesson.
pub(super) fn sheet(lesson: &Lesson) -> String {
    let mut sheet = String::new();
    let mut say = |text: &str| {
        // An empty line parts paragraphs.
        if !sheet.is_empty() {
            sheet.push_str("//\n");
        }
        for line in wrapped(text) {
            let _ = writeln!(sheet, "// {line}");
        }
    };
    say(&format!("Lesson: {}", lesson.title));
    for paragraph in &lesson.text {
        say(paragraph);
    }
    if let Some(question) = &lesson.question {
        say(&format!("Predict: {}", question.ask));
        for (at, choice) in (1..).zip(&question.choices) {
            say(&format!("{at}. {choice}"));
        }
    }
    say(&format!("Goal: {}", lesson.goal));
    sheet.push('\n');
    sheet.push_str(&lesson.start_for_students());
    sheet
}

/// The start below its header.
pub(super) fn below_header(text: &str) -> String {
    let lines = text.lines();
    let lines = lines.skip_while(|it| it.trim().is_empty() || it.trim_start().starts_with(MARK));
    joined(lines)
}

/// A text without its comments `//~ ID`, which say what is wrong with it.
pub fn without_expectations(text: &str) -> String {
    let lines = text.lines().map(|line| match expectation_in(line) {
        Some(at) => line[..at].trim_end(),
        None => line,
    });
    joined(lines)
}

/// Where a comment `//~` is in a line. What is in a string is none.
fn expectation_in(line: &str) -> Option<usize> {
    let (mut is_string, mut is_escaped) = (false, false);
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            // Any comment: what it says is in no string.
            b'/' if !is_string && line[at..].starts_with("//") => {
                return line[at..].find("//~").map(|mark| at + mark);
            }
            _ => {}
        }
    }
    None
}

fn joined<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// A paragraph in lines, word by word.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is one from the start");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() + "// ".len() <= COLUMNS {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}
