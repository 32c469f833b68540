//! A page of the book for each lesson, made of the lesson itself: what it says, what a student starts with, and folded away what
//! helps. Where the book has the module, the start is live.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::run::Options;
use syncscope::run::lesson::{Lesson, lessons};

/// The pages by their names below `book/src/lessons`.
pub(super) fn pages() -> BTreeMap<String, String> {
    let lessons = lessons().expect("the lessons are read");
    let names: Vec<String> = lessons.iter().map(|it| it.name().to_owned()).collect();
    let pages = (1..).zip(&lessons).map(|(number, lesson)| {
        let before = (number > 1).then(|| &names[number - 2]);
        let page = page(
            number,
            lesson,
            before.map(String::as_str),
            names.get(number).map(String::as_str),
        );
        (format!("{}.md", lesson.name()), page)
    });
    pages.collect()
}

/// The part of the summary below the page of all lessons.
pub(super) fn summary() -> String {
    let lessons = lessons().expect("the lessons are read");
    let mut part = String::new();
    for (number, lesson) in (1..).zip(&lessons) {
        let _ = writeln!(
            part,
            "  - [{number}. {}](lessons/{}.md)",
            lesson.title,
            lesson.name()
        );
    }
    part
}

fn page(number: usize, lesson: &Lesson, before: Option<&str>, after: Option<&str>) -> String {
    let mut page = format!("# {number}. {}\n\n", lesson.title);
    for paragraph in &lesson.text {
        let _ = writeln!(page, "{paragraph}\n");
    }
    let _ = writeln!(page, "**Goal.** {}\n", lesson.goal);
    if let Some(question) = &lesson.question {
        let _ = writeln!(page, "**Predict.** {}\n", question.ask);
        for choice in &question.choices {
            let _ = writeln!(page, "* {choice}");
        }
        page.push('\n');
    }
    let extension = lesson.file_name().rsplit('.').next().unwrap_or("scn");
    let start = lesson.start_for_students();
    let _ = writeln!(
        page,
        "```{extension},lesson={}\n{}```\n",
        lesson.file_name(),
        trimmed(&start)
    );
    for scene in &lesson.scenes {
        let name = scene.name.rsplit('/').next().unwrap_or(&scene.name);
        folded(
            &mut page,
            &format!("The scene `{name}`"),
            &code("scn", &scene.text),
        );
    }
    let _ = writeln!(
        page,
        "In a terminal: `syncscope learn {number}`. An answer passes if it has <!-- not run: it waits for the student -->\n"
    );
    for check in &lesson.checks {
        let _ = writeln!(page, "* {check}");
    }
    page.push('\n');
    let hints = lesson.hints(&catalog::registry(), &Options::default());
    for (number, hint) in (1..).zip(&hints) {
        folded(&mut page, &format!("Hint {number}"), hint);
    }
    if let Some(question) = &lesson.question {
        let right = &question.choices[question.right];
        folded(
            &mut page,
            "What the question was about",
            &format!("{right}. {}", question.because),
        );
    }
    if let Some(solution) = &lesson.solution {
        folded(&mut page, "A solution", &code(extension, &solution.text));
    }
    let link = |name: &str, words: &str| format!("[{words}]({name}.md)");
    let links = [
        before.map(|name| link(name, "The lesson before")),
        Some("[All lessons](../lessons.md)".to_owned()),
        after.map(|name| link(name, "The next lesson")),
    ];
    let links: Vec<String> = links.into_iter().flatten().collect();
    let _ = writeln!(page, "{}", links.join(" · "));
    page
}

/// Text that a reader opens.
fn folded(page: &mut String, title: &str, text: &str) {
    let title = title.replace('`', "");
    let _ = writeln!(
        page,
        "<details><summary>{title}</summary>\n\n{text}\n\n</details>\n"
    );
}

fn code(language: &str, text: &str) -> String {
    format!("```{language},folded\n{}```", trimmed(text))
}

/// Text with one line end at its end.
fn trimmed(text: &str) -> String {
    format!("{}\n", text.trim())
}

/// The live page and `learn` start with the same text.
#[test]
fn a_page_has_the_start_of_its_lesson() {
    for lesson in lessons().expect("the lessons are read") {
        let page = &pages()[&format!("{}.md", lesson.name())];
        let from = page.find(",lesson=").expect("a block");
        let block = &page[from..];
        let body =
            &block[block.find('\n').expect("a line") + 1..block.find("\n```\n").expect("an end")];
        assert_eq!(
            body,
            lesson.start_for_students().trim(),
            "{}",
            lesson.name()
        );
        assert!(
            !body.contains("//~"),
            "{}: the mistake is not named",
            lesson.name()
        );
        let sheet = lesson.sheet();
        assert!(sheet.ends_with(&lesson.start_for_students()));
        let _ = Source::new(lesson.file_name(), sheet);
    }
}
