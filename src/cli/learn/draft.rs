//! `learn new FILE`: a lesson made of a scenario with a finding. What a program can fill in is filled in; the text is the
//! author's to write.

use super::super::console::Console;
use super::super::{Ended, Status, input};
use super::sitting::put;
use crate::finding::{Finding, Source};
use crate::run::lesson::{hints_of, without_expectations};
use crate::run::{self, Options, Registry, Unusable};
use crate::scenario::{self, edit};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Writes the lesson and its solution next to each other, over nothing that is there.
pub(super) fn write(
    file: &Path,
    directory: &Path,
    registry: &Registry,
    options: &Options,
    console: &mut Console,
) -> Ended {
    let source = input::read(file)?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let [lesson, solution] = ["lesson.scn", "lesson.solution.scn"]
        .map(|ending| directory.join(format!("{stem}-{ending}")));
    for path in [&lesson, &solution] {
        if fs::symlink_metadata(path).is_ok() {
            return Err(Unusable::new(
                format!("`{}` is there already; nothing was written", path.display()),
                "move it away, or name another directory with `--dir`",
            )
            .into());
        }
    }
    let draft = Draft::of(&source, registry, options)?;
    let text = draft.text(&source);
    put(&lesson, &text)?;
    put(&solution, &draft.solution)?;
    console.say(&format!(
        "{} and {} are written",
        lesson.display(),
        solution.display()
    ));
    let written = Source::new(lesson.display().to_string(), text);
    let read =
        input::lesson(&written).map_err(|mistakes| super::unread(&written.name, &mistakes))?;
    let open = read.prove(registry, options);
    for what in &open {
        console.say(&format!("to mend: {what}"));
    }
    console.say(&format!(
        "next: write the text and a question, then `syncscope test {}`",
        lesson.display()
    ));
    Ok(if open.is_empty() {
        Status::Good
    } else {
        Status::Found
    })
}

/// What is known of a lesson to be.
struct Draft {
    title: String,
    /// Findings of the start that fail, or else those of what is redundant.
    findings: Vec<Finding>,
    hints: Vec<String>,
    /// Whether the start has errors or hazards.
    is_wrong: bool,
    /// Whether anything of the start is redundant.
    is_redundant: bool,
    /// Barriers of the start and of the solution.
    barriers: [usize; 2],
    profile: String,
    solution: String,
    /// Whether the solution is clean, and whether nothing of it is redundant.
    good: [bool; 2],
}

impl Draft {
    fn of(source: &Source, registry: &Registry, options: &Options) -> Result<Self, Unusable> {
        let keeping = Options {
            keep_changed: true,
            ..options.clone()
        };
        let report = run::run(source, registry, &keeping)?;
        let is_redundant = |it: &Finding| it.rule.family() == "RD";
        let fails = |it: &Finding| it.severity.fails();
        if report
            .findings
            .iter()
            .any(|it| it.rule.family() == "SC" && fails(it))
        {
            return Err(Unusable {
                message: format!("`{}` is not understood", source.name),
                help: format!("`syncscope check {}` says why", source.name),
            });
        }
        let is_wrong = report.findings.iter().any(fails);
        let wanted = |it: &Finding| {
            if is_wrong {
                fails(it)
            } else {
                is_redundant(it)
            }
        };
        let findings: Vec<Finding> = report
            .findings
            .iter()
            .filter(|it| wanted(it))
            .cloned()
            .collect();
        let Some(first) = findings.first() else {
            return Err(Unusable {
                message: format!("nothing in `{}` is wrong or redundant", source.name),
                help: "a lesson begins with a finding".to_owned(),
            });
        };
        let solution = if is_wrong {
            run::repair(source, options.rules, fails).source
        } else {
            source.clone()
        };
        let solution = without_expectations(&tidied(solution, registry, &keeping)?.text);
        let solved = run::run(
            &Source::new(source.name.clone(), solution.as_str()),
            registry,
            options,
        )?;
        let (scenario, _) = scenario::parse(source);
        Ok(Self {
            title: scenario.title_in(source),
            hints: hints_of(first),
            is_wrong,
            is_redundant: report.findings.iter().any(is_redundant),
            barriers: [&source.text, &solution].map(|text| barriers(text)),
            profile: report.profile.clone(),
            good: [
                !solved.findings.iter().any(fails),
                !solved.findings.iter().any(is_redundant),
            ],
            solution,
            findings,
        })
    }

