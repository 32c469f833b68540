//! Lessons, for people, for programs and for spreadsheets: what one asks, what came of an attempt, and how far a student or a
//! class is.

use super::format::{Output, Printer};
use super::{Style, json, text};
use crate::run::lesson::{CheckRow, Checked, Lesson, Question};
use crate::schema::schema;
use serde::Serialize;
use std::io::{self, Write};

/// A lesson, and what came of an attempt at it.
pub struct Attempted {
    /// The lesson.
    pub lesson: Lesson,
    /// What came of the attempt.
    pub checked: Checked,
}

/// A lesson in a list, and how far the student is.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ShelfRow {
    /// Number, from 1.
    pub number: usize,
    /// Name of its file without the extension.
    pub name: String,
    /// Title.
    pub title: String,
    /// Whether an attempt has passed.
    pub passed: bool,
    /// Hints that were asked for.
    pub hints: usize,
}

/// A student's attempt.
#[derive(Clone, Debug)]
pub struct ClassRow {
    /// The student: the directory of the file.
    pub student: String,
    /// Name of the lesson's file.
    pub lesson: String,
    /// Title of the lesson.
    pub title: String,
    /// Whether it passes.
    pub passed: bool,
    /// The checks that it fails, or why it could not be judged.
    pub failed: Vec<String>,
}

/// An attempt at a lesson: `learn`.
pub(crate) const LESSON: Output<Printer<Attempted>> = Output {
    name: "lesson",
    noun: "an attempt at a lesson",
    writers: &[
        ("terminal", |it, style, out| checks(&it.checked, style, out)),
        ("json", |it, _, out| json::indented(&document(it), out)),
    ],
    schema: Some(schema!(
        written LessonDocument<'static>, "lesson", "The output of `learn LESSON --once --format json`"
    )),
};

/// The lessons that there are: `learn`.
pub(crate) const LESSONS: Output<Printer<[ShelfRow]>> = Output {
    name: "lessons",
    noun: "a list of lessons",
    writers: &[
        ("terminal", shelf),
        ("json", |rows, _, out| {
            json::indented(
                &LessonsDocument {
                    schema: SCHEMA,
                    lessons: rows,
                },
                out,
            )
        }),
    ],
    schema: Some(schema!(
        written LessonsDocument<'static>, "lessons", "The output of `learn --format json`"
    )),
};

/// A class: `learn --report`.
pub(crate) const CLASS: Output<Printer<[ClassRow]>> = Output {
    name: "class",
    noun: "a table of a class",
    writers: &[("terminal", class)],
    schema: None,
};

/// Version of the documents.
const SCHEMA: u32 = 1;

/// An attempt.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LessonDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// Title.
    lesson: &'a str,
    /// What is to be done.
    goal: &'a str,
    /// Paragraphs.
    text: &'a [String],
    /// What to predict, if the lesson asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<&'a Question>,
    /// Whether every check is passed.
    passed: bool,
    /// The checks in order.
    checks: &'a [CheckRow],
}

/// The lessons.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LessonsDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// In their order.
    lessons: &'a [ShelfRow],
}

fn document(attempted: &Attempted) -> LessonDocument<'_> {
    let lesson = &attempted.lesson;
    LessonDocument {
        schema: SCHEMA,
        lesson: &lesson.title,
        goal: &lesson.goal,
        text: &lesson.text,
        question: lesson.question.as_ref(),
        passed: attempted.checked.passed(),
        checks: &attempted.checked.rows,
    }
}

/// Writes what a lesson says and asks.
///
/// # Errors
/// Only what the writer returns.
pub fn card(lesson: &Lesson, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    style.lines(&text::clean(&lesson.title), out)?;
    for paragraph in &lesson.text {
        writeln!(out)?;
        style.lines(&text::clean(paragraph), out)?;
    }
    writeln!(out)?;
    style.lines(&format!("Goal: {}", text::clean(&lesson.goal)), out)?;
    if let Some(question) = &lesson.question {
        writeln!(out)?;
        ask(question, style, out)?;
    }
    Ok(())
}

fn ask(question: &Question, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    style.lines(&format!("Predict: {}", text::clean(&question.ask)), out)?;
    for (at, choice) in (1..).zip(&question.choices) {
        style.hanging(&format!("  {at}  {}", text::clean(choice)), out)?;
    }
    Ok(())
}

fn checks(checked: &Checked, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for row in &checked.rows {
        let mark = if row.passed { "ok     " } else { "not yet" };
        style.hanging(&format!("{mark}  {}", row.check), out)?;
        for found in &row.found {
            style.hanging(&format!("           {}", text::clean(found)), out)?;
        }
    }
    Ok(())
}

fn shelf(rows: &[ShelfRow], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for row in rows {
        let state = match (row.passed, row.hints) {
            (true, _) => "passed  ".to_owned(),
            (false, 0) => "        ".to_owned(),
            (false, hints) => text::left(&text::count(hints as u64, "hint", "hints"), 8),
        };
        let line = format!("{:>3}  {state}  {}", row.number, text::clean(&row.title));
        style.hanging(&line, out)?;
    }
    let passed = rows.iter().filter(|it| it.passed).count();
    writeln!(out)?;
    let next = rows.iter().find(|it| !it.passed);
    let next = next.map_or_else(String::new, |it| {
        format!("; next: syncscope learn {}", it.number)
    });
    style.lines(&format!("{passed} of {} passed{next}", rows.len()), out)
}

fn class(rows: &[ClassRow], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for row in rows {
        let state = if row.passed {
            "passed".to_owned()
        } else {
            format!("not yet: {}", row.failed.join(", "))
        };
        let (student, lesson) = (text::clean(&row.student), text::clean(&row.lesson));
        style.hanging(
            &format!("{student}  {lesson}  {}", text::clean(&state)),
            out,
        )?;
    }
    let passed = rows.iter().filter(|it| it.passed).count();
    let attempts = text::count(rows.len() as u64, "attempt", "attempts");
    style.lines(&format!("{attempts}, {passed} passed"), out)
}
