//! The header of a lesson: lines `//!` before everything else, `KEY: …` and plain text.
//!
//! A line that begins with no key continues what is above it. Text without a key is the lesson's own, in paragraphs.

use super::{Check, Kind, Lesson, Mistake, Question};
use crate::finding::Source;

/// What a line of a header begins with.
pub(super) const MARK: &str = "//!";

/// What a header may say.
const KEYS: [&str; 9] = [
    "lesson", "goal", "question", "because", "hint", "check", "fails", "scenes", "profile",
];

/// A line, or some that belong together.
struct Item<'t> {
    line: u32,
    key: &'t str,
    text: String,
}

/// Reads a header, and what is next to it.
pub(super) fn read(
    start: &Source,
    next_to: &dyn Fn(&str) -> Option<Source>,
) -> Result<Lesson, Vec<Mistake>> {
    let mut mistakes = Vec::new();
    let kind = Kind::of(&start.name);
    let mut lesson = Lesson {
        title: String::new(),
        goal: String::new(),
        text: Vec::new(),
        question: None,
        written_hints: Vec::new(),
        checks: Vec::new(),
        fails: Vec::new(),
        scenes: Vec::new(),
        profile: None,
        start: start.clone(),
        solution: next_to(&solution_name(&start.name)),
    };
    let mut because = None;
    for item in items(&start.text) {
        let line = item.line;
        let mut wrong = |message: String| mistakes.push(Mistake { line, message });
        match item.key {
            "" => lesson.text.push(item.text),
            "lesson" => once(&mut lesson.title, item, &mut wrong),
            "goal" => once(&mut lesson.goal, item, &mut wrong),
            "question" if lesson.question.is_some() => wrong("a lesson has one question".into()),
            "question" => match question(&item.text) {
                Ok(question) => lesson.question = Some(question),
                Err(message) => wrong(message),
            },
            "because" => because = Some(item),
            "hint" if lesson.written_hints.len() == 3 => wrong("a lesson has three hints".into()),
            "hint" => lesson.written_hints.push(item.text),
            "check" => match Check::read(&item.text, kind) {
                Ok(check) => lesson.checks.push(check),
                Err(message) => wrong(message),
            },
            "fails" => lesson.fails.extend(words(&item.text)),
            "profile" => lesson.profile = Some(item.text),
            "scenes" => {
                for name in words(&item.text) {
                    match next_to(&name) {
                        Some(scene) => lesson.scenes.push(scene),
                        None => wrong(format!("there is no scene `{name}` next to the lesson")),
                    }
                }
            }
            key => wrong(unknown(key)),
        }
    }
    match (because, &mut lesson.question) {
        (Some(item), Some(question)) => question.because = item.text,
        (Some(item), None) => mistakes.push(Mistake {
            line: item.line,
            message: "`because` answers a question, and there is none".to_owned(),
        }),
        _ => {}
    }
    mistakes.extend(incomplete(&lesson, kind));
    mistakes.sort_by_key(|it| it.line);
    if mistakes.is_empty() {
        Ok(lesson)
    } else {
        Err(mistakes)
    }
}

fn once(field: &mut String, item: Item<'_>, wrong: &mut impl FnMut(String)) {
    if field.is_empty() {
        *field = item.text;
    } else {
        wrong(format!("`{}` is there twice: a lesson has one", item.key));
    }
}

/// What a lesson must have and this one has not.
fn incomplete(lesson: &Lesson, kind: Kind) -> Vec<Mistake> {
    let mut missing = Vec::new();
    if lesson.title.is_empty() {
        missing.push("a title: `//! lesson: Order is not visibility`".to_owned());
    }
    if lesson.goal.is_empty() {
        missing.push("a goal, in a sentence: `//! goal: …`".to_owned());
    }
    if lesson.checks.is_empty() {
        missing.push("a check: `//! check: clean`".to_owned());
    }
    if kind == Kind::Rules && lesson.scenes.is_empty() {
        missing.push("what the rule file is tried on: `//! scenes: FILE, …`".to_owned());
    }
    for name in &lesson.fails {
        if !lesson.checks.iter().any(|it| it.word() == name) {
            let words: Vec<_> = lesson.checks.iter().map(Check::word).collect();
            missing.push(format!(
                "a check `{name}`, which the start is to fail: it has {}",
                words.join(", ")
            ));
        }
    }
    let lacks = |what: String| Mistake {
        line: 1,
        message: format!("the lesson lacks {what}"),
    };
    missing.into_iter().map(lacks).collect()
}

/// The name of the file next to a lesson that has its solution: `01-overlap.scn` has `01-overlap.solution.scn`.
fn solution_name(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    match name.rsplit_once('.') {
        Some((stem, extension)) => format!("{stem}.solution.{extension}"),
        None => format!("{name}.solution"),
    }
}

/// Whether a file is the solution of a lesson, by its name.
#[cfg(feature = "corpus")]
pub(super) fn is_solution(file: &str) -> bool {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    super::has_extension(stem, "solution")
}

/// The header in pieces: a key with all its lines, or a paragraph without one.
fn items(text: &str) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = Vec::new();
    // An empty line ends what is above it.
    let mut is_open = false;
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim();
        let Some(said) = text.strip_prefix(MARK) else {
            if text.is_empty() {
                continue;
            }
            break;
        };
        let said = said.trim();
        if said.is_empty() {
            is_open = false;
            continue;
        }
        let key = said.split_once(':').filter(|(key, _)| is_key(key));
        match (key, items.last_mut().filter(|_| is_open)) {
            (Some((key, rest)), _) => items.push(Item {
                line,
                key,
                text: rest.trim().to_owned(),
            }),
            // Choices stay lines of their own.
            (None, Some(open)) if open.key == "question" && said.starts_with(['-', '*']) => {
                open.text.push('\n');
                open.text.push_str(said);
            }
            (None, Some(open)) => {
                open.text.push(' ');
                open.text.push_str(said);
            }
            (None, None) => items.push(Item {
                line,
                key: "",
                text: said.to_owned(),
            }),
        }
        is_open = true;
    }
    items
}

/// A key is a known word, or nearly one: a word with one mistake.
fn is_key(word: &str) -> bool {
    near(word).is_some()
}

fn near(word: &str) -> Option<&'static str> {
    KEYS.into_iter()
        .find(|key| strsim::osa_distance(word, key) <= 1)
}

fn unknown(key: &str) -> String {
    let near = near(key).unwrap_or("lesson");
    format!("a header has no `{key}`; did you mean `{near}`?")
}

fn words(list: &str) -> impl Iterator<Item = String> {
    let words = list.split(',').map(str::trim);
    words.filter(|word| !word.is_empty()).map(str::to_owned)
}

/// A question with its choices: `-` begins a wrong one, `*` the right one.
fn question(text: &str) -> Result<Question, String> {
    let mut lines = text.lines();
    let ask = lines.next().unwrap_or_default().to_owned();
    let mut right = Vec::new();
    let mut choices = Vec::new();
    for (at, line) in lines.enumerate() {
        if line.starts_with('*') {
            right.push(at);
        }
        choices.push(line[1..].trim().to_owned());
    }
    let [right] = right[..] else {
        let count = right.len();
        return Err(format!(
            "a question has one right choice, which begins with `*`; this one has {count}"
        ));
    };
    if choices.len() < 2 {
        return Err("a question has choices: `-` begins a wrong one, `*` the right one".to_owned());
    }
    Ok(Question {
        ask,
        choices,
        right,
        because: String::new(),
    })
}