    /// The lesson's file: header and start.
    fn text(&self, source: &Source) -> String {
        let mut text = String::new();
        let first = &self.findings[0];
        let mut line = |words: &str| {
            let _ = writeln!(text, "{}", format!("//! {words}").trim_end());
        };
        line(&format!("lesson: {}", one_line(&self.title)));
        let (id, name) = (first.rule.id, first.rule.name);
        line(&format!(
            "goal: Remove {id} {name}, and do nothing more than that takes."
        ));
        line("");
        line("What a reader has to know for this lesson.");
        line("");
        for hint in &self.hints {
            line(&format!("hint: {}", one_line(hint)));
        }
        line("");
        let mut fails = Vec::new();
        if self.good[0] {
            line("check: clean");
            fails.extend(self.is_wrong.then_some("clean"));
        }
        if self.good[1] {
            line("check: nothing redundant");
            fails.extend(self.is_redundant.then_some("nothing redundant"));
        }
        let [had, has] = self.barriers;
        let noun = if has == 1 { "barrier" } else { "barriers" };
        line(&format!("check: at most {has} {noun}"));
        fails.extend((had > has).then_some("barriers"));
        line(&format!(
            "check: within 10 % of the solution on {}",
            self.profile
        ));
        line("check: same work");
        line(&format!("fails: {}", fails.join(", ")));
        text.push('\n');
        text.push_str(&self.marked(source));
        text
    }

    /// The start, with what it expects at the end of the lines of its findings.
    fn marked(&self, source: &Source) -> String {
        let mut lines: Vec<String> = source.text.lines().map(str::to_owned).collect();
        let mut ids: Vec<(u32, &str)> = self
            .findings
            .iter()
            .map(|it| (source.line(it.span.start), it.rule.id))
            .collect();
        ids.sort_unstable();
        ids.dedup();
        for group in ids.chunk_by(|one, two| one.0 == two.0) {
            let Some(line) = lines.get_mut(group[0].0 as usize - 1) else {
                continue;
            };
            if !line.contains("//") {
                let ids: Vec<&str> = group.iter().map(|it| it.1).collect();
                let _ = write!(line, " //~ {}", ids.join(", "));
            }
        }
        lines.join("\n") + "\n"
    }
}

/// A text with every change made that is proposed for what is redundant, one after the other.
fn tidied(mut text: Source, registry: &Registry, options: &Options) -> Result<Source, Unusable> {
    /// Each change takes a barrier or a bit away; a text with more is too long for a lesson.
    const CHANGES_MAX: usize = 64;
    for _ in 0..CHANGES_MAX {
        let report = run::run(&text, registry, options)?;
        let changed = report.changed.into_iter().map(|it| it.text);
        let Some(next) = changed.into_iter().find(|it| *it != text.text) else {
            break;
        };
        text = Source::new(text.name, next);
    }
    Ok(text)
}

fn barriers(text: &str) -> usize {
    let (scenario, _) = scenario::parse(&Source::new("", text));
    edit::entries(&scenario).count()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::lesson::Lesson;

    #[test]
    fn a_draft_keeps_its_word() {
        let text = include_str!("../demo.scn");
        let source = Source::new("demo.scn", text);
        let registry = crate::catalog::registry();
        let draft =
            Draft::of(&source, &registry, &Options::default()).expect("the demo has a hazard");
        let start = Source::new("demo-lesson.scn", draft.text(&source));
        let solution = Source::new("demo-lesson.solution.scn", draft.solution.clone());
        let next_to = |name: &str| (name == solution.name).then(|| solution.clone());
        let lesson = Lesson::read(&start, &next_to).expect("a header");
        let failed = lesson.check(&start, &registry, &Options::default());
        assert!(!failed.passed(), "{}", start.text);
        let passed = lesson.check(&solution, &registry, &Options::default());
        assert!(passed.passed(), "{passed:?}\n{}", solution.text);
    }
}
