//! Lessons: what one says, and what an attempt at it is worth.

use super::marks::Marks;
use super::{Question, Worth, hide_fixes, json, scenario, worth};
use crate::finding::Source;
use crate::run::lesson::{CheckRow, Kind, Lesson, Question as Asked};
use crate::run::{Options, Registry, read_lowering};
use serde::Serialize;

/// What a lesson says and asks.
#[derive(Serialize)]
struct Card<'a> {
    title: &'a str,
    goal: &'a str,
    text: &'a [String],
    question: Option<&'a Asked>,
    hints: Vec<String>,
    /// What an attempt must be.
    checks: Vec<String>,
    /// What a student starts with.
    start: String,
    /// The text of the solution, without its header.
    solution: Option<&'a str>,
}

/// What an attempt is worth.
#[derive(Serialize)]
struct Attempt<'a> {
    #[serde(flatten)]
    worth: Worth,
    passed: bool,
    checks: &'a [CheckRow],
}

pub(super) fn card(question: &Question, registry: &Registry) -> Result<String, String> {
    let lesson = read(question)?;
    Ok(json(&Card {
        title: &lesson.title,
        goal: &lesson.goal,
        text: &lesson.text,
        question: lesson.question.as_ref(),
        hints: lesson.hints(registry, &options(question)),
        checks: lesson.checks.iter().map(ToString::to_string).collect(),
        start: lesson.start_for_students(),
        solution: lesson.solution.as_ref().map(|it| it.text.as_str()),
    }))
}

pub(super) fn attempt(question: &Question, registry: &Registry) -> Result<String, String> {
    let lesson = read(question)?;
    let checked = lesson.check(&question.source(), registry, &options(question));
    Ok(json(&Attempt {
        passed: checked.passed(),
        checks: &checked.rows,
        worth: if question.kind() == Kind::Rules {
            rules(&lesson, question, registry)
        } else {
            worth(question, registry, false)
        },
    }))
}

/// A lesson runs as it says: menus have no say in it.
fn options(question: &Question) -> Options {
    Options {
        files: question.options().files,
        ..Options::default()
    }
}

fn read(question: &Question) -> Result<Lesson, String> {
    let named = |name: &str| {
        let text = question.files.get(name)?;
        Some(Source::new(name, text.clone()))
    };
    let start = named(&question.name)
        .ok_or_else(|| format!("the lesson `{}` is not among the files", question.name))?;
    Lesson::read(&start, &named).map_err(|mistakes| {
        let says = mistakes
            .iter()
            .map(|it| format!("line {}: {}", it.line, it.message));
        says.collect::<Vec<_>>().join("\n")
    })
}

/// A rule file, on the lesson's first scene.
fn rules(lesson: &Lesson, question: &Question, registry: &Registry) -> Worth {
    let source = question.source();
    let options = Options {
        lowering: Some(question.name.clone()),
        profile: Question::named(&question.profile).or_else(|| lesson.profile.clone()),
        ..question.options()
    };
    let shown = lesson.scenes.first();
    let mut worth = shown.map_or_else(Worth::default, |scene| {
        scenario(scene, registry, &options, false)
    });
    let mut findings = read_lowering(&source, None).findings;
    hide_fixes(&mut findings);
    worth.marks = Marks::of(&source).all(&findings);
    worth
}
